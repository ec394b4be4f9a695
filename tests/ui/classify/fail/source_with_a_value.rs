use instrument_inference::Classify;

#[derive(Classify)]
enum Failure {
    #[classify(source = inner)]
    Model { inner: std::io::Error },
}

fn main() {}
