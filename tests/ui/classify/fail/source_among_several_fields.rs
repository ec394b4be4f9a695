use instrument_inference::Classify;

#[derive(Classify)]
enum Failure {
    #[classify(source)]
    Model(String, std::io::Error),
}

fn main() {}
