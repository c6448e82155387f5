//! The way of a machine's words: packets that are only stored, and packet traces.

use triglyph_guest::kernel::packet_trace::{Packet, PacketTraceMachine, TraceRegisters};

use super::table::Lookup;
use super::{Before, MAX_WORDS, PacketTrace, PacketTraces, Shape};
use crate::render::{Pipeline, Renderer};

/// A machine at some packet of its command stream. It keeps its own cursor, which is moved by
/// [`store`](Self::store), [`stored`](Self::stored) and [`execute`](Self::execute).
pub trait PacketSource {
    /// Words of a packet before its header.
    const BEFORE_HEADER: usize = 0;

    /// The machine's pipeline.
    type Pipeline: Pipeline;

    /// The channel's traces, and the renderer with its kernels and statistics.
    fn traces(&mut self) -> (&mut PacketTraces, &mut Renderer<Self::Pipeline>);

    /// Executes packets that are only stored, as many whole ones as `words` begin with and the budget suffices for.
    /// Returns how many words these were.
    fn store(&mut self, words: &[u32]) -> usize;

    /// The packet that `words` begin with, if they have all of it.
    fn shape(&self, words: &[u32]) -> Option<Shape>;

    /// The packet at word `at` of a trace, which is whole; `None` if it cannot be part of one. Indices in it count from
    /// the beginning of the trace.
    fn analyze(&self, words: &[u32], at: usize, before: &mut Before) -> Option<Packet>;

    /// Whether a packet may be stored, as far as the state of the machine is concerned: to a bank of registers, if it
    /// is known.
    fn is_ready(&self, bank: Option<usize>) -> bool;

    /// Whether the budget suffices for so many words and packets.
    fn affords(&self, words: usize, packets: usize) -> bool;

    /// Whether the machine has to stop before the next packet.
    fn stops(&self) -> bool {
        false
    }

    /// A bank of registers.
    fn registers(&mut self, bank: usize) -> TraceRegisters<'_>;

    /// Code has stored `packets` packets, which are `words`; the last one begins at word `last` of them. Takes them off
    /// the budget, moves the cursor, and sets the machine's state as executing the last one would.
    fn stored(&mut self, words: &[u32], packets: usize, last: usize);

    /// Executes the packet of so many words that `words` begin with as if there were no traces. Returns by how many
    /// words that moved the cursor: less than all if the machine was interrupted.
    fn execute(&mut self, words: &[u32], packet: usize) -> usize;
}

/// What comes where [`advance`] has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// A packet that the machine has to execute; it counts as executed.
    Packet,
    /// No whole packet, or no words for a trace: the words that follow.
    Words,
    /// [`PacketSource::stops`].
    Stop,
}

/// Executes what can be executed of `words`, from the cursor on, by storing and by traces. `more`: other words follow
/// these, and can be had.
#[inline]
pub fn advance<S: PacketSource>(source: &mut S, words: &[u32], more: bool) -> Next {
    let (traces, renderer) = source.traces();
    if renderer.packet_traces == 0 {
        traces.room = usize::MAX;
    }
    let mut at = 0;
    loop {
        let room = source.traces().0.room;
        if room == 0 {
            if more && words.len() - at < MAX_WORDS {
                return Next::Words;
            }
            let (taken, stops) = run_trace(source, &words[at..]);
            at += taken;
            if stops {
                return Next::Stop;
            }
            continue;
        }
        let stored = source.store(&words[at..words.len().min(at.saturating_add(room))]);
        at += stored;
        let room = room.saturating_sub(stored);
        let shape = source.shape(&words[at..]);
        let (left, next) = match shape {
            // A trace may begin at the packet instead of within it.
            Some(shape) if shape.words > room && room < MAX_WORDS => (0, None),
            Some(shape) if shape.ends => (0, Some(Next::Packet)),
            Some(shape) => (room.saturating_sub(shape.words), Some(Next::Packet)),
            None if more || at == words.len() => (room, Some(Next::Words)),
            None => (room, Some(Next::Packet)),
        };
        source.traces().0.room = left;
        if let Some(next) = next {
            return next;
        }
    }
}

/// Runs the code for what is at the cursor, if there is any. Returns how many words were executed, and whether the
/// machine has to stop after the last of them.
#[inline(never)]
fn run_trace<S: PacketSource>(source: &mut S, words: &[u32]) -> (usize, bool) {
    source.traces().0.room = MAX_WORDS;
    if source.stops() || !source.is_ready(None) {
        return (0, false);
    }
    // What is executed clears no traces: bindings do not change within one.
    let mut traces = std::mem::take(source.traces().0);
    let done = find(source, &mut traces, words).map_or((0, false), |entry| run(source, &mut traces, entry, words));
    *source.traces().0 = traces;
    done
}

/// The entry with code for the packets that `words` begin with. What has been met often enough is recorded on the way.
fn find<S: PacketSource>(source: &mut S, traces: &mut PacketTraces, words: &[u32]) -> Option<usize> {
    let header = *words.get(S::BEFORE_HEADER)?;
    let threshold = source.traces().1.packet_traces;
    let entry = match traces.find(header, words, threshold) {
        Lookup::Nothing => return None,
        Lookup::Ready(entry) => return Some(entry),
        Lookup::Record(entry) => entry,
    };
    let trace = PacketTrace::record(S::BEFORE_HEADER, words, |words, at, before| {
        let shape = source.shape(&words[at..])?;
        Some((source.analyze(words, at, before)?, shape))
    });
    let trace = trace.map(|mut trace| {
        let target = source.registers(trace.bank);
        (trace.key.registers, trace.key.copies) = (target.registers.len() as u32, !target.copies.is_empty());
        trace
    });
    traces.learn(entry, threshold, trace, &source.traces().1.kernels).then_some(entry)
}

/// Runs the code of an entry. Returns what [`run_trace`] does.
fn run<S: PacketSource>(source: &mut S, traces: &mut PacketTraces, entry: usize, words: &[u32]) -> (usize, bool) {
    let Some((trace, kernel)) = traces.code(entry) else { return (0, false) };
    if !source.affords(trace.words(), trace.packets()) || !source.is_ready(Some(trace.bank)) {
        return (0, false);
    }
    let mut run = Run { source, words, trace, words_done: 0, packets_done: 0, called: false };
    let packets = kernel.run(words, &mut run).map_or(0, |packets| packets as usize);
    run.stored(packets);
    let (taken, called) = (run.words_done, run.called);
    // The packet that differs may begin a trace, and so may the one after a trace.
    let distance = trace.start(trace.first_mismatch(packets, words)).saturating_sub(taken);
    let (all, stuck) = (packets == trace.packets(), taken == 0 && distance == 0);
    source.traces().1.note_packet_trace(taken as u64);
    traces.room = if stuck { MAX_WORDS } else { distance };
    traces.note_end(entry, all);
    // As without traces, nothing is looked at after words that are only stored.
    (taken, called && source.stops())
}

/// A trace that is running.
struct Run<'r, S> {
    source: &'r mut S,
    /// The words, from the trace's first one on.
    words: &'r [u32],
    trace: &'r PacketTrace,
    /// Words and packets of the trace that are done, and that the source's cursor has moved over.
    words_done: usize,
    packets_done: usize,
    /// Whether the machine executed the last one.
    called: bool,
}

impl<S: PacketSource> Run<'_, S> {
    /// Accounts for packets before packet `to`, which code has stored.
    fn stored(&mut self, to: usize) {
        let count = to.saturating_sub(self.packets_done);
        if count != 0 {
            let (start, end) = (self.words_done, self.trace.start(to));
            self.source.stored(&self.words[start..end], count, self.trace.start(to - 1) - start);
            (self.words_done, self.packets_done, self.called) = (end, to, false);
        }
    }
}

impl<S: PacketSource> PacketTraceMachine for Run<'_, S> {
    fn registers(&mut self) -> TraceRegisters<'_> {
        self.source.registers(self.trace.bank)
    }

    fn call(&mut self, packet: u32) -> bool {
        let (trace, next) = (self.trace, packet as usize + 1);
        self.stored(next - 1);
        let (start, end) = (self.words_done, trace.start(next));
        self.words_done += self.source.execute(&self.words[start..], end - start);
        (self.packets_done, self.called) = (next, true);
        let stores = trace.key.packets.get(next).is_some_and(|packet| !packet.stores.is_empty());
        self.words_done == end
            && !self.source.stops()
            && self.source.affords(trace.words() - end, trace.packets() - next)
            && (!stores || self.source.is_ready(Some(trace.bank)))
    }
}
