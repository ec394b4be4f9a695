// Generated from the file of the same name without `.expanded`; `UPDATE_GOLDEN=1` refreshes it.
// `P` stands for `::instrument_inference::__private`.

pub(crate) fn forward(self: Box<Self>, batch: Batch) -> Logits
where
    Self: Sized,
{
    const _: () = P::assert_stage_name("execute");
    let __site = {
        #[P::linkme::distributed_slice(P::SITES)]
        #[linkme(crate = P::linkme)]
        static __SITE: P::Site = P::Site::stage("execute", ::core::module_path!());
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
    const _: () = P::assert_stage_name("preprocess");
    let __site = {
        #[P::linkme::distributed_slice(P::SITES)]
        #[linkme(crate = P::linkme)]
        static __SITE: P::Site = P::Site::stage("preprocess", ::core::module_path!());
        &__SITE
    };
    let __guard = P::enter(__site, P::StageArgs::NONE);
    let __r = P::call(move || -> [Cow<'a, str>; N] {
        let _ = &self;
        let _ = &text;
        ({
            self.calls += 1;
            text.split()
        })
    });
    __guard.exit(P::Outcome::Ok);
    __r
}
async fn consume(
    self,
    &(first, ref rest): &(u8, Vec<u8>),
    __arg2: Limit,
) -> Result<Self, Error> {
    const _: () = P::assert_stage_name("execute");
    let __site = {
        #[P::linkme::distributed_slice(P::SITES)]
        #[linkme(crate = P::linkme)]
        static __SITE: P::Site = P::Site::stage("execute", ::core::module_path!());
        &__SITE
    };
    let (__r, __guard) = P::Staged::new(
            __site,
            P::StageArgs::NONE,
            async move {
                if let ::core::option::Option::Some(__r) = P::hint::<
                    Result<Self, Error>,
                >() {
                    return __r;
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
