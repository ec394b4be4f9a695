//! A model and version that the service has declared.

use crate::vocab::label::cut;

/// Where a label needs a model and there is none.
pub(crate) const NONE: &str = "none";

/// The labels `model` and `version`. An index into the recorder's list, where [`NO_MODEL`] is 0.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Model {
    pub(crate) name: Box<str>,
    pub(crate) version: Box<str>,
}

/// The place of the model that stands for "none".
pub(crate) const NO_MODEL: usize = 0;

impl Model {
    pub(crate) fn new(name: &str, version: &str) -> Model {
        let or_none = |text: &str| {
            if text.is_empty() {
                NONE.into()
            } else {
                cut(text).into()
            }
        };
        Model {
            name: or_none(name),
            version: or_none(version),
        }
    }

    pub(crate) fn none() -> Model {
        Model::new(NONE, NONE)
    }
}
