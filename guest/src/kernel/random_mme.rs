//! Random macro calls for differential tests, and a machine that notes what macros send.

use std::cell::Cell;

use super::mme::{BRANCHES, CALL, METHODS, MmeEnd, MmeJob, MmeKernel, MmeKey, MmeMachine};
use super::unsupported::Unsupported;
use crate::tegra::mme::random::{Options, program};

/// The method of the test machine that turns [`MmeJob::direct`] over, as a change of the shadow mode does.
const TOGGLE: u32 = 0x49;

/// The inputs of one call.
#[derive(Clone, Debug)]
pub struct Case {
    /// The program.
    pub key: MmeKey,
    /// Its parameters.
    pub parameters: Vec<u32>,
    /// Live registers before the call.
    pub registers: Vec<u32>,
    /// Groups of each method.
    pub groups: Vec<u32>,
    /// Whether methods may be stored directly at first.
    pub direct: bool,
    /// Branches that the call may take.
    pub branches: u32,
}

/// The result of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// How it ended.
    pub end: MmeEnd,
    /// Methods that the machine was called for.
    pub sent: Vec<(u32, u32)>,
    /// Live registers after it.
    pub live: Vec<u32>,
    /// Shadow registers after it.
    pub shadow: Vec<u32>,
    /// Stale groups.
    pub dirty: u32,
    /// Branches that were left.
    pub branches: u32,
}

impl Case {
    /// A call without any method that may be stored directly: everything goes to the machine.
    pub fn new(code: &[u32], parameters: &[u32]) -> Self {
        Case {
            key: MmeKey::new(code, 0).0,
            parameters: parameters.to_vec(),
            registers: vec![0; METHODS],
            groups: vec![CALL; METHODS],
            direct: false,
            branches: BRANCHES,
        }
    }

    /// Does the call.
    pub fn run(&self, kernel: &dyn MmeKernel) -> Result<Outcome, Unsupported> {
        self.run_with(|job| kernel.run(job))
    }

    /// Does the call through `run`.
    pub fn run_with<E>(&self, run: impl FnOnce(&mut MmeJob<'_>) -> Result<MmeEnd, E>) -> Result<Outcome, E> {
        let cells = |from: &[u32]| -> Box<[Cell<u32>; METHODS]> {
            Box::new(std::array::from_fn(|i| Cell::new(from.get(i).copied().unwrap_or(0))))
        };
        let (live, shadow) = (cells(&self.registers), cells(&[]));
        let groups: Box<[u32; METHODS]> = Box::new(std::array::from_fn(|i| self.groups[i]));
        let (dirty, direct, branches) = (Cell::new(0), Cell::new(self.direct), Cell::new(self.branches));
        let mut machine = Recorder { live: &live, shadow: &shadow, direct: &direct, sent: Vec::new() };
        let end = run(&mut MmeJob {
            parameters: &self.parameters,
            live: &live,
            shadow: &shadow,
            groups: &groups,
            dirty: &dirty,
            direct: &direct,
            branches: &branches,
            machine: &mut machine,
        })?;
        let sent = machine.sent;
        let [live, shadow] = [live, shadow].map(|cells| cells.iter().map(Cell::get).collect());
        Ok(Outcome { end, sent, live, shadow, dirty: dirty.get(), branches: branches.get() })
    }
}

struct Recorder<'c> {
    live: &'c [Cell<u32>; METHODS],
    shadow: &'c [Cell<u32>; METHODS],
    direct: &'c Cell<bool>,
    sent: Vec<(u32, u32)>,
}

/// Methods that are recorded of one call: programs that run away send millions.
const MAX_SENT: usize = 1 << 16;

impl MmeMachine for Recorder<'_> {
    fn send(&mut self, method: u32, datum: u32) {
        if self.sent.len() < MAX_SENT {
            self.sent.push((method, datum));
        }
        if method == TOGGLE {
            self.direct.set(!self.direct.get());
        }
        self.live[method as usize].set(datum);
        // A datum of its own, so that a store into the wrong array shows.
        self.shadow[method as usize].set(!datum);
    }
}

/// A random call. `rng` gives 32 random bits a call.
pub fn case(rng: &mut impl FnMut() -> u32, options: Options) -> Case {
    let code = program(rng, options);
    let parameters = (0..rng() % 24).map(|_| if one_in(rng, 3) { rng() % 8 } else { rng() }).collect();
    let registers = (0..METHODS).map(|_| rng()).collect();
    let mut groups: Vec<u32> = (0..METHODS).map(|_| if one_in(rng, 4) { CALL } else { 1 << (rng() % 31) }).collect();
    groups[TOGGLE as usize] = CALL;
    let direct = !one_in(rng, 4);
    let branches = if one_in(rng, 4) { rng() % 8 } else { BRANCHES };
    Case { key: MmeKey::new(&code, 0).0, parameters, registers, groups, direct, branches }
}

fn one_in(rng: &mut impl FnMut() -> u32, n: u32) -> bool {
    rng().is_multiple_of(n)
}
