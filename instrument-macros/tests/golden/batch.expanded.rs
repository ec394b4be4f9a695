// Generated from the file of the same name without `.expanded`; `UPDATE_GOLDEN=1` refreshes it.
// `P` stands for `::instrument_inference::__private`.

fn execute(&self, batch: &Batch<Features, Answer>) -> Vec<Result<Logits, ModelError>> {
    let __site = {
        #[P::linkme::distributed_slice(P::SITES)]
        #[linkme(crate = P::linkme)]
        static __SITE: P::Site = P::Site::stage(
                P::stage_name("execute"),
                P::core::module_path!(),
            )
            .names_model();
        &__SITE
    };
    let __arguments = if P::enabled() {
        P::BatchArgs::new(P::StageArgs::NONE.model(&self.slot), P::members(&batch))
    } else {
        P::BatchArgs::NONE
    };
    let __guard = P::enter_batch(__site, __arguments);
    let __r = P::call(move || -> Vec<Result<Logits, ModelError>> {
        self.weights.forward(batch.inputs())
    });
    __guard.exit(P::outcomes!(& __r));
    __r
}
async fn execute_later(
    inputs: Vec<Queued<Features>>,
) -> Result<Vec<Logits>, ModelError> {
    let __site = {
        #[P::linkme::distributed_slice(P::SITES)]
        #[linkme(crate = P::linkme)]
        static __SITE: P::Site = P::Site::stage(
            P::stage_name("execute"),
            P::core::module_path!(),
        );
        &__SITE
    };
    let __arguments = if P::enabled() {
        P::BatchArgs::new(P::StageArgs::NONE, P::members(&inputs))
    } else {
        P::BatchArgs::NONE
    };
    let (__r, __guard) = P::StagedBatch::new(
            __site,
            __arguments,
            async move {
                if false {
                    return P::never_called::<Result<Vec<Logits>, ModelError>>();
                }
                let (inputs,) = (inputs,);
                ({ forward(inputs).await })
            },
        )
        .await;
    __guard.exit(P::outcomes!(& __r));
    __r
}
