// Generated from the file of the same name without `.expanded`; `UPDATE_GOLDEN=1` refreshes it.
// `P` stands for `::instrument_inference::__private`.

fn rerank(items: &mut [Item]) {
    let __site = {
        #[P::linkme::distributed_slice(P::SITES)]
        #[linkme(crate = P::linkme)]
        static __SITE: P::Site = P::Site::stage(
                P::custom_stage_name("rerank"),
                P::core::module_path!(),
            )
            .buckets(P::Buckets::Edges(&[0.001, 0.01, 1.0]));
        &__SITE
    };
    let __guard = P::enter(__site, P::StageArgs::NONE);
    let __r = P::call(move || -> () {
        items.sort();
    });
    __guard.exit(P::Outcome::Ok);
    __r
}
