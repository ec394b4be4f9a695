// Generated from the file of the same name without `.expanded`; `UPDATE_GOLDEN=1` refreshes it.
// `P` stands for `::instrument_inference::__private`.

fn generate(&self, prompt: Prompt) -> impl Stream<Item = Result<Token, Error>> {
    let __site = {
        #[P::linkme::distributed_slice(P::SITES)]
        #[linkme(crate = P::linkme)]
        static __SITE: P::Site = P::Site::stage(
            P::stage_name("decode"),
            P::core::module_path!(),
        );
        &__SITE
    };
    let __guard = P::enter(__site, P::StageArgs::NONE);
    let __r = P::call(move || -> _ {
        let (prompt,) = (prompt,);
        ({ self.engine.run(prompt) })
    });
    P::streamed(
        P::Some(__guard),
        __r,
        |__r: P::Ref<'_, Result<Token, Error>>| P::outcome!(__r),
    )
}
async fn answer(prompt: Prompt) -> Result<BoxStream<'static, Token>, Error> {
    let __site = {
        #[P::linkme::distributed_slice(P::SITES)]
        #[linkme(crate = P::linkme)]
        static __SITE: P::Site = P::Site::request("answer", P::core::module_path!());
        &__SITE
    };
    let (__r, __guard) = P::Requested::new(
            __site,
            P::Opening::new(__site),
            async move {
                if false {
                    return P::never_called::<Result<BoxStream<'static, Token>, Error>>();
                }
                let (prompt,) = (prompt,);
                ({
                    let engine = engine().await?;
                    Ok(engine.run(prompt).boxed())
                })
            },
        )
        .await;
    let mut __guard = P::Some(__guard);
    let __r = P::follow(__r, &mut __guard, |__r: P::Ref<'_, _>| P::outcome!(__r));
    if let P::Some(__guard) = __guard {
        __guard.exit(P::outcome!(& __r));
    }
    __r
}
fn boxed_future<'a>(
    &'a self,
) -> BoxFuture<'a, Result<Response<BoxStream<'a, Token>>, Status>> {
    let __site = {
        #[P::linkme::distributed_slice(P::SITES)]
        #[linkme(crate = P::linkme)]
        static __SITE: P::Site = P::Site::stage(
            P::stage_name("decode"),
            P::core::module_path!(),
        );
        &__SITE
    };
    ({
        Box::pin({
            let __future = async move { self.run().await };
            async move {
                let (
                    __r,
                    __guard,
                ): (
                    <BoxFuture<
                        'a,
                        Result<Response<BoxStream<'a, Token>>, Status>,
                    > as ::core::future::Future>::Output,
                    _,
                ) = P::Staged::new(__site, P::StageArgs::NONE, __future).await;
                let mut __guard = P::Some(__guard);
                let __r = P::follow(
                    __r,
                    &mut __guard,
                    |__r: P::Ref<'_, _>| P::outcome!(__r),
                );
                if let P::Some(__guard) = __guard {
                    __guard.exit(P::outcome!(& __r));
                }
                __r
            }
        })
    })
}
