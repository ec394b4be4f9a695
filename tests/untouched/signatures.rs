@
pub fn s_undocumented() {}
@
fn s_dead() {}
@
#[warn(dead_code)]
fn s_dead_and_told() {}
@
#[warn(dead_code)]
async fn s_dead_and_told_later() {}
@
pub fn s_unused(one: u8, two: String, (three, four): (u8, u8)) {}
@
pub async fn s_unused_later(one: u8, two: String) { tick().await }
@
pub fn s_unused_references(one: &u8, two: &mut String, mut three: &u8) {}
@
pub fn s_unused_mut(mut one: u8, mut two: String, mut three: &u8) { take(one); take(two); take(three); }
@
pub async fn s_unused_mut_later(mut one: u8, mut two: String) { tick().await; take(one); take(two); }
@
pub fn s_assigned(mut one: u8, mut two: String) { one = 1; two = String::new(); }
@
pub async fn s_assigned_later(mut one: u8, mut two: String) { one = 1; tick().await; two = String::new(); }
@
pub fn s_underscored(_one: u8, __two: String) -> u8 { take(__two); _one }
@
pub fn s_by_value(text: String, list: Vec<u8>) -> usize { text.len() + list.len() }
@
pub fn s_by_reference(small: &u8, list: &Vec<u8>, text: &String, boxed: &Box<u8>) -> usize { list.len() + text.len() + usize::from(*small) + usize::from(**boxed) }
@
pub fn s_by_mutable_reference(list: &mut Vec<u8>) -> usize { list.len() }
@
pub fn s_boxed(list: Box<Vec<u8>>, local: Box<u8>) -> u8 { take(list); *local }
@
pub fn s_many(a: u8, b: u8, c: u8, d: u8, e: u8, f: u8, g: u8, h: u8) -> u8 { a + b + c + d + e + f + g + h }
@
pub fn s_bools(a: bool, b: bool, c: bool, d: bool) -> bool { a && b && c && d }
@
pub fn s_fails() -> Result<u8, String> { fallible() }
@
pub async fn s_fails_later() -> Result<u8, String> { tick().await; fallible() }
@
pub fn s_fails_without_words() -> Result<u8, ()> { Err(()) }
@
pub fn s_large_error() -> Result<u8, [u64; 64]> { Err([1; 64]) }
@
pub(crate) fn s_large_error_inside() -> Result<u8, [u64; 64]> { Err([1; 64]) }
@
pub fn s_panics(x: Option<u8>) -> u8 { assert!(x.is_some()); x.unwrap() }
@
pub async fn s_panics_later(x: Option<u8>) -> u8 { tick().await; x.unwrap() }
@
/// Documented.
pub unsafe fn s_unsafe(x: *const u8) -> u8 { *x }
@
/// Documented.
pub async unsafe fn s_unsafe_later(x: *const u8) -> u8 { tick().await; *x }
@
pub unsafe fn s_unsafe_twice(x: *const u8) -> u8 { unsafe { *x } }
@
pub fn s_pointer(x: *const u8) -> u8 { unsafe { *x } }
@
pub fn s_candidate(x: u8) -> u8 { x }
@
#[must_use]
pub fn s_used_already() -> Result<u8, String> { fallible() }
@
#[must_use]
pub fn s_unit() {}
@
pub fn s_constant() -> u8 { 1 }
@
pub fn s_lifetimes<'a>(x: &'a str) -> &'a str { x }
@
pub fn s_single<'a>(x: &'a str) -> usize { x.len() }
@
pub fn s_unused_lifetime<'a>(x: u8) -> u8 { x }
@
pub fn s_redundant<'a, 'b: 'a + 'static>(x: &'b str, y: &'a str) -> &'a str { take(x); y }
@
pub fn s_unused_parameter<T>(x: u8) -> u8 { x }
@
pub fn s_bounds<T: Debug + Debug>(x: T) where T: Display { take(x); }
@
pub fn s_hidden_lifetime(x: std::slice::Iter<u8>) -> std::slice::Iter<u8> { x }
@
pub fn s_mixed(x: &[u8]) -> std::slice::Iter<u8> { x.iter() }
@
pub async fn s_never_waits() -> u8 { 1 }
@
pub fn s_manual() -> impl Future<Output = u8> { async { 1 } }
@
pub fn s_inner_option() -> Option<Option<u8>> { None }
@
pub fn s_hidden_argument(x: impl Debug) { take(x); }
@
#[inline(always)]
pub fn s_inline() { unit(); }
@
pub fn s_Shouted(Loud: u8) -> u8 { Loud }
@
pub fn s_raw(r#type: u8) -> u8 { r#type }
@
pub fn s_recursive(x: u8) -> u8 { s_recursive(x) }
@
pub fn s_only_in_recursion(x: u8, y: u8) -> u8 { if x == 0 { 0 } else { s_only_in_recursion(x - 1, y) } }
@
pub fn s_large(x: [u64; 256]) -> u64 { x[0] }
@
pub fn s_complex(x: Vec<Option<Box<dyn Fn(Vec<u8>, HashMap<u8, Vec<u8>>) -> Option<Vec<u8>>>>>) { take(x); }
@
pub fn s_hasher(x: &HashMap<u8, u8>) -> usize { x.len() }
@
pub fn s_boxed_result() -> Box<u8> { Box::new(1) }
@
pub fn s_mut_mut(x: &mut &mut u8) { **x = 1; }
@
pub fn s_returns(x: u8) -> u8 { return x; }
@
pub async fn s_returns_later(x: u8) -> u8 { tick().await; return x; }
@
pub fn s_returns_nothing(x: u8) { take(x); return; }
@
pub fn s_explicit_unit(x: u8) -> () { take(x); }
@
pub fn s_let_and_return() -> u8 { let x = value(); x }
@
pub async fn s_let_and_return_later() -> u8 { tick().await; let x = value(); x }
@
pub fn s_question() -> Result<u8, String> { Ok(fallible()?) }
@
pub async fn s_question_later() -> Result<u8, String> { tick().await; Ok(fallible()?) }
@
pub fn s_question_mark() -> Option<u8> { let x = match maybe() { Some(x) => x, None => return None }; Some(x) }
@
pub fn s_question_mark_too() -> Option<u8> { let x = maybe(); if x.is_none() { return None; } x }
@
pub fn s_wraps(x: u8) -> Option<u8> { if x > 1 { Some(1) } else { Some(2) } }
@
pub fn s_braced() -> u8 { { 1 } }
@
pub fn s_parenthesized() -> u8 { (1) }
@
pub fn s_tail_unit() { unit() }
@
pub fn s_diverges() -> u8 { panic!("x"); 1 }
@
pub async fn s_diverges_later() -> u8 { tick().await; panic!("x"); 1 }
@
pub async fn s_shared() -> u8 { let x = std::rc::Rc::new(1); tick().await; *x }
@
pub async fn s_large_later(x: [u64; 4096]) -> u64 { tick().await; x[0] }
@
pub async fn s_holds() { let x = LOCK.lock(); tick().await; take(x); }
@
pub fn s_long(x: u8) -> u8 {
    let mut sum = 0_u8;
    if x > 1 { sum += 1; } else if x > 2 { sum += 2; } else { sum += 3; }
    if x > 1 { if sum > 1 { sum += 1; } else if x > 2 { sum += 2; } else { sum += 3; } }
    for one in 0..x { if one > 1 { sum += one; } for two in 0..x { if two > 1 { while sum < 9 { sum += 1; } } } }
    match x { 0 => sum += 1, 1 => sum += 2, 2 => sum += 3, 3 => sum += 4, 4 => sum += 5, 5 => sum += 6, _ => {} }
    if x > 1 { sum += 1; } if x > 2 { sum += 1; } if x > 3 { sum += 1; } if x > 4 { sum += 1; } if x > 5 { sum += 1; }
    if x > 1 { sum += 1; } if x > 2 { sum += 1; } if x > 3 { sum += 1; } if x > 4 { sum += 1; } if x > 5 { sum += 1; }
    if x > 1 && x < 3 { sum += 1; } if x > 2 || x < 9 { sum += 1; } if x > 3 { sum += 1; } if x > 4 { sum += 1; }
LINES    sum
}
@
pub async fn s_long_later(x: u8) -> u8 {
    let mut sum = 0_u8;
    for one in 0..x { if one > 1 { sum += one; } for two in 0..x { if two > 1 { while sum < 9 { sum += 1; } } } }
    match x { 0 => sum += 1, 1 => sum += 2, 2 => sum += 3, 3 => sum += 4, 4 => sum += 5, 5 => sum += 6, _ => {} }
    if x > 1 { sum += 1; } if x > 2 { sum += 1; } if x > 3 { sum += 1; } if x > 4 { sum += 1; } if x > 5 { sum += 1; }
    if x > 1 { sum += 1; } if x > 2 { sum += 1; } if x > 3 { sum += 1; } if x > 4 { sum += 1; } if x > 5 { sum += 1; }
LINES    tick().await;
    sum
}

mod private {
    use crate::{inference_request, inference_stage, slot, ON};
    @
    pub fn unreachable_from_outside() {}
}

#[derive(Clone, Copy)]
pub struct Small(u8);

impl Small {
    @
    pub fn new(x: u8) -> u8 { x }
    @
    pub fn is_self(self) -> bool { self.0 > 1 }
    @
    pub fn into_reference(&self) -> u8 { self.0 }
    @
    pub fn to_owned_self(self) -> Self { self }
    @
    pub fn as_value(self) -> u8 { self.0 }
    @
    pub fn by_small_reference(&self) -> u8 { self.0 }
    @
    pub fn unused_self(&self) -> u8 { 1 }
    @
    pub async fn unused_self_later(&self) -> u8 { tick().await; 1 }
    @
    pub fn add(self, other: Self) -> Self { Small(self.0 + other.0) }
    @
    pub fn next(&mut self) -> Option<u8> { None }
    @
    pub fn from_str(x: &str) -> Self { take(x); Small(1) }
    @
    pub fn default() -> Self { Small(1) }
    @
    pub fn typed_self(self: Self) -> u8 { self.0 }
    @
    pub fn boxed_self(self: Box<Self>) -> u8 { self.0 }
    @
    pub fn mutable_self(mut self) -> u8 { self.0 = 1; 2 }
    @
    pub fn builder(self) -> Self { Small(2) }
    @
    pub fn iter(&self) -> u8 { 1 }
    @
    pub fn use_of_name(&self) -> Small { Small(1) }
    @
    pub fn mutable_for_nothing(&mut self) -> u8 { self.0 }
    @
    fn never_called(&self) -> u8 { self.0 }
}

/// Waits.
pub trait Waits {
    @
    async fn wait(&self) -> u8 { tick().await; 1 }
    @
    fn wait_boxed<'a>(&'a self) -> Boxed<'a, u8> { Box::pin(async move { tick().await; 1 }) }
    @
    fn wait_hidden(&self) -> impl Future<Output = u8> { async { tick().await; 1 } }
}

impl Waits for Small {
    @
    async fn wait(&self) -> u8 { 1 }
}

impl std::str::FromStr for Small {
    type Err = String;
    @
    fn from_str(x: &str) -> Result<Self, Self::Err> { take(x.parse::<u8>().unwrap()); Ok(Small(1)) }
}

impl Drop for Model {
    @
    fn drop(&mut self) { take(self.weight); panic!("x") }
}

#[async_trait::async_trait]
pub trait Boxes {
    @
    async fn default_body(&self, text: String, mut unused: u8) -> Result<u8, String> { let never = 1; tick().await; println!("x"); Ok(fallible()?) }
}

#[async_trait::async_trait]
impl Boxes for Small {
    @
    async fn default_body(&self, text: String, mut unused: u8) -> Result<u8, String> { let never = 1; fallible(); tick().await; fallible().unwrap(); return Ok(1); }
}

@
pub fn borrowed_option<'a>(bytes: &'a [u8]) -> Pin<Box<dyn Future<Output = Option<&'a u8>> + Send + 'a>> {
    Box::pin(async move { bytes.first() })
}

@
pub fn boxed_trait(bytes: &[u8]) -> impl Future<Output = Box<dyn Display + Send + '_>> + Send {
    let first = Box::new(bytes.len()) as Box<dyn Display + Send>;
    async move { first }
}
