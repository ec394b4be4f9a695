// Generated from the file of the same name without `.expanded`; `UPDATE_GOLDEN=1` refreshes it.
// `P` stands for `::instrument_inference::__private`.

#[track_caller]
fn execute(&mut self, index: usize) -> Option<&mut Logits> {
    let __site = {
        #[P::linkme::distributed_slice(P::SITES)]
        #[linkme(crate = P::linkme)]
        static __SITE: P::Site = P::Site::stage(
            P::stage_name("execute"),
            P::core::module_path!(),
        );
        &__SITE
    };
    let __guard = P::InPlace::enter(__site, P::StageArgs::NONE);
    let __r: Option<&mut Logits> = ({ self.slots.get_mut(index) });
    __guard.exit(P::outcome!(& __r));
    __r
}
