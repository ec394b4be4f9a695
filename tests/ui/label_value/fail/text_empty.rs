use instrument_inference::LabelValue;

#[derive(LabelValue)]
enum Tier {
    #[label("")]
    Free,
}

fn main() {}
