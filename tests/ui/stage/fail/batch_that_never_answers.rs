use instrument_inference::inference_stage;

#[inference_stage("execute", batch = size)]
fn execute(size: usize) -> ! {
    loop {}
}

fn main() {}
