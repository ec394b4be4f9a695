//! A subscriber that keeps what it is told, and shows it as a tree.

use std::collections::BTreeMap;
use std::fmt::{Debug, Write};
use std::sync::{Arc, Mutex, MutexGuard};
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Dispatch, Event, Span, Subscriber};
use tracing_subscriber::Registry;
use tracing_subscriber::layer::{Context, Layer};
use tracing_subscriber::prelude::*;
use tracing_subscriber::registry::LookupSpan;

/// What is known of one span.
#[derive(Debug, Clone, Default)]
pub struct Seen {
    pub name: &'static str,
    pub target: String,
    pub file: String,
    pub line: u32,
    pub level: String,
    pub fields: BTreeMap<&'static str, String>,
    /// Numbers, in the order in which spans began.
    pub parent: Option<usize>,
    pub follows: Vec<usize>,
    pub entered: usize,
    pub left: usize,
    pub closed: bool,
    pub events: usize,
}

impl Visit for Seen {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        let text = format!("{value:?}");
        let twice = self.fields.insert(field.name(), text.clone());
        assert!(
            twice.is_none_or(|before| before != text && before == "\"none\""),
            "a field is told once, or filled in"
        );
    }
}

#[derive(Clone, Default)]
pub struct Tree(Arc<Mutex<Vec<Seen>>>);

struct Number(usize);

impl Tree {
    /// Runs `code` with a subscriber of its own.
    pub fn of(code: impl FnOnce()) -> Tree {
        let tree = Tree::default();
        tracing::subscriber::with_default(tree.subscriber(), code);
        tree
    }

    pub fn subscriber(&self) -> impl Subscriber + Send + Sync + use<> {
        tracing_subscriber::registry().with(self.clone())
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Seen>> {
        self.0.lock().expect("no test panics in here")
    }

    pub fn spans(&self) -> Vec<Seen> {
        self.lock().clone()
    }

    /// The number of the span that this thread is in.
    pub fn current() -> Option<usize> {
        let number = |(id, subscriber): (&Id, &Dispatch)| {
            let span = subscriber.downcast_ref::<Registry>()?.span(id)?;
            let number = span.extensions().get::<Number>()?.0;
            Some(number)
        };
        Span::current().with_subscriber(number).flatten()
    }

    pub fn parent(&self, number: usize) -> Option<usize> {
        self.lock()[number].parent
    }

    fn change<S>(&self, id: &Id, context: &Context<'_, S>, change: impl FnOnce(&mut Seen))
    where
        S: Subscriber + for<'a> LookupSpan<'a>,
    {
        let span = context.span(id).expect("it is known");
        let number = span.extensions().get::<Number>().expect("it was seen").0;
        change(&mut self.lock()[number]);
    }

    /// One line for each span, those inside indented: what it is of, and how it ended. Spans of others by their name.
    pub fn shown(&self) -> String {
        let spans = self.lock();
        let mut text = String::new();
        for root in (0..spans.len()).filter(|at| spans[*at].parent.is_none()) {
            show(&spans, root, 0, &mut text);
        }
        text
    }

    /// All that began has closed, and was left as often as entered.
    pub fn is_settled(&self) -> bool {
        let settled = |span: &Seen| span.closed && span.entered == span.left;
        self.lock().iter().all(settled)
    }
}

fn show(spans: &[Seen], at: usize, depth: usize, text: &mut String) {
    let span = &spans[at];
    let field = |name| span.fields.get(name).map(|value| value.trim_matches('"'));
    let what = field("stage").or(field("handler")).unwrap_or(span.name);
    let outcome = field("outcome").unwrap_or("");
    let error = field("error_type").unwrap_or("");
    let line = format!("{:indent$}{what} {outcome} {error}", "", indent = 2 * depth);
    let _ = writeln!(text, "{}", line.trim_end());
    for child in (0..spans.len()).filter(|child| spans[*child].parent == Some(at)) {
        show(spans, child, depth + 1, text);
    }
}

impl<S: Subscriber + for<'a> LookupSpan<'a>> Layer<S> for Tree {
    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, context: Context<'_, S>) {
        let span = context.span(id).expect("it is known");
        let metadata = attributes.metadata();
        let parent = span.parent();
        let mut seen = Seen {
            name: metadata.name(),
            target: metadata.target().to_owned(),
            file: metadata.file().unwrap_or_default().to_owned(),
            line: metadata.line().unwrap_or_default(),
            level: metadata.level().to_string(),
            parent: parent.map(|parent| parent.extensions().get::<Number>().expect("seen").0),
            ..Seen::default()
        };
        attributes.record(&mut seen);
        let mut spans = self.lock();
        span.extensions_mut().insert(Number(spans.len()));
        spans.push(seen);
    }

    fn on_record(&self, id: &Id, values: &Record<'_>, context: Context<'_, S>) {
        self.change(id, &context, |seen| values.record(seen));
    }

    fn on_follows_from(&self, id: &Id, from: &Id, context: Context<'_, S>) {
        let mut follows = 0;
        self.change(from, &context, |_| {});
        let span = context.span(from).expect("it is known");
        if let Some(number) = span.extensions().get::<Number>() {
            follows = number.0;
        }
        self.change(id, &context, |seen| seen.follows.push(follows));
    }

    fn on_event(&self, event: &Event<'_>, context: Context<'_, S>) {
        if let Some(span) = context.event_span(event) {
            let id = span.id();
            self.change(&id, &context, |seen| seen.events += 1);
        }
    }

    fn on_enter(&self, id: &Id, context: Context<'_, S>) {
        self.change(id, &context, |seen| seen.entered += 1);
    }

    fn on_exit(&self, id: &Id, context: Context<'_, S>) {
        self.change(id, &context, |seen| seen.left += 1);
    }

    fn on_close(&self, id: Id, context: Context<'_, S>) {
        self.change(&id, &context, |seen| seen.closed = true);
    }
}
