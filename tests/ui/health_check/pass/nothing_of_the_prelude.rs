#![no_implicit_prelude]
#![deny(warnings)]

// None of what generated code needs may be found by its bare name.
#[allow(dead_code, non_camel_case_types, reason = "they are here to be in the way")]
mod shadows {
    pub struct Some;
    pub struct None;
    pub struct Ok;
    pub struct Err;
    pub struct Box;
    pub struct Option;
    pub struct CheckSpec;
    pub struct bool;
    pub struct u64;
    pub mod core {}
    pub mod std {}
}
#[allow(unused_imports, reason = "they are here to be in the way")]
use shadows::*;

struct App;

#[::instrument_inference::health_check(timeout = "50ms", failures = 3)]
fn no_state() {}

#[::instrument_inference::health_check(group = "liveness")]
fn state(_: &App) -> ::instrument_inference::Health {
    ::instrument_inference::Health::up()
}

#[::instrument_inference::health_check]
async fn no_state_async() {}

#[::instrument_inference::health_check(remote, soft)]
async fn state_async(_: &App) -> ::core::result::Result<(), ::std::string::String> {
    ::core::result::Result::Ok(())
}

fn main() {
    let _ = [
        ::instrument_inference::check!(no_state),
        ::instrument_inference::check!(state),
        ::instrument_inference::check!(no_state_async),
        ::instrument_inference::check!(state_async),
    ];
}
