//! The labels of data points, as the SDK takes them.

use opentelemetry::{KeyValue, Value};

/// The labels of one data point, sorted by key: in this order the SDK keeps one copy of them, not two.
pub(crate) type Attributes = Box<[KeyValue]>;

pub(crate) fn label(key: &'static str, value: &str) -> KeyValue {
    KeyValue::new(key, Value::from(value.to_owned()))
}

/// In the order in which the SDK keeps them.
pub(crate) fn sorted(mut attributes: Vec<KeyValue>) -> Vec<KeyValue> {
    attributes.sort_by(|a, b| a.key.cmp(&b.key));
    attributes
}
