use instrument_inference::LabelValue;

#[derive(LabelValue)]
#[label(rename = "kind")]
enum Tier {
    #[label]
    Free,
    #[label("paid", "gold")]
    Paid,
    Trial(u8),
}

fn main() {}
