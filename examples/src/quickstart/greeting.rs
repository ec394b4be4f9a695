//! What the quickstart prints once it serves.

use std::io::{self, Write};
use std::net::SocketAddr;

use instrument_inference::Telemetry;

/// Prints the line that says where it serves, and, where somebody may want to try it by hand, how.
pub fn greet(http: SocketAddr, telemetry: &Telemetry, by_hand: bool) {
    let others = Others {
        health: telemetry.health_addr(),
        metrics: telemetry.metrics_addr(),
        control: telemetry.control_addr(),
    };
    // A service goes on when nobody reads what it prints.
    let _ = write(&mut io::stdout().lock(), http, others, by_hand);
}

/// The addresses of the telemetry.
#[derive(Clone, Copy, Default)]
struct Others {
    health: Option<SocketAddr>,
    metrics: Option<SocketAddr>,
    control: Option<SocketAddr>,
}

fn write(out: &mut impl Write, http: SocketAddr, others: Others, by_hand: bool) -> io::Result<()> {
    let Others {
        health,
        metrics,
        control,
    } = others;
    let [at_health, at_metrics, at_control] = [health, metrics, control]
        .map(|addr| addr.map_or_else(|| "off".to_owned(), |addr| addr.to_string()));
    writeln!(
        out,
        "ready http={http} health={at_health} metrics={at_metrics} control={at_control}"
    )?;
    if by_hand {
        writeln!(out, "\nTry it, from the root of the repository:")?;
        let predict = format!("http://{http}/predict");
        for body in ["@examples/models/seven.png", "'not a picture'"] {
            writeln!(out, "  curl --data-binary {body} {predict}")?;
        }
        if let Some(health) = health {
            writeln!(out, "  curl -s 'http://{health}/health?verbose'")?;
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

    fn greeting(others: Others, by_hand: bool) -> String {
        let http = "127.0.0.1:8000".parse().expect("an address");
        let mut out = Vec::new();
        write(&mut out, http, others, by_hand).expect("memory");
        String::from_utf8(out).expect("text")
    }

    #[test]
    fn the_first_line_says_where() {
        let addr = |text: &str| text.parse().ok();
        let all = Others {
            health: addr("127.0.0.1:8081"),
            metrics: addr("[::1]:9464"),
            control: addr("127.0.0.1:8082"),
        };
        let text = greeting(all, true);
        assert_eq!(
            text.lines().next(),
            Some(
                "ready http=127.0.0.1:8000 health=127.0.0.1:8081 metrics=[::1]:9464 control=127.0.0.1:8082"
            )
        );
        assert!(text.contains("http://127.0.0.1:8081/health?verbose"));
        let none = Others::default();
        assert_eq!(
            greeting(none, false),
            "ready http=127.0.0.1:8000 health=off metrics=off control=off\n"
        );
        let text = greeting(none, true);
        assert!(!text.contains("/metrics") && !text.contains("/health"));
    }
}
