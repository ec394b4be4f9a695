use instrument_inference::inference_stage;

#[inference_stage("a_name_that_has_thirty_three_char")]
fn execute() {}

fn main() {}
