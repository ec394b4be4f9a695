// Generated from the file of the same name without `.expanded`; `UPDATE_GOLDEN=1` refreshes it.
// `P` stands for `::instrument_inference::__private`.

async fn execute(request: Request) -> Result<Logits, Error> {
    let __site = {
        #[crate::telemetry::__private::linkme::distributed_slice(
            crate::telemetry::__private::SITES
        )]
        #[linkme(crate = crate::telemetry::__private::linkme)]
        static __SITE: crate::telemetry::__private::Site = crate::telemetry::__private::Site::stage(
                crate::telemetry::__private::stage_name("execute"),
                crate::telemetry::__private::core::module_path!(),
            )
            .buckets(crate::telemetry::__private::Buckets::Edges(&[0.5]))
            .labels(&["kind", "cache"]);
        &__SITE
    };
    let __arguments = if crate::telemetry::__private::enabled() {
        crate::telemetry::__private::StageArgs::NONE
            .labels(
                __site,
                &[
                    crate::telemetry::__private::label(&request.kind),
                    crate::telemetry::__private::label(
                        &crate::telemetry::__private::Literal("hit"),
                    ),
                ],
            )
    } else {
        crate::telemetry::__private::StageArgs::NONE
    };
    let (__r, __guard) = crate::telemetry::__private::Staged::new(
            __site,
            __arguments,
            async move {
                if false {
                    return crate::telemetry::__private::never_called::<
                        Result<Logits, Error>,
                    >();
                }
                let (request,) = (request,);
                ({ run(request).await })
            },
        )
        .await;
    __guard.exit(crate::telemetry::__private::outcome_by!(& __r, kind));
    __r
}
fn serve(request: Request) -> (StatusCode, Answer) {
    let __site = {
        #[::renamed::__private::linkme::distributed_slice(::renamed::__private::SITES)]
        #[linkme(crate = ::renamed::__private::linkme)]
        static __SITE: ::renamed::__private::Site = ::renamed::__private::Site::request(
                "serve",
                ::renamed::__private::core::module_path!(),
            )
            .names_model();
        &__SITE
    };
    let __arguments = if ::renamed::__private::enabled() {
        ::renamed::__private::Opening::new(__site).model(&slot)
    } else {
        ::renamed::__private::Opening::new(__site)
    };
    let __guard = ::renamed::__private::open(__site, __arguments);
    let __r = ::renamed::__private::call(move || -> (StatusCode, Answer) {
        let (request,) = (request,);
        ({ answer(request) })
    });
    __guard.exit(::renamed::__private::outcome!(& __r));
    __r
}
async fn disk(app: &App) -> Health {
    app.disk.health().await
}
#[doc(hidden)]
enum __check_disk {}
impl __check_disk {
    pub const __SPEC: &'static crate::telemetry::__private::CheckSpec = {
        #[crate::telemetry::__private::linkme::distributed_slice(
            crate::telemetry::__private::CHECKS
        )]
        #[linkme(crate = crate::telemetry::__private::linkme)]
        static __CHECK: crate::telemetry::__private::CheckSpec = crate::telemetry::__private::CheckSpec::new(
                "disk",
                crate::telemetry::__private::core::module_path!(),
                crate::telemetry::__private::CheckRun::AsyncWith(
                    crate::telemetry::__private::StateType::of::<App>(),
                    |__state| crate::telemetry::__private::Box::pin(async move {
                        crate::telemetry::__private::report(
                            disk(crate::telemetry::__private::state(&*__state)).await,
                        )
                    }),
                ),
            )
            .groups(&[crate::telemetry::__private::Group::Liveness])
            .timing(crate::telemetry::__private::Timing::NONE.cache(1000000000));
        &__CHECK
    };
}
