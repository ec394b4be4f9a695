use instrument_inference::LabelValue;

#[derive(LabelValue)]
enum Tier {
    #[label("a text of more than a hundred and twenty-eight bytes, which no reader of a dashboard and no store of time series wants to see or to keep for ever")]
    Free,
}

fn main() {}
