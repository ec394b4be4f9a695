// Generated from the file of the same name without `.expanded`; `UPDATE_GOLDEN=1` refreshes it.
// `P` stands for `::instrument_inference::__private`.

#[no_mangle]
pub unsafe extern "C" fn execute(input: *const u8, _reserved: usize) -> i32 {
    #![allow(unused_unsafe)]
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
    let __r = P::call(move || -> i32 { unsafe { forward(input) } });
    __guard.exit(P::outcome!(& __r));
    __r
}
async unsafe fn later(input: *const u8) -> Result<impl Iterator<Item = u8>, Error> {
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
                    return P::never_called::<Result<_, Error>>();
                }
                ({ unsafe { forward(input) }.await })
            },
        )
        .await;
    __guard.exit(P::outcome!(& __r));
    __r
}
fn by_async_trait<'life0, 'async_trait>(
    &'life0 self,
    input: Input,
) -> ::core::pin::Pin<
    Box<
        dyn ::core::future::Future<
            Output = Result<Logits, Error>,
        > + ::core::marker::Send + 'async_trait,
    >,
>
where
    'life0: 'async_trait,
    Self: 'async_trait,
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
    ({
        Box::pin(
            P::run_deferred(
                __site,
                P::StageArgs::NONE,
                async move {
                    if let ::core::option::Option::Some(__ret) = ::core::option::Option::None::<
                        Result<Logits, Error>,
                    > {
                        return __ret;
                    }
                    let __self = self;
                    let input = input;
                    let __ret: Result<Logits, Error> = { __self.forward(input).await };
                    __ret
                },
                |__r: P::Ref<'_, Result<Logits, Error>>| P::outcome!(__r),
            ),
        )
    })
}
