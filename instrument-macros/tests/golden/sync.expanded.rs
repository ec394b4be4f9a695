// Generated from the file of the same name without `.expanded`; `UPDATE_GOLDEN=1` refreshes it.
// `P` stands for `::instrument_inference::__private`.

pub fn preprocess(
    request: &Request,
    scratch: Vec<f32>,
    _limit: Limit,
) -> Result<Features, Error> {
    let __site = {
        #[P::linkme::distributed_slice(P::SITES)]
        #[linkme(crate = P::linkme)]
        static __SITE: P::Site = P::Site::stage(
            P::stage_name("preprocess"),
            P::core::module_path!(),
        );
        &__SITE
    };
    let __guard = P::enter(__site, P::StageArgs::NONE);
    let __r = P::call(move || -> Result<Features, Error> {
        let (mut scratch, _limit) = (scratch, _limit);
        ({
            scratch.clear();
            tokenize(&request.text, scratch)
        })
    });
    __guard.exit(P::outcome!(& __r));
    __r
}
