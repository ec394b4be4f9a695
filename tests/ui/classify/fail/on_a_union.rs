use instrument_inference::Classify;

#[derive(Classify)]
union Failure {
    code: u32,
}

fn main() {}
