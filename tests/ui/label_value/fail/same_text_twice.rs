use instrument_inference::LabelValue;

#[derive(LabelValue)]
enum Tier {
    Free,
    #[label("free")]
    Trial,
}

fn main() {}
