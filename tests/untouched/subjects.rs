//! Functions that lints have something to say about: each statement in each shape of function, and what is said about
//! signatures.

/// What stands on the functions, and a word for it.
pub(crate) const ATTRIBUTES: [(&str, &str); 4] = [
    ("stage", "#[inference_stage(\"execute\")]"),
    (
        "stage_with_keys",
        "#[inference_stage(\"execute\", labels(on = ON), model = &slot(), device)]",
    ),
    ("request", "#[inference_request]"),
    (
        "request_with_keys",
        "#[inference_request(ingress = \"http\", labels(on = ON), model = &slot(), root)]",
    ),
];

const HEAD: &str = r"#![allow(let_underscore_lock, unused_imports, dead_code, clippy::pub_use)]
use instrument_inference::{inference_request, inference_stage, ModelSlot};
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::fmt::{Debug, Display};
use std::future::Future;
use std::mem;
use std::pin::Pin;
use std::sync::{Arc, Mutex};

const ON: bool = true;
fn slot() -> ModelSlot { loop {} }
struct Noisy(u8);
impl Drop for Noisy { fn drop(&mut self) {} }
fn unit() {}
fn take<T>(_: T) {}
fn value() -> u8 { 1 }
#[must_use] fn precious() -> u8 { 1 }
fn fallible() -> Result<u8, String> { Ok(1) }
fn maybe() -> Option<u8> { None }
#[deprecated] fn old() {}
unsafe fn danger() -> u8 { 1 }
fn condition() -> bool { true }
static LOCK: Mutex<u8> = Mutex::new(1);
async fn tick() {}
enum Way { Left, Right, Up }
fn way() -> Way { Way::Left }
pub struct Model { weight: u8, name: String }
trait Runs { fn run(&self) -> u8; }
type Boxed<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;
";

/// `@` is the attribute, `BODY` the statement, `NAME` different for each.
const SHAPES: [&str; 16] = [
    "@\npub fn NAME(bytes: Vec<u8>) {\nBODY\ntake(bytes);\n}",
    "@\npub fn NAME(bytes: Vec<u8>) -> u8 {\nBODY\ntake(bytes);\n1\n}",
    "@\npub fn NAME(bytes: Vec<u8>) -> Result<u8, Box<dyn std::error::Error>> {\nBODY\nlet read: u8 = bytes.iter().map(ToString::to_string).collect::<String>().parse()?;\nOk(read)\n}",
    "@\npub fn NAME(bytes: &[u8]) -> &u8 {\nBODY\n&bytes[0]\n}",
    "@\npub fn NAME(bytes: &[u8]) -> impl Iterator<Item = u8> + '_ {\nBODY\nbytes.iter().copied()\n}",
    "@\npub fn NAME(bytes: Vec<u8>) -> ! {\nBODY\ntake(bytes);\nloop { unit() }\n}",
    "@\n#[track_caller]\npub fn NAME(bytes: Vec<u8>) -> u8 {\nBODY\ntake(bytes);\n1\n}",
    "@\npub unsafe extern \"C\" fn NAME(bytes: &mut u8) -> u8 {\nBODY\ntake(bytes);\n1\n}",
    "impl Model {\n@\npub fn NAME(self, bytes: Vec<u8>) -> u8 {\nBODY\ntake(bytes);\nself.weight\n}\n}",
    "impl Model {\n@\npub async fn NAME(&mut self, bytes: Vec<u8>) -> Result<u8, String> {\nBODY\ntick().await;\ntake(bytes);\nself.weight += 1;\nfallible()?;\nOk(self.weight)\n}\n}",
    "@\npub async fn NAME(bytes: Vec<u8>) {\nBODY\ntake(bytes);\ntick().await;\n}",
    "@\npub async fn NAME<T: Debug + Send>(mut bytes: T) -> T {\nBODY\ntick().await;\ntake(&mut bytes);\nbytes\n}",
    "@\npub fn NAME(bytes: Vec<u8>) -> impl Future<Output = Vec<u8>> + Send {\nBODY\nasync move { tick().await; bytes }\n}",
    "@\npub fn NAME(bytes: &[u8]) -> Boxed<'_, u8> {\nBODY\nBox::pin(async move { tick().await; bytes[0] })\n}",
    "@\npub fn NAME<'a>(bytes: &'a [u8]) -> Pin<Box<dyn Future<Output = Option<u8>> + 'a>> {\nBODY\nlet first = bytes.first();\nBox::pin(async move { tick().await; first.copied() })\n}",
    "pub trait NAME_ {\n@\nfn NAME(&self, bytes: Vec<u8>) -> u8 {\nBODY\ntake(bytes);\n1\n}\n}",
];

/// In each of them. One line each.
const STATEMENTS: &[&str] = &[
    "let unused = 1;",
    "let mut never_changed = value(); take(never_changed);",
    "fallible();",
    "precious();",
    "let mut assigned = value(); assigned = 2; take(assigned);",
    "loop { break; unit(); }",
    "#[warn(dead_code)] fn helper() {}",
    "#[warn(unused_imports)] use std::fmt::Write;",
    "old();",
    "unsafe { unit() }",
    "take(unsafe { danger() });",
    "let Shouted = value(); take(Shouted);",
    "let _ = fallible();",
    "let _ = Noisy(1);",
    "let _ = LOCK.lock();",
    "let _ = tick();",
    "tick();",
    "let braced = { 1_u8 }; take(braced);",
    "let parenthesized = (1_u8); take(parenthesized);",
    "take((value()));",
    "if (condition()) { unit(); }",
    "value();",
    "std::mem::drop(Noisy(1));",
    "take(value() as u8);",
    "take(&value() as &u8);",
    "fallible().unwrap();",
    "take(fallible().expect(\"x\"));",
    "println!(\"x\");",
    "eprintln!(\"x\");",
    "dbg!(value());",
    "if condition() { todo!() }",
    "if condition() { panic!(\"no\") }",
    "if condition() { unreachable!() }",
    "take([1_u8, 2][usize::from(value())]);",
    "take(value() + 1);",
    "take(value() / 2);",
    "take(300_u32 as u8);",
    "let nothing = unit(); take(nothing);",
    "take(unit());",
    "let shadow = value(); let shadow = shadow + 1; take(shadow); let shadow = \"x\"; take(shadow);",
    "let _used = value(); take(_used);",
    "if condition() { unit() }",
    "match unit() { _ => {} }",
    "take((|| 1_u8)());",
    "let typed: _ = value(); take(typed);",
    "fn again() -> Result<u8, String> { Ok(fallible()?) } take(again());",
    "fn ask() -> Option<u8> { let x = match maybe() { Some(x) => x, None => return None }; Some(x) } take(ask());",
    "let text = String::from(\"x\"); take(text.clone());",
    "take(value().clone());",
    "take(String::from(\"x\").to_string());",
    "let Some(x) = maybe() else { loop {} }; take(x);",
    "let letter = match maybe() { Some(letter) => letter, None => loop {} }; take(letter);",
    "match condition() { true => unit(), false => take(1) }",
    "take(100000);",
    "if condition() { if condition() { unit(); } }",
    "let list = vec![1_u8]; for at in 0..list.len() { take(list[at]); }",
    "let list = vec![1_u8]; for one in list.iter() { take(one); }",
    "loop { let Some(x) = maybe() else { break }; take(x); }",
    "for one in [1, 2] { take(one); break; }",
    "let (a, b, c, d, e) = (1, 2, 3, 4, 5); take((a, b, c, d, e));",
    "take([0_u64; 100_000]);",
    "mem::forget(Noisy(1));",
    "take(&\"abc\"[..1]);",
    "take(1.0_f32 == 2.0);",
    "if condition() { unit(); } else if condition() { take(1); }",
    "match way() { Way::Left => unit(), _ => take(1) }",
    "if { let x = condition(); x } { unit(); }",
    "let guard = LOCK.lock().unwrap(); take(*guard); unit();",
    "take(unsafe { mem::transmute::<u8, i8>(1) });",
    "todo!();",
    "let closure = |x: u8| return x; take(closure(1));",
    "let same = value(); take(same == same);",
    "take(!(value() == 1));",
    "take(&&value());",
    "take(Some(1).map(|x: u8| x + 1).unwrap_or(value()));",
    "take((0..3).filter(|x| *x > 1).next());",
    "take(format!(\"{}\", value()));",
    "let mut list = Vec::new(); list.push(1_u8); take(list);",
    "struct Local; impl Local { fn new() -> u8 { 1 } }",
    "let x: Option<Option<u8>> = None; take(x);",
    "take(std::rc::Rc::new(Mutex::new(1)));",
    "let on = if condition() { true } else { false }; take(on);",
    "let x = value(); let y = x; let z = y; take(z); return loop {};",
    "unreached(); fn unreached() -> ! { loop {} }",
    "'unused_label: loop { break }",
    "macro_rules! never_used { () => {} }",
    "#[allow(clippy::unwrap_used)] { fallible().unwrap(); }",
    "#[expect(unused_variables)] let expected = 1;",
    "#[expect(unused_variables)] let wrongly_expected = value(); take(wrongly_expected);",
    "#[inline] fn small() -> u8 { 1 } take(small());",
    "let future = async { LOCK.lock().map(|x| *x).ok(); tick().await; }; take(future);",
    "let future = async { let held = LOCK.lock(); tick().await; take(held); }; take(future);",
    "let future = async { let held = Cell::new(1); tick().await; take(held); async { 1 } }; take(future);",
    "let future = async { let big = [0_u8; 20_000]; tick().await; take(big); }; take(future);",
    "take(async { tick().await });",
    "take(0o1 + 0b0001 + 0xAbC + 1_0);",
    "let deep = { { { { { { { { value() } } } } } } } }; take(deep);",
    "take(i32::max_value());",
    "assert!(true);",
    "debug_assert_eq!(condition(), true);",
];

/// In those that can wait.
const WAITING: &[&str] = &[
    "let held = LOCK.lock().unwrap(); tick().await; take(held);",
    "let cell = RefCell::new(1); let held = cell.borrow_mut(); tick().await; take(held);",
    "let shared = std::rc::Rc::new(1); tick().await; take(shared);",
    "async fn big() { let x = [0_u8; 20_000]; tick().await; take(x); } big().await;",
    "let _ = tick().await;",
    "let nothing = tick().await; take(nothing);",
    "let ready = async { value() }.await; take(ready);",
    "if condition() { tick().await }",
];

/// What is said about signatures and ends.
const FUNCTIONS: &str = include_str!("signatures.rs");

/// How much is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Extent {
    /// Each statement in each shape.
    Every,
    /// Each statement in one shape.
    Some,
}

/// The whole text, with `attribute` on each function.
pub(crate) fn text(extent: Extent, attribute: &str) -> String {
    let mut text = HEAD.to_owned();
    for (at, shape) in SHAPES.into_iter().enumerate() {
        let waiting = if shape.contains("async fn") {
            WAITING
        } else {
            &[]
        };
        // Refused in a body that stays in place.
        let leaves =
            |statement: &str| shape.contains("track_caller") && statement.contains("return");
        for (count, statement) in STATEMENTS.iter().chain(waiting).enumerate() {
            if leaves(statement) || (extent == Extent::Some && count % SHAPES.len() != at) {
                continue;
            }
            let function = shape.replace("BODY", statement);
            text += &function.replace("NAME", &format!("f{at}_{count}"));
            text.push('\n');
        }
    }
    text += &FUNCTIONS.replace("LINES", &"    take(sum);\n".repeat(100));
    text.replace('@', attribute)
}
