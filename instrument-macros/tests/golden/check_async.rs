#[health_check(cache = "10s", timeout = "1s", remote, soft, refresh = "5s", confirm = "2s", failures = 3, successes = 2, max_stale = "1m", initial_delay = "5s")]
pub(crate) async fn redis_up(app: &App) -> Result<(), RedisError> {
    app.redis.ping().await
}

#[health_check(group = "liveness")]
async fn engine() {
    ENGINE.answer().await
}
