use instrument_inference::inference_stage;

#[inference_stage("preprocess", buckets = micro)]
fn a() {}

#[inference_stage("preprocess", buckets = fast)]
fn b() {}

#[inference_stage("preprocess", buckets = general)]
fn c() {}

#[inference_stage("preprocess", buckets = llm)]
fn d() {}

fn main() {
    a();
    b();
    c();
    d();
}
