use instrument_inference::LabelValue;

#[derive(LabelValue)]
#[label(crate = instrument_inference)]
enum Tier {
    Free,
}

fn main() {}
