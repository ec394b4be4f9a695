// Generated from the file of the same name without `.expanded`; `UPDATE_GOLDEN=1` refreshes it.
// `P` stands for `::instrument_inference::__private`.

pub(crate) fn forward(self: Box<Self>, batch: Batch) -> Logits
where
    Self: Sized,
{
    let __site = {
        #[P::linkme::distributed_slice(P::SITES)]
        #[linkme(crate = P::linkme)]
        static __SITE: P::Site = P::Site::stage(
            P::stage_name("execute"),
            P::core::module_path!(),
        );
        &__SITE
    };
    let __guard = P::enter(__site, P::StageArgs::NONE);
    let __r = P::call(move || -> Logits {
        let _ = &self;
        let (mut batch,) = (batch,);
        ({
            batch.pad();
            self.weights.forward(batch)
        })
    });
    __guard.exit(P::outcome!(& __r));
    __r
}
/// The default of a trait.
fn tokenize<'a, T: Tokens + ?Sized, const N: usize>(
    &mut self,
    text: &'a T,
) -> [Cow<'a, str>; N]
where
    T: 'a,
    for<'b> &'b T: Split<'b>,
{
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
    let __r = P::call(move || -> [Cow<'a, str>; N] {
        self.calls += 1;
        text.split()
    });
    __guard.exit(P::Outcome::Ok);
    __r
}
async fn consume(
    self,
    &(first, ref rest): &(u8, Vec<u8>),
    __arg2: Limit,
) -> Result<Self, Error> {
    let __site = {
        #[P::linkme::distributed_slice(P::SITES)]
        #[linkme(crate = P::linkme)]
        static __SITE: P::Site = P::Site::stage(
            P::stage_name("execute"),
            P::core::module_path!(),
        );
        &__SITE
    };
    let (__r, __guard) = P::Staged::new(
            __site,
            P::StageArgs::NONE,
            async move {
                if false {
                    return P::never_called::<Result<Self, Error>>();
                }
                let _ = &self;
                let (first, rest, __arg2) = (first, rest, __arg2);
                ({ self.push(first, rest).await })
            },
        )
        .await;
    __guard.exit(P::outcome!(& __r));
    __r
}
