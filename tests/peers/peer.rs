//! Finds the programs that tests talk to, runs them, and waits until they answer.
//!
//! Included by the tests that need a peer: `#[path = "../../tests/peers/peer.rs"] mod peer;`.
//! Only `std`, and only addresses of this machine.

// Each test includes the whole file and uses its own part of it.
#![allow(dead_code, unreachable_pub)]

use std::env;
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{self, Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// How long one connection may take, and how long to pause between two tries.
const ONE_CALL: Duration = Duration::from_secs(10);
const PAUSE: Duration = Duration::from_millis(20);

/// Looks for `program` in `$INSTRUMENT_PEERS`, then in the target folder of the workspace, then on `PATH`.
///
/// `peers-python` is the Python that has the packages of `tests/peers/requirements.txt`.
pub fn find(program: &str) -> Option<PathBuf> {
    let peers = [
        env::var_os("INSTRUMENT_PEERS").map(PathBuf::from),
        default_peers(),
    ];
    let bins = peers.into_iter().flatten().map(|peers| peers.join("bin"));
    let path = env::var_os("PATH").unwrap_or_default();
    bins.chain(env::split_paths(&path))
        .map(|bin| bin.join(program))
        .find(|file| file.is_file())
}

/// Like [`find`], but says visibly that the test is skipped.
///
/// # Panics
///
/// Where `program` is not found and `INSTRUMENT_REQUIRE_PEERS` is set, as `tests/run --require-peers` does.
pub fn require(program: &str) -> Option<PathBuf> {
    let found = find(program);
    if found.is_none() {
        assert!(
            env::var_os("INSTRUMENT_REQUIRE_PEERS").is_none(),
            "{program} is not here; tests/run sets it up"
        );
        // Not `eprintln!`, which the test harness keeps to itself while a test passes.
        let _ = writeln!(
            io::stderr(),
            "SKIPPED: {program} is not here; tests/run sets it up"
        );
    }
    found
}

fn default_peers() -> Option<PathBuf> {
    if let Some(target) = env::var_os("CARGO_TARGET_DIR") {
        return Some(PathBuf::from(target).join("peers"));
    }
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let workspace = package
        .ancestors()
        .find(|folder| folder.join("tests/peers/peer.rs").is_file())?;
    Some(workspace.join("target/peers"))
}

/// A loopback address that nobody listened on a moment ago.
///
/// # Panics
///
/// Where no port of the loopback address can be had.
pub fn free_addr() -> SocketAddr {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a free port");
    listener
        .local_addr()
        .expect("a bound listener has an address")
}

/// A new folder, removed when dropped.
#[derive(Debug)]
pub struct Scratch(PathBuf);

impl Scratch {
    /// Makes the folder; `name` makes it recognisable.
    ///
    /// # Panics
    ///
    /// Where it cannot be made.
    pub fn new(name: &str) -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let folder = env::temp_dir().join(format!("{name}-{}-{number}", process::id()));
        // A crashed run may have left one, and process ids come round again.
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
        Self(folder)
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// Puts a file into it and returns the file's path.
    ///
    /// # Panics
    ///
    /// Where the file cannot be written.
    pub fn write(&self, name: &str, text: &str) -> PathBuf {
        let file = self.0.join(name);
        fs::write(&file, text).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        file
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// A running peer, killed when dropped.
#[derive(Debug)]
pub struct Process {
    child: Child,
    output: PathBuf,
    scratch: Scratch,
}

impl Process {
    /// Starts `program` in the folder `scratch`; what it prints goes into a file there.
    ///
    /// # Panics
    ///
    /// Where it cannot be started.
    pub fn start<A>(
        program: &Path,
        arguments: impl IntoIterator<Item = A>,
        scratch: Scratch,
    ) -> Self
    where
        A: AsRef<OsStr>,
    {
        let output = scratch.write("output.txt", "");
        let open = || File::options().append(true).open(&output);
        let (stdout, stderr) = (open().expect("just written"), open().expect("just written"));
        let child = Command::new(program)
            .args(arguments)
            .current_dir(scratch.path())
            .stdin(Stdio::null())
            .stdout(stdout)
            .stderr(stderr)
            .spawn()
            .unwrap_or_else(|error| panic!("{}: {error}", program.display()));
        Self {
            child,
            output,
            scratch,
        }
    }

    /// The process id, for signals.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// The folder it runs in.
    pub fn scratch(&self) -> &Scratch {
        &self.scratch
    }

    /// All that it has printed so far.
    pub fn output(&self) -> String {
        fs::read(&self.output).map_or_else(
            |error| error.to_string(),
            |text| String::from_utf8_lossy(&text).into_owned(),
        )
    }

    /// Asks for `path` until the answer is a success.
    ///
    /// # Panics
    ///
    /// With what it printed, where it ends first or `deadline` passes.
    pub fn wait_for_http(&mut self, addr: SocketAddr, path: &str, deadline: Duration) -> Response {
        let end = Instant::now() + deadline;
        loop {
            let answer = get(addr, path);
            if let Ok(response) = &answer
                && (200..300).contains(&response.status)
            {
                return response.clone();
            }
            if let Ok(Some(status)) = self.child.try_wait() {
                panic!(
                    "it ended ({status}) before {addr}{path} answered:\n{}",
                    self.output()
                );
            }
            assert!(
                Instant::now() < end,
                "{addr}{path} did not answer in {deadline:?}, last: {answer:?}\n{}",
                self.output()
            );
            thread::sleep(PAUSE);
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// What a server answered.
#[derive(Clone, Debug)]
pub struct Response {
    /// The status code.
    pub status: u16,
    /// The body, as text.
    pub body: String,
}

/// One blocking HTTP/1.1 GET of a server on this machine.
///
/// # Errors
///
/// Where it cannot be reached in time or does not speak HTTP.
///
/// # Panics
///
/// Where `addr` is not a loopback address.
pub fn get(addr: SocketAddr, path: &str) -> io::Result<Response> {
    assert!(
        addr.ip().is_loopback(),
        "{addr} is not an address of this machine"
    );
    let mut stream = TcpStream::connect_timeout(&addr, ONE_CALL)?;
    stream.set_read_timeout(Some(ONE_CALL))?;
    stream.set_write_timeout(Some(ONE_CALL))?;
    write!(
        stream,
        "GET {path} HTTP/1.1\r\nHost: {addr}\r\nConnection: close\r\n\r\n"
    )?;
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes)?;
    parse(&bytes)
        .ok_or_else(|| io::Error::new(io::ErrorKind::InvalidData, "not an HTTP/1.1 answer"))
}

fn parse(bytes: &[u8]) -> Option<Response> {
    let split = bytes.windows(4).position(|window| window == b"\r\n\r\n")?;
    let head = str::from_utf8(&bytes[..split]).ok()?;
    let body = &bytes[split + 4..];
    let mut lines = head.lines();
    let status = lines
        .next()?
        .strip_prefix("HTTP/1.")?
        .split(' ')
        .nth(1)?
        .parse()
        .ok()?;
    let chunked = lines
        .filter_map(|line| line.split_once(':'))
        .any(|(name, value)| {
            name.eq_ignore_ascii_case("transfer-encoding")
                && value.trim().eq_ignore_ascii_case("chunked")
        });
    let body = if chunked {
        join_chunks(body)?
    } else {
        body.to_vec()
    };
    Some(Response {
        status,
        body: String::from_utf8_lossy(&body).into_owned(),
    })
}

fn join_chunks(mut rest: &[u8]) -> Option<Vec<u8>> {
    let mut joined = Vec::new();
    loop {
        let line = rest.windows(2).position(|window| window == b"\r\n")?;
        let size = str::from_utf8(&rest[..line])
            .ok()?
            .split(';')
            .next()?
            .trim();
        let size = usize::from_str_radix(size, 16).ok()?;
        let start = line + 2;
        if size == 0 {
            return Some(joined);
        }
        joined.extend_from_slice(rest.get(start..start + size)?);
        rest = rest.get(start + size + 2..)?;
    }
}
