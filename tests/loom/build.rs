//! Turns on what `ring.rs` asks for. A cfg of our own: `--cfg loom` would break other crates.

fn main() {
    println!("cargo::rustc-check-cfg=cfg(instrument_loom)");
    println!("cargo::rustc-cfg=instrument_loom");
    println!("cargo::rerun-if-changed=build.rs");
}
