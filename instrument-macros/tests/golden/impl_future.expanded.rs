// Generated from the file of the same name without `.expanded`; `UPDATE_GOLDEN=1` refreshes it.
// `P` stands for `::instrument_inference::__private`.

fn execute(&self, input: Input) -> impl Future<Output = Result<Logits, Error>> + Send {
    let __site = {
        #[P::linkme::distributed_slice(P::SITES)]
        #[linkme(crate = P::linkme)]
        static __SITE: P::Site = P::Site::stage(
            P::stage_name("execute"),
            P::core::module_path!(),
        );
        &__SITE
    };
    P::run_deferred(
        __site,
        P::StageArgs::NONE,
        P::call(move || -> _ {
            let (input,) = (input,);
            ({
                let queue = self.queue.clone();
                async move { queue.run(input).await }
            })
        }),
        |__r: P::Ref<'_, Result<Logits, Error>>| P::outcome!(__r),
    )
}
