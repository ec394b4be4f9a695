use instrument_inference::inference_stage;

enum Kind {
    Image,
    Text,
}

#[inference_stage("execute", labels(kind = kind))]
fn execute(kind: &Kind) {}

fn main() {
    execute(&Kind::Image);
    execute(&Kind::Text);
}
