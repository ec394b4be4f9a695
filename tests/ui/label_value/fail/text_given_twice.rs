use instrument_inference::LabelValue;

#[derive(LabelValue)]
enum Tier {
    #[label("free")]
    #[label("gratis")]
    Free,
}

fn main() {}
