// Generated from the file of the same name without `.expanded`; `UPDATE_GOLDEN=1` refreshes it.
// `P` stands for `::instrument_inference::__private`.

/// The vocabulary is in memory.
fn tokenizer_loaded() -> bool {
    TOKENIZER.get().is_some()
}
#[doc(hidden)]
enum __check_tokenizer_loaded {}
impl __check_tokenizer_loaded {
    pub const __SPEC: &'static P::CheckSpec = {
        #[P::linkme::distributed_slice(P::CHECKS)]
        #[linkme(crate = P::linkme)]
        static __CHECK: P::CheckSpec = P::CheckSpec::new(
            "tokenizer_loaded",
            P::core::module_path!(),
            P::CheckRun::Sync(|| P::report(tokenizer_loaded())),
        );
        &__CHECK
    };
}
pub fn tokenizer(app: &Arc<App>) -> Health {
    app.tokenizer.health()
}
#[doc(hidden)]
pub enum __check_tokenizer {}
impl __check_tokenizer {
    pub const __SPEC: &'static P::CheckSpec = {
        #[P::linkme::distributed_slice(P::CHECKS)]
        #[linkme(crate = P::linkme)]
        static __CHECK: P::CheckSpec = P::CheckSpec::new(
                "tokenizer",
                P::core::module_path!(),
                P::CheckRun::SyncWith(
                    P::StateType::of::<Arc<App>>(),
                    |__state| P::report(tokenizer(P::state(__state))),
                ),
            )
            .groups(&[P::Group::Readiness, P::Group::Startup])
            .hard()
            .reason("tokenizer_missing")
            .model("sentiment")
            .timing(P::Timing::NONE.cache(2000000000).timeout(50000000));
        &__CHECK
    };
}
