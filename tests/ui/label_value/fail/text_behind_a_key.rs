use instrument_inference::LabelValue;

#[derive(LabelValue)]
enum Tier {
    #[label(rename = "free")]
    Free,
}

fn main() {}
