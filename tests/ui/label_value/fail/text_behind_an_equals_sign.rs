use instrument_inference::LabelValue;

#[derive(LabelValue)]
enum Tier {
    #[label = "free"]
    Free,
}

fn main() {}
