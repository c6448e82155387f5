//! Watching programs: the executors of instructions call a watcher after each instruction.
//!
//! `()` is the watcher of who is not watched; with it nothing is left of the calls.

use triglyph_guest::kernel::trace::{Change, Item, MAX_STEPS, Register, Step, Trace, Tracing, WordForm};

/// `Kernel` of batches, with a method that takes the first item and a tracer.
macro_rules! traced_batches {
    ($Kernel:ident($Job:ident): $run:ident $run_traced:ident = $own:ident) => {
        impl $Kernel for Kernel {
            fn $run(&self, job: &mut $Job<'_>, first: usize) -> usize {
                self.$own(job, first, None)
            }

            fn $run_traced(&self, job: &mut $Job<'_>, tracing: Tracing<'_>) -> usize {
                self.$own(job, 0, Some(tracing))
            }
        }
    };
}

/// `Kernel` of fragments, with a method `quads` that takes a tracer.
macro_rules! traced_fragments {
    () => {
        impl FragmentKernel for Kernel {
            fn shade(&self, job: &FragmentJob<'_>) -> Result<u64, Unsupported> {
                Ok(self.quads(job, None))
            }

            fn shade_traced(&self, job: &FragmentJob<'_>, tracing: Tracing<'_>) -> Result<u64, Unsupported> {
                Ok(self.quads(job, Some(tracing)))
            }
        }
    };
}

pub(crate) use {traced_batches, traced_fragments};

/// Is called for each instruction.
pub trait Watch<M: ?Sized> {
    /// The instruction at this offset in bytes was executed by lanes (bit i = lane i); `machine` is as it is now.
    fn executed(&mut self, at: u32, lanes: u32, machine: &M);
}

impl<M: ?Sized> Watch<M> for () {
    #[inline(always)]
    fn executed(&mut self, _: u32, _: u32, _: &M) {}
}

/// An executor whose registers can be shown.
pub trait Registers {
    /// The registers of a lane.
    fn registers(&self) -> Vec<Register>;

    /// Lanes.
    fn lanes(&self) -> usize {
        1
    }

    /// Appends the words of a lane's registers.
    fn words(&self, lane: usize, words: &mut Vec<u32>);
}

/// A watcher that makes a trace.
#[derive(Debug)]
pub struct Recorder {
    trace: Trace,
    /// The words of each lane.
    before: Vec<Vec<u32>>,
    now: Vec<u32>,
}

impl Recorder {
    /// A trace that begins with a machine as it is.
    pub fn new(tracing: &Tracing<'_>, item: Item, lane: usize, machine: &impl Registers) -> Self {
        let (lanes, registers) = (machine.lanes(), machine.registers());
        let trace = Trace {
            kernel: tracing.kernel,
            item,
            lanes: lanes as u8,
            lane: lane as u8,
            start: Vec::new(),
            steps: Vec::new(),
            cut: false,
            results: Vec::new(),
            registers,
        };
        let mut recorder = Recorder { before: vec![vec![0; trace.words()]; lanes], trace, now: Vec::new() };
        recorder.trace.start = recorder.changes(machine);
        recorder
    }

    /// Notes a result.
    pub fn result(&mut self, name: impl Into<String>, form: WordForm, words: &[u32]) {
        self.trace.results.push((register(name, words.len() as u8, form), words.to_vec()));
    }

    /// The finished trace.
    pub fn finish(self) -> Trace {
        self.trace
    }

    /// Registers that differ from the previous call.
    fn changes(&mut self, machine: &(impl Registers + ?Sized)) -> Vec<Change> {
        let mut changes = Vec::new();
        for (lane, before) in self.before.iter_mut().enumerate() {
            self.now.clear();
            machine.words(lane, &mut self.now);
            for (word, (before, &value)) in before.iter_mut().zip(&self.now).enumerate() {
                if *before != value {
                    *before = value;
                    changes.push(Change { lane: lane as u8, word: word as u16, value });
                }
            }
        }
        changes
    }
}

impl<M: Registers + ?Sized> Watch<M> for Recorder {
    fn executed(&mut self, at: u32, lanes: u32, machine: &M) {
        if self.trace.steps.len() >= MAX_STEPS {
            self.trace.cut = true;
            return;
        }
        let changes = self.changes(machine);
        self.trace.steps.push(Step { at, lanes, changes });
    }
}

/// Registers with a number each, of four floats.
pub fn vectors(name: &str, count: usize) -> impl Iterator<Item = Register> {
    (0..count).map(move |number| register(format!("{name}{number}"), 4, WordForm::Float))
}

/// A register.
pub fn register(name: impl Into<String>, components: u8, form: WordForm) -> Register {
    Register { name: name.into(), components, form }
}

/// The bits of floats.
pub fn bits(values: &[f32]) -> Vec<u32> {
    values.iter().map(|value| value.to_bits()).collect()
}
