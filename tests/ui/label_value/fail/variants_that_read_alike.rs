use instrument_inference::LabelValue;

#[derive(LabelValue)]
enum Protocol {
    HTTP,
    Http,
}

fn main() {}
