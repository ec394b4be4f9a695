// Generated from the file of the same name without `.expanded`; `UPDATE_GOLDEN=1` refreshes it.
// `P` stands for `::instrument_inference::__private`.

async fn redis_up() -> bool {
    ping().await
}
#[doc(hidden)]
enum __check_redis_up {}
impl __check_redis_up {
    pub const __SPEC: &'static P::CheckSpec = {
        #[P::linkme::distributed_slice(P::CHECKS)]
        #[linkme(crate = P::linkme)]
        static __CHECK: P::CheckSpec = P::CheckSpec::new(
                "Redis",
                P::core::module_path!(),
                P::CheckRun::Async(|| P::Box::pin(async move {
                    P::report(redis_up().await)
                })),
            )
            .timing(P::Timing::NONE.timeout(6000000000));
        &__CHECK
    };
}
::core::compile_error! {
    "a duration needs a unit: `\"5ms\"`, `\"5s\"`"
}
::core::compile_error! {
    "a check's name is lower case letters, digits and `_`: write `\"redis\"`"
}
const fn vocabulary(app: App) -> bool {
    app.vocabulary > 0
}
::core::compile_error! {
    "a check looks at what is true now, which a `const fn` can't: take `const` away"
}
::core::compile_error! {
    "a check borrows its state, which is kept for the next run: put a `&` before the type"
}
