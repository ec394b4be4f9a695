use instrument_inference::check;

fn not_a_check() -> bool {
    true
}

fn checks() {
    check!(not_a_check);
}

fn main() {}
