//! Traces: what a program does, instruction by instruction, for debuggers and inspectors.
//!
//! Kernels have a method beside the one that does a job, which does the same and tells a [`Tracer`]. Only the
//! interpreter tells anything; what it tells is the very run that the job's results come from, or, where a test may
//! leave a pixel without one, a run of its own with the same inputs.

use std::sync::{Mutex, MutexGuard, PoisonError};

use super::ContentHash;

/// Steps of one trace at most.
pub const MAX_STEPS: usize = 4096;

/// Traces that one tracer keeps at most.
pub const MAX_TRACES: usize = 16;

/// Which run of a program is to be traced.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Wanted {
    /// The vertex program of the array element with this number; `None`: of the first vertex of each job.
    Vertex(Option<u32>),
    /// The fragment of a pixel, without its samples: x and the row as stored.
    Pixel([u32; 2]),
    /// A program of whole primitives (geometry, tessellation): the primitive's number in the draw.
    Primitive(u32),
    /// A thread of a grid: its block, and its number in the block.
    Thread([u32; 3], u32),
}

/// The subject of a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Item {
    /// An array element.
    Vertex(u32),
    /// A pixel of a primitive, which is counted from the beginning of its scene.
    Pixel {
        /// From the left.
        x: u32,
        /// The row as it is stored.
        row: u32,
        /// The primitive.
        primitive: u32,
    },
    /// A primitive or patch, and which invocation of its program.
    Primitive(u32, u32),
    /// A thread, by its block and its number in it.
    Thread([u32; 3], u32),
}

/// A register, or several components that belong together.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Register {
    /// As listings call it.
    pub name: String,
    /// Words: 1 to 4.
    pub components: u8,
    /// How they are to be shown.
    pub form: WordForm,
}

/// The type of a register's words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum WordForm {
    /// Bits of an f32.
    Float,
    /// A signed number.
    Int,
    /// Bits that may be anything.
    Bits,
    /// 0 or 1.
    Flag,
}

/// A word that has got another value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Change {
    /// The lane.
    pub lane: u8,
    /// Which word of the lane: those of all registers in their order.
    pub word: u16,
    /// The value.
    pub value: u32,
}

/// An instruction that was executed.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Step {
    /// Its offset in bytes, as the program's words have it; of combiners the number of the stage.
    pub at: u32,
    /// The lanes that have executed it, bit i = lane i.
    pub lanes: u32,
    /// The registers that it has changed.
    pub changes: Vec<Change>,
}

/// A run of a program.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Trace {
    /// The kernel.
    pub kernel: ContentHash,
    /// The invocation.
    pub item: Item,
    /// Lanes that ran together, at most 32.
    pub lanes: u8,
    /// The lane that was asked for.
    pub lane: u8,
    /// The registers of a lane.
    pub registers: Vec<Register>,
    /// Their words at the start, those that are not 0.
    pub start: Vec<Change>,
    /// The event.
    pub steps: Vec<Step>,
    /// Whether there were more than [`MAX_STEPS`].
    pub cut: bool,
    /// The results of the program, with its words.
    pub results: Vec<(Register, Vec<u32>)>,
}

impl Trace {
    /// Words of a lane.
    pub fn words(&self) -> usize {
        self.registers.iter().map(|register| usize::from(register.components)).sum()
    }

    /// The words of a lane after the first so many steps.
    pub fn lane_after(&self, lane: u8, steps: usize) -> Vec<u32> {
        let mut words = vec![0; self.words()];
        let changes = self.steps.iter().take(steps).flat_map(|step| &step.changes);
        for change in self.start.iter().chain(changes).filter(|change| change.lane == lane) {
            if let Some(word) = words.get_mut(usize::from(change.word)) {
                *word = change.value;
            }
        }
        words
    }

    /// A register of a lane at the end.
    pub fn last(&self, lane: u8, name: &str) -> Option<Vec<u32>> {
        let index = self.registers.iter().position(|register| register.name == name)?;
        let first: usize = self.registers[..index].iter().map(|register| usize::from(register.components)).sum();
        let count = usize::from(self.registers[index].components);
        Some(self.lane_after(lane, self.steps.len())[first..first + count].to_vec())
    }
}

/// A request for traces, and their store.
#[derive(Debug)]
pub struct Tracer {
    wanted: Wanted,
    traces: Mutex<Vec<Trace>>,
}

impl Tracer {
    /// One that wants these.
    pub fn new(wanted: Wanted) -> Self {
        Tracer { wanted, traces: Mutex::default() }
    }

    /// What it wants.
    pub fn wanted(&self) -> Wanted {
        self.wanted
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Trace>> {
        self.traces.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The traces so far, in the order in which they came; those of vertices by number. They are gone then.
    pub fn take(&self) -> Vec<Trace> {
        let mut traces = std::mem::take(&mut *self.lock());
        if matches!(self.wanted, Wanted::Vertex(_)) {
            traces.sort_by_key(|trace| trace.item);
        }
        traces
    }
}

/// A tracer of one kernel's job.
#[derive(Clone, Copy, Debug)]
pub struct Tracing<'t> {
    /// Who asks.
    pub tracer: &'t Tracer,
    /// The kernel.
    pub kernel: ContentHash,
}

impl Tracing<'_> {
    /// The requested trace.
    pub fn wanted(&self) -> Wanted {
        self.tracer.wanted
    }

    /// Whether vertex `number` is wanted, which is the job's first or not.
    pub fn wants_vertex(&self, number: u32, is_first: bool) -> bool {
        match self.tracer.wanted {
            Wanted::Vertex(None) => is_first,
            Wanted::Vertex(Some(wanted)) => wanted == number,
            _ => false,
        }
    }

    /// Whether a primitive is wanted.
    pub fn wants_primitive(&self, number: u32) -> bool {
        self.tracer.wanted == Wanted::Primitive(number)
    }

    /// The lane of the quad at `at`, its upper left pixel, that is wanted.
    pub fn lane_of_quad(&self, [left, top]: [u32; 2]) -> Option<usize> {
        let Wanted::Pixel([x, row]) = self.tracer.wanted else { return None };
        let (right, down) = (x.checked_sub(left)?, row.checked_sub(top)?);
        (right < 2 && down < 2).then_some((2 * down + right) as usize)
    }

    /// Keeps a trace, if there is room.
    pub fn add(&self, trace: Trace) {
        let mut traces = self.tracer.lock();
        if traces.len() < MAX_TRACES {
            traces.push(trace);
        }
    }
}
