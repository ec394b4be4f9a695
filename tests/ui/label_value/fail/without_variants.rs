use instrument_inference::LabelValue;

#[derive(LabelValue)]
enum Tier {}

fn main() {}
