use instrument_inference::health_check;

struct App;

impl App {
    #[health_check]
    fn ready(&self) -> bool {
        true
    }
}

fn main() {}
