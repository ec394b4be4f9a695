use instrument_inference::LabelValue;

#[derive(LabelValue)]
enum Tier {
    #[label(crate = ::instrument_inference)]
    Free,
}

fn main() {}
