use instrument_inference::{LabelValue, inference_stage};

#[derive(LabelValue)]
struct Tenant(String);

// No mistake of its own.
#[inference_stage("execute", labels(customer = tenant))]
fn execute(tenant: &Tenant) {}

fn main() {}
