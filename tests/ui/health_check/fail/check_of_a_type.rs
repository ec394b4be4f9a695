use instrument_inference::check;

fn checks() {
    check!(String);
}

fn main() {}
