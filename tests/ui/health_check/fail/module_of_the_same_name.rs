use instrument_inference::health_check;

mod tokenizer {}

#[health_check]
fn tokenizer() -> bool {
    true
}

fn main() {}
