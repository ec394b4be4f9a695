//! Builds the stand-in for NVIDIA's library, and writes what it says.

use crate::peer::Scratch;
use crate::story::{self, until};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::{env, fs};

/// What loaders look for.
const NAME: &str = "libnvidia-ml.so.1";
/// Names the script.
const SCRIPT: &str = "NVML_STAND_IN";

/// The folder that it is in. Nothing but rustc is needed: it has no dependencies.
fn stand_in() -> &'static Path {
    static BUILT: OnceLock<PathBuf> = OnceLock::new();
    BUILT.get_or_init(|| {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("nvml_stand_in");
        fs::create_dir_all(&folder).expect("a writable folder");
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/nvml_stand_in/lib.rs");
        let rustc = env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
        let built = Command::new(rustc)
            .args(["--edition", "2024", "--crate-type", "cdylib"])
            .args(["--crate-name", "nvml_stand_in", "-D", "warnings", "-o"])
            .arg(folder.join(NAME))
            .arg(source)
            .output()
            .expect("the compiler runs");
        let said = String::from_utf8_lossy(&built.stderr);
        assert!(built.status.success(), "{said}");
        folder
    })
}

/// Tells a story in which the stand-in is the library that is found.
pub(crate) fn tell(name: &str, variables: &[(&str, &str)]) -> String {
    tell_with(stand_in(), name, variables)
}

/// Tells a story in which the library is no library, so that none is found, whatever the machine has.
pub(crate) fn tell_without(name: &str) -> String {
    let folder = Scratch::new(name);
    folder.write(NAME, "");
    tell_with(folder.path(), name, &[])
}

pub(crate) fn tell_with(library: &Path, name: &str, variables: &[(&str, &str)]) -> String {
    let folder = Scratch::new(name);
    let script = folder.path().join("script");
    let (library, script) = (library.to_string_lossy(), script.to_string_lossy());
    let mut all = vec![("LD_LIBRARY_PATH", &*library), (SCRIPT, &*script)];
    // a list of the machine's own is not for the stand-in
    if !variables.iter().any(|(name, _)| *name == LIST) {
        all.push((LIST, ALL));
    }
    all.extend(variables);
    story::tell(name, &all)
}

/// Which devices the process may use.
const LIST: &str = "CUDA_VISIBLE_DEVICES";
/// More than any story has; the first that names nothing ends the list.
const ALL: &str = "0,1,2,3,4,5,6,7";

/// What a device says that has everything.
pub(crate) fn device(index: u32) -> String {
    format!(
        "{index}.uuid = GPU-{index}\n\
         {index}.name = NVIDIA Stand-in\n\
         {index}.utilization = 37\n\
         {index}.memory = 1024 4096\n\
         {index}.own_memory = 512\n\
         {index}.power = 150500\n\
         {index}.energy = 12345678\n\
         {index}.temperature = 51\n\
         {index}.corrected = 3\n\
         {index}.uncorrected = 0\n\
         {index}.throttle = 4\n\
         {index}.xids = \n"
    )
}

/// So many of them.
pub(crate) fn machine(devices: u32) -> String {
    let devices_say: String = (0..devices).map(device).collect();
    format!("init = 0\ndriver = 570.1\ncount = {devices}\n{devices_say}")
}

/// From now on the library says this.
pub(crate) fn says(script: &str) {
    let file = PathBuf::from(env::var_os(SCRIPT).expect("it is named"));
    // in one step: the library reads at any time
    let new = file.with_extension("new");
    fs::write(&new, script).expect("a writable folder");
    fs::rename(new, file).expect("a writable folder");
}

/// How often it was asked for something.
pub(crate) fn asked(key: &str) -> usize {
    let mut file = env::var_os(SCRIPT).expect("it is named");
    file.push(".asked");
    let asked = fs::read_to_string(file).unwrap_or_default();
    asked.lines().filter(|line| *line == key).count()
}

/// Waits until the library was asked that often.
#[track_caller]
pub(crate) fn until_asked(key: &str, times: usize) {
    until("it is asked", || asked(key) >= times);
}
