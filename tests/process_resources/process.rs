//! Each value, against a program that knows it too, or an amount that the test has used.

pub mod told {
    use crate::peer::{Scratch, require};
    use crate::story::until;
    use crate::{builder, outside, shown, stop, value};
    use std::fs::File;
    use std::hint::black_box;
    use std::io::{Read, Write};
    use std::net::{TcpListener, TcpStream};
    use std::sync::mpsc::channel;

    const MIB: f64 = 1_048_576.0;

    /// What the kernel has not yet added up of one process, on a machine with many cores.
    const BLUR: f64 = 8.0 * MIB;

    pub fn processor_time_is_that_of_ps() {
        if require("ps").is_none() {
            return;
        }
        let telemetry = builder().install().unwrap();
        let ps = || outside("ps -o cputimes= -p PID");
        let begun = ps();
        // scraped by several at once: what is new is counted once
        until("seconds of work", || {
            std::thread::scope(|scope| {
                for _ in 0..4 {
                    scope.spawn(|| black_box(telemetry.scrape()));
                }
            });
            ps() >= begun + 2.0
        });
        let before = ps();
        let shown = shown(&telemetry, "process_cpu_seconds_total");
        let after = ps();
        assert!(
            before <= shown && shown <= after,
            "{before} <= {shown} <= {after}"
        );
        stop(&telemetry);
    }

    pub fn the_start_is_that_of_ps() {
        if require("ps").is_none() {
            return;
        }
        let telemetry = builder().install().unwrap();
        let ps = outside("date -d \"$(LC_ALL=C ps -o lstart= -p PID)\" +%s");
        let series = "process_start_time_seconds";
        let start = shown(&telemetry, series);
        // each rounds a sum of two times that are rounded
        assert!((ps - start).abs() <= 2.0, "{ps} {start}");
        assert!((shown(&telemetry, series) - start).abs() < f64::EPSILON);
        stop(&telemetry);
    }

    pub fn memory_that_is_touched_is_seen() {
        let telemetry = builder().install().unwrap();
        let series = "process_resident_memory_bytes";
        let before = shown(&telemetry, series);
        let reserved = shown(&telemetry, "process_virtual_memory_bytes");
        let mut memory = vec![0_u8; 64 << 20];
        let untouched = shown(&telemetry, series);
        assert!(untouched - before < 32.0 * MIB, "{before} {untouched}");
        memory.iter_mut().step_by(4096).for_each(|byte| *byte = 1);
        black_box(&mut memory);
        let after = shown(&telemetry, series);
        let kernel = outside("awk '/^VmRSS/ { print $2 * 1024 }' /proc/PID/status");
        assert!((after - kernel).abs() < BLUR, "{after} {kernel}");
        let grown = after - before;
        assert!((64.0 * MIB - BLUR..96.0 * MIB).contains(&grown), "{grown}");
        let grown = shown(&telemetry, "process_virtual_memory_bytes") - reserved;
        assert!(grown >= 64.0 * MIB, "{grown}");
        drop(memory);
        until("it is given back", || {
            shown(&telemetry, series) < after - 64.0 * MIB + BLUR
        });
        stop(&telemetry);
    }

    pub fn open_files_are_counted() {
        let telemetry = builder().install().unwrap();
        let (open, most) = ("process_open_fds", "process_max_fds");
        let before = shown(&telemetry, open);
        let files: Vec<_> = (0..50).map(|_| File::open("/dev/null").unwrap()).collect();
        assert!((shown(&telemetry, open) - before - 50.0).abs() < f64::EPSILON);
        // whoever looks has files open for it: a folder here, pipes there
        let kernel = outside("ls /proc/PID/fd | wc -l");
        let more = shown(&telemetry, open) - kernel;
        assert!((-4.0..=4.0).contains(&more), "{more}");
        drop(files);
        assert!((shown(&telemetry, open) - before).abs() < f64::EPSILON);
        let limit = outside("awk '/^Max open files/ { print $4 }' /proc/PID/limits");
        assert!((shown(&telemetry, most) - limit).abs() < f64::EPSILON);
        stop(&telemetry);
    }

    pub fn threads_are_counted() {
        let telemetry = builder().install().unwrap();
        let before = shown(&telemetry, "process_threads");
        let (end, ended) = channel::<()>();
        let ended = std::sync::Arc::new(std::sync::Mutex::new(ended));
        let waiting: Vec<_> = (0..7)
            .map(|_| {
                let ended = std::sync::Arc::clone(&ended);
                std::thread::spawn(move || ended.lock().unwrap().recv())
            })
            .collect();
        let shown = shown(&telemetry, "process_threads");
        assert!(
            (shown - before - 7.0).abs() < f64::EPSILON,
            "{before} {shown}"
        );
        let kernel = outside("ls /proc/PID/task | wc -l");
        assert!((shown - kernel).abs() < f64::EPSILON, "{shown} {kernel}");
        drop(end);
        for thread in waiting {
            assert!(thread.join().unwrap().is_err());
        }
        stop(&telemetry);
    }

    pub fn what_is_written_to_a_disk_is_seen() {
        let telemetry = builder().install().unwrap();
        let written = "process_disk_io_bytes_total{disk_io_direction=\"write\"}";
        let Some(before) = value(&telemetry, written) else {
            eprintln!("SKIPPED: the kernel does not say what goes to disks");
            return;
        };
        let scratch = Scratch::new("disk");
        let mut file = File::create(scratch.path().join("file")).unwrap();
        file.write_all(&vec![7; 8 << 20]).unwrap();
        file.sync_all().unwrap();
        let grown = shown(&telemetry, written) - before;
        // some file systems write for themselves, and some nowhere
        let folder = scratch.path().display();
        let known = format!("stat -f -c %T {folder} | grep -c -e ext -e xfs || true");
        if outside(&known) > 0.0 {
            assert!((8.0 * MIB..12.0 * MIB).contains(&grown), "{grown}");
        } else {
            eprintln!("SKIPPED: {folder} is on no disk that is known");
        }
        for (direction, name) in [("read", "read_bytes"), ("write", "write_bytes")] {
            let kernel = || outside(&format!("awk '/^{name}:/ {{ print $2 }}' /proc/PID/io"));
            let before = kernel();
            let shown = shown(
                &telemetry,
                &format!("process_disk_io_bytes_total{{disk_io_direction=\"{direction}\"}}"),
            );
            assert!((before..=kernel()).contains(&shown), "{direction} {shown}");
        }
        stop(&telemetry);
    }

    pub fn what_goes_over_a_socket_is_seen() {
        const SENT: usize = 4 << 20;
        let telemetry = builder().install().unwrap();
        let of = |direction: &str| {
            let series =
                format!("process_network_io_bytes_total{{network_io_direction=\"{direction}\"}}");
            shown(&telemetry, &series)
        };
        let before = ["receive", "transmit"].map(of);
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let sender = std::thread::spawn(move || {
            TcpStream::connect(address)
                .unwrap()
                .write_all(&vec![1; SENT])
                .unwrap();
        });
        let mut received = Vec::new();
        listener
            .accept()
            .unwrap()
            .0
            .read_to_end(&mut received)
            .unwrap();
        sender.join().unwrap();
        assert_eq!(received.len(), SENT);
        let sum = "awk -F: 'NR > 2 { split($2, c, \" \"); sum += c[COLUMN] } END { printf \"%.0f\", sum }' /proc/PID/net/dev";
        for (at, (direction, column)) in [("receive", "1"), ("transmit", "9")]
            .into_iter()
            .enumerate()
        {
            let kernel = || outside(&sum.replace("COLUMN", column));
            let lower = kernel();
            let after = of(direction);
            assert!(
                (lower..=kernel()).contains(&after),
                "{direction}: {lower} {after}"
            );
            assert!(
                after - before[at] >= 4.0 * MIB,
                "{direction}: {after} {}",
                before[at]
            );
        }
        stop(&telemetry);
    }

    pub fn nothing_is_there_twice() {
        // pushed somewhere, so that everything is recorded; nobody needs to listen
        let telemetry = builder()
            .otlp_endpoint("http://127.0.0.1:9")
            .install()
            .unwrap();
        let scrape = telemetry.scrape();
        let families: Vec<_> = scrape
            .lines()
            .filter_map(|line| line.strip_prefix("# TYPE process_"))
            .collect();
        assert_eq!(
            families,
            [
                "cpu_seconds_total counter",
                "disk_io_bytes_total counter",
                "max_fds gauge",
                "network_io_bytes_total counter",
                "open_fds gauge",
                "resident_memory_bytes gauge",
                "start_time_seconds gauge",
                "threads gauge",
                "virtual_memory_bytes gauge",
            ]
        );
        let _ = telemetry.shutdown_blocking(std::time::Duration::from_secs(1));
    }

    pub fn without_a_file_to_read_with_nothing_is_0() {
        if require("prlimit").is_none() {
            return;
        }
        let telemetry = builder().install().unwrap();
        let before = telemetry.scrape();
        outside("prlimit --pid PID --nofile=256:256 && echo 0");
        let mut files = Vec::new();
        while let Ok(file) = File::open("/dev/null") {
            files.push(file);
        }
        let of_process = |scrape: &str| {
            let lines = scrape.lines().filter(|line| line.starts_with("process_"));
            let lines = lines.map(|line| line.rsplit_once(' ').unwrap());
            let lines = lines.map(|(series, value)| (series.to_owned(), value.to_owned()));
            lines.collect::<std::collections::BTreeMap<_, _>>()
        };
        // one more handle is free each time: the first readings fail, then the next
        for free in 0..4 {
            let scrape = telemetry.scrape();
            assert!(scrape.contains("inference_build_info"), "{free}: {scrape}");
            for (series, value) in of_process(&scrape) {
                let counts = series.contains("_total");
                assert!(counts || value != "0", "{free}: {series} {value}");
            }
            files.pop();
        }
        drop(files);
        let after = of_process(&telemetry.scrape());
        assert!(after.keys().eq(of_process(&before).keys()), "{after:?}");
        stop(&telemetry);
    }
}
