use instrument_inference::Classify;

#[derive(Classify)]
enum Failure {
    #[classify = "internal"]
    Model,
}

fn main() {}
