use instrument_inference::health_check;

struct App;

impl App {
    #[health_check]
    fn ready() -> bool {
        true
    }
}

fn main() {}
