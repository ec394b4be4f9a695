use instrument_inference::inference_stage;

struct Uuid([u8; 16]);

#[inference_stage("execute", labels(kind = id))]
fn execute(id: Uuid) -> [u8; 16] {
    id.0
}

fn main() {}
