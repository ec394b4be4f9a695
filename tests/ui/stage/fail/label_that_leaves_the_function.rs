use instrument_inference::inference_stage;

#[inference_stage("execute", labels(hit = hit?, warm = if let Some(hit) = hit { hit } else { return None }))]
fn execute(hit: Option<bool>) -> Option<u8> {
    None
}

fn main() {}
