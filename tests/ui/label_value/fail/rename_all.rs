use instrument_inference::LabelValue;

#[derive(LabelValue)]
#[label(rename_all = "kebab-case")]
enum Tier {
    Free,
}

fn main() {}
