use instrument_inference::health_check;

#[health_check]
struct Tokenizer;

fn main() {}
