use instrument_inference::LabelValue;

#[derive(LabelValue)]
fn tier() {}

fn main() {}
