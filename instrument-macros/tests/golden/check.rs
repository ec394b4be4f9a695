/// The vocabulary is in memory.
#[health_check]
fn tokenizer_loaded() -> bool {
    TOKENIZER.get().is_some()
}

#[health_check(timeout = "50ms", cache = "2s", group = ["readiness", "startup"], hard, name = "tokenizer", reason = "tokenizer_missing", model = "sentiment")]
pub fn tokenizer(app: &Arc<App>) -> Health {
    app.tokenizer.health()
}
