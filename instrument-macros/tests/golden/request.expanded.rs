// Generated from the file of the same name without `.expanded`; `UPDATE_GOLDEN=1` refreshes it.
// `P` stands for `::instrument_inference::__private`.

async fn predict(
    State(app): State<App>,
    user: User,
    path: MatchedPath,
    Json(request): Json<Predict>,
) -> Result<Json<Answer>, AppError> {
    let __site = {
        #[P::linkme::distributed_slice(P::SITES)]
        #[linkme(crate = P::linkme)]
        static __SITE: P::Site = P::Site::request("predict", P::core::module_path!())
            .labels(&["cached"])
            .names_model()
            .ingress("http")
            .varies();
        &__SITE
    };
    let __arguments = if P::enabled() {
        P::Opening::new(__site)
            .ingress(P::label(&P::Literal("http")))
            .tier(P::label(&user.tier))
            .route(P::route(&path.as_str()))
            .model(&app.slot)
            .labels(&[P::label(&flag)])
    } else {
        P::Opening::new(__site)
    };
    let (__r, __guard) = P::Requested::new(
            __site,
            __arguments,
            async move {
                if false {
                    return P::never_called::<Result<Json<Answer>, AppError>>();
                }
                let (app, user, __unused2, request) = (app, user, path, request);
                ({ app.answer(user, request).await })
            },
        )
        .await;
    __guard.exit(P::outcome!(& __r));
    __r
}
fn serve(message: Message) -> Result<Answer, Failure> {
    let __site = {
        #[P::linkme::distributed_slice(P::SITES)]
        #[linkme(crate = P::linkme)]
        static __SITE: P::Site = P::Site::request("serve", P::core::module_path!())
            .root();
        &__SITE
    };
    let __guard = P::open(__site, P::Opening::new(__site));
    let __r = P::call(move || -> Result<Answer, Failure> {
        let (message,) = (message,);
        ({ answer(message) })
    });
    __guard.exit(P::outcome_by!(& __r, classify));
    __r
}
