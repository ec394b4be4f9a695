use instrument_inference::LabelValue;

#[derive(LabelValue)]
enum Tier {
    #[label(concat!("fr", "ee"))]
    Free,
}

fn main() {}
