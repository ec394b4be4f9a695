#[no_mangle]
#[inference_stage("execute")]
pub unsafe extern "C" fn execute(input: *const u8, _reserved: usize) -> i32 {
    #![allow(unused_unsafe)]
    unsafe { forward(input) }
}

#[inference_stage("execute")]
async unsafe fn later(input: *const u8) -> Result<impl Iterator<Item = u8>, Error> {
    unsafe { forward(input) }.await
}

#[inference_stage("execute")]
fn by_async_trait<'life0, 'async_trait>(
    &'life0 self,
    input: Input,
) -> ::core::pin::Pin<
    Box<dyn ::core::future::Future<Output = Result<Logits, Error>> + ::core::marker::Send + 'async_trait>,
>
where
    'life0: 'async_trait,
    Self: 'async_trait,
{
    Box::pin(async move {
        if let ::core::option::Option::Some(__ret) = ::core::option::Option::None::<Result<Logits, Error>> {
            return __ret;
        }
        let __self = self;
        let input = input;
        let __ret: Result<Logits, Error> = { __self.forward(input).await };
        __ret
    })
}
