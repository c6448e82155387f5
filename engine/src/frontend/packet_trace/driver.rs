//! Running packet traces: look up, analyze, look up again, run the code, account for the words.

use triglyph_guest::kernel::packet_trace::{PacketTraceJob, PacketTraceMachine, TraceRegisters};

use super::table::{Compiled, Lookup};
use super::{PacketTrace, PacketTraces};
use crate::render::{Pipeline, Renderer};

/// A machine at some packet of its command stream. It keeps its own cursor, which the driver moves by
/// [`stored`](Self::stored) and [`execute`](Self::execute).
pub trait PacketSource {
    /// Index of the first packet's header: 0, except where a packet begins with data.
    const HEADER: usize = 0;

    /// The machine's pipeline.
    type Pipeline: Pipeline;

    /// The channel's traces, and the renderer with its kernels and statistics.
    fn traces(&mut self) -> (&mut PacketTraces, &mut Renderer<Self::Pipeline>);

    /// Whether a trace may begin at the cursor, as far as the state of the machine is concerned.
    fn is_ready(&self) -> bool;

    /// Records the packets from the cursor on, which are those of `words`.
    fn analyze(&self, words: &[u32]) -> Option<PacketTrace>;

    /// Prepares to run a trace after `done`. False if the budget does not suffice for all of it or its registers cannot
    /// be stored to; then the packets are executed one by one.
    fn prepare(&mut self, trace: &PacketTrace, done: Progress) -> bool;

    /// The registers that the prepared trace stores to.
    fn registers(&mut self) -> TraceRegisters<'_>;

    /// Moves the cursor over `words`, which code has stored, and takes them off the budget.
    fn stored(&mut self, words: usize);

    /// Ends a run after packet `last`, which code has stored: sets the machine's state as executing the packet would.
    /// The cursor is after it; `words` are those of the trace.
    fn ended_after(&mut self, words: &[u32], trace: &PacketTrace, last: usize);

    /// Executes the packet at the cursor as if there were no traces, and moves the cursor. `words` begin with the
    /// packet.
    fn execute(&mut self, words: &[u32], packet: TracedPacket) -> Executed;
}

/// A packet of a trace that the machine executes.
#[derive(Clone, Copy, Debug)]
pub struct TracedPacket {
    /// Its words.
    pub words: usize,
    /// Words of the trace after it.
    pub words_left: usize,
    /// Whether code stores the next packet of the trace.
    pub next_is_stored: bool,
}

/// The result of a packet of a trace that the machine executed.
#[derive(Clone, Copy, Debug)]
pub struct Executed {
    /// Words by which the cursor moved.
    pub words: usize,
    /// Whether the trace may continue.
    pub may_continue: bool,
    /// Whether no other trace may follow: the machine has to stop, or the segment has ended.
    pub stops: bool,
}

/// Counts of the work of traces.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// Words.
    pub words: usize,
    /// Packets.
    pub packets: usize,
}

/// Words of a command stream from some word on. Words that were read ahead may have to be read again, so they are
/// borrowed again for each trace.
pub trait WordsAhead {
    /// The words from word `at` on; fewer than a trace has only where the segment or list ends.
    fn from(&mut self, at: usize) -> &[u32];
}

impl WordsAhead for &[u32] {
    #[inline]
    fn from(&mut self, at: usize) -> &[u32] {
        self.get(at..).unwrap_or(&[])
    }
}

/// Runs traces from the cursor on, one after the other, as long as there is code for what follows.
#[inline(always)]
pub fn run_traces<S: PacketSource>(source: &mut S, ahead: &mut impl WordsAhead) -> Progress {
    source.traces().0.looked();
    let (mut done, mut runs) = (Progress::default(), 0);
    while source.is_ready() {
        let words = ahead.from(done.words);
        let Some(compiled) = find(source, words) else { break };
        if words.len() < compiled.trace.words() || !source.prepare(&compiled.trace, done) {
            source.traces().0.give_back(compiled, true);
            break;
        }
        let mut run = RunningTrace { source, words, compiled: &compiled, done: 0, executed: None, stops: false };
        let packets = run.run();
        let RunningTrace { done: taken, stops, .. } = run;
        let trace = &compiled.trace;
        let distance = trace.start(trace.first_mismatch(packets, words)).saturating_sub(taken);
        let all = packets == trace.packets();
        done = Progress { words: done.words + taken, packets: done.packets + packets };
        runs += 1;
        source.traces().0.give_back(compiled, all);
        if stops {
            break;
        }
        if distance != 0 {
            // The packet that differs may begin a trace.
            source.traces().0.begin_after(distance);
            break;
        }
        if taken == 0 {
            break;
        }
    }
    source.traces().1.note_packet_traces(runs, done.words as u64);
    done
}

/// Code for the packets that `words` begin with. What has been met often enough is analyzed on the way.
#[inline(always)]
fn find<S: PacketSource>(source: &mut S, words: &[u32]) -> Option<Box<Compiled>> {
    let header = *words.get(S::HEADER)?;
    let (traces, renderer) = source.traces();
    let entry = match traces.lookup(header, words, renderer.packet_traces) {
        Lookup::Nothing => return None,
        Lookup::Run(compiled) => return Some(compiled),
        Lookup::Analyze(entry) => entry,
    };
    let trace = source.analyze(words);
    let (traces, renderer) = source.traces();
    traces.learn(entry, renderer.packet_traces, trace, &renderer.kernels);
    match traces.lookup(header, words, renderer.packet_traces) {
        Lookup::Run(compiled) => Some(compiled),
        _ => None,
    }
}

/// A trace that is running.
struct RunningTrace<'r, S> {
    source: &'r mut S,
    /// The words, from the trace's first one on.
    words: &'r [u32],
    compiled: &'r Compiled,
    /// Words of the trace that are done, and that the source's cursor has moved over.
    done: usize,
    /// The last packet that the machine executed.
    executed: Option<usize>,
    stops: bool,
}

impl<S: PacketSource> RunningTrace<'_, S> {
    /// Returns how many packets were done; the source's cursor is after them then.
    fn run(&mut self) -> usize {
        let (compiled, words) = (self.compiled, self.words);
        let Ok(packets) = compiled.kernel.run(&mut PacketTraceJob { words, machine: self }) else { return 0 };
        let packets = packets as usize;
        if let Some(last) = packets.checked_sub(1).filter(|&last| self.executed != Some(last)) {
            self.stored(compiled.trace.start(packets));
            self.source.ended_after(words, &compiled.trace, last);
        }
        packets
    }

    /// Accounts for words before word `to`, which code has stored.
    fn stored(&mut self, to: usize) {
        self.source.stored(to - self.done);
        self.done = to;
    }
}

impl<S: PacketSource> PacketTraceMachine for RunningTrace<'_, S> {
    fn registers(&mut self) -> TraceRegisters<'_> {
        self.source.registers()
    }

    fn call(&mut self, packet: u32) -> bool {
        let (packet, trace) = (packet as usize, &self.compiled.trace);
        let (start, end) = (trace.start(packet), trace.start(packet + 1));
        self.stored(start);
        let traced = TracedPacket {
            words: end - start,
            words_left: trace.words() - end,
            next_is_stored: trace.stores(packet + 1),
        };
        let executed = self.source.execute(&self.words[start..], traced);
        self.done += executed.words;
        (self.executed, self.stops) = (Some(packet), executed.stops);
        executed.may_continue
    }
}
