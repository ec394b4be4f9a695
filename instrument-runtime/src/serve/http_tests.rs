//! The server under clients of HTTP/1: who is kept, who makes room, and who is cut off.

use crate::serve::connection::Limits;
use crate::serve::http::{Listener, Protocol, Server};
use axum::Router;
use axum::routing::get;
use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::time::Duration;

const PATIENCE: Duration = Duration::from_secs(60);

/// So long that a test would notice.
pub(crate) const PATIENT: Limits = Limits {
    connections: 64,
    header: PATIENCE,
    request: PATIENCE,
    idle: PATIENCE,
    ping: PATIENCE,
};

pub(crate) const SOON: Duration = Duration::from_millis(50);

pub(crate) fn listener(
    name: &'static str,
    router: Router,
    limits: Limits,
    protocol: Protocol,
) -> Listener {
    Listener {
        name,
        socket: TcpListener::bind("127.0.0.1:0").unwrap(),
        router,
        limits,
        protocol,
    }
}

fn router() -> Router {
    let thread = || async { std::thread::current().name().unwrap_or_default().to_owned() };
    let never = || async { std::future::pending::<String>().await };
    Router::new()
        .route("/", get(thread))
        .route("/never", get(never))
}

fn served(limits: Limits) -> (Server, SocketAddr) {
    let listeners = vec![listener("health", router(), limits, Protocol::Http1)];
    let server = Server::start("instrument-test", listeners).unwrap();
    let address = server.address("health").unwrap();
    (server, address)
}

/// A client that keeps its connection.
struct Client(TcpStream);

impl Client {
    fn new(address: SocketAddr) -> Client {
        let stream = TcpStream::connect(address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        Client(stream)
    }

    fn send(&mut self, text: &str) {
        self.0.write_all(text.as_bytes()).unwrap();
    }

    /// The body of the answer.
    fn ask(&mut self) -> String {
        self.send("GET / HTTP/1.1\r\nhost: x\r\n\r\n");
        let mut answer = String::new();
        let mut byte = [0];
        while !answer.ends_with("\r\n\r\n") {
            self.0.read_exact(&mut byte).unwrap();
            answer.push(byte[0].into());
        }
        assert!(answer.starts_with("HTTP/1.1 200 "), "{answer}");
        let length = answer
            .lines()
            .find_map(|line| line.strip_prefix("content-length: "))
            .unwrap();
        let mut body = vec![0; length.parse().unwrap()];
        self.0.read_exact(&mut body).unwrap();
        String::from_utf8(body).unwrap()
    }

    /// Waits until the other side has closed.
    fn is_closed(&mut self) {
        let mut rest = Vec::new();
        match self.0.read_to_end(&mut rest) {
            Ok(_) => {}
            Err(error) if error.kind() == ErrorKind::ConnectionReset => {}
            Err(error) => panic!("it is still open: {error}"),
        }
    }
}

#[test]
fn one_thread_serves_several_listeners_and_each_closes_by_itself() {
    let listeners = vec![
        listener("health", router(), PATIENT, Protocol::Http1),
        listener("other", router(), PATIENT, Protocol::Http1),
    ];
    let mut server = Server::start("instrument-test", listeners).unwrap();
    let health = server.address("health").unwrap();
    let other = server.address("other").unwrap();
    assert!(server.address("none").is_none());
    let (mut one, mut two) = (Client::new(health), Client::new(other));
    assert_eq!(
        (one.ask(), two.ask()),
        ("instrument-test".to_owned(), "instrument-test".to_owned())
    );

    server.close("other");
    server.close("other");
    two.is_closed();
    assert!(
        TcpStream::connect(other).is_err(),
        "nobody listens any more"
    );
    assert_eq!(
        (one.ask(), Client::new(health).ask()),
        ("instrument-test".to_owned(), "instrument-test".to_owned())
    );

    drop(server);
    one.is_closed();
    assert!(
        TcpStream::connect(health).is_err(),
        "nobody listens any more"
    );
}

#[test]
fn an_answer_that_never_comes_does_not_keep_a_server_open() {
    let (server, address) = served(PATIENT);
    let mut client = Client::new(address);
    client.send("GET /never HTTP/1.1\r\nhost: x\r\n\r\n");
    let mut half = Client::new(address);
    half.send("GET / HT");
    // both have been accepted, and read, before this one
    Client::new(address).ask();
    drop(server);
    client.is_closed();
    half.is_closed();
}

#[test]
fn the_oldest_idle_connection_makes_room_and_the_newest_is_served() {
    let (_server, address) = served(Limits {
        connections: 3,
        ..PATIENT
    });
    let mut busy = Client::new(address);
    busy.send("GET /never HTTP/1.1\r\nhost: x\r\n\r\n");
    let mut old = Client::new(address);
    old.ask();
    let mut silent = Client::new(address);
    let mut kept = Client::new(address);
    kept.ask();
    old.is_closed();
    let mut newest = Client::new(address);
    newest.ask();
    silent.is_closed();
    newest.ask();
    kept.ask();
    busy.0.set_nonblocking(true).unwrap();
    let error = busy.0.read(&mut [0]).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::WouldBlock, "who is busy stays");
}

#[test]
fn a_head_that_does_not_come_is_not_waited_for() {
    let (_server, address) = served(Limits {
        // a client on a busy machine needs some time too
        header: SOON * 10,
        ..PATIENT
    });
    let mut patient = Client::new(address);
    patient.ask();
    let mut silent = Client::new(address);
    let mut slow = Client::new(address);
    slow.send("GET / HTTP/1.1\r\nhost:");
    silent.is_closed();
    slow.is_closed();
    // between two requests a client may take longer than that: who polls keeps its connection
    patient.ask();
    patient.send("GET / HTTP/1.1\r\nhost:");
    patient.is_closed();
}

#[test]
fn a_connection_that_nobody_uses_goes_in_the_end() {
    let (_server, address) = served(Limits {
        idle: SOON,
        ..PATIENT
    });
    let mut client = Client::new(address);
    client.ask();
    client.is_closed();
}

#[test]
fn an_answer_that_takes_too_long_is_given_up() {
    let (_server, address) = served(Limits {
        request: SOON,
        ..PATIENT
    });
    let mut client = Client::new(address);
    client.send("GET /never HTTP/1.1\r\nhost: x\r\n\r\n");
    client.is_closed();
}
