use instrument_inference::inference_stage;

struct Request {
    language: String,
}

#[inference_stage("execute", labels(language = request.language))]
fn execute(request: &Request) {}

fn main() {}
