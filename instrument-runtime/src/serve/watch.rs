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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::serve::control::ControlOptions;
    use crate::serve::control_rig::{PATIENCE, Rig};
    use crate::serve::health_names::HealthNames;
    use crate::serve::watch_seats::{Seats, WatchLimits};
    use crate::slot::state::{Phase, SlotState};
    use std::sync::Arc;
    use std::task::Waker;
    use tokio::sync::watch::Sender;
    use tokio_stream::StreamExt;
    use tonic::Code;

    const SERVING: Told = Told::Is(ServingStatus::Serving);
    const NOT_SERVING: Told = Told::Is(ServingStatus::NotServing);
    const UNKNOWN: Told = Told::Is(ServingStatus::ServiceUnknown);
    const GONE: Told = Told::Error(Code::Unavailable);

    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    enum Told {
        Is(ServingStatus),
        Error(Code),
        Nothing,
        End,
    }

    fn watch(rig: &Rig, name: &str) -> Watch {
        let names = HealthNames::new(ControlOptions::default().services).unwrap();
        let limits = WatchLimits {
            per_connection: 1,
            total: 1,
        };
        let seat = Seats::new(limits, Arc::default()).take(None).unwrap();
        Watch::new(rig.board.clone(), names.find(name), seat)
    }

    fn told(item: Option<Result<HealthCheckResponse, Status>>) -> Told {
        match item {
            Some(Ok(answer)) => Told::Is(answer.status()),
            Some(Err(status)) => Told::Error(status.code()),
            None => Told::End,
        }
    }

    /// What it says without being waited for.
    fn now(watch: &mut Watch) -> Told {
        let mut context = Context::from_waker(Waker::noop());
        match Pin::new(watch).poll_next(&mut context) {
            Poll::Ready(item) => told(item),
            Poll::Pending => Told::Nothing,
        }
    }

    #[test]
    fn the_first_answer_waits_for_nothing_and_then_only_changes_are_told() {
        let rig = Rig::ready();
        let mut watch = watch(&rig, "");
        assert_eq!(now(&mut watch), SERVING);
        assert_eq!(now(&mut watch), Told::Nothing);
        // a new version that says the same
        rig.board.publish(|_, _| {});
        assert_eq!(now(&mut watch), Told::Nothing);
        rig.board.live(|life| life.maintenance = true);
        assert_eq!(now(&mut watch), NOT_SERVING);
        // there and back while nobody looked
        rig.board.live(|life| life.maintenance = false);
        rig.board.live(|life| life.maintenance = true);
        assert_eq!(now(&mut watch), Told::Nothing);
        rig.board.live(|life| life.maintenance = false);
        assert_eq!(now(&mut watch), SERVING);
    }

    #[test]
    fn a_model_is_unknown_until_it_is_declared() {
        let rig = Rig::ready();
        let (mut model, mut nobody) = (watch(&rig, "models/digits"), watch(&rig, "digits"));
        assert_eq!((now(&mut model), now(&mut nobody)), (UNKNOWN, UNKNOWN));
        let slot = rig.slots.declare("digits", "1");
        assert_eq!(now(&mut model), NOT_SERVING);
        slot.enter(Phase::Ready);
        assert_eq!(now(&mut model), SERVING);
        slot.enter(Phase::Unloaded);
        assert_eq!(now(&mut model), NOT_SERVING);
        assert_eq!(now(&mut nobody), Told::Nothing);
    }

    #[test]
    fn draining_is_told_and_closing_ends_the_watch() {
        let rig = Rig::ready();
        rig.loaded("digits", "1");
        let asked = ["", "models/digits", "liveness", "startup", "nobody"];
        let mut open = asked.map(|name| watch(&rig, name));
        let first = open.each_mut().map(now);
        assert_eq!(first, [SERVING, SERVING, SERVING, SERVING, UNKNOWN]);
        rig.drain();
        let quiet = Told::Nothing;
        let drained = open.each_mut().map(now);
        assert_eq!(drained, [NOT_SERVING, NOT_SERVING, quiet, quiet, quiet]);
        rig.close();
        assert_eq!(open.each_mut().map(now), [GONE; 5]);
        assert_eq!(open.each_mut().map(now), [Told::End; 5]);
    }

    #[test]
    fn closing_without_draining_is_told_before_the_end() {
        let rig = Rig::ready();
        let mut watch = watch(&rig, "readiness");
        assert_eq!(now(&mut watch), SERVING);
        rig.close();
        assert_eq!(now(&mut watch), NOT_SERVING);
        assert_eq!(now(&mut watch), GONE);
        assert_eq!(now(&mut watch), Told::End);
    }

    #[test]
    fn a_watch_that_comes_while_closing_has_its_answer_and_ends() {
        let rig = Rig::ready();
        rig.close();
        for (name, first) in [("", NOT_SERVING), ("liveness", SERVING), ("x", UNKNOWN)] {
            let mut watch = watch(&rig, name);
            assert_eq!(now(&mut watch), first);
            assert_eq!(now(&mut watch), GONE);
        }
    }

    /// All that one watcher is told; the last of it is in `latest`.
    async fn listen(mut watch: Watch, latest: Sender<Told>) -> Vec<Told> {
        let mut heard = Vec::new();
        loop {
            let item = told(watch.next().await);
            if item == Told::End {
                return heard;
            }
            heard.push(item);
            latest.send_replace(item);
        }
    }

    /// Changes what is true, at random.
    fn flip(rig: &Rig, slot: &SlotState, mut random: u32) {
        for _ in 0..200 {
            random ^= random << 13;
            random ^= random >> 17;
            random ^= random << 5;
            let on = random & 1 == 0;
            if random & 2 == 0 {
                rig.board.live(|life| life.maintenance = on);
            } else {
                slot.enter(if on { Phase::Ready } else { Phase::Failed });
            }
        }
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 4)]
    async fn what_is_true_last_is_always_said_and_nothing_twice() {
        for round in 0..20_u32 {
            let rig = Rig::ready();
            let slot = rig.loaded("digits", "1");
            let watchers: Vec<_> = (0..16)
                .map(|number| {
                    let (sender, latest) = tokio::sync::watch::channel(Told::Nothing);
                    let name = ["", "models/digits"][number % 2];
                    (tokio::spawn(listen(watch(&rig, name), sender)), latest)
                })
                .collect();
            std::thread::scope(|scope| {
                for thread in 1..5 {
                    let (rig, slot) = (&rig, &slot);
                    let seed = (round * 4 + thread).wrapping_mul(2_654_435_761);
                    scope.spawn(move || flip(rig, slot, seed));
                }
            });
            let serves = round % 2 == 0;
            let last = if serves { SERVING } else { NOT_SERVING };
            slot.enter(Phase::Ready);
            rig.board.live(|life| life.maintenance = !serves);
            let (tasks, latest): (Vec<_>, Vec<_>) = watchers.into_iter().unzip();
            for mut latest in latest {
                let is_last = latest.wait_for(|told| *told == last);
                let known = tokio::time::timeout(PATIENCE, is_last).await;
                known.expect("in time").expect("the watch is open");
            }
            rig.close();
            for task in tasks {
                let heard = task.await.unwrap();
                assert!(heard.windows(2).all(|two| two[0] != two[1]), "{heard:?}");
                assert!(heard.ends_with(&[NOT_SERVING, GONE]), "{heard:?}");
            }
        }
    }
}
