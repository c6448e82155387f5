//! Packet traces of the Tegra X1: packets of a push buffer that run as code.
//!
//! Code stores words in the registers of one class, while writes also go to the copies of registers, and while no macro
//! waits for parameters. Everything else ends a trace before it: other classes, methods that do more, host methods,
//! words that are no header of a run.

use triglyph_guest::kernel::packet_trace::{Store, TraceRegisters};
use triglyph_guest::tegra::fifo::{Command, METHOD_MASK, Run, Stepping, host};
use triglyph_guest::tegra::methods::Class;

use super::channel::{Bound, Channel};
use super::registers::Registers;
use crate::core::{ADDRESS_MASK, Core};
use triglyph_engine::frontend::packet_trace::{Guard, Packet, PacketSource, PacketTrace, PacketTraces};
use triglyph_engine::render::Renderer;
use triglyph_engine::scene::program::Programs;

/// Bits of a header with an immediate datum, without those of the datum.
const IMMEDIATE: u32 = 0xE000_FFFF;

/// The run of a header; one with an immediate datum has no words.
fn run_of(header: u32) -> Option<Run> {
    match Command::decode(header) {
        Command::Run(run) | Command::Legacy(run) if run.count != 0 => Some(run),
        Command::Immediate { subchannel, method, .. } => {
            Some(Run { subchannel, method, count: 0, stepping: Stepping::Each })
        }
        _ => None,
    }
}

/// A push buffer at some word.
pub(super) struct Source<'r> {
    pub channel: &'r mut Channel,
    pub core: &'r mut Core,
    /// GPU address of the next word.
    pub address: u64,
}

impl Source<'_> {
    fn affordable(&self) -> usize {
        usize::try_from(self.core.budget.affordable_words(1)).unwrap_or(usize::MAX)
    }

    /// Moves the cursor over stored words, with the position of faults at one of them.
    fn passed(&mut self, words: usize, position: usize) {
        self.core.position = self.address.wrapping_add(4 * position as u64) & ADDRESS_MASK;
        // There was enough.
        let _ = self.core.budget.spend_words(words as u64, words as u64);
        self.address = self.address.wrapping_add(4 * words as u64);
    }
}

/// What a packet at word `at` stores in registers, if that is all it does.
fn stores(registers: &Registers, run: Run, at: u32) -> Option<Vec<Store>> {
    let Run { method, count, stepping, .. } = run;
    let words = |at: u32, method: u32, count: u32| {
        let groups: Option<Vec<u32>> = (method..method + count).map(|method| registers.plain_groups(method)).collect();
        groups.map(|groups| Store::words(at, method, groups))
    };
    Some(match stepping {
        _ if count == 0 => vec![Store { field: (16, 13), ..words(at, method, 1)? }],
        Stepping::Each => vec![words(at + 1, method, count)?],
        // Each word overwrites the one before.
        Stepping::Never => vec![words(at + count, method, 1)?],
        Stepping::Once if count == 1 => vec![words(at + 1, method, 1)?],
        Stepping::Once => vec![words(at + 1, method, 1)?, words(at + count, method + 1, 1)?],
    })
}

impl PacketSource for Source<'_> {
    type Pipeline = Programs;

    fn traces(&mut self) -> (&mut PacketTraces, &mut Renderer<Programs>) {
        (&mut self.channel.packet_traces, &mut self.core.renderer)
    }

    #[inline]
    fn store(&mut self, words: &[u32]) -> usize {
        let words = &words[..words.len().min(self.affordable())];
        let (stored, position) = self.channel.plain_runs(words);
        if stored != 0 {
            self.passed(stored, position);
        }
        stored
    }

    fn analyze(&self, words: &[u32], at: usize) -> Option<Packet> {
        let word = *words.get(at)?;
        let run = run_of(word)?;
        let Run { subchannel, method, count, .. } = run;
        let Bound::Class(class) = self.channel.bound(subchannel) else { return None };
        let length = 1 + count as usize;
        if method < host::END || method + count.max(1) - 1 > METHOD_MASK || words.len() - at < length {
            return None;
        }
        let stores = stores(self.channel.units.registers(class), run, at as u32)?;
        let mask = if count == 0 { IMMEDIATE } else { u32::MAX };
        let guards = vec![Guard { at: at as u32, mask, word: word & mask }];
        Some(Packet { words: length, bank: class.index(), guards, stores })
    }

    fn is_ready(&self, trace: Option<&PacketTrace>) -> bool {
        let Channel { stream, units, .. } = &*self.channel;
        let fits = |trace: &PacketTrace| {
            units.registers(Class::ALL[trace.bank]).is_direct() && self.affordable() >= trace.words()
        };
        stream.pending.is_none() && stream.active() && !units.waits_for_parameters() && trace.is_none_or(fits)
    }

    fn registers(&mut self, bank: usize) -> TraceRegisters<'_> {
        self.channel.units.registers(Class::ALL[bank]).file().trace_registers()
    }

    fn stored(&mut self, words: &[u32], trace: &PacketTrace) {
        let skipped = match run_of(words[trace.last]) {
            None | Some(Run { count: 0, .. }) => 0,
            Some(Run { count, stepping, .. }) => 1 + usize::from(stepping == Stepping::Once && count > 1),
        };
        self.passed(words.len(), trace.last + skipped);
    }
}
