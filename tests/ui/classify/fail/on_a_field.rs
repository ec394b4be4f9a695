use instrument_inference::Classify;

#[derive(Classify)]
enum Failure {
    #[classify(internal)]
    Model(#[classify(source)] std::io::Error),
}

fn main() {}
