use instrument_inference::check;

fn checks() {
    check!("tokenizer");
}

fn main() {}
