//! One watch of the health protocol of gRPC: what is said of a name now, and each change from then on.

use crate::health::board::Board;
use crate::serve::health_names::Name;
use crate::serve::pb::health::HealthCheckResponse;
use crate::serve::pb::health::health_check_response::ServingStatus;
use crate::serve::watch_seats::Seat;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use tokio_stream::Stream;
use tokio_stream::wrappers::WatchStream;
use tonic::Status;

/// The stream of answers. What was said last is never said again, and what is true last is always said: each new
/// version makes it read the newest report, whatever happened in between.
#[derive(Debug)]
pub(crate) struct Watch {
    board: Board,
    name: Name,
    versions: WatchStream<u64>,
    said: Option<ServingStatus>,
    stage: Stage,
    _seat: Seat,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    Open,
    /// Streams are to be closed, and the last answer was given.
    Closing,
    Ended,
}

impl Watch {
    pub(crate) fn new(board: Board, name: Name, seat: Seat) -> Watch {
        Watch {
            // the version now is its first item: the first answer waits for nothing
            versions: WatchStream::new(board.subscribe()),
            board,
            name,
            said: None,
            stage: Stage::Open,
            _seat: seat,
        }
    }

    /// What there is to say, if anything.
    fn look(&mut self) -> Option<HealthCheckResponse> {
        let report = self.board.report();
        if report.is_closing() {
            self.stage = Stage::Closing;
        }
        let status = self.name.status(&report);
        let status = status.unwrap_or(ServingStatus::ServiceUnknown);
        (self.said.replace(status) != Some(status)).then(|| HealthCheckResponse {
            status: status.into(),
        })
    }
}

impl Stream for Watch {
    type Item = Result<HealthCheckResponse, Status>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        loop {
            match self.stage {
                Stage::Open => {}
                Stage::Closing => {
                    self.stage = Stage::Ended;
                    let gone = Status::unavailable("the service is shutting down");
                    return Poll::Ready(Some(Err(gone)));
                }
                Stage::Ended => return Poll::Ready(None),
            }
            // read only after the version is marked as seen: what is published meanwhile is another version
            match ready!(Pin::new(&mut self.versions).poll_next(cx)) {
                Some(_) => {
                    if let Some(answer) = self.look() {
                        return Poll::Ready(Some(Ok(answer)));
                    }
                }
                None => self.stage = Stage::Closing,
            }
        }
    }
}
