//! A root folder for one test, in place of the machine's.

use std::fs;
use std::path::{Path, PathBuf};

/// Gone when dropped.
pub(crate) struct FakeRoot(PathBuf);

impl FakeRoot {
    /// `name` is the test's own.
    pub(crate) fn new(name: &str) -> FakeRoot {
        let name = format!("instrument-{}-{name}", std::process::id());
        let path = std::env::temp_dir().join(name);
        fs::create_dir_all(&path).expect("a folder can be made");
        FakeRoot(path)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    pub(crate) fn write(&self, file: &str, text: impl AsRef<[u8]>) {
        let path = self.0.join(file);
        let folder = path.parent().expect("it is in the root");
        fs::create_dir_all(folder).expect("a folder can be made");
        fs::write(path, text).expect("a file can be written");
    }

    pub(crate) fn remove(&self, file: &str) {
        fs::remove_file(self.0.join(file)).expect("it is there");
    }
}

impl Drop for FakeRoot {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}
