//! Runs of programs, step by step: a trace as a page shows it.

use serde::Serialize;
use triglyph::Error;
use triglyph::probe::{Change, Item, KernelKey, Register, Trace, Wanted, Watch, Watched, WordForm};

use crate::programs::stage_of;
use crate::replay::Session;

/// A run of a program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Run {
    /// The machine and the stage.
    pub stage: String,
    /// The content hash of its kernel's key, in hexadecimal.
    pub kernel: String,
    /// What it ran for.
    pub item: String,
    /// Lanes that ran together.
    pub lanes: u8,
    /// The lane that was asked for.
    pub lane: u8,
    /// The registers of a lane.
    pub registers: Vec<PageRegister>,
    /// Words at the start, those that are not 0.
    pub start: Vec<PageChange>,
    /// Offset, lanes that have executed it, what it has changed.
    pub steps: Vec<(u32, u32, Vec<PageChange>)>,
    /// Whether there were more steps than are kept.
    pub cut: bool,
    /// What the program has given.
    pub results: Vec<(PageRegister, Vec<u32>)>,
}

/// A lane, one of its words, and the word's value.
pub type PageChange = (u8, u16, u32);

/// A register, or a result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PageRegister {
    /// Its name.
    pub name: String,
    /// Words.
    pub components: u8,
    /// `float`, `int`, `bits` or `flag`.
    pub form: &'static str,
}

/// The runs of an event's programs that are wanted, at most sixteen, as the interpreter executes them.
///
/// # Errors
/// As [`Session::show`].
pub fn runs(session: &mut Session<'_>, event: usize, wanted: Wanted) -> Result<Vec<Run>, Error> {
    let Watched { keys, traces } = session.watch(event, Watch { wanted: Some(wanted) })?;
    let key = |trace: &Trace| keys.iter().find(|(hash, _)| *hash == trace.kernel).map(|(_, key)| key.clone());
    Ok(traces.into_iter().map(|trace| run(key(&trace).as_ref(), trace)).collect())
}

fn run(key: Option<&KernelKey>, trace: Trace) -> Run {
    let changes = |changes: Vec<Change>| changes.into_iter().map(|change| (change.lane, change.word, change.value));
    Run {
        stage: key.map(stage_of).unwrap_or_default(),
        kernel: format!("{:032x}", trace.kernel.0),
        item: item(trace.item),
        lanes: trace.lanes,
        lane: trace.lane,
        registers: trace.registers.into_iter().map(register).collect(),
        start: changes(trace.start).collect(),
        steps: trace.steps.into_iter().map(|step| (step.at, step.lanes, changes(step.changes).collect())).collect(),
        cut: trace.cut,
        results: trace.results.into_iter().map(|(name, words)| (register(name), words)).collect(),
    }
}

fn register(Register { name, components, form }: Register) -> PageRegister {
    let form = match form {
        WordForm::Float => "float",
        WordForm::Int => "int",
        WordForm::Bits => "bits",
        WordForm::Flag => "flag",
    };
    PageRegister { name, components, form }
}

fn item(item: Item) -> String {
    match item {
        Item::Vertex(number) => format!("vertex {number}"),
        Item::Pixel { x, row, primitive } => format!("pixel ({x}, {row}), primitive {primitive} of its scene"),
        Item::Primitive(number, invocation) => format!("primitive {number}, invocation {invocation}"),
        Item::Thread([x, y, z], thread) => format!("block ({x}, {y}, {z}), thread {thread}"),
    }
}
