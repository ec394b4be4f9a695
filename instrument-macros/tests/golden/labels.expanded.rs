// Generated from the file of the same name without `.expanded`; `UPDATE_GOLDEN=1` refreshes it.
// `P` stands for `::instrument_inference::__private`.

async fn postprocess(&self, request: Request) -> Answer {
    let __site = {
        #[P::linkme::distributed_slice(P::SITES)]
        #[linkme(crate = P::linkme)]
        static __SITE: P::Site = P::Site::stage(
                P::stage_name("postprocess"),
                P::core::module_path!(),
            )
            .labels(&["kind", "source"])
            .names_model();
        &__SITE
    };
    let __arguments = if P::enabled() {
        P::StageArgs::NONE
            .labels(__site, &[P::label(&request.kind), P::label(&P::Literal("cache"))])
            .model(&self.slot)
    } else {
        P::StageArgs::NONE
    };
    let (__r, __guard) = P::Staged::new(
            __site,
            __arguments,
            async move {
                if false {
                    return P::never_called::<Answer>();
                }
                let (request,) = (request,);
                ({ render(request).await })
            },
        )
        .await;
    __guard.exit(P::outcome!(& __r));
    __r
}
