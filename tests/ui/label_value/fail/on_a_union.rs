use instrument_inference::LabelValue;

#[derive(LabelValue)]
union Bits {
    number: u32,
}

fn main() {}
