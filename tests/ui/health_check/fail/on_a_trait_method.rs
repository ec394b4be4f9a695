use instrument_inference::health_check;

trait Ready {
    #[health_check]
    fn ready() -> bool;
}

fn main() {}
