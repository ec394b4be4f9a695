//! What the kernel says of this process, as files. A reading that cannot be had is `None`, whatever the reason.

use std::fs;
use std::path::{Path, PathBuf};

/// The kernel shows CPU time in hundredths of a second, whatever its own clock does (`USER_HZ`).
const TICKS_IN_A_SECOND: f64 = 100.0;

/// Of `stat`, what follows the name: fields by the numbers of proc(5), which counts from 1.
const FIRST: usize = 3;
const UTIME: usize = 14;
const STIME: usize = 15;
const THREADS: usize = 20;
const STARTTIME: usize = 22;
const VSIZE: usize = 23;

/// Where the files are: `/proc`.
#[derive(Debug, Clone)]
pub(crate) struct ProcFiles(PathBuf);

impl ProcFiles {
    pub(crate) fn new(proc: &Path) -> ProcFiles {
        ProcFiles(proc.to_owned())
    }

    pub(crate) fn are_there(&self) -> bool {
        self.0.join("self/stat").exists()
    }

    /// Seconds in user mode, and in the kernel.
    pub(crate) fn cpu(&self) -> Option<[f64; 2]> {
        let stat = self.stat()?;
        let seconds = |field| Some(stat.number(field)? / TICKS_IN_A_SECOND);
        Some([seconds(UTIME)?, seconds(STIME)?])
    }

    /// Bytes that are in memory.
    pub(crate) fn resident(&self) -> Option<i64> {
        let status = self.read("self/status")?;
        // the other files count in pages, and their size is known to the C library alone
        let value = after(&status, "VmRSS:")?.trim().strip_suffix("kB")?;
        value.trim().parse::<i64>().ok()?.checked_mul(1024)
    }

    /// Bytes of addresses.
    pub(crate) fn reserved(&self) -> Option<i64> {
        self.stat()?.field(VSIZE)?.parse().ok()
    }

    pub(crate) fn threads(&self) -> Option<i64> {
        self.stat()?.field(THREADS)?.parse().ok()
    }

    pub(crate) fn open_files(&self) -> Option<i64> {
        let mut open = 0_i64;
        for entry in fs::read_dir(self.0.join("self/fd")).ok()? {
            entry.ok()?;
            open += 1;
        }
        // the folder itself is open while it is read
        Some(open - 1).filter(|open| *open >= 0)
    }

    /// Seconds since the process began.
    pub(crate) fn uptime(&self) -> Option<f64> {
        let system = self.read("uptime")?;
        let system: f64 = system.split_whitespace().next()?.parse().ok()?;
        let up = system - self.stat()?.number(STARTTIME)? / TICKS_IN_A_SECOND;
        // where a container is told that the system began with it, the two do not fit together
        Some(up).filter(|up| up.is_finite() && *up >= 0.0)
    }

    /// Bytes that storage has read and written.
    pub(crate) fn disk(&self) -> Option<[u64; 2]> {
        let io = self.read("self/io")?;
        let bytes = |name| after(&io, name)?.trim().parse().ok();
        Some([bytes("read_bytes:")?, bytes("write_bytes:")?])
    }

    /// The interfaces of the network, one a line.
    pub(crate) fn network(&self) -> Option<String> {
        self.read("self/net/dev")
    }

    /// The cgroup of version 2 that the process is in.
    pub(crate) fn cgroup(&self) -> Option<String> {
        after(&self.read("self/cgroup")?, "0::").map(str::to_owned)
    }

    fn stat(&self) -> Option<Stat> {
        self.read("self/stat").map(Stat)
    }

    fn read(&self, file: &str) -> Option<String> {
        // the kernel cuts the name of a process after 15 bytes, within a character too
        let bytes = fs::read(self.0.join(file)).ok()?;
        Some(String::from_utf8_lossy(&bytes).into_owned())
    }
}

struct Stat(String);

impl Stat {
    fn field(&self, number: usize) -> Option<&str> {
        // the name is what its owner likes, blanks and parentheses included
        let (_, rest) = self.0.rsplit_once(')')?;
        rest.split_whitespace().nth(number - FIRST)
    }

    fn number(&self, field: usize) -> Option<f64> {
        let number: u64 = self.field(field)?.parse().ok()?;
        #[expect(clippy::cast_precision_loss, reason = "exact for 2,000,000 years")]
        Some(number as f64)
    }
}

/// The rest of the first line that begins so.
fn after<'a>(text: &'a str, start: &str) -> Option<&'a str> {
    text.lines().find_map(|line| line.strip_prefix(start))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collect::fake_root::FakeRoot;

    const STAT: &str =
        "42 (a) R 1 (b)) S 1 42 42 0 -1 4194560 1 0 0 0 250 75 0 0 20 0 7 0 5000 123456 99 184\n";

    fn files(root: &FakeRoot) -> ProcFiles {
        ProcFiles::new(&root.path().join("proc"))
    }

    #[test]
    fn each_reading_is_what_its_file_says() {
        let root = FakeRoot::new("each_reading");
        root.write("proc/self/stat", STAT);
        root.write(
            "proc/self/status",
            "Name:\tVmRSS: 7 kB\nVmRSS:\t    2048 kB\n",
        );
        root.write(
            "proc/self/io",
            "rchar: 9\nread_bytes: 4096\nwrite_bytes: 8192\ncancelled_write_bytes: 1\n",
        );
        root.write("proc/uptime", "60.25 100.00\n");
        for file in ["0", "1", "2", "3"] {
            root.write(&format!("proc/self/fd/{file}"), "");
        }
        let files = files(&root);
        assert!(files.are_there());
        assert_eq!(files.cpu(), Some([2.5, 0.75]));
        assert_eq!(files.resident(), Some(2_097_152));
        assert_eq!(files.reserved(), Some(123_456));
        assert_eq!(files.threads(), Some(7));
        assert_eq!(files.open_files(), Some(3));
        assert_eq!(files.uptime(), Some(10.25));
        assert_eq!(files.disk(), Some([4096, 8192]));
    }

    #[test]
    fn what_is_missing_or_makes_no_sense_is_not_there() {
        let root = FakeRoot::new("missing");
        let files = files(&root);
        let none = |files: &ProcFiles| {
            assert_eq!(files.cpu(), None);
            assert_eq!((files.resident(), files.reserved()), (None, None));
            assert_eq!((files.threads(), files.uptime()), (None, None));
            assert_eq!((files.disk(), files.cgroup()), (None, None));
        };
        assert!(!files.are_there() && files.open_files().is_none());
        none(&files);
        for text in [
            "",
            "\0\0",
            "42 (a",
            "42 (a) S 1",
            "VmRSS: many kB\nread_bytes:\n",
        ] {
            for file in [
                "self/stat",
                "self/status",
                "self/io",
                "self/cgroup",
                "uptime",
            ] {
                root.write(&format!("proc/{file}"), text);
            }
            none(&files);
        }
        root.write("proc/self/io", "read_bytes: 1\nwrite_bytes: -1\n");
        assert_eq!(files.disk(), None);
    }

    #[test]
    fn a_name_that_is_cut_within_a_character_hides_nothing() {
        let root = FakeRoot::new("cut_name");
        // `模型推理服务`, after 15 bytes of `svc-模型推理服务`
        root.write("proc/self/stat", b"42 (svc-\xe6\xa8\xa1\xe5\x9e\x8b\xe6\x8e\xa8\xe7\x90) S 1 42 42 0 -1 0 1 0 0 0 250 75 0 0 20 0 7 0 5000 123456 99\n");
        root.write(
            "proc/self/status",
            b"Name:\tsvc-\xe6\x8e\xa8\xe7\x90\nVmRSS:\t 4 kB\n",
        );
        let files = files(&root);
        assert_eq!(files.cpu(), Some([2.5, 0.75]));
        assert_eq!(files.resident(), Some(4096));
    }

    #[test]
    fn a_container_that_is_told_another_start_of_the_system_has_no_uptime() {
        let root = FakeRoot::new("other_start");
        root.write("proc/self/stat", STAT);
        root.write("proc/uptime", "49.99 1.00\n");
        assert_eq!(files(&root).uptime(), None);
        root.write("proc/uptime", "NaN 1.00\n");
        assert_eq!(files(&root).uptime(), None);
    }
}
