// Generated from the file of the same name without `.expanded`; `UPDATE_GOLDEN=1` refreshes it.
// `P` stands for `::instrument_inference::__private`.

async fn worker(queue: Queue) -> ! {
    let __site = {
        #[P::linkme::distributed_slice(P::SITES)]
        #[linkme(crate = P::linkme)]
        static __SITE: P::Site = P::Site::stage(
            P::stage_name("worker"),
            P::core::module_path!(),
        );
        &__SITE
    };
    P::run_never(
            __site,
            P::StageArgs::NONE,
            async move {
                let (queue,) = (queue,);
                ({
                    loop {
                        queue.step().await;
                    }
                })
            },
        )
        .await
}
fn spin(queue: Queue) -> ! {
    let __site = {
        #[P::linkme::distributed_slice(P::SITES)]
        #[linkme(crate = P::linkme)]
        static __SITE: P::Site = P::Site::stage(
            P::stage_name("worker"),
            P::core::module_path!(),
        );
        &__SITE
    };
    let __guard = P::enter(__site, P::StageArgs::NONE);
    P::call(move || -> ! {
        let (queue,) = (queue,);
        ({
            loop {
                queue.step();
            }
        })
    })
}
