// Generated from the file of the same name without `.expanded`; `UPDATE_GOLDEN=1` refreshes it.
// `P` stands for `::instrument_inference::__private`.

fn one_token(state: &mut State) -> Token {
    let __site = {
        #[P::linkme::distributed_slice(P::SITES)]
        #[linkme(crate = P::linkme)]
        static __SITE: P::Site = P::Site::stage(
                P::stage_name("decode"),
                P::core::module_path!(),
            )
            .no_span();
        &__SITE
    };
    let __guard = P::enter(__site, P::StageArgs::NONE);
    let __r = P::call(move || -> Token { state.sample() });
    __guard.exit(P::outcome!(& __r));
    __r
}
