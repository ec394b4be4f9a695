//! The flags of the quickstart.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;

use crate::digits::{Classifier, ModelError};

const USAGE: &str = "\
usage: quickstart [--http ADDR] [--metrics ADDR] [--model PATH] [--demo]

Reads handwritten digits: POST a PNG to /predict.

  --http ADDR      where requests are answered [127.0.0.1:8000]
  --metrics ADDR   where /metrics is served [127.0.0.1:9464]
  --model PATH     an ONNX file to serve instead of the built-in model
  --demo           start on free ports, send 300 requests, show what was recorded, and exit
  -h, --help       show this text

An ADDR is a host and a port, such as 127.0.0.1:8000; port 0 takes any that is free.

The environment wins over --metrics:
  INSTRUMENT_METRICS_ADDR   where /metrics is served
  INSTRUMENT_DISABLED=1     record nothing, serve no metrics
";

const FREE_PORT: &str = "127.0.0.1:0";

/// What was asked for on the command line.
#[derive(Debug, Default, PartialEq)]
pub struct Flags {
    http: Option<String>,
    metrics: Option<String>,
    model: Option<PathBuf>,
    /// Whether to send requests to itself, show what was recorded, and exit.
    pub demo: bool,
}

#[derive(Debug, PartialEq)]
enum Refused {
    Help,
    Wrong(String),
}

impl Flags {
    /// Reads the command line, and answers `--help` and mistakes.
    ///
    /// # Errors
    ///
    /// With what the program should exit with, if there is nothing left to do.
    pub fn from_args() -> Result<Flags, ExitCode> {
        Flags::parse(std::env::args_os().skip(1)).map_err(|refused| match refused {
            Refused::Help => {
                print!("{USAGE}");
                ExitCode::SUCCESS
            }
            Refused::Wrong(mistake) => {
                eprint!("error: {mistake}\n\n{USAGE}");
                // As shells and most tools tell wrong usage from other failures.
                ExitCode::from(2)
            }
        })
    }

    fn parse(mut arguments: impl Iterator<Item = OsString>) -> Result<Flags, Refused> {
        let mut flags = Flags::default();
        while let Some(argument) = arguments.next() {
            let wrong = |what: &str| Refused::Wrong(format!("{what} `{}`", argument.display()));
            let text = argument.to_str().ok_or_else(|| wrong("unknown argument"))?;
            let (name, joined) = match text.split_once('=') {
                Some((name, value)) => (name, Some(OsString::from(value))),
                None => (text, None),
            };
            match (name, &joined) {
                ("-h" | "--help", None) => return Err(Refused::Help),
                ("--demo", None) => {
                    flags.demo = true;
                    continue;
                }
                ("--http" | "--metrics" | "--model", _) => {}
                _ => return Err(wrong("unknown argument")),
            }
            let value = joined
                .or_else(|| arguments.next())
                .filter(|value| !value.is_empty())
                .ok_or_else(|| wrong("a value is missing after"))?;
            if name == "--model" {
                if flags.model.replace(value.into()).is_some() {
                    return Err(wrong("given twice:"));
                }
                continue;
            }
            let slot = if name == "--http" {
                &mut flags.http
            } else {
                &mut flags.metrics
            };
            let value = value.into_string().map_err(|_| wrong("no address after"))?;
            if slot.replace(value).is_some() {
                return Err(wrong("given twice:"));
            }
        }
        Ok(flags)
    }

    /// Where requests are answered.
    #[must_use]
    pub fn http(&self) -> &str {
        self.addr(self.http.as_deref(), "127.0.0.1:8000")
    }

    /// Where `/metrics` is served, if the environment does not say otherwise.
    #[must_use]
    pub fn metrics(&self) -> &str {
        self.addr(self.metrics.as_deref(), "127.0.0.1:9464")
    }

    fn addr<'a>(&self, given: Option<&'a str>, default: &'a str) -> &'a str {
        given.unwrap_or(if self.demo { FREE_PORT } else { default })
    }

    /// Loads the model that was asked for.
    ///
    /// # Errors
    ///
    /// If it cannot be used.
    pub fn load(&self) -> Result<Classifier, ModelError> {
        match &self.model {
            Some(path) => Classifier::open(path),
            None => Classifier::embedded(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(arguments: &[&str]) -> Result<Flags, Refused> {
        Flags::parse(arguments.iter().map(OsString::from))
    }

    #[test]
    fn flags_are_optional() {
        let flags = parse(&[]).expect("nothing is wrong with nothing");
        assert_eq!(flags.http(), "127.0.0.1:8000");
        assert_eq!(flags.metrics(), "127.0.0.1:9464");
        let flags = parse(&["--demo"]).expect("a known flag");
        assert_eq!((flags.http(), flags.metrics()), (FREE_PORT, FREE_PORT));
    }

    #[test]
    fn values_stand_behind_a_space_or_a_sign() {
        let flags = parse(&["--http", "a:1", "--metrics=b:2", "--demo", "--model", "x=y"]);
        let flags = flags.expect("known flags");
        assert_eq!((flags.http(), flags.metrics()), ("a:1", "b:2"));
        assert_eq!(flags.model, Some("x=y".into()));
    }

    #[test]
    fn mistakes_are_named() {
        for (arguments, text) in [
            (&["--port", "1"][..], "unknown argument `--port`"),
            (&["8000"], "unknown argument `8000`"),
            (&["--demo=yes"], "unknown argument `--demo=yes`"),
            (&["--http"], "a value is missing after `--http`"),
            (&["--http="], "a value is missing after `--http=`"),
            (&["--http", "a:1", "--http", "a:2"], "given twice: `--http`"),
        ] {
            assert_eq!(parse(arguments), Err(Refused::Wrong(text.to_owned())));
        }
        assert_eq!(parse(&["--demo", "--help"]), Err(Refused::Help));
    }
}
