use instrument_inference::health_check;

#[health_check(cache = "5", timeout = 50, group = "ready", name = "Redis", remote, fial)]
const fn redis_up(_: Pool) -> u8 {
    0
}

struct Pool;

fn main() {}
