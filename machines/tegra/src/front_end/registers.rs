//! The registers of a class on a channel: a register file, and the modes of its shadow copies, which macros replay.

use std::cell::Cell;
use std::sync::OnceLock;

use triglyph_guest::dispatch_class;
use triglyph_guest::kernel::mme::{CALL, METHODS, MmeJob, MmeMachine};
use triglyph_guest::tegra::methods::classes::ClassTables;
use triglyph_guest::tegra::methods::{Class, Effect, MethodTable};

use triglyph_engine::frontend::{DirtyOnWrite, RegisterFile, TRIGGER, WriteEffects as Effects};
use triglyph_engine::snapshot::state;

/// What happens to the shadow copy of a register on a write (SET_MME_SHADOW_RAM_CONTROL).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ShadowMode {
    /// The copy is written as well. (Hardware also filters equal values, which has no visible effect.)
    #[default]
    Track,
    /// The copy keeps its value.
    Pass,
    /// The register takes the value of the copy.
    Replay,
}

state! {
    /// Registers in a snapshot; the mode is the number of a [`ShadowMode`].
    pub(crate) struct SavedRegisters { live: Vec<u32>, shadow: Vec<u32>, mode: u8 }
}

/// Below this dword address the copy is written in all modes: the host's methods and those of the MME.
const ALWAYS_TRACKED: u32 = 0x80;

type WriteEffects = Effects<METHODS>;

/// The registers of a class with their shadow copies.
#[derive(Debug)]
pub struct Registers {
    file: RegisterFile<METHODS, DirtyOnWrite, 1>,
    mode: Cell<ShadowMode>,
    /// Whether the mode is [`ShadowMode::Track`], so that methods without effect are plain stores.
    direct: Cell<bool>,
}

impl Registers {
    /// The registers of `class` when a channel is made.
    pub fn new(class: Class) -> Self {
        Registers {
            file: RegisterFile::new(effects(class), class.reset()),
            mode: Cell::default(),
            direct: Cell::new(true),
        }
    }

    /// The registers for a snapshot.
    pub(crate) fn save(&self) -> SavedRegisters {
        let shadow = self.shadow().iter().map(Cell::get).collect();
        SavedRegisters { live: self.file.save().to_vec(), shadow, mode: self.mode.get() as u8 }
    }

    /// Registers of `class` from a snapshot, with all groups dirty; `None` if it has another number of registers.
    pub(crate) fn restore(class: Class, saved: SavedRegisters) -> Option<Self> {
        let SavedRegisters { live, shadow, mode } = saved;
        let live: Box<[u32; METHODS]> = live.into_boxed_slice().try_into().ok()?;
        if mode > 2 || shadow.len() != METHODS {
            return None;
        }
        let file = RegisterFile::new(effects(class), &live);
        let registers = Registers { file, mode: Cell::default(), direct: Cell::default() };
        registers.shadow().iter().zip(shadow).for_each(|(copy, word)| copy.set(word));
        registers.set_shadow_control(if mode == 0 { 0 } else { 1 + u32::from(mode) });
        Some(registers)
    }

    #[inline(always)]
    fn shadow(&self) -> &[Cell<u32>; METHODS] {
        &self.file.shadow()[0]
    }

    /// A register; `method` wraps at 0x1000.
    #[inline]
    pub fn get(&self, method: usize) -> u32 {
        self.file.get(method % METHODS)
    }

    /// Sets a register and its copy in any mode, as firmware does.
    pub fn set(&self, method: usize, value: u32) {
        self.file.set(method % METHODS, value);
        self.shadow()[method % METHODS].set(value);
    }

    /// A 40-bit address of two registers, upper and lower.
    pub fn address(&self, upper: usize) -> u64 {
        u64::from(self.get(upper) & 0xFF) << 32 | u64::from(self.get(upper + 1))
    }

    /// Stores a method's datum in the current shadow mode, and returns what the method gets.
    #[inline]
    pub fn store(&self, method: u32, datum: u32) -> u32 {
        let index = method as usize % METHODS;
        let shadow = &self.shadow()[index];
        let datum = match self.mode.get() {
            ShadowMode::Replay if method >= ALWAYS_TRACKED => shadow.get(),
            ShadowMode::Pass if method >= ALWAYS_TRACKED => datum,
            _ => {
                shadow.set(datum);
                datum
            }
        };
        self.file.set(index, datum);
        if !self.file.effects().is_trigger(index) {
            self.file.mark(self.file.effects().groups(index));
        }
        datum
    }

    /// Stores data of consecutive methods up to the first that does more than that, or to the end of the method space.
    /// Returns how many were stored: with less than all, the next method is one that does more. In other modes than
    /// `ShadowMode::Track` it is 0, and words have to be stored one by one.
    #[inline]
    pub fn store_run(&self, method: u32, words: &[u32]) -> usize {
        if self.direct.get() { self.file.store_run(method as usize % METHODS, words) } else { 0 }
    }

    /// Stores data of consecutive methods if none of them does more than that and copies are tracked. Otherwise nothing
    /// happens: false. Nearly all words of a push buffer are stored here.
    #[inline(always)]
    pub fn store_all(&self, method: u32, words: &[u32]) -> bool {
        self.direct.get() && self.file.store_all(method as usize % METHODS, words)
    }

    /// Stores a datum if its method does nothing else and copies are tracked. Otherwise nothing happens: false.
    #[inline(always)]
    pub fn store_word(&self, method: u32, word: u32) -> bool {
        self.direct.get() && self.file.store_plain(method as usize % METHODS, word, u32::MAX)
    }

    /// Whether a write of `method` does nothing but store.
    #[inline]
    pub fn is_plain(&self, method: u32) -> bool {
        !self.file.effects().is_trigger(method as usize % METHODS)
    }

    /// See [`RegisterFile::deriving`].
    #[inline]
    pub fn deriving<T>(&self, groups: u32, derive: impl FnOnce() -> T) -> T {
        self.file.deriving(groups, derive)
    }

    /// The register file, for what is derived from it.
    #[inline]
    pub fn file(&self) -> &RegisterFile<METHODS, DirtyOnWrite, 1> {
        &self.file
    }

    /// The groups that a write of `method` makes dirty; `None` where that does more than being stored.
    pub fn plain_groups(&self, method: u32) -> Option<u32> {
        self.is_plain(method).then(|| self.file.effects().groups(method as usize % METHODS))
    }

    /// Returns the groups that are dirty; none is afterwards.
    pub fn take_dirty(&self) -> u32 {
        self.file.take_dirty()
    }

    /// Changes the shadow mode: 0 and 1 track, 2 passes, 3 replays.
    pub fn set_shadow_control(&self, value: u32) {
        self.mode.set(match value & 3 {
            2 => ShadowMode::Pass,
            3 => ShadowMode::Replay,
            _ => ShadowMode::Track,
        });
        self.direct.set(self.mode.get() == ShadowMode::Track);
    }

    /// Whether copies are tracked, so that [`Self::store_run`] stores.
    #[inline]
    pub fn is_direct(&self) -> bool {
        self.direct.get()
    }

    /// A macro's call on these registers.
    pub fn job<'a>(
        &'a self,
        parameters: &'a [u32],
        branches: &'a Cell<u32>,
        machine: &'a mut dyn MmeMachine,
    ) -> MmeJob<'a> {
        MmeJob {
            parameters,
            live: self.file.live(),
            shadow: self.shadow(),
            groups: self.file.effects().entries(),
            dirty: self.file.dirty_cell(),
            direct: &self.direct,
            branches,
            machine,
        }
    }
}

/// Makes the tables of all classes, which the first channel of a process would wait for.
pub(crate) fn prepare() {
    for class in Class::ALL {
        effects(class);
    }
}

fn effects(class: Class) -> &'static WriteEffects {
    static EFFECTS: [OnceLock<WriteEffects>; Class::ALL.len()] = [const { OnceLock::new() }; Class::ALL.len()];
    EFFECTS[class.index()].get_or_init(|| dispatch_class!(class, C => of(C::METHODS)))
}

// Kernels of macros compare entries with `CALL`; the register file looks at one bit of it.
const _: () = assert!(CALL & TRIGGER != 0);

fn of<T: Copy>(table: &MethodTable<T>) -> WriteEffects {
    let entries = std::array::from_fn(|method| match table.effect(method as u32) {
        Effect::Common(_) | Effect::Trigger(_) => CALL,
        // An address without a row: the class reports it.
        _ if table.info(method as u32).is_none() => CALL,
        Effect::Dirty(groups) => groups,
        Effect::None => 0,
    });
    WriteEffects::new(entries).with_group_ranges()
}

#[cfg(test)]
mod tests {
    use super::*;
    use triglyph_engine::frontend::RegisterSnapshot;
    use triglyph_guest::tegra::methods::threed;

    #[test]
    fn runs_end_at_methods_that_do_more() {
        let registers = Registers::new(Class::ThreeD);
        registers.take_dirty();
        // Clear and colour masks: a trigger is at 0x674.
        let words = [1, 2, 3, 4, 5, 6];
        assert_eq!(registers.store_run(0x670, &words), 4);
        assert_eq!([0x670, 0x673, 0x674].map(|method| registers.get(method)), [1, 4, 0]);
        assert_ne!(registers.take_dirty(), 0);
        assert_eq!(registers.store_run(0x674, &words[4..]), 0);
        assert_eq!(registers.store_run(0xDFE, &words), 2);
        assert_eq!((registers.get(0xDFF), registers.take_dirty()), (2, 0));
        // Replay takes what was stored before.
        registers.set_shadow_control(3);
        assert_eq!(registers.store_run(0x670, &words), 0);
        assert_eq!(registers.store(0x671, 9), 2);
    }

    #[test]
    fn writes_that_change_nothing_are_seen_through() {
        use threed::dirty::{FRAGMENT, VIEWPORT};
        const GROUPS: u32 = VIEWPORT | FRAGMENT;
        let registers = Registers::new(Class::ThreeD);
        let mut snapshot = RegisterSnapshot::default();
        let mut renew = |registers: &Registers| {
            let dirty = registers.take_dirty();
            registers.file.renew(GROUPS, dirty, &mut snapshot)
        };
        assert!(renew(&registers) && !renew(&registers));
        let (func, scale) = (threed::regs::set_depth_func::ID, threed::regs::set_viewport_scale_x::id(15));
        let initial = registers.get(func);
        for (method, datum, changed) in [
            (func, initial, false),
            (func, 3, true),
            (func, 3, false),
            (scale, 1, true),
            (scale, 1, false),
            (0x200, 9, false),
        ] {
            registers.store(method as u32, datum);
            assert_eq!(renew(&registers), changed, "{method:#x} {datum}");
        }
        // Only groups that are dirty are compared.
        registers.store(func as u32, 4);
        assert!(
            !registers.file.renew(GROUPS, VIEWPORT, &mut snapshot)
                && registers.file.renew(GROUPS, FRAGMENT, &mut snapshot)
        );
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
