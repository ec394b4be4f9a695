//! The body of an answer, which holds its request open until it is at its end or dropped.

use crate::serve::connection::Connection;
use axum::body::{Body, Bytes};
use hyper::body::{Body as HttpBody, Frame, SizeHint};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

/// A request under way, until dropped.
#[derive(Debug)]
pub(crate) struct UnderWay(Arc<Connection>);

impl UnderWay {
    pub(crate) fn begin(connection: &Arc<Connection>) -> UnderWay {
        connection.begin();
        UnderWay(Arc::clone(connection))
    }
}

impl Drop for UnderWay {
    fn drop(&mut self) {
        self.0.end();
    }
}

/// The body.
#[derive(Debug)]
pub(crate) struct Held {
    body: Body,
    _request: UnderWay,
}

impl Held {
    pub(crate) fn new(body: Body, request: UnderWay) -> Held {
        Held {
            body,
            _request: request,
        }
    }
}

impl HttpBody for Held {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.body).poll_frame(cx)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
