// Generated from the file of the same name without `.expanded`; `UPDATE_GOLDEN=1` refreshes it.
// `P` stands for `::instrument_inference::__private`.

pub(crate) async fn redis_up(app: &App) -> Result<(), RedisError> {
    app.redis.ping().await
}
#[doc(hidden)]
pub(crate) enum __check_redis_up {}
impl __check_redis_up {
    pub const __SPEC: &'static P::CheckSpec = {
        #[P::linkme::distributed_slice(P::CHECKS)]
        #[linkme(crate = P::linkme)]
        static __CHECK: P::CheckSpec = P::CheckSpec::new(
                "redis_up",
                P::core::module_path!(),
                P::CheckRun::AsyncWith(
                    P::StateType::of::<App>(),
                    |__state| P::Box::pin(async move {
                        P::report(redis_up(P::state(&*__state)).await)
                    }),
                ),
            )
            .soft()
            .remote()
            .timing(
                P::Timing::NONE
                    .cache(10000000000)
                    .timeout(1000000000)
                    .refresh(5000000000)
                    .confirm(2000000000)
                    .failures(3)
                    .successes(2)
                    .max_stale(60000000000)
                    .initial_delay(5000000000),
            );
        &__CHECK
    };
}
async fn engine() {
    ENGINE.answer().await
}
#[doc(hidden)]
enum __check_engine {}
impl __check_engine {
    pub const __SPEC: &'static P::CheckSpec = {
        #[P::linkme::distributed_slice(P::CHECKS)]
        #[linkme(crate = P::linkme)]
        static __CHECK: P::CheckSpec = P::CheckSpec::new(
                "engine",
                P::core::module_path!(),
                P::CheckRun::Async(|| P::Box::pin(async move {
                    P::report(engine().await)
                })),
            )
            .groups(&[P::Group::Liveness]);
        &__CHECK
    };
}
