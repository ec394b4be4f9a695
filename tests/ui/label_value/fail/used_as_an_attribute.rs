use instrument_inference::LabelValue;

#[LabelValue]
enum Tier {
    Free,
}

fn main() {}
