use instrument_inference::LabelValue;

#[derive(LabelValue)]
enum Tier {
    Free,
    Paid(u32),
    Trial { days: u32 },
}

fn main() {}
