use instrument_inference::inference_request;

#[inference_request]
#[track_caller]
fn predict(text: &str) -> Option<u8> {
    if text.is_empty() {
        return None;
    }
    Some(1)
}

fn main() {}
