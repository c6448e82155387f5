//! Values that are derived from registers and memory, and kept while both stay the same.
//!
//! ```text
//! dirty groups of registers ──► note ──► is_valid? ──► the value of the last draw
//! memory: MemoryDependency ───────────►     │no
//!                                           └──► derive, from registers of the declared groups alone ──► set
//! ```

use super::register_file::{DirtyPolicy, RegisterFile, RegisterSnapshot};

/// The context of a derivation: the state of a machine besides its registers.
pub trait DeriveContext {
    /// Whether all values have to be derived for each draw.
    fn state_cache_disabled(&self) -> bool;

    /// Faults so far, if each draw counts the faults of the values that it uses: a value whose derivation reported some
    /// is derived again each time. Constant on machines that count them when values are derived.
    fn fault_count(&self) -> u64;
}

/// What a value's dependence on groups of registers needs: the groups that were written since it was derived and, where
/// writes that change nothing make groups dirty, the registers then.
#[derive(Debug)]
pub struct RegisterDependency {
    groups: u32,
    dirty: u32,
    snapshot: RegisterSnapshot,
    /// Whether the derivation reported a fault that has to be counted again.
    faulty: bool,
}

impl RegisterDependency {
    /// The dependency of a value on `groups`, which was not derived yet.
    pub fn new(groups: u32) -> Self {
        RegisterDependency { groups, dirty: groups, snapshot: RegisterSnapshot::default(), faulty: false }
    }

    /// Notes groups that were written.
    #[inline]
    pub fn note(&mut self, groups: u32) {
        self.dirty |= groups & self.groups;
    }

    /// The groups of the dependency that were written since [`Self::is_valid`] was called last.
    #[inline]
    pub fn dirty(&self) -> u32 {
        self.dirty
    }

    /// Whether the derived value is still valid. If not, the caller derives it: the next call compares with the
    /// registers as they are now.
    pub fn is_valid<const N: usize, P: DirtyPolicy, const COPIES: usize>(
        &mut self,
        context: &impl DeriveContext,
        registers: &RegisterFile<N, P, COPIES>,
    ) -> bool {
        let dirty = std::mem::take(&mut self.dirty);
        let changed = dirty != 0 && (P::ON_CHANGE || registers.renew(self.groups, dirty, &mut self.snapshot));
        let faulty = std::mem::take(&mut self.faulty);
        !changed && !faulty && !context.state_cache_disabled()
    }

    /// Calls `derive`; with debug assertions it can read registers of the dependency's groups only.
    pub fn derive<T, C: DeriveContext, const N: usize, P: DirtyPolicy, const COPIES: usize>(
        &mut self,
        context: &mut C,
        registers: &RegisterFile<N, P, COPIES>,
        derive: impl FnOnce(&mut C) -> T,
    ) -> T {
        let faults = context.fault_count();
        let value = registers.deriving(self.groups, || derive(context));
        self.faulty |= context.fault_count() != faults;
        value
    }
}

/// A value with its dependency on registers. Its dependency on memory, if it has one, is part of the value.
#[derive(Debug)]
pub struct Derived<T> {
    dependency: RegisterDependency,
    value: Option<T>,
}

impl<T> Derived<T> {
    /// A value that depends on `groups` and has still to be derived.
    pub fn new(groups: u32) -> Self {
        Derived { dependency: RegisterDependency::new(groups), value: None }
    }

    /// Notes groups that were written.
    #[inline]
    pub fn note(&mut self, groups: u32) {
        self.dependency.note(groups);
    }

    /// See [`RegisterDependency::dirty`].
    #[inline]
    pub fn dirty(&self) -> u32 {
        self.dependency.dirty()
    }

    /// Drops the value.
    pub fn invalidate(&mut self) {
        self.value = None;
    }

    /// The value as it was last derived.
    #[inline]
    pub fn value(&self) -> Option<&T> {
        self.value.as_ref()
    }

    /// The value as it was last derived.
    #[inline]
    pub fn value_mut(&mut self) -> Option<&mut T> {
        self.value.as_mut()
    }

    /// Takes the value, to be [set](Self::set) again.
    #[inline]
    pub fn take(&mut self) -> Option<T> {
        self.value.take()
    }

    /// Sets the value that was derived from the registers as they are.
    #[inline]
    pub fn set(&mut self, value: T) {
        self.value = Some(value);
    }

    /// Whether there is a value and no register of its groups has changed. If not, the caller derives and
    /// [sets](Self::set) it.
    #[inline]
    pub fn is_valid<const N: usize, P: DirtyPolicy, const COPIES: usize>(
        &mut self,
        context: &impl DeriveContext,
        registers: &RegisterFile<N, P, COPIES>,
    ) -> bool {
        self.dependency.is_valid(context, registers) && self.value.is_some()
    }

    /// The value: the last one if no register of its groups has changed and it is `usable`, otherwise a new one.
    pub fn get_or_derive<C: DeriveContext, const N: usize, P: DirtyPolicy, const COPIES: usize>(
        &mut self,
        context: &mut C,
        registers: &RegisterFile<N, P, COPIES>,
        usable: impl FnOnce(&mut C, &mut T) -> bool,
        derive: impl FnOnce(&mut C) -> T,
    ) -> &mut T {
        let valid = self.dependency.is_valid(context, registers);
        if !(valid && self.value.as_mut().is_some_and(|value| usable(context, value))) {
            self.value = None;
        }
        let Derived { dependency, value } = self;
        value.get_or_insert_with(|| dependency.derive(context, registers, derive))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frontend::{DirtyOnChange, DirtyOnWrite, WriteEffects};
    use std::sync::LazyLock;

    static EFFECTS: LazyLock<WriteEffects<4>> = LazyLock::new(|| WriteEffects::new([1, 1, 2, 0]).with_group_ranges());

    #[derive(Default)]
    struct Context {
        disabled: bool,
        faults: u64,
        derived: u32,
    }

    impl DeriveContext for Context {
        fn state_cache_disabled(&self) -> bool {
            self.disabled
        }

        fn fault_count(&self) -> u64 {
            self.faults
        }
    }

    fn derives<P: DirtyPolicy>() {
        let registers = RegisterFile::<4, P>::new(&EFFECTS, &[5, 0, 0, 0]);
        let (mut context, mut sum) = (Context::default(), Derived::new(1));
        let mut get = |context: &mut Context, usable: bool| {
            sum.note(registers.take_dirty());
            let derive = |context: &mut Context| {
                context.derived += 1;
                registers.get(0) + registers.get(1)
            };
            *sum.get_or_derive(context, &registers, |_, _| usable, derive)
        };
        assert_eq!((get(&mut context, true), get(&mut context, true), context.derived), (5, 5, 1));
        // Neither writes that change nothing nor those of other groups matter.
        registers.store_words(0, &[5, 0, 7], u32::MAX);
        assert_eq!((get(&mut context, true), context.derived), (5, 1));
        registers.store_word(1, 2, u32::MAX);
        assert_eq!((get(&mut context, true), context.derived), (7, 2));
        assert_eq!((get(&mut context, false), context.derived), (7, 3));
        context.disabled = true;
        assert_eq!((get(&mut context, true), context.derived), (7, 4));
    }

    #[test]
    fn values_are_kept_while_registers_are_the_same() {
        derives::<DirtyOnChange>();
        derives::<DirtyOnWrite>();
    }

    #[test]
    fn faults_are_reported_each_time() {
        let registers = RegisterFile::<4, DirtyOnChange>::new(&EFFECTS, &[0; 4]);
        let (mut context, mut derived) = (Context::default(), Derived::new(1));
        for faults in 1..4 {
            derived.get_or_derive(&mut context, &registers, |_, ()| true, |context| context.faults += 1);
            assert_eq!(context.faults, faults);
        }
    }
}
