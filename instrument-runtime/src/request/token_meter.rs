//! What is measured of a stream of tokens, or of a sequence of an engine: whose the time is, from which token to which,
//! and how it ends.

use crate::record::combo;
use crate::record::generation;
use crate::record::guard_stream::tell_orphan;
use crate::record::local;
use crate::record::open::{Open, ticks};
use crate::record::series::SeriesId;
use crate::record::series_generation::Said;
use crate::record::tally::Tally;
use crate::request::life::{self, Cause};
use crate::request::queue::QUEUE;
use crate::site::site::Site;
use crate::site::streaming::{DECODE, PREFILL};
use crate::vocab::error_type::ErrorType;
use crate::vocab::outcome::Outcome;
use crate::vocab::token_kind::TokenKind;
use std::sync::Arc;

/// Who the current time belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Turn {
    /// The stream, which nobody has asked for anything: what it takes is its own, but that it gives nothing is none of its
    /// fault.
    Unasked,
    /// The stream: it is polled, or will wake whoever polls it.
    Stream,
    /// The same, inside of its poll: dropped here means unwound.
    Polling,
    /// The reader: it has an item, and has not asked for the next one.
    Reader,
}

/// Where a stream or a sequence stands. Ends once: dropped, it ends as it stands.
#[derive(Debug)]
pub(crate) struct TokenMeter {
    /// The request that it belongs to.
    tally: Option<Arc<Tally>>,
    combo: u32,
    /// What the tokens count in.
    series: SeriesId,
    /// `prefill`, or `decode` after the first token; `queue` before an engine has begun with it.
    stage: Open,
    site: &'static Site,
    /// An engine has it, so it is not dropped together with its request.
    away: bool,
    /// No other stream of the request was open when it began.
    only: bool,
    turn: Turn,
    /// Since when it is whose turn it is, in ticks.
    since: u64,
    /// Ticks of the stream's own since the last token, or the beginning.
    waited: u64,
    /// Ticks of the stream's own from the first token to the last.
    generated: u64,
    tokens: u64,
    /// Of those, so many are no request's: it has ended before, or there is none.
    alone: u64,
    /// Tokens came after those of the first item.
    went_on: bool,
    /// The last item was this error.
    failed: Option<Outcome>,
    /// Executions of the request that wait for the reader, too.
    beside: u32,
}

impl TokenMeter {
    /// A stream begins, for what runs on this thread; `None` when nobody records.
    pub(crate) fn begin() -> Option<TokenMeter> {
        if !local::enabled() {
            return None;
        }
        let mut meter = TokenMeter::begin_at(&PREFILL, Open::enter_stream, local::current())?;
        meter.turn = Turn::Unasked;
        meter.stage.hold(0, false);
        Some(meter)
    }

    /// A sequence begins to wait for its engine, for this request; `None` when nobody records.
    pub(crate) fn begin_waiting(tally: Option<Arc<Tally>>) -> Option<TokenMeter> {
        if !local::enabled() {
            return None;
        }
        let mut meter = TokenMeter::begin_at(&QUEUE, Open::enter_wait, tally)?;
        meter.away = true;
        meter.goes_away();
        Some(meter)
    }

    fn begin_at(
        site: &'static Site,
        enter: fn(&'static Site, u32, Option<&Tally>) -> Open,
        tally: Option<Arc<Tally>>,
    ) -> Option<TokenMeter> {
        let combo = tally
            .as_ref()
            .map_or_else(|| local::with(local::Local::combo), |tally| tally.combo());
        let combination = combo::get(combo)?;
        let series = generation::series(&*combination.recorder()?, &combination);
        let stage = enter(site, combo, tally.as_deref());
        if !stage.is_some() {
            return None;
        }
        let only = if let Some(tally) = &tally {
            tally.generated().add(TokenKind::Output, 0);
            // what ran before is no part of it
            tally.ran_beside_streams();
            tally.generated().open_stream()
        } else {
            tell_orphan(site, stage);
            true
        };
        Some(TokenMeter {
            tally,
            combo,
            series,
            stage,
            site,
            away: false,
            only,
            turn: Turn::Stream,
            since: stage.start,
            waited: 0,
            generated: 0,
            tokens: 0,
            alone: 0,
            went_on: false,
            failed: None,
            beside: 0,
        })
    }

    pub(crate) fn request(&self) -> Option<&Arc<Tally>> {
        self.tally.as_ref()
    }

    /// The engine begins with it; what it does is counted from here on.
    pub(crate) fn scheduled(&mut self) {
        if !self.is_waiting() {
            return;
        }
        let now = ticks(self.stage.id);
        if let Some(tally) = &self.tally
            && self.only
        {
            // what ran before is no part of it
            tally.ran_beside_streams();
        }
        let queue = self.enter(&PREFILL, None);
        queue.exit_at(
            self.tally.as_ref(),
            Outcome::Ok,
            now,
            now.saturating_sub(queue.start),
        );
        self.since = now;
        self.waited = 0;
    }

    /// Whether no token has come.
    pub(crate) const fn is_before_first(&self) -> bool {
        self.tokens == 0
    }

    /// Tokens have come from the engine, which goes on at once.
    pub(crate) fn generates(&mut self, tokens: u64) {
        self.takes(Ok(tokens));
    }

    /// The engine has put it aside.
    pub(crate) fn preempted(&self) {
        local::with(|local| local.push(self.series.said(Said::Preempted, 0, 1)));
    }

    /// The engine has failed with it. What went wrong in a stage of the request says more than that.
    pub(crate) fn fail(&mut self) {
        let tally = self.tally.as_ref();
        let born = tally.and_then(|tally| tally.troubles().born(ErrorType::Internal));
        let error = born.map_or(ErrorType::Internal, |(_, error)| error);
        self.failed = Some(Outcome::Error(error));
    }

    fn is_waiting(&self) -> bool {
        std::ptr::eq(self.site, &raw const QUEUE)
    }

    /// The next stage begins, since then or now. The one before, which is to be ended: in this order there is no time
    /// between the two that no stage covers.
    fn enter(&mut self, site: &'static Site, since: Option<u64>) -> Open {
        let mut next = Open::enter_stream(site, self.combo, self.tally.as_deref());
        next.start = since.unwrap_or(next.start);
        let before = (self.site, std::mem::replace(&mut self.stage, next));
        self.site = site;
        self.goes_away();
        self.comes_back(before.0, before.1);
        before.1
    }

    /// If the client leaves now, this is where it was.
    fn goes_away(&self) {
        if self.away
            && let Some(tally) = &self.tally
        {
            tally.troubles().goes_away(self.site.name, self.stage.start);
        }
    }

    fn comes_back(&self, site: &'static Site, stage: Open) {
        if self.away
            && let Some(tally) = &self.tally
        {
            tally.troubles().comes_back(site.name, stage.start);
        }
    }

    /// The reader asks for the next item.
    #[inline]
    pub(crate) fn begin_poll(&mut self) {
        match std::mem::replace(&mut self.turn, Turn::Polling) {
            Turn::Unasked => self.stage.ask(0),
            Turn::Reader => self.take_back(self.stage, ticks(self.stage.id)),
            Turn::Stream | Turn::Polling => {}
        }
    }

    /// There is no item yet.
    #[inline]
    pub(crate) fn pending(&mut self) {
        self.turn = Turn::Stream;
    }

    /// The reader gets an item.
    #[inline]
    pub(crate) fn item(&mut self, tokens: Result<u64, Outcome>) {
        self.takes(tokens);
        self.turn = Turn::Reader;
        let tally = self.tally.as_ref();
        self.beside = tally.map_or(0, |tally| tally.wait_for_reader(u32::MAX));
        self.stage.hold(self.beside, false);
    }

    #[inline]
    fn takes(&mut self, tokens: Result<u64, Outcome>) {
        let now = ticks(self.stage.id);
        self.waited += now.saturating_sub(self.since);
        self.since = now;
        self.failed = tokens.err();
        match tokens {
            Ok(tokens) if tokens > 0 => self.came(tokens, now),
            Ok(_) | Err(_) => {}
        }
    }

    fn came(&mut self, tokens: u64, now: u64) {
        if self.tokens == 0 {
            self.first(now);
        } else {
            self.went_on = true;
            self.generated += self.waited;
            let gap = self.series.said(Said::Gap, tokens, self.waited);
            local::with(|local| local.push(gap));
        }
        self.waited = 0;
        self.tokens = self.tokens.saturating_add(tokens);
        let tally = self.tally.as_ref();
        if !tally.is_some_and(|tally| tally.generate(TokenKind::Output, tokens)) {
            self.alone = self.alone.saturating_add(tokens);
        }
    }

    fn first(&mut self, now: u64) {
        if let Some(tally) = &self.tally {
            tally.generated().came(now.saturating_sub(tally.start));
        }
        if self.is_waiting() {
            // nobody has said when the engine began: there was no queue that anybody knows of
            let queue = self.enter(&PREFILL, Some(self.stage.start));
            queue.vanish(self.tally.as_deref(), now);
        }
        let prefill = self.enter(&DECODE, None);
        prefill.exit_stream(
            self.tally.as_ref(),
            Outcome::Ok,
            now,
            self.waited,
            self.only,
        );
    }

    /// The time since then was the reader's.
    fn take_back(&mut self, stage: Open, now: u64) {
        let held = now.saturating_sub(self.since);
        self.since = now;
        if held > 0 {
            local::with(|local| local.push(self.series.said(Said::Held, 0, held)));
        }
        let beside = std::mem::take(&mut self.beside);
        if let Some(tally) = &self.tally {
            tally.reader_asks(beside);
        }
        stage.ask(beside);
    }

    /// The stream has ended.
    pub(crate) fn end(mut self) {
        self.turn = Turn::Stream;
        self.end_as(self.failed.unwrap_or(Outcome::Ok));
    }

    /// The stream is dropped. When its request ends with it, what is dropped with it knows.
    pub(crate) fn abandon(&self) {
        if let Some(tally) = &self.tally
            && self.turn != Turn::Polling
            && self.failed.is_none()
            && !tally.is_layered()
            && tally.generated().is_last()
        {
            tally.cancelling();
        }
    }

    fn end_as(&mut self, outcome: Outcome) {
        let stage = std::mem::replace(&mut self.stage, Open::NONE);
        if !stage.is_some() {
            return;
        }
        let now = ticks(stage.id);
        if self.turn == Turn::Reader {
            self.take_back(stage, now);
        } else {
            self.waited += now.saturating_sub(self.since);
            if self.turn == Turn::Unasked {
                stage.ask(0);
            }
        }
        self.comes_back(self.site, stage);
        let tally = self.tally.as_ref();
        let took = match outcome {
            // what comes after the last token is no generation any more
            Outcome::Ok if self.tokens > 0 => self.generated,
            _ => self.generated + self.waited,
        };
        if self.is_waiting() {
            stage.exit_at(tally, outcome, now, now.saturating_sub(stage.start));
        } else if outcome == Outcome::Ok && self.tokens > 0 && !self.went_on {
            stage.vanish(tally.map(|tally| &**tally), now);
        } else {
            stage.exit_stream(tally, outcome, now, took, self.only);
        }
        if tally.is_none() || self.alone > 0 {
            generation::bill_alone(self.combo, TokenKind::Output, self.alone);
        }
        if let Some(tally) = tally {
            if self.went_on {
                tally
                    .generated()
                    .add_rest(self.generated, self.tokens.saturating_sub(1));
            }
            // an engine fails whenever it does, also before the handler has returned that hands out its answer
            let told = self.away && self.failed.is_some();
            if let Some(outcome) = tally.close_stream(outcome, told) {
                life::end(tally, outcome, Cause::Unknown);
            }
        }
    }
}

impl Drop for TokenMeter {
    fn drop(&mut self) {
        let outcome = match (self.turn, self.failed) {
            (Turn::Polling, _) => Outcome::Panicked,
            (_, Some(failed)) => failed,
            (_, None) => Outcome::Cancelled,
        };
        self.end_as(outcome);
    }
}
