//! Forecast of a GX command from its words alone: time, interrupt, memory that it touches.
//!
//! A host that has the work done on another thread schedules the interrupt when the command is given: its time may not
//! depend on when the work is done, and what the work touches says who has to wait for it.

use triglyph_guest::pica::external::ppf_flags;

use super::external::timing::{self, Mover, moving};
use super::external::{Event, physical};
use super::gsp::ResultCode;
use super::gsp::address::{dma_place, to_physical};
use super::gsp::command::{Command, FillUnit};
use super::gsp::interrupt::Interrupt;
use super::gx::{BadAddress, Outcome, addresses, fill_range, physical_or_zero};
use crate::copy::transfer::converted_bytes;
use triglyph_engine::mem::GuestRange;
use triglyph_engine::transfer::{Copy, Lines, Request};

/// What a command will come to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Forecast {
    /// How it will end if all memory is mapped and no unit freezes: what
    /// [`Executed::outcome`](super::gx::Executed::outcome) says afterwards. Only what may touch anything takes another
    /// time: of lists it knows how many words they have but not what they draw.
    pub outcome: Outcome,
    /// Whether it may touch any memory: a list, or a transfer that goes on with registers from before.
    pub anywhere: bool,
    /// The memory that it may read or write otherwise, physical and of the process. It may be more than is touched,
    /// never less.
    pub touched: Vec<GuestRange>,
}

impl Forecast {
    fn new(outcome: Outcome, touched: impl IntoIterator<Item = GuestRange>) -> Self {
        let touched = touched.into_iter().filter(|range| range.size != 0).collect();
        Forecast { outcome, anywhere: false, touched }
    }

    fn anywhere(outcome: Outcome) -> Self {
        Forecast { outcome, anywhere: true, touched: Vec::new() }
    }

    /// What the command in a queue slot will come to for the holder of the rendering right, if addresses that are in
    /// none of the GPU's memories are treated so.
    pub fn of(words: &[u32; 8], bad_address: BadAddress) -> Self {
        let Some(command) = Command::from_words(words) else { return Forecast::new(Outcome::NothingToSignal, []) };
        if bad_address == BadAddress::Fail && addresses(&command).into_iter().any(|at| to_physical(at).is_none()) {
            return Forecast::new(Outcome::Failed(ResultCode::BAD_ADDRESS), []);
        }
        match command {
            Command::RequestDma { source, target, size, .. } => dma(source, target, size),
            Command::ProcessCommandList { size, .. } => {
                Forecast::anywhere(done(Interrupt::P3d, timing::command_list(u64::from(size >> 3) * 2, 0)))
            }
            Command::MemoryFill { units } => memory_fill(&units),
            Command::DisplayTransfer { source, target, source_size, target_size, flags } => {
                let (source, target) = (register_address(source), register_address(target));
                display_transfer(source, target, source_size, target_size, flags)
            }
            Command::TextureCopy { source, target, size, source_lines, target_lines, flags } => {
                let (source, target) = (register_address(source), register_address(target));
                texture_copy(source, target, size, [source_lines, target_lines], flags)
            }
            // Caches of processors are no memory.
            Command::FlushCacheRegions { .. } => Forecast::new(Outcome::NothingToSignal, []),
        }
    }
}

fn done(interrupt: Interrupt, ticks: u64) -> Outcome {
    Outcome::Done(Event { interrupt, ticks })
}

/// An address as its register has it.
fn register_address(address: u32) -> u32 {
    physical_or_zero(address) & !7
}

fn dma(source: u32, target: u32, size: u32) -> Forecast {
    let places = [dma_place(source), dma_place(target)];
    let ticks = if size == 0 { 0 } else { timing::dma(places[0], places[1], size) };
    Forecast::new(done(Interrupt::Dma, ticks), places.map(|place| place.range(size.into())))
}

fn memory_fill(units: &[FillUnit; 2]) -> Forecast {
    let (mut ranges, mut outcome, mut both) = (Vec::new(), None, true);
    for (unit, interrupt) in units.iter().zip([Interrupt::Psc0, Interrupt::Psc1]) {
        if unit.start == 0 {
            both = false;
            continue;
        }
        let Some((start, end)) = fill_range(unit) else {
            return Forecast::new(Outcome::Failed(ResultCode::BAD_ADDRESS), []);
        };
        // Bit 0 starts the unit.
        if unit.control & 1 != 0 {
            let (size, last) = (u64::from(end - start), outcome.map_or(0, |event: Event| event.ticks));
            ranges.push(physical(start).range(size));
            outcome = Some(Event { interrupt, ticks: moving(Mover::Gpu, start, start, size).max(last) });
        }
    }
    // Of two fills GSP passes on PSC0 only.
    let event = outcome.map(|event| if both { Event { interrupt: Interrupt::Psc0, ..event } } else { event });
    Forecast::new(event.map_or(Outcome::NothingToSignal, Outcome::Done), ranges)
}

fn display_transfer(source: u32, target: u32, in_dim: u32, out_dim: u32, flags: u32) -> Forecast {
    if ppf_flags::copy(flags) {
        return Forecast::anywhere(done(Interrupt::Ppf, 0));
    }
    let bytes = converted_bytes(flags, in_dim, out_dim);
    let outcome = done(Interrupt::Ppf, moving(Mover::Gpu, source, target, bytes));
    if ppf_flags::flip(flags) && ppf_flags::crop(flags) {
        // The first line may be before the target.
        return Forecast::anywhere(outcome);
    }
    // Rows of blocks of 32, and a block more where the width is no multiple of it; pixels have at most four bytes.
    let extent = |dim: u32, width: u32| {
        let rows = u64::from(dim >> 16).next_multiple_of(32);
        4 * (u64::from(width) * rows + 32 * u64::from(width) + 1024)
    };
    let (in_width, out_width) = (in_dim & 0xFFFF, out_dim & 0xFFFF);
    let sizes =
        if bytes == 0 { [0, 0] } else { [extent(out_dim, in_width.max(out_width)), extent(out_dim, out_width)] };
    Forecast::new(outcome, [physical(source).range(sizes[0]), physical(target).range(sizes[1])])
}

fn texture_copy(source: u32, target: u32, size: u32, lines: [u32; 2], flags: u32) -> Forecast {
    if !ppf_flags::copy(flags) {
        return Forecast::anywhere(done(Interrupt::Ppf, 0));
    }
    let [source_lines, target_lines] =
        lines.map(|dim| Lines { line: u64::from(dim & 0xFFFF) * 16, gap: u64::from(dim >> 16) * 16 });
    let size = u64::from(size & !15);
    let endless = [source_lines, target_lines].iter().any(|lines| lines.gap != 0 && lines.line == 0);
    if size == 0 || endless {
        return Forecast::new(done(Interrupt::Ppf, 0), []);
    }
    let outcome = done(Interrupt::Ppf, moving(Mover::Gpu, source, target, size));
    let (source, target) = (physical(source & !15), physical(target & !15));
    let request = Request::Copy(Copy { source, target, size, source_lines, target_lines });
    Forecast::new(outcome, [request.source_range(), request.target_range()].into_iter().flatten())
}
