//! How a wrong use reads. One mistake per file in `tests/ui/<macro>/fail`, named after the mistake; what must compile
//! is in `pass`. `TRYBUILD=overwrite cargo test --test ui` refreshes the expected texts, on the rustc that they name.

use std::io::Write;
use std::process::Command;

/// The rustc whose texts were recorded: others word them differently.
const RECORDED_ON: &str = include_str!("ui/rustc");

fn installed() -> String {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let output = Command::new(rustc).arg("--version").output();
    let text = output.map(|output| String::from_utf8_lossy(&output.stdout).into_owned());
    let text = text.unwrap_or_default();
    text.split_whitespace()
        .nth(1)
        .unwrap_or("unknown")
        .to_owned()
}

#[test]
fn mistakes_read_well() {
    let (recorded, installed) = (RECORDED_ON.trim(), installed());
    if !installed.starts_with(&format!("{recorded}.")) {
        assert!(
            std::env::var_os("INSTRUMENT_REQUIRE_PEERS").is_none(),
            "tests/run --require-peers lets no test skip: tests/ui/rustc says {recorded}, and this is {installed}"
        );
        // Past the capture of the test harness: a skipped check must be seen.
        let line = format!(
            "SKIPPED mistakes_read_well: its texts were recorded on rustc {recorded}, this is {installed}\n"
        );
        let _ = std::io::stderr().write_all(line.as_bytes());
        return;
    }
    trybuild::TestCases::new().compile_fail("tests/ui/*/fail/*.rs");
}

#[test]
fn unusual_uses_compile() {
    trybuild::TestCases::new().pass("tests/ui/*/pass/*.rs");
}
