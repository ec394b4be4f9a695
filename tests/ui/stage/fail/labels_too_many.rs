use instrument_inference::inference_stage;

#[inference_stage(
    "execute",
    labels(a = x, b = x, c = x, d = x, e = x, f = x, g = x, h = x, i = x, j = x)
)]
fn execute(x: bool) {}

fn main() {}
