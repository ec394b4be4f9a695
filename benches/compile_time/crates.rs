//! The crates that are compiled: the same functions in each, with another attribute.

use crate::rustc;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

/// In every crate.
pub(crate) const FUNCTIONS: usize = 500;

/// A crate.
pub(crate) struct Variant {
    pub(crate) name: &'static str,
    pub(crate) title: &'static str,
    /// As in `Cargo.toml`.
    dependency: &'static str,
    attribute: &'static str,
    /// On functions that return a `Result`.
    fallible: &'static str,
}

const OURS: &str = "instrument-inference = { path = \"ROOT\" }";
const TRACING: &str = "tracing = \"0.1\"";
const STAGE: &str = "#[instrument_inference::inference_stage(\"execute\")]";
const UNLINKED: &str = "#[unlinked_macros::inference_stage(\"execute\")]";
const TRACED: &str = "#[tracing::instrument]";

pub(crate) const VARIANTS: [Variant; 6] = [
    Variant {
        name: "plain",
        title: "plain",
        dependency: "",
        attribute: "",
        fallible: "",
    },
    Variant {
        name: "staged",
        title: "inference_stage",
        dependency: OURS,
        attribute: STAGE,
        fallible: STAGE,
    },
    Variant {
        name: "unlinked",
        title: "… without link-time entry",
        dependency: "instrument-inference = { path = \"ROOT\" }\nunlinked-macros = { path = \"../unlinked-macros\" }",
        attribute: UNLINKED,
        fallible: UNLINKED,
    },
    Variant {
        name: "traced",
        title: "tracing::instrument",
        dependency: TRACING,
        attribute: TRACED,
        fallible: TRACED,
    },
    Variant {
        name: "traced-err",
        title: "… with err",
        dependency: TRACING,
        attribute: TRACED,
        fallible: "#[tracing::instrument(err)]",
    },
    Variant {
        name: "traced-skip",
        title: "… with skip_all",
        dependency: TRACING,
        attribute: "#[tracing::instrument(skip_all)]",
        fallible: "#[tracing::instrument(skip_all)]",
    },
];

/// What a service is made of: five kinds in equal parts, two of them async, three that may fail.
const TOP: &str = "
use std::num::ParseIntError;

#[derive(Debug, Clone)]
pub struct Request { pub id: u64, pub text: String, pub limit: Option<usize> }

#[derive(Debug)]
pub enum Error { Parse(ParseIntError), Empty, TooLong { limit: usize } }
impl std::fmt::Display for Error {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result { write!(f, \"{self:?}\") }
}
impl std::error::Error for Error {}
impl From<ParseIntError> for Error { fn from(error: ParseIntError) -> Error { Error::Parse(error) } }

#[derive(Debug)]
pub struct Model { pub weights: Vec<f32>, pub scale: f32 }

pub async fn fetch(id: u64) -> Result<String, Error> { if id == 0 { Err(Error::Empty) } else { Ok(id.to_string()) } }
";

const KINDS: [&str; 5] = [
    "
ATTRIBUTE
pub fn preprocess_N(request: &Request, scale: f32) -> Vec<f32> {
    let limit = request.limit.unwrap_or(N);
    request.text.bytes().take(limit).map(|byte| f32::from(byte) * scale).collect()
}
",
    "
FALLIBLE
pub fn parse_N(text: &str, limit: usize) -> Result<u64, Error> {
    if text.len() > limit { return Err(Error::TooLong { limit }); }
    let value: u64 = text.trim().parse()?;
    Ok(value + N)
}
",
    "
impl Model {
    FALLIBLE
    pub fn execute_N(&self, mut input: Vec<f32>) -> Result<Vec<f32>, Error> {
        if input.is_empty() { return Err(Error::Empty); }
        for (value, weight) in input.iter_mut().zip(&self.weights) { *value = *value * weight + self.scale; }
        Ok(input)
    }
}
",
    "
ATTRIBUTE
pub async fn render_N(request: Request, values: Vec<f32>) -> String {
    let known = fetch(request.id + N).await.unwrap_or_default();
    format!(\"{} {known} {values:?}\", request.text)
}
",
    "
FALLIBLE
pub async fn answer_N(model: &Model, request: Request) -> Result<String, Error> {
    let text = fetch(request.id).await?;
    let sum: f32 = model.weights.iter().take(N).sum();
    if text.is_empty() { return Err(Error::Empty); }
    Ok(format!(\"{text} {sum}\"))
}
",
];

/// Dependencies need not be fast, except those whose code is compiled into the crates.
const PROFILES: &str = "
[profile.dev.package.\"*\"]
debug = false
[profile.release.package.\"*\"]
opt-level = 0
[profile.release.package.instrument-runtime]
opt-level = 3
[profile.release.package.tracing]
opt-level = 3
[profile.release.package.tracing-core]
opt-level = 3
";

/// Where the crates are.
pub(crate) struct Folder(PathBuf);

impl Folder {
    /// Writes all of them, in a workspace of their own that is locked as ours is.
    pub(crate) fn write() -> Folder {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("compile-time");
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let mut members = String::from("\"unlinked-macros\"");
        for variant in &VARIANTS {
            let _ = write!(members, ", \"{}\"", variant.name);
            let dependency = variant
                .dependency
                .replace("ROOT", &root.display().to_string());
            let manifest = format!("{}[dependencies]\n{dependency}\n", package(variant.name));
            put(&folder.join(variant.name).join("Cargo.toml"), &manifest);
            put(&source(&folder, variant), &variant.functions());
        }
        // Our macro crate once more, told by a build script to leave the entry out.
        let macros = root.join("instrument-macros");
        let manifest = format!(
            "{}[lib]\nproc-macro = true\npath = \"{}\"\n[features]\nmetrics = []\nhealth = []\ndefault = [\"metrics\", \"health\"]\n{}",
            package("unlinked-macros"),
            macros.join("src/lib.rs").display(),
            dependencies(&fs::read_to_string(macros.join("Cargo.toml")).expect("our own manifest")),
        );
        let script = "fn main() {
            println!(\"cargo::rustc-check-cfg=cfg(instrument_unlinked)\");
            println!(\"cargo::rustc-cfg=instrument_unlinked\");
        }";
        put(&folder.join("unlinked-macros/Cargo.toml"), &manifest);
        put(&folder.join("unlinked-macros/build.rs"), script);
        let workspace = format!("[workspace]\nresolver = \"3\"\nmembers = [{members}]\n{PROFILES}");
        put(&folder.join("Cargo.toml"), &workspace);
        let lock = fs::read_to_string(root.join("Cargo.lock")).expect("our own lock file");
        put(&folder.join("Cargo.lock"), &lock);
        Folder(folder)
    }

    /// Compiles one crate anew, and what it depends on where that is to be done; the seconds that `rustc` took for it alone.
    pub(crate) fn compile(&self, command: &[&str], variant: &Variant) -> f64 {
        let log = self.0.join("seconds");
        // newer than what was made of it
        put(&source(&self.0, variant), &variant.functions());
        let mut cargo = rustc::cargo(&log);
        cargo.current_dir(&self.0).args(command).args([
            "--quiet",
            "--package",
            variant.name,
            "--target-dir",
            "target",
        ]);
        let status = cargo.status().expect("cargo starts");
        assert!(status.success(), "the crates compile");
        let seconds = fs::read_to_string(log).expect("a watched run leaves its time");
        seconds.parse().expect("a number")
    }
}

impl Variant {
    fn functions(&self) -> String {
        let kinds = (0..FUNCTIONS).map(|n| {
            KINDS[n % KINDS.len()]
                .replace("_N", &format!("_{n}"))
                .replace("(N)", &format!("({n})"))
                .replace("+ N", &format!("+ {n}"))
                .replace("ATTRIBUTE", self.attribute)
                .replace("FALLIBLE", self.fallible)
        });
        TOP.to_owned() + &kinds.collect::<String>()
    }
}

fn package(name: &str) -> String {
    format!("[package]\nname = \"{name}\"\nversion = \"0.1.0\"\nedition = \"2024\"\n")
}

/// That section of a manifest.
fn dependencies(manifest: &str) -> &str {
    let start = manifest.find("[dependencies]").expect("it has some");
    let end = manifest[start..]
        .find("\n\n")
        .map_or(manifest.len(), |end| start + end + 1);
    &manifest[start..end]
}

fn source(folder: &Path, variant: &Variant) -> PathBuf {
    folder.join(variant.name).join("src/lib.rs")
}

fn put(path: &Path, text: &str) {
    let folder = path.parent().expect("it is in a folder");
    fs::create_dir_all(folder).expect("a writable folder");
    fs::write(path, text).expect("a writable folder");
}
