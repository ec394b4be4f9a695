use instrument_inference::health_check;

struct App;

#[health_check]
impl App {
    fn ready(&self) -> bool {
        true
    }
}

fn main() {}
