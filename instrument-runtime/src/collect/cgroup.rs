//! What the container may use, as the kernel's control groups have it: version 2 alone. In a hybrid of both versions the
//! limits are with version 1, and its files have other names: there is nothing then.

use crate::collect::proc_files::ProcFiles;
use std::fs;
use std::path::{Component, Path, PathBuf};

/// Looks at the groups from the process' own up to the root of what is mounted, anew each time: a process can be moved.
#[derive(Debug, Clone)]
pub(crate) struct Cgroup {
    files: ProcFiles,
    /// `/sys/fs/cgroup`.
    mount: PathBuf,
}

impl Cgroup {
    pub(crate) fn new(files: &ProcFiles, mount: &Path) -> Cgroup {
        Cgroup {
            files: files.clone(),
            mount: mount.to_owned(),
        }
    }

    /// Bytes.
    pub(crate) fn memory_limit(&self) -> Option<i64> {
        self.limited().map(|(limit, _)| limit)
    }

    /// Bytes that count against the limit; without one, those of the process' own group.
    pub(crate) fn memory_usage(&self) -> Option<i64> {
        let usage = |folder: PathBuf| number(&folder.join("memory.current"));
        match self.limited() {
            Some((_, folder)) => usage(folder),
            None => self.levels().find_map(usage),
        }
    }

    /// In cores.
    pub(crate) fn cpu_limit(&self) -> Option<f64> {
        let limits = self.levels().filter_map(|folder| cores(&folder));
        limits.reduce(f64::min)
    }

    /// Seconds for which the CPU limit has stopped the process: those of the group that was stopped for longest.
    pub(crate) fn throttled(&self) -> Option<f64> {
        let throttled = self.levels().filter_map(|folder| throttled(&folder));
        throttled.reduce(f64::max)
    }

    /// The smallest limit, and where it is.
    fn limited(&self) -> Option<(i64, PathBuf)> {
        let limits = self.levels().filter_map(|folder| {
            let limit = number(&folder.join("memory.max"))?;
            Some((limit, folder))
        });
        limits.min_by_key(|(limit, _)| *limit)
    }

    /// Folders, the process' own first. What is mounted may be the container's own part of the tree while the path is that
    /// of the machine: then only the last of them is there, and it is the right one.
    fn levels(&self) -> impl Iterator<Item = PathBuf> {
        let path = self.files.cgroup().map(PathBuf::from);
        // `..` is a group outside of what this process may see
        let seen = |path: &PathBuf| {
            path.components()
                .all(|part| matches!(part, Component::RootDir | Component::Normal(_)))
        };
        let path = path.filter(|path| path.is_absolute() && seen(path));
        let levels: Vec<_> = path
            .iter()
            .flat_map(|path| path.ancestors())
            .filter_map(|level| level.strip_prefix("/").ok())
            .map(|level| self.mount.join(level))
            .collect();
        levels.into_iter()
    }
}

/// `None` for `max`, too.
fn number(file: &Path) -> Option<i64> {
    let number: u64 = fs::read_to_string(file).ok()?.trim().parse().ok()?;
    i64::try_from(number).ok()
}

/// Of `cpu.max`: how many microseconds of how many.
fn cores(folder: &Path) -> Option<f64> {
    let text = fs::read_to_string(folder.join("cpu.max")).ok()?;
    let (quota, period) = text.trim().split_once(' ')?;
    let (quota, period): (u32, u32) = (quota.parse().ok()?, period.parse().ok()?);
    (period > 0).then(|| f64::from(quota) / f64::from(period))
}

fn throttled(folder: &Path) -> Option<f64> {
    let text = fs::read_to_string(folder.join("cpu.stat")).ok()?;
    let mut lines = text.lines();
    let micros = lines.find_map(|line| line.strip_prefix("throttled_usec "))?;
    #[expect(clippy::cast_precision_loss, reason = "exact for 200 years")]
    let micros = micros.trim().parse::<u64>().ok()? as f64;
    Some(micros / 1e6)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collect::fake_root::FakeRoot;

    const MOUNT: &str = "sys/fs/cgroup";

    fn cgroup(root: &FakeRoot, of_process: &str) -> Cgroup {
        root.write("proc/self/cgroup", of_process);
        let files = ProcFiles::new(&root.path().join("proc"));
        Cgroup::new(&files, &root.path().join(MOUNT))
    }

    fn write(root: &FakeRoot, file: &str, text: &str) {
        root.write(&format!("{MOUNT}/{file}"), text);
    }

    fn all(cgroup: &Cgroup) -> (Option<i64>, Option<i64>, Option<f64>, Option<f64>) {
        (
            cgroup.memory_limit(),
            cgroup.memory_usage(),
            cgroup.cpu_limit(),
            cgroup.throttled(),
        )
    }

    const NOTHING: (Option<i64>, Option<i64>, Option<f64>, Option<f64>) = (None, None, None, None);

    #[test]
    fn a_container_sees_its_own_group_as_the_root() {
        let root = FakeRoot::new("own_group");
        let cgroup = cgroup(&root, "0::/\n");
        write(&root, "memory.max", "2147483648\n");
        write(&root, "memory.current", "1073741824\n");
        write(&root, "cpu.max", "150000 100000\n");
        write(
            &root,
            "cpu.stat",
            "usage_usec 9\nnr_throttled 3\nthrottled_usec 2500000\n",
        );
        let expected = (
            Some(2_147_483_648),
            Some(1_073_741_824),
            Some(1.5),
            Some(2.5),
        );
        assert_eq!(all(&cgroup), expected);
        write(&root, "memory.max", "max\n");
        write(&root, "cpu.max", "max 100000\n");
        assert_eq!(all(&cgroup), (None, Some(1_073_741_824), None, Some(2.5)));
    }

    #[test]
    fn the_smallest_limit_up_the_tree_counts_with_its_usage() {
        let root = FakeRoot::new("smallest");
        let cgroup = cgroup(&root, "0::/pods/pod1/main\n");
        for (group, max, current, cpu, stat) in [
            ("pods", "max", "900", "400000 100000", "9"),
            ("pods/pod1", "500", "300", "50000 100000", "3000000"),
            ("pods/pod1/main", "800", "100", "max 100000", "1000000"),
            // a neighbour
            ("pods/pod2", "1", "1", "1 100000", "99000000"),
        ] {
            write(&root, &format!("{group}/memory.max"), max);
            write(&root, &format!("{group}/memory.current"), current);
            write(&root, &format!("{group}/cpu.max"), cpu);
            write(
                &root,
                &format!("{group}/cpu.stat"),
                &format!("throttled_usec {stat}"),
            );
        }
        assert_eq!(all(&cgroup), (Some(500), Some(300), Some(0.5), Some(3.0)));
        root.remove("sys/fs/cgroup/pods/pod1/memory.max");
        assert_eq!(
            (cgroup.memory_limit(), cgroup.memory_usage()),
            (Some(800), Some(100))
        );
    }

    #[test]
    fn a_path_of_the_machine_is_looked_up_in_what_is_mounted() {
        let root = FakeRoot::new("path_of_machine");
        let cgroup = cgroup(&root, "0::/system.slice/docker-1234.scope\n");
        write(&root, "memory.max", "500\n");
        assert_eq!(cgroup.memory_limit(), Some(500));
    }

    #[test]
    fn version_1_and_hybrids_have_nothing() {
        let root = FakeRoot::new("hybrid");
        write(
            &root,
            "memory/pod1/memory.limit_in_bytes",
            "9223372036854771712\n",
        );
        write(&root, "unified/pod1/cgroup.procs", "");
        let version_1 = "4:memory:/pod1\n1:cpu,cpuacct:/pod1\n";
        assert_eq!(all(&cgroup(&root, version_1)), NOTHING);
        assert_eq!(
            all(&cgroup(&root, &format!("{version_1}0::/pod1\n"))),
            NOTHING
        );
        root.remove("proc/self/cgroup");
        let files = ProcFiles::new(&root.path().join("proc"));
        assert_eq!(all(&Cgroup::new(&files, &root.path().join(MOUNT))), NOTHING);
    }

    #[test]
    fn what_makes_no_sense_is_not_there() {
        let root = FakeRoot::new("nonsense");
        let cgroup = cgroup(&root, "0::/\n");
        for text in [
            "",
            "-1",
            "1e9",
            "\0",
            "99999999999999999999999",
            "1 0",
            "a b",
        ] {
            for file in ["memory.max", "memory.current", "cpu.max", "cpu.stat"] {
                write(&root, file, text);
            }
            assert_eq!(all(&cgroup), NOTHING, "{text:?}");
        }
        write(&root, "cpu.stat", "throttled_usec soon\n");
        assert_eq!(all(&cgroup), NOTHING);
    }

    #[test]
    fn a_group_outside_of_what_is_seen_is_not_looked_for() {
        let root = FakeRoot::new("outside");
        root.write("sys/fs/memory.max", "1");
        root.write("sys/fs/cgroup/memory.max", "2");
        for path in ["0::/..\n", "0::/../other\n", "0::relative\n", "0::\n"] {
            assert_eq!(all(&cgroup(&root, path)), NOTHING, "{path}");
        }
    }
}
