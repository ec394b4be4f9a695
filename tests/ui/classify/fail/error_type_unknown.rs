use instrument_inference::Classify;

#[derive(Classify)]
enum Failure {
    #[classify(teapot)]
    Teapot,
}

fn main() {}
