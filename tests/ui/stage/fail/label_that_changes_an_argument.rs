use instrument_inference::inference_stage;

#[inference_stage("execute", labels(more = items.pop().is_some()))]
fn execute(items: Vec<u8>) -> usize {
    items.len()
}

fn main() {}
