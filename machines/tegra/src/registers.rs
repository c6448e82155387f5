//! The registers of a class on a channel, and the copy that macros replay.

use std::cell::Cell;
use std::ops::Range;
use std::sync::LazyLock;

use triglyph_guest::kernel::mme::{CALL, METHODS, MmeJob, MmeMachine};
use triglyph_guest::kernel::packet_trace::TraceRegisters;
use triglyph_guest::tegra::methods::{Class, Effect, MethodTable, compute, copy, inline, threed, twod};

use triglyph_engine::snapshot::state;

/// What happens to the copy of a register on a write (SET_MME_SHADOW_RAM_CONTROL).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Shadow {
    /// The copy follows. Filtering of equal values shows nothing else.
    #[default]
    Track,
    /// The copy stays.
    Pass,
    /// The copy is what gets written.
    Replay,
}

state! {
    /// Registers in a snapshot; the mode is that of [`Shadow`], by place.
    pub(super) struct SavedRegisters { live: Vec<u32>, shadow: Vec<u32>, mode: u8 }
}

/// Below this dword address the copy follows whatever the mode: the host's methods and the expander's own.
const ALWAYS_TRACKED: u32 = 0x80;

/// Registers as cells: a macro works on them, and so does what it calls.
#[derive(Debug)]
pub struct Registers {
    live: Box<[Cell<u32>; METHODS]>,
    shadow: Box<[Cell<u32>; METHODS]>,
    effects: &'static Effects,
    dirty: Cell<u32>,
    mode: Cell<Shadow>,
    /// Whether writes without effect are plain stores: the mode is [`Shadow::Track`].
    direct: Cell<bool>,
    /// Groups that may be read now.
    #[cfg(debug_assertions)]
    readable: Cell<u32>,
}

/// The registers of some groups as they were.
#[derive(Debug, Default)]
pub struct Held(Vec<u32>);

impl Registers {
    /// The registers of `class` as a channel begins with them.
    pub fn new(class: Class) -> Self {
        let reset = class.reset();
        let cells = || Box::new(std::array::from_fn(|i| Cell::new(reset[i])));
        Registers {
            live: cells(),
            shadow: cells(),
            effects: effects(class),
            dirty: Cell::new(u32::MAX),
            mode: Cell::default(),
            direct: Cell::new(true),
            #[cfg(debug_assertions)]
            readable: Cell::new(u32::MAX),
        }
    }

    /// What a snapshot holds of them.
    pub(super) fn save(&self) -> SavedRegisters {
        let words = |cells: &[Cell<u32>; METHODS]| cells.iter().map(Cell::get).collect();
        SavedRegisters { live: words(&self.live), shadow: words(&self.shadow), mode: self.mode.get() as u8 }
    }

    /// Registers of `class` from a snapshot, all groups stale; `None` when they are not as many as a class has.
    pub(super) fn restore(class: Class, saved: SavedRegisters) -> Option<Self> {
        let SavedRegisters { live, shadow, mode } = saved;
        let registers = Registers::new(class);
        if [live.len(), shadow.len()] != [METHODS; 2] || mode > 2 {
            return None;
        }
        registers.live.iter().zip(live).for_each(|(cell, word)| cell.set(word));
        registers.shadow.iter().zip(shadow).for_each(|(cell, word)| cell.set(word));
        registers.set_shadow_control(if mode == 0 { 0 } else { 1 + u32::from(mode) });
        Some(registers)
    }

    /// A register; `method` counts modulo 0x1000.
    #[inline]
    pub fn get(&self, method: usize) -> u32 {
        #[cfg(debug_assertions)]
        {
            let (group, readable) = (self.effects.groups[method % METHODS], self.readable.get());
            let known = readable == u32::MAX || group != CALL && group & readable != 0;
            assert!(known, "register {method:#x} is read, but what is derived from it is not stale when it changes");
        }
        self.live[method % METHODS].get()
    }

    /// Sets a register and its copy, whatever the mode, as firmware does.
    pub fn set(&self, method: usize, value: u32) {
        self.live[method % METHODS].set(value);
        self.shadow[method % METHODS].set(value);
    }

    /// A 40-bit address of two registers, upper and lower.
    pub fn address(&self, upper: usize) -> u64 {
        u64::from(self.get(upper) & 0xFF) << 32 | u64::from(self.get(upper + 1))
    }

    /// Stores a method's datum as the shadow mode wants it, and returns what the method gets. Groups that it makes stale
    /// are noted.
    #[inline]
    pub fn store(&self, method: u32, datum: u32) -> u32 {
        let index = method as usize % METHODS;
        let datum = match self.mode.get() {
            Shadow::Replay if method >= ALWAYS_TRACKED => self.shadow[index].get(),
            Shadow::Pass if method >= ALWAYS_TRACKED => datum,
            _ => {
                self.shadow[index].set(datum);
                datum
            }
        };
        self.live[index].set(datum);
        if self.effects.groups[index] != CALL {
            self.dirty.set(self.dirty.get() | self.effects.groups[index]);
        }
        datum
    }

    /// Stores data of consecutive methods up to the first that does more than that, or to the end of the method space.
    /// Returns how many were stored: with less than all, the next method is one that does more. Only while copies follow;
    /// otherwise 0, and words have to be stored one by one.
    #[inline]
    pub fn store_run(&self, method: u32, words: &[u32]) -> usize {
        let first = method as usize % METHODS;
        let count = words.len().min(self.plain_from(first));
        self.store_plain(first, &words[..count]);
        count
    }

    /// Stores data of consecutive methods if none of them does more than that and copies follow. Otherwise nothing has
    /// happened: false. This is the way of nearly all words of a push buffer.
    #[inline(always)]
    pub fn store_all(&self, method: u32, words: &[u32]) -> bool {
        let first = method as usize % METHODS;
        let all = words.len() <= self.plain_from(first);
        if all {
            self.store_plain(first, words);
        }
        all
    }

    /// Stores a datum if that is all its method does and copies follow. Otherwise nothing has happened: false.
    #[inline(always)]
    pub fn store_word(&self, method: u32, word: u32) -> bool {
        let index = method as usize % METHODS;
        let plain = self.plain_from(index) != 0;
        if plain {
            self.live[index].set(word);
            self.shadow[index].set(word);
            self.dirty.set(self.dirty.get() | self.effects.groups[index]);
        }
        plain
    }

    /// How many methods from this one on may be stored without looking at them.
    #[inline(always)]
    fn plain_from(&self, first: usize) -> usize {
        if self.direct.get() { self.effects.plain[first].into() } else { 0 }
    }

    /// Stores words in registers and copies, none of them at the end of the method space or of a method that does more.
    #[inline(always)]
    fn store_plain(&self, first: usize, words: &[u32]) {
        let end = first + words.len();
        let (Some(groups), Some(live), Some(shadow)) =
            (self.effects.groups.get(first..end), self.live.get(first..end), self.shadow.get(first..end))
        else {
            return;
        };
        let mut stale = self.dirty.get();
        // Most runs are shorter than two vectors: pieces of four words, then words.
        let (words4, words) = words.as_chunks::<4>();
        let (groups4, groups) = groups.as_chunks::<4>();
        let (live4, live) = live.as_chunks::<4>();
        let (shadow4, shadow) = shadow.as_chunks::<4>();
        if !words4.is_empty() {
            let mut stale4 = [0; 4];
            for (((words, groups), live), shadow) in words4.iter().zip(groups4).zip(live4).zip(shadow4) {
                let words = *words;
                for i in 0..4 {
                    stale4[i] |= groups[i];
                    live[i].set(words[i]);
                }
                for i in 0..4 {
                    shadow[i].set(words[i]);
                }
            }
            stale |= stale4[0] | stale4[1] | stale4[2] | stale4[3];
        }
        for (((&word, group), live), shadow) in words.iter().zip(groups).zip(live).zip(shadow) {
            stale |= group;
            live.set(word);
            shadow.set(word);
        }
        self.dirty.set(stale);
    }

    /// Whether a write of `method` does nothing but store.
    #[inline]
    pub fn is_plain(&self, method: u32) -> bool {
        self.effects.plain[method as usize % METHODS] != 0
    }

    /// Derives something that is remembered until one of `groups` is stale. With debug assertions, registers of other groups
    /// cannot be read.
    pub fn deriving<T>(&self, groups: u32, derive: impl FnOnce() -> T) -> T {
        #[cfg(debug_assertions)]
        let before = self.readable.replace(groups);
        let derived = derive();
        #[cfg(debug_assertions)]
        self.readable.set(before);
        #[cfg(not(debug_assertions))]
        let _ = groups;
        derived
    }

    /// Compares the registers of the `stale` ones of some groups with what they were when this was called last, and keeps what
    /// they are. Returns whether any has changed: writes often change nothing.
    pub fn renew(&self, groups: u32, stale: u32, held: &mut Held) -> bool {
        let runs = || self.effects.runs.iter().filter(|(group, _)| group & groups != 0);
        if held.0.is_empty() {
            held.0 = runs().flat_map(|(_, run)| &self.live[run.clone()]).map(Cell::get).collect();
            return true;
        }
        let (mut changed, mut rest) = (0, &mut held.0[..]);
        for (group, run) in runs() {
            let (held, after) = std::mem::take(&mut rest).split_at_mut(run.len());
            rest = after;
            if group & stale != 0 {
                for (held, cell) in held.iter_mut().zip(&self.live[run.clone()]) {
                    changed |= *held ^ cell.get();
                    *held = cell.get();
                }
            }
        }
        changed != 0
    }

    /// The groups that a write of `method` makes stale; `None` where that does more than being stored.
    pub fn plain_groups(&self, method: u32) -> Option<u32> {
        self.is_plain(method).then(|| self.effects.groups[method as usize % METHODS])
    }

    /// Where packet traces store.
    pub fn trace_registers(&self) -> TraceRegisters<'_> {
        TraceRegisters { registers: &*self.live, copies: &*self.shadow, dirty: &self.dirty }
    }

    /// Takes the groups that are stale.
    pub fn take_dirty(&self) -> u32 {
        self.dirty.replace(0)
    }

    /// Changes the shadow mode: 0 and 1 track, 2 passes, 3 replays.
    pub fn set_shadow_control(&self, value: u32) {
        self.mode.set(match value & 3 {
            2 => Shadow::Pass,
            3 => Shadow::Replay,
            _ => Shadow::Track,
        });
        self.direct.set(self.mode.get() == Shadow::Track);
    }

    /// Whether copies follow, so that [`Self::store_run`] may be used.
    #[inline]
    pub fn is_direct(&self) -> bool {
        self.direct.get()
    }

    /// A macro's call on these registers.
    pub fn job<'a>(&'a self, parameters: &'a [u32], machine: &'a mut dyn MmeMachine) -> MmeJob<'a> {
        MmeJob {
            parameters,
            live: &self.live,
            shadow: &self.shadow,
            groups: &self.effects.groups,
            dirty: &self.dirty,
            direct: &self.direct,
            machine,
        }
    }
}

/// What writes of a class's methods do.
#[derive(Debug)]
struct Effects {
    /// For each method the groups of state that it makes stale, or [`CALL`] when something has to be done.
    groups: [u32; METHODS],
    /// How many methods from each on are not [`CALL`].
    plain: [u16; METHODS],
    /// Methods near each other that make the same groups stale, and what is between them.
    runs: Vec<(u32, Range<usize>)>,
}

/// Methods of other groups between those of a run.
const MOST_BETWEEN: usize = 8;

/// Makes the tables of all classes, which the first channel of a process would wait for.
pub(super) fn prepare() {
    for class in Class::ALL {
        effects(class);
    }
}

fn effects(class: Class) -> &'static Effects {
    static THREED: LazyLock<Effects> = LazyLock::new(|| of(&threed::METHODS));
    static TWOD: LazyLock<Effects> = LazyLock::new(|| of(&twod::METHODS));
    static INLINE: LazyLock<Effects> = LazyLock::new(|| of(&inline::METHODS));
    static COPY: LazyLock<Effects> = LazyLock::new(|| of(&copy::METHODS));
    static COMPUTE: LazyLock<Effects> = LazyLock::new(|| of(&compute::METHODS));
    match class {
        Class::ThreeD => &THREED,
        Class::TwoD => &TWOD,
        Class::Inline => &INLINE,
        Class::Copy => &COPY,
        Class::Compute => &COMPUTE,
    }
}

fn of<T: Copy>(table: &MethodTable<T>) -> Effects {
    let groups = std::array::from_fn(|method| match table.effect(method as u32) {
        Effect::Common(_) | Effect::Trigger(_) => CALL,
        // An address without a row: the class has to say so.
        _ if table.info(method as u32).is_none() => CALL,
        effect => effect.groups(),
    });
    let mut plain = [0; METHODS];
    let mut behind = 0;
    for (plain, &group) in plain.iter_mut().zip(&groups).rev() {
        behind = if group == CALL { 0 } else { behind + 1 };
        *plain = behind;
    }
    let mut runs: Vec<(u32, Range<usize>)> = Vec::new();
    for (method, &group) in groups.iter().enumerate().filter(|&(_, &group)| group != CALL && group != 0) {
        match runs.last_mut() {
            // A few registers more cost less than another run.
            Some((last, run)) if *last == group && method - run.end <= MOST_BETWEEN => run.end = method + 1,
            _ => runs.push((group, method..method + 1)),
        }
    }
    Effects { groups, plain, runs }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_end_at_methods_that_do_more() {
        let registers = Registers::new(Class::ThreeD);
        registers.take_dirty();
        // Clear and colour masks: a trigger stands at 0x674.
        let words = [1, 2, 3, 4, 5, 6];
        assert_eq!(registers.store_run(0x670, &words), 4);
        assert_eq!([0x670, 0x673, 0x674].map(|method| registers.get(method)), [1, 4, 0]);
        assert_ne!(registers.take_dirty(), 0);
        assert_eq!(registers.store_run(0x674, &words[4..]), 0);
        assert_eq!(registers.store_run(0xDFE, &words), 2);
        assert_eq!((registers.get(0xDFF), registers.take_dirty()), (2, 0));
        // What was stored is what is replayed.
        registers.set_shadow_control(3);
        assert_eq!(registers.store_run(0x670, &words), 0);
        assert_eq!(registers.store(0x671, 9), 2);
    }

    #[test]
    fn writes_that_change_nothing_are_seen_through() {
        use threed::dirty::{FRAGMENT, VIEWPORT};
        const GROUPS: u32 = VIEWPORT | FRAGMENT;
        let registers = Registers::new(Class::ThreeD);
        let mut held = Held::default();
        let mut renew = |registers: &Registers| {
            let stale = registers.take_dirty();
            registers.renew(GROUPS, stale, &mut held)
        };
        assert!(renew(&registers) && !renew(&registers));
        let (func, scale) = (threed::regs::set_depth_func::ID, threed::regs::set_viewport_scale_x::id(15));
        for (method, datum, changed) in [
            (func, 8, false),
            (func, 3, true),
            (func, 3, false),
            (scale, 1, true),
            (scale, 1, false),
            (0x200, 9, false),
        ] {
            registers.store(method as u32, datum);
            assert_eq!(renew(&registers), changed, "{method:#x} {datum}");
        }
        // Only groups that are stale are looked at.
        registers.store(func as u32, 4);
        assert!(!registers.renew(GROUPS, VIEWPORT, &mut held) && registers.renew(GROUPS, FRAGMENT, &mut held));
    }

    #[test]
    fn replaying_brings_values_back() {
        let registers = Registers::new(Class::ThreeD);
        let scissor = threed::regs::set_depth_func::ID as u32;
        assert!(registers.is_plain(scissor));
        assert_eq!(registers.store(scissor, 5), 5);
        registers.set_shadow_control(2);
        assert_eq!(registers.store(scissor, 6), 6);
        assert_eq!(registers.get(scissor as usize), 6);
        registers.set_shadow_control(3);
        assert_eq!(registers.store(scissor, 7), 5);
        assert_eq!(registers.get(scissor as usize), 5);
        registers.set_shadow_control(1);
        assert_eq!(registers.store(scissor, 8), 8);
        assert_ne!(registers.take_dirty(), 0);
        assert_eq!(registers.take_dirty(), 0);
    }
}
