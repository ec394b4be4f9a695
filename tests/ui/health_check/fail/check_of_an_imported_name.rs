use instrument_inference::check;

mod tokenizer {
    #[instrument_inference::health_check]
    pub(crate) fn loaded() {}
}
use tokenizer::loaded;

fn checks() {
    check!(loaded);
}

fn main() {
    loaded();
}
