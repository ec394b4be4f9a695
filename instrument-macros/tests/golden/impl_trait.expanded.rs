// Generated from the file of the same name without `.expanded`; `UPDATE_GOLDEN=1` refreshes it.
// `P` stands for `::instrument_inference::__private`.

fn decode<'a>(tokens: &'a [u32]) -> Result<impl Iterator<Item = String> + 'a, Error> {
    let __site = {
        #[P::linkme::distributed_slice(P::SITES)]
        #[linkme(crate = P::linkme)]
        static __SITE: P::Site = P::Site::stage(
            P::stage_name("decode"),
            P::core::module_path!(),
        );
        &__SITE
    };
    P::run_sync(
        __site,
        P::StageArgs::NONE,
        move || -> Result<_, Error> { Ok(tokens.iter().map(render)) },
        |__r| P::outcome!(__r),
    )
}
