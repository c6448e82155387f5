//! The way of a machine's words: packets that are only stored, and packet traces.

use triglyph_guest::kernel::packet_trace::TraceRegisters;

use super::{MAX_WORDS, Packet, PacketTrace, PacketTraces};
use crate::render::{Pipeline, Renderer};

/// A machine at some packet of its command stream. It keeps its own cursor, which is moved by [`store`](Self::store)
/// and [`stored`](Self::stored).
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

    /// The packet at word `at` of a trace, if it is whole and only stores. Indices in it count from the beginning of
    /// the trace.
    fn analyze(&self, words: &[u32], at: usize) -> Option<Packet>;

    /// Whether packets may be stored in the state that the machine is in: those of a trace, for which the budget has to
    /// suffice, or any.
    fn is_ready(&self, trace: Option<&PacketTrace>) -> bool;

    /// A bank of registers.
    fn registers(&mut self, bank: usize) -> TraceRegisters<'_>;

    /// Code has stored the packets of a trace, which are `words`. Takes them off the budget, moves the cursor, and sets
    /// the machine's state as executing the last one would.
    fn stored(&mut self, words: &[u32], trace: &PacketTrace);
}

/// Executes packets that are only stored, as many as `words` begin with, by traces or one by one. Returns how many
/// words these were. The cursor is where a header is expected.
#[inline]
pub fn advance<S: PacketSource>(source: &mut S, words: &[u32]) -> usize {
    let threshold = source.traces().1.packet_traces;
    let mut done = 0;
    if threshold == 0 {
        return source.store(words);
    }
    loop {
        let taken = run_trace(source, &words[done..], threshold);
        done += taken;
        // After a shorter one is a packet that does more.
        if taken < MAX_WORDS {
            break;
        }
    }
    done + source.store(&words[done..])
}

/// Runs the code for what is at the cursor, if there is any. Returns how many words were executed.
#[inline(never)]
fn run_trace<S: PacketSource>(source: &mut S, words: &[u32], threshold: u32) -> usize {
    let Some(&header) = words.get(S::BEFORE_HEADER).filter(|_| source.is_ready(None)) else { return 0 };
    // What is stored clears no traces: it binds nothing.
    let mut traces = std::mem::take(source.traces().0);
    let mut run = || {
        let (trace, kernel) = traces.find(header, words, threshold, |least| {
            let mut trace = PacketTrace::record(words, |words, at| source.analyze(words, at));
            let target = source.registers(trace.bank);
            (trace.key.registers, trace.key.copies) = (target.registers.len() as u32, !target.copies.is_empty());
            (trace.key.stored() >= least).then(|| {
                let handle = source.traces().1.kernels.packet_trace(&trace.key);
                (trace, handle)
            })
        })?;
        if !source.is_ready(Some(trace)) {
            return None;
        }
        kernel.run(words, source.registers(trace.bank)).ok()?;
        source.stored(&words[..trace.words()], trace);
        source.traces().1.note_packet_trace(trace.words() as u64);
        Some(trace.words())
    };
    let done = run().unwrap_or(0);
    *source.traces().0 = traces;
    done
}
