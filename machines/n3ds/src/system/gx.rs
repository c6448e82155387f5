//! GX commands executed: what GSP writes into which registers.
//!
//! ```text
//! words ──► Command ──► checks, virtual to physical ──► register writes ──► Hardware
//!                                                                              └─► the interrupt that ends it
//! ```
//! Source: 3dbrew GSP Shared Memory, Commands. Every command is complete when [`execute`] returns, but for DMA that is
//! left to the host.

use triglyph_guest::pica::{external, regs};

use super::external::{Event, internal};
use super::gsp::address::{dma_place, end_to_physical, to_physical};
use super::gsp::command::{Command, FillUnit};
use super::gsp::errors::ResultCode;
use super::gsp::hardware::{GPU, Hardware};
use super::gsp::interrupt::Interrupt;
use super::spaces::PHYSICAL;
use triglyph_engine::device::FaultKind;
use triglyph_engine::mem::GuestAddr;

/// How a command ended. [`Self::outcome`] says the same as one of four cases.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Executed {
    /// Success, or why the command failed. A command that fails has done nothing.
    pub result: ResultCode,
    /// The interrupt that ends it, if one does.
    pub event: Option<Event>,
    /// What the host has to copy itself before it raises [`Interrupt::Dma`], as it has not mapped all of the process's
    /// memory in [`PROCESS`](super::external::PROCESS).
    pub host_copy: Option<HostCopy>,
}

/// DMA that a host does itself: nothing of it is done yet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct HostCopy {
    /// Virtual address of the process.
    pub source: u32,
    /// Virtual address of the process.
    pub target: u32,
    /// Bytes.
    pub size: u32,
}

/// What a host does after a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It is done: the host raises an interrupt after some ticks.
    Done(Event),
    /// There is nothing to signal: a flush, a fill without units, a list without an end, or a command that the client
    /// may not give.
    NothingToSignal,
    /// It has failed and done nothing; no interrupt comes.
    Failed(ResultCode),
    /// The host copies these bytes, then raises [`Interrupt::Dma`].
    HostCopy(HostCopy),
}

impl Executed {
    pub(crate) const fn with(event: Option<Event>) -> Self {
        Executed { result: ResultCode::SUCCESS, event, host_copy: None }
    }

    const fn failed(result: ResultCode) -> Self {
        Executed { result, event: None, host_copy: None }
    }

    /// What the host does now.
    pub fn outcome(&self) -> Outcome {
        match *self {
            Executed { host_copy: Some(copy), .. } => Outcome::HostCopy(copy),
            Executed { event: Some(event), .. } => Outcome::Done(event),
            Executed { result, .. } if result.is_error() => Outcome::Failed(result),
            _ => Outcome::NothingToSignal,
        }
    }
}

/// What commands 1, 3 and 4 do with an address that is in none of the GPU's memories.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum BadAddress {
    /// They take physical address 0 instead (3dbrew: GSP Shared Memory).
    #[default]
    Zero,
    /// They fail, as GSP does since system 8.0 according to another page (3dbrew: GSP Services).
    Fail,
}

/// Executes the words of a queue slot, as a capture's SUBMIT has them, for a client with the rendering right.
pub fn execute_words(hardware: &mut (impl Hardware + ?Sized), words: &[u32; 8], bad_address: BadAddress) -> Executed {
    match Command::from_words(words) {
        Some(command) => execute(hardware, &command, bad_address),
        None => {
            hardware.fault(FaultKind::BadCommand, format!("GX command {:#010x} does not exist", words[0]), 0);
            Executed::with(None)
        }
    }
}

/// Executes a command for a client with the rendering right.
pub fn execute(hardware: &mut (impl Hardware + ?Sized), command: &Command, bad_address: BadAddress) -> Executed {
    if bad_address == BadAddress::Fail && addresses(command).into_iter().any(|at| to_physical(at).is_none()) {
        return Executed::failed(ResultCode::BAD_ADDRESS);
    }
    match *command {
        Command::RequestDma { source, target, size, flush } => dma(hardware, HostCopy { source, target, size }, flush),
        Command::ProcessCommandList { address, size, update_gas, flush } => {
            Executed::with(command_list(hardware, address, size, update_gas, flush))
        }
        Command::MemoryFill { units } => memory_fill(hardware, &units),
        Command::DisplayTransfer { source, target, source_size, target_size, flags } => {
            write(hardware, external::ppf_in::ID, physical_or_zero(source) >> 3);
            write(hardware, external::ppf_out::ID, physical_or_zero(target) >> 3);
            write(hardware, external::ppf_in_dim::ID, source_size);
            write(hardware, external::ppf_out_dim::ID, target_size);
            write(hardware, external::ppf_flags::ID, flags);
            write(hardware, external::ppf_c14::ID, 0);
            Executed::with(write(hardware, external::ppf_control::ID, 1))
        }
        Command::TextureCopy { source, target, size, source_lines, target_lines, flags } => {
            write(hardware, external::ppf_in::ID, physical_or_zero(source) >> 3);
            write(hardware, external::ppf_out::ID, physical_or_zero(target) >> 3);
            write(hardware, external::copy_size::ID, size);
            write(hardware, external::copy_in::ID, source_lines);
            write(hardware, external::copy_out::ID, target_lines);
            write(hardware, external::ppf_flags::ID, flags);
            let control = read(hardware, external::ppf_control::ID);
            Executed::with(write(hardware, external::ppf_control::ID, control | 1))
        }
        Command::FlushCacheRegions { regions } => {
            // The first empty region ends the command.
            regions.iter().take_while(|&&(_, size)| size != 0).for_each(|&(at, size)| flush_at(hardware, at, size));
            Executed::with(None)
        }
    }
}

/// Executes a command for a client without the rendering right: nothing happens. Only flushing reports it; that 2, 3
/// and 4 keep still as 0 and 1 do is unverified.
pub fn refuse(command: &Command) -> Executed {
    match command {
        Command::FlushCacheRegions { .. } => Executed::failed(ResultCode::NO_RIGHT),
        _ => Executed::with(None),
    }
}

/// Writes a register of the external GPU block.
fn write(hardware: &mut (impl Hardware + ?Sized), register: usize, value: u32) -> Option<Event> {
    hardware.write_register(GPU + register as u32, value)
}

fn read(hardware: &mut (impl Hardware + ?Sized), register: usize) -> u32 {
    hardware.read_register(GPU + register as u32)
}

/// The addresses that commands 1, 3 and 4 do not check.
pub(crate) fn addresses(command: &Command) -> [u32; 2] {
    match *command {
        Command::ProcessCommandList { address, .. } => [address, 0],
        Command::DisplayTransfer { source, target, .. } | Command::TextureCopy { source, target, .. } => {
            [source, target]
        }
        _ => [0, 0],
    }
}

/// Bad addresses become 0 in commands 1, 3 and 4.
pub(crate) fn physical_or_zero(address: u32) -> u32 {
    to_physical(address).unwrap_or(0)
}

fn flush_at(hardware: &mut (impl Hardware + ?Sized), address: u32, size: u32) {
    if let Some(address) = hardware.translate(address) {
        hardware.flush(address, size);
    }
}

/// DMA reaches all of the process's memory (3dbrew: GSP Shared Memory, Trigger DMA Request; Azahar and Panda3DS copy
/// between virtual addresses). What the host has not mapped of it, it copies itself.
fn dma(hardware: &mut (impl Hardware + ?Sized), copy: HostCopy, flush: bool) -> Executed {
    let (from, to) = (dma_place(copy.source), dma_place(copy.target));
    // Physical memory ends where it ends, on the console as well.
    let is_reached = |at: GuestAddr| at.space == PHYSICAL || hardware.is_mapped(at.range(copy.size.into()));
    if copy.size != 0 && ![from, to].into_iter().all(is_reached) {
        return Executed { host_copy: Some(copy), ..Executed::with(None) };
    }
    if flush && from.space == PHYSICAL && !is_vram(from.address) {
        hardware.flush(from.address as u32, copy.size);
    }
    copy_mapped(hardware, copy)
}

/// Does DMA as far as memory is mapped, and ends it. What is not mapped is a fault; on the console GSP is terminated
/// then (3dbrew: SVC, DMA), which would help neither guest nor host.
pub(crate) fn copy_mapped(hardware: &mut (impl Hardware + ?Sized), copy: HostCopy) -> Executed {
    // That an empty request ends with its interrupt is unverified.
    let ticks = match copy.size {
        0 => 0,
        size => hardware.process_dma(dma_place(copy.source), dma_place(copy.target), size),
    };
    Executed::with(Some(Event { interrupt: Interrupt::Dma, ticks }))
}

fn is_vram(address: u64) -> bool {
    (0x1800_0000..0x1860_0000).contains(&address)
}

fn command_list(
    hardware: &mut (impl Hardware + ?Sized),
    address: u32,
    size: u32,
    update_gas: bool,
    flush: bool,
) -> Option<Event> {
    if flush {
        flush_at(hardware, address, size);
    }
    // An acknowledgement: should the comparison value have zero bytes, it is no request all the same.
    write(hardware, internal(regs::irq_request::ID), 0);
    write(hardware, external::cmdlist_size0::ID, size >> 3);
    write(hardware, external::cmdlist_addr0::ID, physical_or_zero(address) >> 3);
    let event = write(hardware, external::cmdlist_go0::ID, 1);
    list_ended(hardware, event, update_gas)
}

/// What the end of a list brings with it: with `update_gas` the gas unit's results are brought up to date.
pub(crate) fn list_ended(
    hardware: &mut (impl Hardware + ?Sized),
    event: Option<Event>,
    update_gas: bool,
) -> Option<Event> {
    if event.is_some() && update_gas {
        let maximum = read(hardware, internal(regs::gas_accmax_feedback::ID)) >> 16;
        if let Some(reciprocal) = reciprocal_f16(maximum as u16) {
            write(hardware, internal(regs::gas_accmax::ID), u32::from(reciprocal));
        }
    }
    event
}

/// 1 / `value` for a positive half-precision number, truncated; `None` for 0 and negative ones. How hardware-near code
/// does it (KYGX) is known only as far as "truncating division": the last bit is unverified.
fn reciprocal_f16(value: u16) -> Option<u16> {
    if value == 0 || value >> 15 != 0 {
        return None;
    }
    let (exponent, mantissa) = (i32::from(value >> 10 & 31), u32::from(value & 0x3FF));
    let quotient = (1 << 21) / (1024 + mantissa);
    let (exponent, mantissa) = match quotient {
        2048 => (30 - exponent, 0),
        _ => (29 - exponent, quotient as u16 & 0x3FF),
    };
    Some(match exponent {
        ..=0 => 0,
        1..=30 => (exponent as u16) << 10 | mantissa,
        _ => 0x7C00,
    })
}

fn memory_fill(hardware: &mut (impl Hardware + ?Sized), units: &[FillUnit; 2]) -> Executed {
    let mut ranges = [None; 2];
    for (range, unit) in ranges.iter_mut().zip(units).filter(|(_, unit)| unit.start != 0) {
        match fill_range(unit) {
            Some(physical) => *range = Some(physical),
            None => return Executed::failed(ResultCode::BAD_ADDRESS),
        }
    }
    let mut events = [None; 2];
    for (i, (range, unit)) in ranges.iter().zip(units).enumerate() {
        if let Some((start, end)) = *range {
            write(hardware, external::psc_start::IDS[i], start >> 3);
            write(hardware, external::psc_end::IDS[i], end >> 3);
            write(hardware, external::psc_value::IDS[i], unit.value);
            events[i] = write(hardware, external::psc_control::IDS[i], u32::from(unit.control));
        }
    }
    let both = ranges.iter().all(Option::is_some);
    let last = events.into_iter().flatten().reduce(|a, b| Event { ticks: a.ticks.max(b.ticks), ..b });
    // Of two fills GSP passes on PSC0 only, once both are done.
    Executed::with(last.map(|event| if both { Event { interrupt: Interrupt::Psc0, ..event } } else { event }))
}

/// The physical range of a fill; `None` when GSP refuses it.
pub(crate) fn fill_range(unit: &FillUnit) -> Option<(u32, u32)> {
    let aligned = (unit.start | unit.end) & 7 == 0;
    let range = (to_physical(unit.start)?, end_to_physical(unit.end)?);
    (aligned && unit.start < unit.end).then_some(range)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reciprocals_truncate() {
        for (value, expected) in [
            (0x3C00, Some(0x3C00)), // 1
            (0x4000, Some(0x3800)), // 2
            (0x3800, Some(0x4000)), // 1/2
            (0x4200, Some(0x3555)), // 3: 0.333251953125
            (0x4900, Some(0x2E66)), // 10
            (0x3FFF, Some(0x3800)), // just below 2
            (0x7800, Some(0x0000)), // 2^15: below the smallest normal number
            (0x7400, Some(0x0400)), // 2^14
            (0x7C00, Some(0x0000)), // infinity
            (0x0400, Some(0x7400)), // 2^-14
            (0x0001, Some(0x77FE)), // no leading one is taken off small numbers
            (0x0000, None),
            (0x8000, None),
            (0xBC00, None),
        ] {
            assert_eq!(reciprocal_f16(value), expected, "{value:#06x}");
        }
    }

    #[test]
    fn ranges_of_fills() {
        let unit = |start, end| FillUnit { start, end, ..Default::default() };
        assert_eq!(fill_range(&unit(0x1F00_0000, 0x1F60_0000)), Some((0x1800_0000, 0x1860_0000)));
        assert_eq!(fill_range(&unit(0x1F00_0004, 0x1F00_0010)), None);
        assert_eq!(fill_range(&unit(0x1F00_0000, 0x1F00_000C)), None);
        assert_eq!(fill_range(&unit(0x1F00_0010, 0x1F00_0010)), None);
        assert_eq!(fill_range(&unit(0x1F00_0010, 0x1F00_0008)), None);
        assert_eq!(fill_range(&unit(0x1F00_0010, 0x1F60_0008)), None);
        assert_eq!(fill_range(&unit(0x1000_0000, 0x1F00_0008)), None);
        assert_eq!(fill_range(&unit(0x1FF0_0000, 0x1FF0_0008)), None);
    }
}
