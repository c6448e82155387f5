//! A channel: GPFIFO entries, the words of its push buffers, and where their methods go.

use std::collections::VecDeque;

use triglyph_guest::tegra::driver::submit_flags;
use triglyph_guest::tegra::fifo::{
    Control, Entry, Event, MAX_COUNT, METHOD_MASK, Run, SUBCHANNELS, Segment, Stepping, Stream, Write, host as methods,
};
use triglyph_guest::tegra::methods::{Class, SUBCHANNEL_CLASSES};

pub use super::host::Blocked;
use super::host::{self, Host, SavedBlocked, SavedHost};
use super::unit::{SavedUnits, Units, Words};
use crate::core::{ADDRESS_MASK, Core, SPACE};
use triglyph_engine::device::FaultKind;
use triglyph_engine::frontend::budget::cost;
use triglyph_engine::frontend::packet_trace::PacketTraces;
use triglyph_engine::render::Renderer;
use triglyph_engine::snapshot::state;

/// Words that are read from memory at once.
const CHUNK: usize = 1024;

/// NV01_TIMER of the vendor's lists, a class of software. Eden (b75e81af5e) knows it as one that is bound, and lets its
/// methods do nothing.
const TIMER: u32 = 4;

/// What sits on a subchannel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    /// A class of engines.
    Class(Class),
    /// The processor: its methods are not executed here.
    Software,
    /// Nothing yet, or a class that does not exist: each word is a fault.
    Unknown,
}

impl Bound {
    /// What SET_OBJECT binds. Software classes have the engine number 0x1F or a number that ends in 0x6E, as envytools
    /// and Mesa have them, or are the timer of the resource manager (NV01_TIMER).
    pub fn of_object(object: u32) -> Bound {
        match Class::from_id(object) {
            Some(class) => Bound::Class(class),
            None if object >> 16 & 0x1F == 0x1F || object & 0xFF == 0x6E => Bound::Software,
            None if object & 0xFFFF == TIMER => Bound::Software,
            None => Bound::Unknown,
        }
    }
}

/// What a channel has to do, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Work {
    /// A GPFIFO entry.
    Entry(u64),
    /// The driver waits for a fence before it goes on.
    Wait {
        /// The syncpoint.
        index: u32,
        /// The value it has to reach.
        threshold: u32,
    },
    /// The driver counts the end of a submission.
    Increment {
        /// The syncpoint.
        index: u32,
        /// How often.
        count: u32,
    },
}

/// How far words of a segment were executed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// So many words.
    On(usize),
    /// To the end of the segment; false when the fuel is used up.
    Over(bool),
}

/// A channel with its units.
#[derive(Debug)]
pub struct Channel {
    /// Its address space.
    space: u32,
    /// What was submitted and not begun.
    entries: VecDeque<Work>,
    /// The segment that is being executed: where its next word is, and how many are left.
    pub(crate) current: Option<(u64, u32)>,
    pub(crate) stream: Stream,
    bound: [Bound; SUBCHANNELS],
    host: Host,
    pub(crate) units: Units,
    pub(crate) blocked: Option<Blocked>,
    /// Packets that recur.
    pub(crate) packet_traces: PacketTraces,
    /// Room for the words of a segment while they are executed.
    words: Vec<u32>,
    /// Whether what was drawn has not been counted.
    unsettled: bool,
}

impl Default for Channel {
    fn default() -> Self {
        Channel {
            space: SPACE,
            entries: VecDeque::new(),
            current: None,
            stream: Stream::default(),
            bound: SUBCHANNEL_CLASSES.map(|class| class.map_or(Bound::Software, Bound::Class)),
            host: Host::default(),
            units: Units::default(),
            blocked: None,
            packet_traces: PacketTraces::default(),
            words: Vec::new(),
            unsettled: false,
        }
    }
}

state! {
    /// A channel in a snapshot.
    pub(crate) struct SavedChannel {
        space: u32,
        entries: Vec<SavedWork>,
        current: Option<(u64, u32)>,
        pending: Option<SavedRun>,
        masks: [u32; 2],
        bound: Vec<u32>,
        host: SavedHost,
        units: SavedUnits,
        blocked: Option<SavedBlocked>,
    }
    /// Something to do: its kind; the entry, or syncpoint and value.
    pub(crate) struct SavedWork { kind: u8, entry: u64, value: u32 }
    /// Data words that are still to come.
    pub(crate) struct SavedRun { subchannel: u32, method: u32, count: u32, stepping: u8 }
}

/// What sits on a subchannel in a snapshot: the number of a class, or one of these.
const SAVED_UNKNOWN: u32 = 0;
const SAVED_SOFTWARE: u32 = 1;

impl Work {
    fn save(&self) -> SavedWork {
        match *self {
            Work::Entry(entry) => SavedWork { kind: 0, entry, value: 0 },
            Work::Wait { index, threshold } => SavedWork { kind: 1, entry: index.into(), value: threshold },
            Work::Increment { index, count } => SavedWork { kind: 2, entry: index.into(), value: count },
        }
    }

    fn restore(SavedWork { kind, entry, value }: SavedWork) -> Option<Self> {
        let index = u32::try_from(entry).ok();
        match kind {
            0 => Some(Work::Entry(entry)),
            1 => index.map(|index| Work::Wait { index, threshold: value }),
            2 if value <= submit_flags::INCREMENTS => index.map(|index| Work::Increment { index, count: value }),
            _ => None,
        }
    }
}

const STEPPINGS: [Stepping; 3] = [Stepping::Each, Stepping::Never, Stepping::Once];

impl Channel {
    pub(crate) fn save(&self) -> SavedChannel {
        let run = |Run { subchannel, method, count, stepping }| {
            let stepping = STEPPINGS.iter().position(|&known| known == stepping).unwrap_or(0) as u8;
            SavedRun { subchannel, method, count, stepping }
        };
        let bound = |bound: &Bound| match bound {
            Bound::Class(class) => class.id(),
            Bound::Software => SAVED_SOFTWARE,
            Bound::Unknown => SAVED_UNKNOWN,
        };
        SavedChannel {
            space: self.space,
            entries: self.entries.iter().map(Work::save).collect(),
            current: self.current,
            pending: self.stream.pending.map(run),
            masks: [self.stream.mask, self.stream.stored],
            bound: self.bound.iter().map(bound).collect(),
            host: self.host.save(),
            units: self.units.save(),
            blocked: self.blocked.as_ref().map(Blocked::save),
        }
    }

    /// What was saved, if it is possible.
    pub(crate) fn restore(saved: SavedChannel) -> Option<Self> {
        let run = |SavedRun { subchannel, method, count, stepping }: SavedRun| {
            let stepping = *STEPPINGS.get(usize::from(stepping))?;
            let sound = subchannel < SUBCHANNELS as u32 && method <= METHOD_MASK && (1..=MAX_COUNT).contains(&count);
            sound.then_some(Run { subchannel, method, count, stepping })
        };
        let bound = |number: u32| match number {
            SAVED_UNKNOWN => Some(Bound::Unknown),
            SAVED_SOFTWARE => Some(Bound::Software),
            id => Class::from_id(id).filter(|class| class.id() == id).map(Bound::Class),
        };
        let pending = match saved.pending {
            Some(pending) => Some(run(pending)?),
            None => None,
        };
        let blocked = match saved.blocked {
            Some(blocked) => Some(Blocked::restore(blocked)?),
            None => None,
        };
        let entries: Option<Vec<Work>> = saved.entries.into_iter().map(Work::restore).collect();
        let bound: Option<Vec<Bound>> = saved.bound.into_iter().map(bound).collect();
        let sound = saved.masks.iter().all(|&mask| mask <= METHOD_MASK)
            && saved.current.is_none_or(|(address, words)| address <= ADDRESS_MASK && words != 0);
        sound.then_some(())?;
        Some(Channel {
            space: saved.space,
            entries: entries?.into(),
            current: saved.current,
            stream: Stream { pending, mask: saved.masks[0], stored: saved.masks[1] },
            bound: bound?.try_into().ok()?,
            host: Host::restore(saved.host),
            units: Units::restore(saved.units)?,
            blocked,
            packet_traces: PacketTraces::default(),
            words: Vec::new(),
            unsettled: false,
        })
    }

    /// Appends work.
    pub fn submit(&mut self, work: impl IntoIterator<Item = Work>) {
        self.entries.extend(work);
    }

    /// The address space that its addresses are of.
    pub fn space(&self) -> u32 {
        self.space
    }

    /// Moves it to an address space.
    pub(crate) fn bind_space(&mut self, space: u32) {
        self.space = space;
    }

    /// What the channel waits for.
    pub fn blocked(&self) -> Option<Blocked> {
        self.blocked
    }

    /// Whether it has anything to do that does not wait.
    pub fn has_work(&self) -> bool {
        self.current.is_some() || !self.entries.is_empty()
    }

    /// What sits on a subchannel, 0 to 7.
    pub fn bound(&self, subchannel: u32) -> Bound {
        self.bound[subchannel as usize % SUBCHANNELS]
    }

    /// The units.
    pub fn units(&self) -> &Units {
        &self.units
    }

    /// What SET_REFERENCE stored last.
    pub fn reference(&self) -> u32 {
        self.host.reference
    }

    /// Works until everything submitted is done, something has to be waited for, or the fuel is used up. Returns
    /// whether anything was done.
    pub fn run(&mut self, core: &mut Core) -> bool {
        let memory = core.memory.share();
        let worked = Renderer::with_background(core, |core| &mut core.renderer, &memory, |core| self.work(core));
        drop(memory);
        self.unsettled |= worked;
        // Accounting is skipped between back-to-back commands of one channel.
        if self.unsettled && !core.budget.is_over() && core.draw_all() {
            self.settle(core);
        }
        worked
    }

    /// What the channel has drawn counts for it, and a snapshot has all that was counted.
    fn settle(&mut self, core: &mut Core) {
        self.units.settle(core);
        self.unsettled = false;
    }

    /// The same after a bounded run that ended before the channel came to it.
    pub(crate) fn settle_left(&mut self, core: &mut Core) {
        if self.unsettled {
            self.settle(core);
        }
    }

    /// Draws scenes that commands have closed. False when a bounded run was interrupted.
    fn draw_closed(&mut self, core: &mut Core) -> bool {
        self.units.draw_closed(core)
    }

    fn work(&mut self, core: &mut Core) -> bool {
        let mut words = std::mem::take(&mut self.words);
        words.resize(CHUNK, 0);
        let worked = self.work_with(core, &mut words);
        self.words = words;
        worked
    }

    /// The same with room for [`CHUNK`] words.
    fn work_with(&mut self, core: &mut Core, words: &mut [u32]) -> bool {
        core.space = self.space;
        let mut worked = false;
        loop {
            if !self.draw_closed(core) {
                return worked;
            }
            if let Some(blocked) = self.blocked {
                if !blocked.is_over(core) {
                    return worked;
                }
                self.blocked = None;
            }
            if core.budget.is_over() {
                return worked;
            }
            if let Some((address, left)) = self.current {
                worked = true;
                let words = &mut words[..CHUNK.min(left as usize)];
                core.position = address;
                if core.cut_before(address, 4 * words.len() as u64) {
                    return worked;
                }
                core.peek_words(address, words);
                if !self.chunk(core, address, words) {
                    return worked;
                }
            } else if let Some(next) = self.entries.pop_front() {
                worked = true;
                if !self.begin(core, next) {
                    self.entries.push_front(next);
                }
            } else {
                // Nothing more was submitted: a macro that waits for parameters gets none, unless a header promised
                // them.
                return self.stream.pending.is_none() && self.units.finish_macro(core) || worked;
            }
        }
    }

    /// Begins what was submitted next. False when a bounded run was interrupted before.
    fn begin(&mut self, core: &mut Core, work: Work) -> bool {
        match work {
            Work::Entry(bits) => self.begin_entry(core, bits),
            // What the driver pushes are methods of the host, which end a macro's parameters.
            Work::Wait { index, threshold } => {
                self.units.finish_macro(core);
                self.blocked = Some(Blocked::Syncpoint { index, threshold });
            }
            Work::Increment { index, count } => {
                self.units.finish_macro(core);
                if !self.units.draw_all(core) {
                    return false;
                }
                (0..count).for_each(|_| core.increment_syncpoint(index));
            }
        }
        true
    }

    fn begin_entry(&mut self, core: &mut Core, bits: u64) {
        core.budget.charge(cost::JUMP);
        match Entry::decode(bits) {
            Entry::Segment(Segment { conditional: true, .. }) if !self.stream.active() => {}
            Entry::Segment(segment) => {
                // Once for all of it: what is read of it at once depends on where bounded runs end.
                core.expect_readable(segment.address, 4 * u64::from(segment.words), "a push buffer");
                self.current = Some((segment.address, segment.words));
            }
            Entry::Control { operation: Control::Illegal | Control::Unknown(_), .. } => {
                core.fault(
                    FaultKind::BadCommand,
                    bits,
                    format_args!("the operation of GPFIFO entry {bits:#018x} does not exist"),
                );
            }
            Entry::Control { .. } => {}
        }
    }

    /// Executes word `done` of a chunk at `address`, with data words that belong to it.
    pub(crate) fn step(&mut self, core: &mut Core, address: u64, words: &[u32], mut done: usize) -> Step {
        let before = done;
        core.position = address.wrapping_add(4 * done as u64) & ADDRESS_MASK;
        let run = match self.stream.pending.take() {
            Some(run) => Some(run),
            None => {
                done += 1;
                match self.stream.open(words[before]) {
                    Ok(run) => Some(run),
                    Err(event) if self.event(core, event, words[before]) => None,
                    Err(_) => return Step::On(0),
                }
            }
        };
        core.words_before = (done - before) as u64;
        if let Some(run) = run {
            core.position = address.wrapping_add(4 * done as u64) & ADDRESS_MASK;
            let end = words.len().min(before.saturating_add(core.budget.words_left()));
            done += self.data(core, run, &words[done..end]);
        }
        core.words_before = 0;
        if self.current.is_none() {
            return Step::Over(core.budget.spend_words(1, 1));
        }
        if !core.budget.spend_words((done - before) as u64, (done - before) as u64) {
            core.fault(FaultKind::OutOfFuel, address, format_args!("the push buffers do not end within the budget"));
            // What was dropped counts as done: others wait for its fences.
            self.entries.retain(|work| !matches!(work, Work::Entry(_)));
            self.current = None;
            return Step::Over(false);
        }
        // An interrupt ends the run before the next word.
        self.draw_closed(core);
        Step::On(done - before)
    }

    /// Headers whose data are only stored, as many as `words` begin with: the way of most words of a push buffer.
    /// Returns how many words were taken, and where the data of the last header are.
    pub(super) fn plain_runs(&self, words: &[u32]) -> (usize, usize) {
        let (mut done, mut last) = (0, 0);
        if self.stream.pending.is_some() || !self.stream.active() || self.units.waits_for_parameters() {
            return (done, last);
        }
        while let Some(&header) = words.get(done) {
            let (subchannel, method) = (header >> 13 & 7, header & METHOD_MASK);
            let Bound::Class(class) = self.bound[subchannel as usize] else { break };
            if method < methods::END {
                break;
            }
            let registers = self.units.registers(class);
            match header >> 29 {
                1 => {
                    let count = (header >> 16 & MAX_COUNT) as usize;
                    let Some(data) = words.get(done + 1..done + 1 + count) else { break };
                    let stored = match data {
                        [] => false,
                        &[word] => registers.store_word(method, word),
                        data => registers.store_all(method, data),
                    };
                    if !stored {
                        break;
                    }
                    last = done + 1;
                    done += 1 + count;
                }
                4 => {
                    if !registers.store_word(method, header >> 16 & MAX_COUNT) {
                        break;
                    }
                    last = done;
                    done += 1;
                }
                _ => break,
            }
        }
        (done, last)
    }

    /// Leaves `words` of the segment.
    pub(super) fn advance(&mut self, words: usize) {
        self.current = self.current.and_then(|(address, left)| {
            let left = left - words as u32;
            (left != 0).then_some((address.wrapping_add(4 * words as u64) & ADDRESS_MASK, left))
        });
    }

    /// What a word is that does not begin a run. False when a bounded run was interrupted before it.
    fn event(&mut self, core: &mut Core, event: Event, word: u32) -> bool {
        match event {
            Event::None => {}
            Event::Write(Write { subchannel, method, data, .. }) => {
                let run = Run { subchannel, method, count: 1, stepping: Stepping::Each };
                return self.deliver(core, run, &[data]) != 0;
            }
            Event::EndSegment => self.current = None,
            Event::Malformed => {
                core.fault(FaultKind::BadCommand, word.into(), format_args!("{word:#010x} is no method header"));
            }
        }
        true
    }

    /// Data words of a run, as many as are its own and there; the others are still to come. Returns how many were
    /// taken.
    #[inline]
    fn data(&mut self, core: &mut Core, run: Run, words: &[u32]) -> usize {
        let words = &words[..words.len().min(run.count as usize)];
        let taken = match words {
            [] => 0,
            words if self.stream.active() => self.deliver(core, run, words),
            words => words.len(),
        };
        if taken != run.count as usize {
            self.stream.pending = Some(run.after(taken as u32));
        }
        taken
    }

    /// Delivers words of a run to the host or to the unit of their subchannel. Returns how many were taken: none when a
    /// bounded run was interrupted.
    #[inline]
    fn deliver(&mut self, core: &mut Core, run: Run, words: &[u32]) -> usize {
        let Run { subchannel, method, stepping, .. } = run;
        if method < methods::END {
            self.units.finish_macro(core);
            if host::shows_drawing(method, words[0]) && !self.units.draw_all(core) {
                return 0;
            }
            if method == 0 {
                self.bind(core, subchannel, words[0]);
            }
            self.blocked = self.host.write(core, method, words[0]).filter(|blocked| !blocked.is_over(core));
            return 1;
        }
        match self.bound[subchannel as usize % SUBCHANNELS] {
            Bound::Class(class) => {
                let words = Words { method, stepping, data: words, position: core.position };
                let taken = self.units.write(core, class, words);
                self.blocked = self.units.take_blocked();
                taken
            }
            bound => {
                // A run that passes the last method goes on at method 0, which is the host's: that part is not taken.
                let taken = match stepping {
                    Stepping::Each => words.len().min((METHOD_MASK + 1 - method) as usize),
                    Stepping::Never => words.len(),
                    Stepping::Once => 1,
                };
                if bound == Bound::Unknown {
                    let step = u32::from(stepping == Stepping::Each);
                    (0..taken as u32).for_each(|word| no_class(core, subchannel, method + step * word));
                }
                taken
            }
        }
    }

    fn bind(&mut self, core: &mut Core, subchannel: u32, object: u32) {
        let bound = Bound::of_object(object);
        if bound == Bound::Unknown {
            core.fault(
                FaultKind::BadMethod,
                object.into(),
                format_args!("class {:#06x} does not exist", object & 0xFFFF),
            );
        }
        if std::mem::replace(&mut self.bound[subchannel as usize % SUBCHANNELS], bound) != bound {
            self.packet_traces.clear();
        }
    }
}

/// Counts a word for a subchannel without a class.
#[cold]
fn no_class(core: &mut Core, subchannel: u32, method: u32) {
    let what = format_args!("method {method:#x} of subchannel {subchannel}, which has no class");
    core.fault(FaultKind::BadMethod, method.into(), what);
}
