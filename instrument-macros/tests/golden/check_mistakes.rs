#[health_check(cache = "5", timeout = "6s", name = "Redis")]
async fn redis_up() -> bool {
    ping().await
}

#[health_check]
const fn vocabulary(app: App) -> bool {
    app.vocabulary > 0
}
