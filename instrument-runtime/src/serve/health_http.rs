//! Health over HTTP: the addresses that a cluster, a load balancer and people with `curl` ask. Every answer is read off
//! the board.

use crate::health::board::Board;
use crate::health::body::Asked;
use crate::health::options::HealthOptions;
use crate::health::report::{HealthReport, Verdict};
use crate::notice;
use crate::serve::health_accept::wants_draft;
use crate::vocab::group::{Group, HealthStatus};
use crate::vocab::label::cut;
use axum::Router;
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, RawQuery, State};
use axum::http::header::{
    CACHE_CONTROL, CONTENT_TYPE, HeaderName, USER_AGENT, VARY, X_CONTENT_TYPE_OPTIONS,
};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use std::borrow::Cow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

const JSON: HeaderValue = HeaderValue::from_static("application/json");
/// The draft "Health Check Response Format for HTTP APIs".
const DRAFT: HeaderValue = HeaderValue::from_static("application/health+json");

/// Envoy gives less to an upstream that says so.
const DEGRADED: HeaderName = HeaderName::from_static("x-envoy-degraded");
/// Envoy gives nothing to an upstream that says so, before its next check.
const FAILING: HeaderName = HeaderName::from_static("x-envoy-immediate-health-check-fail");

/// Checks that one request may name; a query is not to make work without end.
const MOST_EXCLUDED: usize = 32;
/// Unknown names that are given back.
const MOST_NAMED: usize = 4;

const KUBELET: &str = "a kubelet probes `/health`, which follows readiness: as a liveness probe it would restart a replica that is only \
     unready; `/livez` is for liveness, `/readyz` for readiness, `/startupz` for startup";

struct Probes {
    board: Board,
    options: HealthOptions,
    /// Somebody was told about a `kube-probe` on `/health`.
    told: AtomicBool,
}

type Shared = State<Arc<Probes>>;

/// The routes of the health address, to be served by themselves or as a part of another router.
pub(crate) fn router(board: Board, options: HealthOptions) -> Router {
    let probes = Probes {
        board,
        options,
        told: AtomicBool::new(false),
    };
    let routes = [
        ("/health", get(health)),
        ("/livez", get(livez)),
        ("/readyz", get(readyz)),
        ("/startupz", get(startupz)),
        ("/livez/{check}", get(live_check)),
        ("/readyz/{check}", get(ready_check)),
        ("/v2/health/live", get(server_live)),
        ("/v2/health/ready", get(server_ready)),
        ("/v2/models/{model}/ready", get(model_ready)),
        (
            "/v2/models/{model}/versions/{version}/ready",
            get(version_ready),
        ),
    ];
    let all = routes
        .into_iter()
        .fold(Router::new(), |router, (path, answer)| {
            // `Allow` is added by the router; GET brings HEAD with it
            let answer = answer.fallback(|| async { sent(StatusCode::METHOD_NOT_ALLOWED, None) });
            router
                .route(path, answer.clone())
                .route(&format!("{path}/"), answer)
        });
    all.with_state(Arc::new(probes))
}

async fn health(probes: Shared, query: RawQuery, headers: HeaderMap) -> Response {
    probes.tell_kubelet(&headers);
    probes.summary(&query.0.unwrap_or_default(), &headers)
}

async fn livez(probes: Shared, query: RawQuery, headers: HeaderMap) -> Response {
    probes.group(Group::Liveness, &query.0.unwrap_or_default(), &headers)
}

async fn readyz(probes: Shared, query: RawQuery, headers: HeaderMap) -> Response {
    probes.group(Group::Readiness, &query.0.unwrap_or_default(), &headers)
}

async fn startupz(probes: Shared, query: RawQuery, headers: HeaderMap) -> Response {
    probes.group(Group::Startup, &query.0.unwrap_or_default(), &headers)
}

/// A name in the path; one that is no text is nobody's name.
type Name = Result<Path<String>, PathRejection>;

async fn live_check(probes: Shared, name: Name) -> Response {
    probes.check(Group::Liveness, name)
}

async fn ready_check(probes: Shared, name: Name) -> Response {
    probes.check(Group::Readiness, name)
}

async fn server_live(probes: Shared) -> Response {
    let serves = probes.board.report().status(Group::Liveness).serves();
    probes.v2(serves, &format!("{{\"live\":{serves}}}"))
}

async fn server_ready(probes: Shared) -> Response {
    let report = probes.board.report();
    let serves = report.status(Group::Readiness).serves();
    let answer = probes.v2(serves, &format!("{{\"ready\":{serves}}}"));
    probes.with_hints(answer, Group::Readiness, &report)
}

async fn model_ready(probes: Shared, name: Name) -> Response {
    match name {
        Ok(Path(model)) => probes.model(&model, None),
        Err(_) => unknown("model"),
    }
}

async fn version_ready(
    probes: Shared,
    name: Result<Path<(String, String)>, PathRejection>,
) -> Response {
    match name {
        Ok(Path((model, version))) => probes.model(&model, Some(&version)),
        Err(_) => unknown("model"),
    }
}

impl Probes {
    fn summary(&self, query: &str, headers: &HeaderMap) -> Response {
        self.answer(Group::Readiness, true, query, headers)
    }

    fn group(&self, group: Group, query: &str, headers: &HeaderMap) -> Response {
        self.answer(group, false, query, headers)
    }

    /// What a group comes to, and for the summary what else is known.
    fn answer(&self, group: Group, all: bool, query: &str, headers: &HeaderMap) -> Response {
        let query = Query::read(query);
        let names: Vec<&str> = query.exclude.iter().map(|name| &**name).collect();
        let excluded = if self.options.exclude {
            &names
        } else {
            &[][..]
        };
        let report = self.board.report_without(excluded);
        let asked = Asked {
            verbose: query.verbose || all && self.options.verbose,
            excluded: known(&report, excluded),
            warnings: self.warnings(&report, &names, query.more),
        };
        let draft = wants_draft(headers);
        let body = match (draft, all) {
            (true, _) => report.draft_body(group, all, &asked),
            (false, true) => report.health_body(&asked),
            (false, false) => report.group_body(group, &asked),
        };
        let media = if draft { DRAFT } else { JSON };
        let code = code(report.status(group).serves());
        let mut answer = sent(code, Some((media, body)));
        answer
            .headers_mut()
            .insert(VARY, HeaderValue::from_static("accept"));
        self.with_hints(answer, group, &report)
    }

    fn warnings(&self, report: &HealthReport, names: &[&str], more: bool) -> Vec<String> {
        if !self.options.exclude {
            let ignored = (!names.is_empty()).then(|| "`exclude` is turned off".to_owned());
            return ignored.into_iter().collect();
        }
        let unknown: Vec<_> = names
            .iter()
            .filter(|name| report.check(name).is_none())
            .collect();
        let mut warnings: Vec<_> = unknown
            .iter()
            .take(MOST_NAMED)
            .map(|name| format!("no check is called `{}`", cut(name)))
            .collect();
        if unknown.len() > MOST_NAMED {
            let others = unknown.len() - MOST_NAMED;
            warnings.push(format!("{others} other names are unknown too"));
        }
        if more {
            warnings.push(format!("only {MOST_EXCLUDED} checks can be excluded"));
        }
        warnings
    }

    /// One check by itself, whatever becomes of the service.
    fn check(&self, group: Group, name: Name) -> Response {
        let report = self.board.report();
        let named = name.ok().and_then(|Path(name)| report.check(&name));
        let Some(check) = named.filter(|check| check.groups.has(group)) else {
            return unknown("check");
        };
        let well = match check.seen_by(group).0 {
            Verdict::Up | Verdict::Degraded => true,
            // nobody is restarted for what has not been looked at yet
            Verdict::Pending => group == Group::Liveness,
            Verdict::Down | Verdict::Expired => false,
        };
        sent(code(well), Some((JSON, check.json(group))))
    }

    fn model(&self, name: &str, version: Option<&str>) -> Response {
        let report = self.board.report();
        let Some(ready) = report.is_model_ready(name, version) else {
            return unknown("model");
        };
        let reason = report
            .models_named(name, version)
            .find_map(|model| model.reason)
            .filter(|_| !ready);
        let body = reason.map_or_else(
            || format!("{{\"ready\":{ready}}}"),
            |reason| format!("{{\"ready\":{ready},\"reason\":\"{reason}\"}}"),
        );
        let answer = self.v2(ready, &body);
        self.with_hints(answer, Group::Readiness, &report)
    }

    fn v2(&self, ready: bool, body: &str) -> Response {
        if !ready && self.options.triton_compat {
            return sent(StatusCode::BAD_REQUEST, None);
        }
        sent(code(ready), Some((JSON, body.to_owned())))
    }

    /// What Envoy wants to know beside the status code.
    fn with_hints(&self, mut answer: Response, group: Group, report: &HealthReport) -> Response {
        if self.options.envoy_headers && group == Group::Readiness {
            let yes = HeaderValue::from_static("true");
            if report.status(group) == HealthStatus::Degraded {
                answer.headers_mut().insert(DEGRADED, yes.clone());
            }
            if report.is_draining() {
                answer.headers_mut().insert(FAILING, yes);
            }
        }
        answer
    }

    /// Nobody sees what a kubelet thinks of an answer, so it is said here, once.
    fn tell_kubelet(&self, headers: &HeaderMap) {
        let agent = headers.get(USER_AGENT).map(HeaderValue::as_bytes);
        if agent.is_some_and(|agent| agent.starts_with(b"kube-probe/"))
            && !self.told.swap(true, Ordering::Relaxed)
        {
            notice::report(KUBELET);
        }
    }
}

/// What a query asks for; what nobody knows is ignored.
struct Query<'a> {
    verbose: bool,
    exclude: Vec<Cow<'a, str>>,
    /// More were named than count.
    more: bool,
}

impl Query<'_> {
    fn read(query: &str) -> Query<'_> {
        let mut read = Query {
            verbose: false,
            exclude: Vec::new(),
            more: false,
        };
        for (key, value) in form_urlencoded::parse(query.as_bytes()) {
            match &*key {
                "verbose" => read.verbose = !matches!(&*value, "false" | "0"),
                "exclude" if read.exclude.contains(&value) => {}
                "exclude" if read.exclude.len() < MOST_EXCLUDED => read.exclude.push(value),
                "exclude" => read.more = true,
                _ => {}
            }
        }
        read
    }
}

/// The names of those that there are, as the report has them.
fn known<'a>(report: &HealthReport, names: &[&'a str]) -> Vec<&'a str> {
    let is_known = |name: &&&str| report.check(name).is_some();
    names.iter().filter(is_known).copied().collect()
}

/// Load balancers and clients agree on two codes only.
fn code(serves: bool) -> StatusCode {
    if serves {
        StatusCode::OK
    } else {
        StatusCode::SERVICE_UNAVAILABLE
    }
}

fn unknown(what: &str) -> Response {
    let body = format!("{{\"error\":\"unknown {what}\"}}");
    sent(StatusCode::NOT_FOUND, Some((JSON, body)))
}

fn sent(code: StatusCode, content: Option<(HeaderValue, String)>) -> Response {
    let mut answer = match content {
        Some((media, body)) => ([(CONTENT_TYPE, media)], body).into_response(),
        None => StatusCode::OK.into_response(),
    };
    *answer.status_mut() = code;
    let headers = answer.headers_mut();
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    answer
}
