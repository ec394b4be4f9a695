use instrument_inference::check;

mod tokenizer {
    #[instrument_inference::health_check]
    fn loaded() {}
}

fn checks() {
    check!(tokenizer::loaded);
}

fn main() {}
