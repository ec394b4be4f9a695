use instrument_inference::inference_stage;

#[inference_stage("execute", labels(hit))]
fn execute(hit: bool) -> bool {
    hit
}

fn main() {}
