// Generated from the file of the same name without `.expanded`; `UPDATE_GOLDEN=1` refreshes it.
// `P` stands for `::instrument_inference::__private`.

fn execute<'a>(
    &'a self,
    mut input: Input,
) -> Pin<Box<dyn Future<Output = Result<Logits, Error>> + Send + 'a>> {
    let __site = {
        #[P::linkme::distributed_slice(P::SITES)]
        #[linkme(crate = P::linkme)]
        static __SITE: P::Site = P::Site::stage(
            P::stage_name("execute"),
            P::core::module_path!(),
        );
        &__SITE
    };
    ({
        input.pad();
        Box::pin(
            P::run_deferred(
                __site,
                P::StageArgs::NONE,
                async move { self.queue.run(input).await },
                |__r: P::Ref<'_, Result<Logits, Error>>| P::outcome!(__r),
            ),
        )
    })
}
