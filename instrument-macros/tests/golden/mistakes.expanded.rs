// Generated from the file of the same name without `.expanded`; `UPDATE_GOLDEN=1` refreshes it.
// `P` stands for `::instrument_inference::__private`.

fn execute(batch: &Batch) -> Logits {
    const _: &str = P::stage_name("exeucte");
    forward(batch)
}
::core::compile_error! {
    "unknown key `lables`: did you mean `labels`?"
}
::core::compile_error! {
    "a duration needs a unit: `\"50ms\"`, `\"50s\"`"
}
const fn serve() {}
::core::compile_error! {
    "a `const fn` may run at compile time, where there is no clock: take `const` away, or measure its caller"
}
