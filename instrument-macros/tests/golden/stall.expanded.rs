// Generated from the file of the same name without `.expanded`; `UPDATE_GOLDEN=1` refreshes it.
// `P` stands for `::instrument_inference::__private`.

fn execute(model: &Model, batch: Tensor) -> Tensor {
    let __site = {
        #[P::linkme::distributed_slice(P::SITES)]
        #[linkme(crate = P::linkme)]
        static __SITE: P::Site = P::Site::stage(
                P::execution_name(P::stage_name("execute")),
                P::core::module_path!(),
            )
            .stall(90000000000u64);
        &__SITE
    };
    let __guard = P::enter(__site, P::StageArgs::NONE);
    let __r = P::call(move || -> Tensor {
        let (batch,) = (batch,);
        ({ model.run(batch) })
    });
    __guard.exit(P::outcome!(& __r));
    __r
}
fn diffuse(model: &Model, noise: Tensor) -> Tensor {
    let __site = {
        #[P::linkme::distributed_slice(P::SITES)]
        #[linkme(crate = P::linkme)]
        static __SITE: P::Site = P::Site::stage(
                P::stage_name("diffuse"),
                P::core::module_path!(),
            )
            .device()
            .stall(300000000000u64);
        &__SITE
    };
    let __guard = P::enter(__site, P::StageArgs::NONE);
    let __r = P::call(move || -> Tensor {
        let (noise,) = (noise,);
        ({ model.run(noise) })
    });
    __guard.exit(P::outcome!(& __r));
    __r
}
