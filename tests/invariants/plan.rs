//! What one client does, drawn at random.

use instrument_inference::LabelValue;

/// Small, and the same everywhere.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0xd1b5_4a32_d192_ed03);
        random.next();
        random
    }

    fn next(&mut self) -> u32 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        // the low bits of such a generator are poor
        u32::try_from(self.0 >> 32).unwrap_or_default()
    }

    pub fn below(&mut self, end: u32) -> u32 {
        self.next() % end
    }

    pub fn one_in(&mut self, times: u32) -> bool {
        self.below(times) == 0
    }

    pub fn of<T: Copy>(&mut self, choices: &[T]) -> T {
        let end = u32::try_from(choices.len()).expect("few choices");
        choices[self.below(end) as usize]
    }
}

#[derive(Debug, Clone, Copy, LabelValue)]
pub enum Tenant {
    Acme,
    Globex,
    Initech,
}

#[derive(Debug, Clone, Copy, LabelValue)]
pub enum Tier {
    Free,
    Paid,
}

#[derive(Debug, Clone, Copy, LabelValue)]
pub enum Source {
    Web,
    Nightly,
}

/// How the request goes through the service.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    Plain,
    /// Steps on other tasks and threads.
    Hops,
    /// A handler without a model around the one that names it.
    Joined,
    /// The same handler inside itself.
    Nested,
    /// Another request on the way.
    Root,
    /// A handler that is not async.
    Blocking,
    /// Executes on a thread of its own, which nobody waits for.
    LateWork,
    /// No request at all.
    Bare,
}

/// What goes wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trouble {
    Nothing,
    BadInput,
    TooMany,
    PanicsFirst,
    PanicsInPreprocess,
    PanicsInPostprocess,
    PanicsLast,
    /// The error of one member.
    Member,
    /// The error of everybody who shares the batch.
    WholeBatch,
    /// Panics for everybody who shares the batch.
    Worker,
    Slow,
    /// A caller's mistake that is found after the model has run.
    FoundLate,
}

/// When the client leaves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Leaves {
    Never,
    BeforeItBegins,
    /// After so many turns of everybody else.
    After(u32),
    /// The same, and what it leaves behind is dropped by a thread that knows nothing.
    Elsewhere(u32),
}

#[derive(Debug, Clone, Copy)]
pub struct Plan {
    /// The place of model and version.
    pub slot: usize,
    pub tenant: Option<Tenant>,
    pub tier: Tier,
    pub source: Source,
    pub shape: Shape,
    pub trouble: Trouble,
    pub leaves: Leaves,
}

impl Plan {
    /// Nothing out of the ordinary.
    pub const fn plain(slot: usize) -> Plan {
        Plan {
            slot,
            tenant: Some(Tenant::Acme),
            tier: Tier::Free,
            source: Source::Web,
            shape: Shape::Plain,
            trouble: Trouble::Nothing,
            leaves: Leaves::Never,
        }
    }

    pub fn draw(random: &mut Random) -> Plan {
        let shapes = [
            Shape::Hops,
            Shape::Joined,
            Shape::Nested,
            Shape::Root,
            Shape::Blocking,
            Shape::LateWork,
            Shape::Bare,
        ];
        let troubles = [
            Trouble::BadInput,
            Trouble::TooMany,
            Trouble::PanicsFirst,
            Trouble::PanicsInPreprocess,
            Trouble::PanicsInPostprocess,
            Trouble::PanicsLast,
            Trouble::Member,
            Trouble::Member,
            Trouble::WholeBatch,
            Trouble::Worker,
            Trouble::Slow,
            Trouble::FoundLate,
        ];
        let tenants = [
            None,
            Some(Tenant::Acme),
            Some(Tenant::Globex),
            Some(Tenant::Initech),
        ];
        let shape = if random.one_in(2) {
            random.of(&shapes)
        } else {
            Shape::Plain
        };
        let trouble = if random.one_in(3) {
            random.of(&troubles)
        } else {
            Trouble::Nothing
        };
        let turns = random.of(&[1, 4, 16, 64]);
        let turns = random.below(turns);
        let leaves = [
            Leaves::BeforeItBegins,
            Leaves::After(turns),
            Leaves::After(turns),
            Leaves::Elsewhere(turns),
        ];
        let leaves = if random.one_in(3) {
            random.of(&leaves)
        } else {
            Leaves::Never
        };
        Plan {
            slot: random.below(4) as usize,
            tenant: random.of(&tenants),
            tier: random.of(&[Tier::Free, Tier::Paid]),
            source: random.of(&[Source::Web, Source::Nightly]),
            shape,
            trouble,
            leaves,
        }
    }
}
