//! Packet traces of the Tegra X1: packets of a push buffer that run as code.
//!
//! Code stores words in the registers of one class, that of the first packet that only stores. It does so only while
//! writes also go to the copies of registers, and while no macro waits for parameters: the packet after a macro call is
//! executed by the machine, because it ends the parameters. Host methods, masks of sub-devices and words that are no
//! header of a run end a trace before them.

use triglyph_guest::kernel::packet_trace::{Packet, Store, TraceRegisters};
use triglyph_guest::tegra::fifo::{Command, METHOD_MASK, Run, Stepping, host};
use triglyph_guest::tegra::methods::{Class, threed};

use super::channel::{Bound, Channel, Step};
use super::registers::Registers;
use super::work::MACROS;
use crate::core::{ADDRESS_MASK, Core};
use triglyph_engine::frontend::packet_trace::{Before, PacketSource, PacketTraces, Shape};
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

/// A chunk of a push buffer at some word.
pub(super) struct Source<'r> {
    pub channel: &'r mut Channel,
    pub core: &'r mut Core,
    /// GPU address of the chunk.
    pub address: u64,
    /// Its words.
    pub words: &'r [u32],
    /// The cursor: the next word.
    pub at: usize,
    /// The segment ended; false when the fuel is used up.
    pub end: Option<bool>,
}

impl Source<'_> {
    fn affordable(&self) -> usize {
        usize::try_from(self.core.budget.affordable_words(1)).unwrap_or(usize::MAX)
    }

    /// Moves the cursor over stored words, with the position of faults at one of them.
    fn passed(&mut self, words: usize, position: usize) {
        self.core.position = self.address.wrapping_add(4 * (self.at + position) as u64) & ADDRESS_MASK;
        // There was enough.
        let _ = self.core.budget.spend_words(words as u64, words as u64);
        self.at += words;
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

    fn shape(&self, words: &[u32]) -> Option<Shape> {
        let header = *words.first()?;
        let Some(Run { subchannel, method, count, .. }) = run_of(header) else {
            return Some(Shape { words: 1, ends: true });
        };
        let bound = self.channel.bound(subchannel);
        let ends_draw = bound == Bound::Class(Class::ThreeD) && method as usize == threed::regs::end::ID;
        let is_traced = method >= host::END && matches!(bound, Bound::Class(_));
        let length = 1 + count as usize;
        (length <= words.len()).then_some(Shape { words: length, ends: ends_draw || !is_traced })
    }

    fn analyze(&self, words: &[u32], at: usize, before: &mut Before) -> Option<Packet> {
        let word = words[at];
        let run = run_of(word)?;
        let Run { subchannel, method, count, stepping } = run;
        let Bound::Class(class) = self.channel.bound(subchannel) else { return None };
        // The last method that is written.
        let last = match stepping {
            Stepping::Each => method + count.max(1) - 1,
            Stepping::Never => method,
            Stepping::Once => method + u32::from(count > 1),
        };
        if method < host::END || last > METHOD_MASK {
            return None;
        }
        let mut stored = None;
        if !before.calls {
            stored = stores(self.channel.units.registers(class), run, at as u32);
            if stored.is_some() && *before.bank.get_or_insert(class.index()) != class.index() {
                stored = None;
            }
        }
        // A macro may wait for parameters.
        before.calls = last >= MACROS && matches!(class, Class::ThreeD | Class::TwoD);
        let mask = if count == 0 { IMMEDIATE } else { u32::MAX };
        let stores = stored.unwrap_or_default();
        Some(Packet { header: at as u32, mask, word: word & mask, expected: Vec::new(), stores })
    }

    fn is_ready(&self, bank: Option<usize>) -> bool {
        let Channel { stream, units, .. } = &*self.channel;
        let is_direct = |bank: usize| units.registers(Class::ALL[bank]).is_direct();
        stream.pending.is_none() && stream.active() && !units.waits_for_parameters() && bank.is_none_or(is_direct)
    }

    fn affords(&self, words: usize, _: usize) -> bool {
        self.affordable() >= words
    }

    fn stops(&self) -> bool {
        self.end.is_some() || self.channel.blocked.is_some() || self.core.budget.is_over()
    }

    fn registers(&mut self, bank: usize) -> TraceRegisters<'_> {
        self.channel.units.registers(Class::ALL[bank]).file().trace_registers()
    }

    fn stored(&mut self, words: &[u32], _: usize, last: usize) {
        let run = run_of(words[last]).unwrap_or(Run { subchannel: 0, method: 0, count: 0, stepping: Stepping::Each });
        let skipped = match run {
            Run { count: 0, .. } => 0,
            Run { count, stepping, .. } => 1 + usize::from(stepping == Stepping::Once && count > 1),
        };
        self.passed(words.len(), last + skipped);
    }

    fn execute(&mut self, _: &[u32], packet: usize) -> usize {
        let mut done = 0;
        while done < packet && self.channel.blocked.is_none() {
            match self.channel.step(self.core, self.address, self.words, self.at + done) {
                // A bounded run was interrupted.
                Step::On(0) => break,
                Step::On(words) => done += words,
                Step::Over(on) => {
                    self.end = Some(on);
                    break;
                }
            }
        }
        self.at += done;
        done
    }
}
