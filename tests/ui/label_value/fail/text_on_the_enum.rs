use instrument_inference::LabelValue;

#[derive(LabelValue)]
#[label("tier")]
enum Tier {
    Free,
}

fn main() {}
