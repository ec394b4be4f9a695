use instrument_inference::LabelValue;

#[derive(LabelValue)]
enum Tier<T> {
    Free,
    Paid(T),
}

fn main() {}
