use instrument_inference::LabelValue;

#[derive(LabelValue)]
enum Tier {
    #[label("free\nof charge")]
    Free,
}

fn main() {}
