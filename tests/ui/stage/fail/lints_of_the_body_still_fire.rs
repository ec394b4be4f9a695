#![deny(unused_variables, unused_mut, dead_code, unreachable_code)]
use instrument_inference::inference_stage;

#[inference_stage("execute", labels(hit = hit))]
fn execute(hit: bool, unused: u8, mut never_changed: u8) -> u8 {
    let local = 1;
    return never_changed;
    never_changed
}

#[inference_stage("execute")]
async fn execute_later(unused: u8, mut never_changed: u8) -> u8 {
    never_changed
}

fn main() {
    execute(true, 1, 2);
}
