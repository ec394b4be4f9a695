use instrument_inference::inference_stage;

struct Request {
    warm: bool,
}

#[inference_stage("execute", labels(request.warm))]
fn execute(request: &Request) {}

fn main() {
    execute(&Request { warm: true });
}
