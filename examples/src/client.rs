//! A small HTTP/1.1 client for demos and tests: one connection at a time, kept open between requests.

use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use axum::body::Bytes;
use axum::http::header::HOST;
use axum::http::{Method, Request, StatusCode};
use http_body_util::{BodyExt, Full};
use hyper::client::conn::http1::{SendRequest, handshake};
use hyper_util::rt::TokioIo;
use thiserror::Error;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;

/// The header that names who calls.
pub const API_KEY: &str = "x-api-key";

/// A client of one server.
#[derive(Debug)]
pub struct Client {
    addr: SocketAddr,
    key: Option<&'static str>,
    connection: Option<SendRequest<Full<Bytes>>>,
}

/// What the server answered.
#[derive(Clone, Debug)]
pub struct Reply {
    /// The status code.
    pub status: StatusCode,
    /// The whole body.
    pub body: Bytes,
}

/// Why there is no answer.
#[derive(Debug, Error)]
pub enum ClientError {
    /// The server cannot be reached, or the connection broke.
    #[error("the connection to {addr} failed")]
    Connection {
        /// The server.
        addr: SocketAddr,
        /// What the system says.
        source: io::Error,
    },
    /// The answer did not come, or is not HTTP.
    #[error("{addr} did not answer")]
    Http {
        /// The server.
        addr: SocketAddr,
        /// What the protocol says.
        source: hyper::Error,
    },
}

impl Client {
    /// A client that connects with its first request.
    #[must_use]
    pub fn new(addr: SocketAddr) -> Client {
        Client {
            addr,
            key: None,
            connection: None,
        }
    }

    /// Sends this API key with each request.
    #[must_use]
    pub fn with_key(mut self, key: Option<&'static str>) -> Client {
        self.key = key;
        self
    }

    /// Asks for `path` and reads the whole answer.
    ///
    /// # Errors
    ///
    /// If there is no answer. The next request connects anew.
    ///
    /// # Panics
    ///
    /// If `path` is no path, or the key cannot stand in a header.
    pub async fn get(&mut self, path: &str) -> Result<Reply, ClientError> {
        self.send(Method::GET, path, Bytes::new()).await
    }

    /// Sends `body` to `path` and reads the whole answer.
    ///
    /// # Errors
    ///
    /// If there is no answer. The next request connects anew.
    ///
    /// # Panics
    ///
    /// If `path` is no path, or the key cannot stand in a header.
    pub async fn post(&mut self, path: &str, body: impl Into<Bytes>) -> Result<Reply, ClientError> {
        self.send(Method::POST, path, body.into()).await
    }

    async fn send(
        &mut self,
        method: Method,
        path: &str,
        body: Bytes,
    ) -> Result<Reply, ClientError> {
        let mut connection = match self.connection.take() {
            Some(connection) if !connection.is_closed() => connection,
            _ => self.connect().await?,
        };
        let mut request = Request::builder()
            .method(method)
            .uri(path)
            .header(HOST, self.addr.to_string());
        if let Some(key) = self.key {
            request = request.header(API_KEY, key);
        }
        let request = request
            .body(Full::new(body))
            .expect("path and key are written in the code that calls");
        let wrong = |source| ClientError::Http {
            addr: self.addr,
            source,
        };
        connection.ready().await.map_err(wrong)?;
        let response = connection.send_request(request).await.map_err(wrong)?;
        let status = response.status();
        let body = response.into_body().collect().await.map_err(wrong)?;
        self.connection = Some(connection);
        let body = body.to_bytes();
        Ok(Reply { status, body })
    }

    async fn connect(&self) -> Result<SendRequest<Full<Bytes>>, ClientError> {
        let stream = connect(self.addr).await?;
        let (sender, connection) =
            handshake(TokioIo::new(stream))
                .await
                .map_err(|source| ClientError::Http {
                    addr: self.addr,
                    source,
                })?;
        // It ends when the sender is dropped, and what went wrong on it the sender says too.
        tokio::spawn(connection);
        Ok(sender)
    }
}

/// A request that was sent as a whole by a client that may not wait for its answer.
#[derive(Debug)]
pub struct Sent {
    addr: SocketAddr,
    stream: TcpStream,
}

impl Sent {
    /// Connects and sends `body` to `path`.
    ///
    /// # Errors
    ///
    /// If the server does not take all of it.
    pub async fn post(addr: SocketAddr, path: &str, body: &[u8]) -> Result<Sent, ClientError> {
        let mut stream = connect(addr).await?;
        let length = body.len();
        let head =
            format!("POST {path} HTTP/1.1\r\nhost: {addr}\r\ncontent-length: {length}\r\n\r\n");
        let broken = |source| ClientError::Connection { addr, source };
        stream.write_all(head.as_bytes()).await.map_err(broken)?;
        stream.write_all(body).await.map_err(broken)?;
        Ok(Sent { addr, stream })
    }

    /// Waits for the answer, `limit` at most. Whether it is there.
    pub async fn answered_within(&self, limit: Duration) -> bool {
        timeout(limit, self.stream.readable()).await.is_ok()
    }

    /// Tells the server that nobody waits any more, and gives the answer if it had one before it noticed.
    ///
    /// Only the sending half is closed at first: what the server has sent by then can still be read, so that both
    /// sides agree on who was first.
    ///
    /// # Errors
    ///
    /// If the connection breaks instead of being closed, or what came is not HTTP.
    pub async fn leave(mut self) -> Result<Option<Reply>, ClientError> {
        let addr = self.addr;
        let broken = |source| ClientError::Connection { addr, source };
        self.stream.shutdown().await.map_err(broken)?;
        let mut answer = Vec::new();
        self.stream.read_to_end(&mut answer).await.map_err(broken)?;
        if answer.is_empty() {
            return Ok(None);
        }
        let reply = parse(&answer).ok_or_else(|| broken(io::ErrorKind::InvalidData.into()))?;
        Ok(Some(reply))
    }
}

/// An answer that ends with its connection.
fn parse(answer: &[u8]) -> Option<Reply> {
    let status = answer.strip_prefix(b"HTTP/1.1 ")?.get(..3)?;
    let end = answer.windows(4).position(|four| four == b"\r\n\r\n")?;
    Some(Reply {
        status: StatusCode::from_bytes(status).ok()?,
        body: Bytes::copy_from_slice(&answer[end + 4..]),
    })
}

async fn connect(addr: SocketAddr) -> Result<TcpStream, ClientError> {
    let connected = TcpStream::connect(addr).await;
    let stream = connected.and_then(|stream| stream.set_nodelay(true).map(|()| stream));
    stream.map_err(|source| ClientError::Connection { addr, source })
}
