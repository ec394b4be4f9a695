use instrument_inference::Classify;

#[derive(Classify)]
struct Failure;

fn main() {}
