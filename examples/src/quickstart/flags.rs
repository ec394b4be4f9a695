//! The flags of the quickstart.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use crate::digits::{Classifier, ModelError};

const USAGE: &str = "\
usage: quickstart [--http ADDR] [--health ADDR] [--metrics ADDR] [--control ADDR]
                  [--model PATH] [--max-batch N] [--patience TIME] [--capacity N] [--demo]

Reads handwritten digits: POST a PNG to /predict.

  --http ADDR      where requests are answered [127.0.0.1:8000]
  --health ADDR    where /health and the probes are answered [127.0.0.1:8081]
  --metrics ADDR   where /metrics is served [127.0.0.1:9464]
  --control ADDR   where gRPC health is answered [127.0.0.1:8082]
  --model PATH     an ONNX file to serve instead of the built-in model
  --max-batch N    execute at most N images at once [32]
  --patience TIME  wait so long for a batch to fill, such as 500us or 2ms [0ms: take what waits]
  --capacity N     let N images wait for the model, and refuse more with 503 [256]
  --demo           start on free ports, send requests, show what was recorded, and exit
  -h, --help       show this text

An ADDR is a host and a port, such as 127.0.0.1:8000; port 0 takes any that is free.

SIGTERM takes it out of rotation, and ends it after the drain delay; Ctrl-C ends it at once.

The environment wins over the flags:
  INSTRUMENT_HEALTH_ADDR    as --health
  INSTRUMENT_METRICS_ADDR   as --metrics
  INSTRUMENT_CONTROL_ADDR   as --control
  INSTRUMENT_DRAIN_DELAY    how long requests are answered after SIGTERM, such as 10s [5s]
  INSTRUMENT_DISABLED=1     record nothing, serve no metrics; health goes on
";

const FREE_PORT: &str = "127.0.0.1:0";

/// How long clients have to go elsewhere. Nobody else asks the demo.
const DRAIN_DELAY: Duration = Duration::from_secs(5);

/// The flags that have a value.
const VALUES: [&str; 8] = [
    "--http",
    "--health",
    "--metrics",
    "--control",
    "--model",
    "--max-batch",
    "--patience",
    "--capacity",
];

const LARGEST: usize = 65_536;
const NUMBER: &str = "no number from 1 to 65536 after";
const TIME: &str = "no whole number of us, ms or s after";

/// What was asked for on the command line.
#[derive(Debug, PartialEq)]
pub struct Flags {
    http: Option<String>,
    health: Option<String>,
    metrics: Option<String>,
    control: Option<String>,
    model: Option<PathBuf>,
    /// As many images are executed at once, at most.
    pub max_batch: usize,
    /// How long the first image of a batch waits for others that are not there yet.
    pub patience: Duration,
    /// As many images wait for the model, at most.
    pub capacity: usize,
    /// Whether to send requests to itself, show what was recorded, and exit.
    pub demo: bool,
}

impl Default for Flags {
    fn default() -> Flags {
        Flags {
            http: None,
            health: None,
            metrics: None,
            control: None,
            model: None,
            max_batch: 32,
            patience: Duration::ZERO,
            capacity: 256,
            demo: false,
        }
    }
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
        let mut given = BTreeSet::new();
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
                _ if VALUES.contains(&name) => {}
                _ => return Err(wrong("unknown argument")),
            }
            let value = joined
                .or_else(|| arguments.next())
                .filter(|value| !value.is_empty())
                .ok_or_else(|| wrong("a value is missing after"))?;
            if !given.insert(name.to_owned()) {
                return Err(wrong("given twice:"));
            }
            match name {
                "--model" => flags.model = Some(value.into()),
                "--max-batch" => flags.max_batch = number(&value).ok_or_else(|| wrong(NUMBER))?,
                "--capacity" => flags.capacity = number(&value).ok_or_else(|| wrong(NUMBER))?,
                "--patience" => flags.patience = time(&value).ok_or_else(|| wrong(TIME))?,
                _ => {
                    let addr = value.into_string().map_err(|_| wrong("no address after"))?;
                    let slot = match name {
                        "--http" => &mut flags.http,
                        "--health" => &mut flags.health,
                        "--control" => &mut flags.control,
                        _ => &mut flags.metrics,
                    };
                    *slot = Some(addr);
                }
            }
        }
        Ok(flags)
    }

    /// Where requests are answered.
    #[must_use]
    pub fn http(&self) -> &str {
        self.addr(self.http.as_deref(), "127.0.0.1:8000")
    }

    /// Where health is served over HTTP, if the environment does not say otherwise.
    #[must_use]
    pub fn health(&self) -> &str {
        self.addr(self.health.as_deref(), "127.0.0.1:8081")
    }

    /// Where health is served over gRPC, if the environment does not say otherwise.
    #[must_use]
    pub fn control(&self) -> &str {
        self.addr(self.control.as_deref(), "127.0.0.1:8082")
    }

    /// Where `/metrics` is served, if the environment does not say otherwise.
    #[must_use]
    pub fn metrics(&self) -> &str {
        self.addr(self.metrics.as_deref(), "127.0.0.1:9464")
    }

    /// How long requests are answered after the order to end, if the environment does not say otherwise.
    #[must_use]
    pub fn drain_delay(&self) -> Duration {
        if self.demo {
            Duration::ZERO
        } else {
            DRAIN_DELAY
        }
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

/// A few, and not more than memory holds.
fn number(value: &OsStr) -> Option<usize> {
    let number = value.to_str()?.parse().ok()?;
    (1..=LARGEST).contains(&number).then_some(number)
}

fn time(value: &OsStr) -> Option<Duration> {
    let text = value.to_str()?;
    let unit = text.find(|sign: char| !sign.is_ascii_digit())?;
    let number = text[..unit].parse::<u32>().ok()?;
    let unit = match &text[unit..] {
        "us" => Duration::from_micros(1),
        "ms" => Duration::from_millis(1),
        "s" => Duration::from_secs(1),
        _ => return None,
    };
    unit.checked_mul(number)
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
        let addresses = |flags: &Flags| {
            let all = [
                flags.http(),
                flags.health(),
                flags.metrics(),
                flags.control(),
            ];
            all.map(str::to_owned)
        };
        let ports = [8000, 8081, 9464, 8082].map(|port| format!("127.0.0.1:{port}"));
        assert_eq!(addresses(&flags), ports);
        let flags = parse(&["--demo"]).expect("a known flag");
        assert_eq!(addresses(&flags), [FREE_PORT; 4]);
    }

    #[test]
    fn values_stand_behind_a_space_or_a_sign() {
        let flags = parse(&["--http", "a:1", "--metrics=b:2", "--demo", "--model", "x=y"]);
        let flags = flags.expect("known flags");
        assert_eq!((flags.http(), flags.metrics()), ("a:1", "b:2"));
        let flags_of_health = parse(&["--health=c:3", "--control", "d:4"]).expect("known flags");
        let of_health = (flags_of_health.health(), flags_of_health.control());
        assert_eq!(of_health, ("c:3", "d:4"));
        assert_eq!(flags.model, Some("x=y".into()));
        let flags = parse(&["--max-batch", "8", "--patience=500us", "--capacity", "1"]);
        let flags = flags.expect("known flags");
        assert_eq!((flags.max_batch, flags.capacity), (8, 1));
        assert_eq!(flags.patience, Duration::from_micros(500));
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
            (
                &["--max-batch", "0"],
                "no number from 1 to 65536 after `--max-batch`",
            ),
            (
                &["--capacity=-1"],
                "no number from 1 to 65536 after `--capacity=-1`",
            ),
            (
                &["--patience", "1"],
                "no whole number of us, ms or s after `--patience`",
            ),
            (
                &["--patience", "1.5ms"],
                "no whole number of us, ms or s after `--patience`",
            ),
        ] {
            assert_eq!(parse(arguments), Err(Refused::Wrong(text.to_owned())));
        }
        assert_eq!(parse(&["--demo", "--help"]), Err(Refused::Help));
    }
}
