use instrument_inference::LabelValue;

#[derive(LabelValue)]
enum Tier<const N: usize> {
    Free,
}

fn main() {}
