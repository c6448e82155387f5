//! `triglyph vectors`: results of every operation of an instruction set for special values, as a table of text, and a
//! comparison with a table that a console has printed. `docs/reference/vectors.md` describes the format.

mod maxwell;
mod maxwell_macro;
mod pica_vertex;
mod rsx_fragment;
mod rsx_vertex;
mod table;
mod values;

use std::cell::Cell;
use std::path::PathBuf;
use std::sync::Arc;

use clap::{Args, ValueEnum};
use serde::Serialize;
use triglyph::Tier as TierMode;
use triglyph_guest::kernel::Tier;

use crate::exit::{Exit, Failure};
use crate::machine::{TierChoice, parse_tier};
use crate::output::Output;
use table::{Block, Row, Table};

/// Arguments of `vectors`.
#[derive(Debug, Args)]
pub struct Arguments {
    /// The instruction set.
    #[arg(value_enum)]
    set: Set,
    /// The tier that computes.
    #[arg(
        long,
        value_name = "TIER",
        value_parser = parse_tier(&[TierChoice::Interp, TierChoice::Jit]),
        default_value = "interp"
    )]
    tier: TierChoice,
    /// Compare with a table that a console has printed, instead of printing one.
    #[arg(long, value_name = "LOG")]
    check: Option<PathBuf>,
}

/// An instruction set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Set {
    /// Fragment programs of the PS3.
    RsxFragment,
    /// Vertex programs of the PS3.
    RsxVertex,
    /// Vertex programs of the 3DS, in its 24-bit floats.
    PicaVertex,
    /// Programs of the Tegra X1.
    Maxwell,
    /// Macros of the Tegra X1.
    MaxwellMacro,
}

/// What computes the rows of a block.
struct Tiers {
    reference: Arc<dyn Tier>,
    /// The one that was asked for.
    chosen: Arc<dyn Tier>,
    /// Programs and rows that the reference computed instead of it.
    fallbacks: Cell<u64>,
}

impl Tiers {
    fn new(tier: TierChoice) -> anyhow::Result<Self> {
        let mode = match tier {
            TierChoice::Interp => TierMode::InterpreterOnly,
            TierChoice::Auto | TierChoice::Jit => TierMode::JitOnly,
        };
        let tiers = triglyph_options::tiers(mode)?;
        let chosen = tiers.optimized.unwrap_or_else(|| tiers.interpreter.clone());
        Ok(Tiers { reference: tiers.interpreter, chosen, fallbacks: Cell::new(0) })
    }

    /// The kernel that `make` makes: of the chosen tier, or of the reference if that does not support it.
    fn kernel<K, E: std::fmt::Display>(&self, make: impl Fn(&dyn Tier) -> Result<K, E>) -> anyhow::Result<K> {
        let kernel = make(&*self.chosen).or_else(|_| {
            self.note_fallback();
            make(&*self.reference)
        });
        kernel.map_err(|error| anyhow::anyhow!("{error}"))
    }

    /// Counts what the reference computes instead of the chosen tier.
    fn note_fallback(&self) {
        self.fallbacks.set(self.fallbacks.get() + 1);
    }
}

/// Prints a table or compares one.
pub fn run(arguments: &Arguments, output: &Output) -> anyhow::Result<Exit> {
    let tiers = Tiers::new(arguments.tier)?;
    let table = table(arguments.set, &tiers)?;
    if tiers.fallbacks.get() != 0 {
        let count = tiers.fallbacks.get();
        output.note(format_args!("the reference computed {count} programs and rows that compiled code does not"));
    }
    match &arguments.check {
        None => {
            output.lines(table.to_string().trim_end())?;
            Ok(Exit::Good)
        }
        Some(path) => {
            let text =
                std::fs::read_to_string(path).map_err(|error| Failure::file(format!("{}: {error}", path.display())))?;
            let log = Table::parse(&text).map_err(|error| Failure::file(format!("{}: {error}", path.display())))?;
            check(&table, &log, output)
        }
    }
}

fn table(set: Set, tiers: &Tiers) -> anyhow::Result<Table> {
    let (name, blocks) = match set {
        Set::RsxFragment => ("rsx-fragment", rsx_fragment::blocks(tiers)?),
        Set::RsxVertex => ("rsx-vertex", rsx_vertex::blocks(tiers)?),
        Set::PicaVertex => ("pica-vertex", pica_vertex::blocks(tiers)?),
        Set::Maxwell => ("maxwell", maxwell::blocks(tiers)?),
        Set::MaxwellMacro => ("maxwell-macro", maxwell_macro::blocks(tiers)?),
    };
    Ok(Table { set: name.to_owned(), blocks })
}

/// A row that differs.
#[derive(Serialize)]
struct Difference<'a> {
    event: &'static str,
    program: &'a str,
    operands: String,
    ours: String,
    log: String,
}

fn check(table: &Table, log: &Table, output: &Output) -> anyhow::Result<Exit> {
    if log.set != table.set {
        return Err(Failure::usage(format!("the log is of `{}`, not of `{}`", log.set, table.set)).into());
    }
    let (mut different, mut equal, mut unknown) = (0u64, 0u64, 0u64);
    for (block, row) in log.blocks.iter().flat_map(|block| block.rows.iter().map(move |row| (block, row))) {
        let Some(ours) = table.find(&block.text, &row.operands) else {
            unknown += 1;
            continue;
        };
        if ours.same_result(row) {
            equal += 1;
            continue;
        }
        different += 1;
        let (operands, [ours, log]) = (row.shown_operands(), [ours, row].map(Row::shown_result));
        output.line(&block.text)?;
        [format!("  {operands}"), format!("  ours {ours}"), format!("  log  {log}")]
            .iter()
            .try_for_each(|line| output.line(line))?;
        output.object(&Difference { event: "difference", program: &block.text, operands, ours, log })?;
    }
    let missing = table.rows() - (equal + different).min(table.rows());
    output.line(format!(
        "{equal} equal, {different} different, {missing} not in the log, {unknown} of the log unknown"
    ))?;
    output.object(&serde_json::json!({
        "event": "vectors", "equal": equal, "different": different, "missing": missing, "unknown": unknown,
    }))?;
    Ok(if different == 0 { Exit::Good } else { Exit::Difference })
}

/// A block whose rows are computed by `run`.
fn block(
    text: &str,
    code: Vec<u32>,
    operands: Vec<Vec<table::Words>>,
    mut run: impl FnMut(&[table::Words]) -> anyhow::Result<table::Words>,
) -> anyhow::Result<Block> {
    let rows = operands.into_iter().map(|operands| Ok(Row { result: run(&operands)?, operands }));
    Ok(Block { text: text.to_owned(), code, rows: rows.collect::<anyhow::Result<_>>()? })
}
