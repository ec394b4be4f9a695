//! Errors as text for people.

use std::error::Error;
use std::process::ExitCode;

/// The error and its sources in one line: `cannot read the model x.onnx: No such file or directory (os error 2)`.
///
/// A source that the text before it repeats already is left out.
#[must_use]
pub fn chain(error: &(dyn Error + 'static)) -> String {
    let mut text = error.to_string();
    let mut next = error.source();
    while let Some(source) = next {
        let more = source.to_string();
        if !text.ends_with(&more) {
            text.push_str(": ");
            text.push_str(&more);
        }
        next = source.source();
    }
    text
}

/// What a program exits with; the error goes to stderr.
#[must_use]
pub fn exit_code(result: Result<(), Box<dyn Error + Send + Sync>>) -> ExitCode {
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {}", chain(&*error));
            ExitCode::FAILURE
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io;

    #[derive(Debug, thiserror::Error)]
    #[error("{text}")]
    struct Outer {
        text: &'static str,
        source: io::Error,
    }

    fn shown(text: &'static str) -> String {
        let source = io::Error::other("the disk is full");
        chain(&Outer { text, source })
    }

    #[test]
    fn every_source_is_shown_once() {
        assert_eq!(shown("cannot write"), "cannot write: the disk is full");
        assert_eq!(
            shown("cannot write: the disk is full"),
            "cannot write: the disk is full"
        );
    }
}
