//! Filters see the module of the user's function, and the level.

use crate::tree::Tree;
use instrument_inference::testing::Rig;
use instrument_inference::{inference_request, inference_stage};
use tracing_subscriber::filter::Targets;
use tracing_subscriber::prelude::*;

mod service {
    use super::{inference_request, library};

    #[inference_request]
    pub fn predict() {
        library::execute();
    }
}

mod library {
    use super::inference_stage;

    #[inference_stage("execute")]
    pub fn execute() {}
}

fn seen(filter: &str) -> String {
    let rig = Rig::new();
    let _inside = rig.enter();
    let tree = Tree::default();
    let filter: Targets = filter.parse().expect("a filter");
    let subscriber = tracing_subscriber::registry()
        .with(filter)
        .with(tree.clone());
    tracing::subscriber::with_default(subscriber, service::predict);
    assert!(tree.is_settled());
    tree.shown()
}

#[test]
fn spans_are_chosen_by_the_module_of_their_function() {
    assert_eq!(seen("spans=debug"), "predict ok\n  execute ok\n");
    assert_eq!(seen("spans::filters::service=debug"), "predict ok\n");
    assert_eq!(seen("spans::filters::library=debug"), "execute ok\n");
    assert_eq!(seen("instrument_inference=debug"), "");
}

#[test]
fn requests_are_at_info_and_stages_at_debug() {
    assert_eq!(seen("info"), "predict ok\n");
    assert_eq!(seen("warn"), "");
    assert_eq!(seen("debug"), "predict ok\n  execute ok\n");
}
