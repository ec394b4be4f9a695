// Generated from the file of the same name without `.expanded`; `UPDATE_GOLDEN=1` refreshes it.
// `P` stands for `::instrument_inference::__private`.

/// The step that runs on the device.
async fn execute(&self, batch: Batch) -> Result<Logits, ModelError> {
    let __site = {
        #[P::linkme::distributed_slice(P::SITES)]
        #[linkme(crate = P::linkme)]
        static __SITE: P::Site = P::Site::stage(
                P::stage_name("execute"),
                P::core::module_path!(),
            )
            .buckets(P::Buckets::Fast)
            .objective(50000000u64)
            .device();
        &__SITE
    };
    let (__r, __guard) = P::Staged::new(
            __site,
            P::StageArgs::NONE,
            async move {
                if false {
                    return P::never_called::<Result<Logits, ModelError>>();
                }
                let (batch,) = (batch,);
                ({ self.model.forward(batch).await })
            },
        )
        .await;
    __guard.exit(P::outcome!(& __r));
    __r
}
