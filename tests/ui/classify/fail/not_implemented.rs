use instrument_inference::Classify;

struct Failure;

fn report(_: &impl Classify) {}

fn main() {
    report(&Failure);
}
