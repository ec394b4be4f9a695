//! Sequences of engines with continuous batching: what their marks come to, in whatever order they come.

use crate::support::{counts, shown, stages};
use crate::tokens::{L, ended, gaps, gen_ai, in_flight, rig, same, stage_seconds, value};
use futures::FutureExt;
use instrument_inference::testing::Rig;
use instrument_inference::{
    Classify, ErrorType, FinishReason, LabelSet, RequestContext, Sequence, inference_request,
    inference_stage, queue,
};
use std::sync::Arc;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

/// A request that is left to its sequence.
#[inference_request]
fn begin() -> Sequence {
    Sequence::begin(RequestContext::current())
}

fn pass(rig: &Rig, millis: u64) {
    rig.advance(Duration::from_millis(millis));
}

fn preemptions(rig: &Rig) -> Option<f64> {
    rig.value(&format!("inference_preemptions_total{{{L}}}"))
}

fn output(rig: &Rig) -> Option<f64> {
    rig.value("inference_tokens_total{model=\"llama\",token_type=\"output\",version=\"1\"}")
}

fn finishes(rig: &Rig) -> String {
    let found = counts(rig, "inference_finishes_total", &["finish_reason"]);
    shown(&found)
}

fn cancelled(rig: &Rig) -> String {
    shown(&counts(rig, "inference_cancellations_total", &["stage"]))
}

fn errors(rig: &Rig) -> String {
    let by = ["stage", "error_type"];
    shown(&counts(rig, "inference_errors_total", &by))
}

#[test]
fn marks_measure_what_a_stream_measures() {
    let rig = rig();
    let _inside = rig.enter();
    let mut sequence = begin();
    assert_eq!(
        (ended(&rig), in_flight(&rig)),
        (String::new(), "llama 1; queue 1".to_owned())
    );
    pass(&rig, 30);
    sequence.scheduled();
    assert_eq!(in_flight(&rig), "llama 1; prefill 1");
    pass(&rig, 25);
    sequence.first_token();
    assert_eq!(in_flight(&rig), "llama 1; decode 1");
    pass(&rig, 10);
    sequence.tokens(2);
    pass(&rig, 20);
    sequence.tokens(4);
    // from the last token on it is no generation any more
    pass(&rig, 5);
    sequence.finish(FinishReason::Length);
    assert_eq!(
        (ended(&rig).as_str(), in_flight(&rig).as_str()),
        ("ok 1", "; ")
    );
    assert_eq!(
        shown(&stages(&rig)),
        "decode ok 1, prefill ok 1, queue ok 1"
    );
    same(stage_seconds(&rig, "queue", "ok"), 0.030);
    same(stage_seconds(&rig, "prefill", "ok"), 0.025);
    same(stage_seconds(&rig, "decode", "ok"), 0.030);
    let (count, sum) = gaps(&rig);
    same(count, 6.0);
    same(sum, 0.030);
    same(gen_ai(&rig, "time_to_first_token", "sum").unwrap(), 0.055);
    assert_eq!(gen_ai(&rig, "time_to_first_token", "count"), Some(1.0));
    same(gen_ai(&rig, "time_per_output_token", "sum").unwrap(), 0.005);
    same(gen_ai(&rig, "request_duration", "sum").unwrap(), 0.090);
    assert_eq!(output(&rig), Some(7.0));
    assert_eq!(finishes(&rig), "length 1");
    let unattributed = format!("inference_unattributed_seconds_total{{{L}}}");
    same(value(&rig, &unattributed), 0.0);
    assert!(!rig.scrape().contains("inference_stream_backpressure"));
}

#[test]
fn a_chunk_of_n_tokens_has_n_times_its_part() {
    let rig = rig();
    let _inside = rig.enter();
    let mut sequence = begin();
    sequence.scheduled();
    sequence.first_token();
    pass(&rig, 40);
    sequence.tokens(8);
    sequence.finish(FinishReason::Stop);
    let scrape = rig.scrape();
    for (edge, count) in [("0.0025", 0), ("0.005", 8), ("10", 8)] {
        let line =
            format!("inference_inter_token_latency_seconds_bucket{{{L},le=\"{edge}\"}} {count}\n");
        assert!(scrape.contains(&line), "{line}{scrape}");
    }
}

#[test]
fn an_answer_that_came_at_once_has_no_decode_and_no_time_per_token() {
    for tokens in [1, 50] {
        let rig = rig();
        let _inside = rig.enter();
        let mut sequence = begin();
        sequence.scheduled();
        pass(&rig, 30);
        sequence.tokens(tokens);
        pass(&rig, 7);
        sequence.finish(FinishReason::Stop);
        assert_eq!(shown(&stages(&rig)), "prefill ok 1, queue ok 1");
        assert_eq!(in_flight(&rig), "; ");
        same(gen_ai(&rig, "time_to_first_token", "sum").unwrap(), 0.030);
        assert_eq!(gen_ai(&rig, "time_per_output_token", "count"), None);
        assert!(!rig.scrape().contains("inference_inter_token_latency"));
        assert_eq!(output(&rig), Some(tokens as f64));
    }
}

#[test]
fn preemption_counts_and_keeps_the_first_marks() {
    let rig = rig();
    let _inside = rig.enter();
    let mut sequence = begin();
    pass(&rig, 10);
    sequence.scheduled();
    pass(&rig, 5);
    assert_eq!(preemptions(&rig), None, "absent until one is told");
    sequence.preempted();
    pass(&rig, 100);
    sequence.scheduled();
    pass(&rig, 5);
    sequence.first_token();
    pass(&rig, 5);
    sequence.preempted();
    pass(&rig, 200);
    sequence.scheduled();
    sequence.first_token();
    pass(&rig, 5);
    sequence.tokens(2);
    sequence.finish(FinishReason::Stop);
    assert_eq!(preemptions(&rig), Some(2.0));
    same(stage_seconds(&rig, "queue", "ok"), 0.010);
    same(stage_seconds(&rig, "prefill", "ok"), 0.110);
    same(stage_seconds(&rig, "decode", "ok"), 0.210);
    same(gen_ai(&rig, "time_to_first_token", "sum").unwrap(), 0.120);
    same(gaps(&rig).1, 0.210);
    same(gen_ai(&rig, "time_per_output_token", "sum").unwrap(), 0.105);
    assert_eq!(output(&rig), Some(3.0));
}

#[test]
fn an_engine_that_does_not_say_when_it_begins_has_no_queue() {
    let rig = rig();
    let _inside = rig.enter();
    let mut sequence = begin();
    pass(&rig, 40);
    sequence.tokens(1);
    assert_eq!(in_flight(&rig), "llama 1; decode 1");
    // too late
    sequence.scheduled();
    pass(&rig, 10);
    sequence.tokens(1);
    sequence.finish(FinishReason::Stop);
    assert_eq!(shown(&stages(&rig)), "decode ok 1, prefill ok 1");
    same(stage_seconds(&rig, "prefill", "ok"), 0.040);
    same(stage_seconds(&rig, "decode", "ok"), 0.010);
    same(
        value(
            &rig,
            &format!("inference_unattributed_seconds_total{{{L}}}"),
        ),
        0.0,
    );
}

#[test]
fn marks_that_cannot_be_true_change_nothing() {
    let rig = rig();
    let _inside = rig.enter();
    let mut sequence = begin();
    sequence.tokens(0);
    assert_eq!(in_flight(&rig), "llama 1; queue 1");
    pass(&rig, 10);
    sequence.tokens(0);
    sequence.scheduled();
    pass(&rig, 10);
    sequence.scheduled();
    sequence.tokens(1);
    sequence.first_token();
    sequence.first_token();
    pass(&rig, 10);
    sequence.tokens(0);
    pass(&rig, 10);
    sequence.tokens(1);
    sequence.finish(FinishReason::Stop);
    let once = rig.scrape();
    pass(&rig, 10);
    sequence.finish(FinishReason::Error);
    sequence.scheduled();
    sequence.first_token();
    sequence.tokens(9);
    sequence.preempted();
    assert!(!sequence.is_cancelled());
    drop(sequence);
    assert_eq!(rig.scrape(), once, "after its end nothing changes");
    same(stage_seconds(&rig, "queue", "ok"), 0.010);
    same(stage_seconds(&rig, "prefill", "ok"), 0.010);
    same(stage_seconds(&rig, "decode", "ok"), 0.020);
    same(gaps(&rig).0, 1.0);
    assert_eq!(
        (output(&rig), finishes(&rig).as_str()),
        (Some(2.0), "stop 1")
    );
    assert_eq!(preemptions(&rig), None);
}

#[test]
fn any_order_of_marks_ends_the_request_once_and_counts_each_token_once() {
    const MARKS: u32 = 4;
    let rig = rig();
    let _inside = rig.enter();
    let (mut ok, mut cancelled, mut all_tokens, mut all_preempted) = (0, 0, 0, 0);
    for number in 0..6_u32.pow(MARKS) {
        let mut sequence = begin();
        let (mut tokens, mut over) = (0, false);
        for at in 0..MARKS {
            pass(&rig, 1);
            match number / 6_u32.pow(at) % 6 {
                0 => sequence.scheduled(),
                1 => {
                    tokens += u64::from(!over && tokens == 0);
                    sequence.first_token();
                }
                2 => {
                    tokens += 3 * u64::from(!over);
                    sequence.tokens(3);
                }
                3 => {
                    all_preempted += u64::from(!over);
                    sequence.preempted();
                }
                4 => {
                    over = true;
                    sequence.finish(FinishReason::Stop);
                }
                _ => {}
            }
        }
        drop(sequence);
        all_tokens += tokens;
        *if over { &mut ok } else { &mut cancelled } += 1;
        if number % 36 == 35 {
            assert_eq!(ended(&rig), format!("cancelled {cancelled}, ok {ok}"));
            assert_eq!(in_flight(&rig), "; ", "{number}");
            assert_eq!(output(&rig), Some(all_tokens as f64), "{number}");
            assert_eq!(preemptions(&rig), Some(all_preempted as f64), "{number}");
        }
    }
    let unattributed = format!("inference_unattributed_seconds_total{{{L}}}");
    same(value(&rig, &unattributed), 0.0);
}

#[test]
fn dropped_before_it_is_finished_it_is_cancelled_where_it_was() {
    for (marks, stage) in [(0, "queue"), (1, "prefill"), (2, "decode")] {
        let rig = rig();
        let _inside = rig.enter();
        let mut sequence = begin();
        let steps: [fn(&mut Sequence); 2] = [Sequence::scheduled, Sequence::first_token];
        for step in &steps[..marks] {
            step(&mut sequence);
            pass(&rig, 5);
        }
        let request = sequence.context().cloned().unwrap();
        drop(sequence);
        assert!(request.is_cancelled());
        assert_eq!(ended(&rig), "cancelled 1");
        assert_eq!(cancelled(&rig), format!("{stage} 1"));
        assert_eq!(
            (finishes(&rig).as_str(), in_flight(&rig).as_str()),
            ("", "; ")
        );
        assert_eq!(gen_ai(&rig, "time_to_first_token", "count"), None);
    }
}

#[test]
fn how_it_ends_follows_from_the_reason() {
    for (reason, outcome) in [
        (FinishReason::Stop, "ok"),
        (FinishReason::Length, "ok"),
        (FinishReason::Tool, "ok"),
        (FinishReason::Filter, "ok"),
        (FinishReason::Abort, "cancelled"),
        (FinishReason::Error, "error"),
    ] {
        let rig = rig();
        let _inside = rig.enter();
        let mut sequence = begin();
        sequence.scheduled();
        sequence.first_token();
        pass(&rig, 1);
        sequence.tokens(1);
        pass(&rig, 2);
        sequence.finish(reason);
        assert_eq!(ended(&rig), format!("{outcome} 1"));
        assert_eq!(
            shown(&stages(&rig)),
            format!("decode {outcome} 1, prefill ok 1, queue ok 1")
        );
        assert_eq!(finishes(&rig), format!("{} 1", reason.as_str()));
        match outcome {
            "ok" => same(stage_seconds(&rig, "decode", outcome), 0.001),
            _ => same(stage_seconds(&rig, "decode", outcome), 0.003),
        }
        let errors_of = if outcome == "error" {
            "decode internal 1"
        } else {
            ""
        };
        assert_eq!(errors(&rig), errors_of);
        let cancelled_in = if outcome == "cancelled" {
            "decode 1"
        } else {
            ""
        };
        assert_eq!(cancelled(&rig), cancelled_in);
    }
}

#[test]
fn what_ends_in_the_queue_has_only_that() {
    for (reason, outcome) in [
        (FinishReason::Abort, "cancelled"),
        (FinishReason::Error, "error"),
        (FinishReason::Length, "ok"),
    ] {
        let rig = rig();
        let _inside = rig.enter();
        let mut sequence = begin();
        pass(&rig, 15);
        sequence.finish(reason);
        assert_eq!(shown(&stages(&rig)), format!("queue {outcome} 1"));
        same(stage_seconds(&rig, "queue", outcome), 0.015);
        assert_eq!(ended(&rig), format!("{outcome} 1"));
        assert!(!rig.scrape().contains("inference_compute_seconds_total"));
    }
}

struct OutOfMemory;
impl Classify for OutOfMemory {
    fn error_type(&self) -> ErrorType {
        ErrorType::CudaOom
    }
}

#[inference_stage("execute", batch = requests)]
fn step(rig: &Rig, requests: &[RequestContext], works: bool) -> Result<(), OutOfMemory> {
    let _ = requests;
    pass(rig, 8);
    if works { Ok(()) } else { Err(OutOfMemory) }
}

/// The requests of all of them.
fn requests(sequences: &[Sequence]) -> Vec<RequestContext> {
    sequences
        .iter()
        .filter_map(Sequence::context)
        .cloned()
        .collect()
}

#[test]
fn steps_of_the_engine_are_shared_out_where_they_are_marked() {
    let rig = rig();
    let _inside = rig.enter();
    let mut sequences = [begin(), begin()];
    sequences.iter_mut().for_each(Sequence::scheduled);
    for _ in 0..3 {
        assert!(step(&rig, &requests(&sequences), true).is_ok());
        for sequence in &mut sequences {
            sequence.tokens(1);
        }
    }
    for sequence in &mut sequences {
        sequence.finish(FinishReason::Stop);
    }
    assert_eq!(ended(&rig), "ok 2");
    let compute = format!("inference_compute_seconds_total{{{L}}}");
    same(value(&rig, &compute), 0.024);
    same(
        value(&rig, &format!("inference_batch_size_count{{{L}}}")),
        3.0,
    );
    same(
        value(&rig, &format!("inference_batch_size_sum{{{L}}}")),
        6.0,
    );
}

#[test]
fn a_step_that_fails_says_what_went_wrong() {
    let rig = rig();
    let _inside = rig.enter();
    let mut sequences = [begin(), begin()];
    sequences.iter_mut().for_each(Sequence::scheduled);
    assert!(step(&rig, &requests(&sequences), false).is_err());
    for sequence in &mut sequences {
        sequence.finish(FinishReason::Error);
    }
    assert_eq!(
        (ended(&rig).as_str(), errors(&rig).as_str()),
        ("error 2", "execute cuda_oom 2")
    );
}

#[test]
fn without_stages_of_the_services_own_they_are_executions_but_for_the_queue() {
    #[inference_request(tenant = tenant)]
    fn handler(tenant: &instrument_inference::Label) -> Sequence {
        let _ = tenant;
        Sequence::begin(RequestContext::current())
    }
    let tenants = LabelSet::listed("tenant", &["acme"]);
    let rig = rig();
    let _inside = rig.enter();
    let mut sequence = handler(&tenants.get("acme"));
    pass(&rig, 100);
    sequence.scheduled();
    pass(&rig, 10);
    sequence.first_token();
    pass(&rig, 30);
    sequence.tokens(2);
    sequence.finish(FinishReason::Stop);
    let compute = "inference_compute_seconds_total{model=\"llama\",tenant=\"acme\",version=\"1\"}";
    same(value(&rig, compute), 0.040);
    let found = counts(&rig, "inference_tokens_total", &["tenant", "token_type"]);
    assert_eq!(shown(&found), "acme output 3");
}

#[test]
fn of_several_answers_the_last_one_ends_the_request() {
    #[inference_request]
    fn choices() -> [Sequence; 2] {
        [(); 2].map(|()| Sequence::begin(RequestContext::current()))
    }
    let rig = rig();
    let _inside = rig.enter();
    let [mut one, mut other] = choices();
    pass(&rig, 5);
    one.tokens(1);
    pass(&rig, 5);
    other.tokens(1);
    one.finish(FinishReason::Stop);
    assert_eq!(ended(&rig), "");
    other.finish(FinishReason::Length);
    assert_eq!(
        (ended(&rig).as_str(), finishes(&rig).as_str()),
        ("ok 1", "stop 1")
    );
    same(gen_ai(&rig, "time_to_first_token", "sum").unwrap(), 0.005);
    assert_eq!(gen_ai(&rig, "time_to_first_token", "count"), Some(1.0));
    assert_eq!(output(&rig), Some(2.0));
}

struct Job {
    sequence: Sequence,
    words: mpsc::Sender<&'static str>,
}

/// An engine on a thread of its own, as engines are.
#[test]
fn it_travels_through_a_channel_to_the_thread_of_its_engine() {
    #[inference_request]
    fn chat(jobs: &mpsc::Sender<Job>) -> mpsc::Receiver<&'static str> {
        let (words, answer) = mpsc::channel();
        let sequence = Sequence::begin(RequestContext::current());
        jobs.send(Job { sequence, words }).unwrap();
        answer
    }
    let rig = rig();
    let (jobs, queue) = mpsc::channel::<Job>();
    // nothing of the rig is entered here: a sequence knows where it belongs
    let clock = Arc::clone(&rig);
    let engine = thread::spawn(move || {
        for Job {
            mut sequence,
            words,
        } in queue
        {
            pass(&clock, 20);
            sequence.scheduled();
            for word in ["to", "be"] {
                pass(&clock, 10);
                sequence.tokens(1);
                words.send(word).unwrap();
            }
            sequence.finish(FinishReason::Stop);
        }
    });
    {
        let _inside = rig.enter();
        for _ in 0..3 {
            assert_eq!(chat(&jobs).iter().collect::<Vec<_>>(), ["to", "be"]);
        }
    }
    drop(jobs);
    engine.join().unwrap();
    assert_eq!(ended(&rig), "ok 3");
    assert_eq!(
        shown(&stages(&rig)),
        "decode ok 3, prefill ok 3, queue ok 3"
    );
    same(stage_seconds(&rig, "queue", "ok"), 0.060);
    same(stage_seconds(&rig, "decode", "ok"), 0.030);
    assert_eq!(
        (output(&rig), finishes(&rig).as_str()),
        (Some(6.0), "stop 3")
    );
    assert!(!rig.scrape().contains("inference_orphan_stages_total"));
}

#[test]
fn it_may_begin_where_its_context_arrives() {
    #[inference_request]
    async fn chat(meter: &queue::Meter, sender: &mpsc::Sender<queue::Queued<()>>) {
        sender.send(meter.wrap(())).unwrap();
        std::future::pending::<()>().await;
    }
    let rig = rig();
    let (sender, receiver) = mpsc::channel();
    let meter = queue::meter("requests", 8);
    let mut handler = Box::pin({
        let _inside = rig.enter();
        let mut handler = Box::pin(chat(&meter, &sender));
        assert!(handler.as_mut().now_or_never().is_none());
        handler
    });
    let clock = Arc::clone(&rig);
    let sequence = thread::spawn(move || {
        let ((), context) = receiver.recv().unwrap().take_with_context();
        let mut sequence = Sequence::begin(context);
        pass(&clock, 5);
        sequence.scheduled();
        sequence
    });
    let sequence = sequence.join().unwrap();
    assert!(!sequence.is_cancelled());
    assert!(handler.as_mut().now_or_never().is_none());
    drop(handler);
    assert!(sequence.is_cancelled());
    assert_eq!(
        (ended(&rig).as_str(), cancelled(&rig).as_str()),
        ("cancelled 1", "prefill 1")
    );
    drop(sequence);
    assert_eq!(shown(&stages(&rig)), "prefill cancelled 1, queue ok 2");
    assert_eq!(
        (ended(&rig).as_str(), in_flight(&rig).as_str()),
        ("cancelled 1", "; ")
    );
}

#[test]
fn an_engine_learns_that_the_request_has_ended_without_it() {
    #[inference_request]
    fn fails(kept: &mut Option<Sequence>) -> Result<(), OutOfMemory> {
        *kept = Some(Sequence::begin(RequestContext::current()));
        Err(OutOfMemory)
    }
    let rig = rig();
    let _inside = rig.enter();
    let mut kept = None;
    assert!(fails(&mut kept).is_err());
    let mut sequence = kept.unwrap();
    assert!(sequence.is_cancelled());
    sequence.scheduled();
    pass(&rig, 5);
    sequence.tokens(2);
    sequence.finish(FinishReason::Stop);
    assert_eq!(
        (ended(&rig).as_str(), finishes(&rig).as_str()),
        ("error 1", "")
    );
    assert_eq!(
        shown(&stages(&rig)),
        "prefill cancelled 1, queue cancelled 1"
    );
    assert_eq!(output(&rig), Some(2.0), "nobody's, but generated");
    let wasted = format!("inference_wasted_compute_seconds_total{{{L}}}");
    same(value(&rig, &wasted), 0.005);
}

#[test]
fn begun_after_the_end_of_its_request_it_is_cancelled() {
    #[inference_request]
    fn handler() -> Option<RequestContext> {
        RequestContext::current()
    }
    let rig = rig();
    let _inside = rig.enter();
    let mut sequence = Sequence::begin(handler());
    assert!(sequence.is_cancelled());
    sequence.tokens(1);
    sequence.finish(FinishReason::Error);
    assert_eq!(
        (ended(&rig).as_str(), finishes(&rig).as_str()),
        ("ok 1", "")
    );
    assert_eq!(
        shown(&stages(&rig)),
        "decode cancelled 1, prefill cancelled 1"
    );
    assert_eq!(in_flight(&rig), "; ");
}

/// An engine of which each attempt ends like this, all before the handler returns.
#[inference_request]
fn attempts(reasons: &[Option<FinishReason>]) {
    for reason in reasons {
        let mut sequence = Sequence::begin(RequestContext::current());
        sequence.tokens(1);
        if let Some(reason) = reason {
            sequence.finish(*reason);
        }
    }
}

#[test]
fn an_engine_that_fails_before_the_handler_returns_has_failed() {
    let (stop, error) = (Some(FinishReason::Stop), Some(FinishReason::Error));
    for (reasons, outcome, error_of) in [
        (&[error][..], "error 1", "decode internal 1"),
        (&[error, stop], "ok 1", ""),
        (&[stop, error], "error 1", "decode internal 1"),
        // whether anybody has left, or the answer was found elsewhere, is the handler's to say
        (&[None], "ok 1", ""),
        (&[Some(FinishReason::Abort)], "ok 1", ""),
    ] {
        let rig = rig();
        let _inside = rig.enter();
        attempts(reasons);
        assert_eq!(
            (ended(&rig).as_str(), errors(&rig).as_str()),
            (outcome, error_of),
            "{reasons:?}"
        );
        assert_eq!(in_flight(&rig), "; ");
    }
}

#[test]
fn an_engine_that_fails_beside_another_one_has_failed() {
    #[inference_request]
    fn choices() -> Sequence {
        let open = Sequence::begin(RequestContext::current());
        Sequence::begin(RequestContext::current()).finish(FinishReason::Error);
        open
    }
    let rig = rig();
    let _inside = rig.enter();
    let mut open = choices();
    assert_eq!(ended(&rig), "");
    open.finish(FinishReason::Stop);
    assert_eq!(ended(&rig), "error 1");
}

#[test]
fn outside_of_any_request_its_stages_are_orphans() {
    let rig = rig();
    let _inside = rig.enter();
    let mut sequence = Sequence::begin(RequestContext::current());
    sequence.scheduled();
    pass(&rig, 5);
    sequence.tokens(1);
    pass(&rig, 5);
    sequence.tokens(3);
    sequence.preempted();
    sequence.finish(FinishReason::Stop);
    assert!(!sequence.is_cancelled() && sequence.context().is_none());
    let orphans = counts(&rig, "inference_orphan_stages_total", &["stage"]);
    assert_eq!(shown(&orphans), "decode 1, prefill 1, queue 1");
    same(gaps(&rig).0, 3.0);
    assert_eq!((output(&rig), preemptions(&rig)), (Some(4.0), Some(1.0)));
    assert_eq!((ended(&rig).as_str(), finishes(&rig).as_str()), ("", ""));
}

#[test]
fn when_nobody_records_its_marks_do_nothing() {
    let rig = rig();
    let mut sequence = Sequence::begin(RequestContext::current());
    let _inside = rig.enter();
    sequence.scheduled();
    sequence.first_token();
    sequence.tokens(u64::MAX);
    sequence.preempted();
    assert!(!sequence.is_cancelled());
    sequence.finish(FinishReason::Stop);
    assert_eq!((shown(&stages(&rig)).as_str(), output(&rig)), ("", None));
    assert_eq!(preemptions(&rig), None);
}

#[test]
fn a_runtime_that_is_gone_is_not_missed() {
    let rig = rig();
    let mut sequence = {
        let _inside = rig.enter();
        begin()
    };
    drop(rig);
    sequence.scheduled();
    sequence.tokens(2);
    sequence.preempted();
    sequence.tokens(2);
    assert!(!sequence.is_cancelled());
    sequence.finish(FinishReason::Stop);
}

#[test]
fn a_number_that_an_engine_made_up_holds_nobody_up() {
    let rig = rig();
    let _inside = rig.enter();
    let mut sequence = begin();
    for tokens in [u64::MAX, 1, u64::MAX] {
        pass(&rig, 64);
        sequence.tokens(tokens);
    }
    sequence.finish(FinishReason::Stop);
    let (count, sum) = gaps(&rig);
    same(count, 1.0 + f64::from(1 << 14));
    same(sum, 0.128);
    assert_eq!(output(&rig), Some((1_u64 << 52) as f64));
}

#[test]
fn it_goes_where_an_engine_takes_it() {
    fn travels<T: Send + Sync + 'static>() {}
    travels::<Sequence>();
}
