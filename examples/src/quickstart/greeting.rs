//! What the quickstart prints once it serves.

use std::io::{self, Write};
use std::net::SocketAddr;

/// Prints the line that says where it serves, and, where somebody may want to try it by hand, how.
pub fn greet(http: SocketAddr, metrics: Option<SocketAddr>, by_hand: bool) {
    // A service goes on when nobody reads what it prints.
    let _ = write(&mut io::stdout().lock(), http, metrics, by_hand);
}

fn write(
    out: &mut impl Write,
    http: SocketAddr,
    metrics: Option<SocketAddr>,
    by_hand: bool,
) -> io::Result<()> {
    let scraped = metrics.map_or("off".to_owned(), |addr| addr.to_string());
    writeln!(out, "ready http={http} metrics={scraped}")?;
    if by_hand {
        writeln!(out, "\nTry it, from the root of the repository:")?;
        let predict = format!("http://{http}/predict");
        for body in ["@examples/models/seven.png", "'not a picture'"] {
            writeln!(out, "  curl --data-binary {body} {predict}")?;
        }
        if let Some(metrics) = metrics {
            let url = format!("http://{metrics}/metrics");
            writeln!(out, "  curl -s {url} | grep inference_requests_total")?;
            let sums = "inference_stage_duration_seconds_sum";
            writeln!(out, "  curl -s {url} | grep {sums}")?;
        }
        writeln!(out, "Ctrl-C stops it.")?;
    }
    out.flush()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn greeting(metrics: Option<&str>, by_hand: bool) -> String {
        let addr = |text: &str| text.parse().expect("an address");
        let mut out = Vec::new();
        write(&mut out, addr("127.0.0.1:8000"), metrics.map(addr), by_hand).expect("memory");
        String::from_utf8(out).expect("text")
    }

    #[test]
    fn the_first_line_says_where() {
        let first = |text: String| text.lines().next().map(str::to_owned);
        assert_eq!(
            first(greeting(Some("[::1]:9464"), true)).as_deref(),
            Some("ready http=127.0.0.1:8000 metrics=[::1]:9464")
        );
        assert_eq!(
            greeting(None, false),
            "ready http=127.0.0.1:8000 metrics=off\n"
        );
        assert!(!greeting(None, true).contains("/metrics"));
    }
}
