//! Here because Cargo's `links` key asks for one.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
}
