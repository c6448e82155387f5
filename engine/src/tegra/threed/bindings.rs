//! Constant buffers: what is bound where, and what programs see of them.
//!
//! A draw sees constants as they are when it comes; what it reads of them is copied, so that later loads cannot reach it.

use std::sync::atomic::AtomicU8;

use triglyph_guest::kernel::maxwell::CONSTANT_BUFFERS;
use triglyph_guest::tegra::methods::threed::regs;

use crate::device::FaultKind;
use crate::scene::reach::Constants;
use crate::snapshot::state;
use crate::tegra::core::{ADDRESS_MASK, Core};
use crate::tegra::registers::Registers;

/// Groups of constant buffers.
pub(super) const GROUPS: usize = 5;

/// A bound constant buffer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::tegra) struct Bound {
    /// GPU address.
    pub address: u64,
    /// Bytes, at most 0x10000.
    pub size: u32,
}

/// The bound constant buffers of all groups.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in crate::tegra) struct Bindings {
    groups: [[Option<Bound>; CONSTANT_BUFFERS]; GROUPS],
}

state! {
    /// A bound constant buffer in a snapshot: where it is bound, address, size.
    pub(super) struct SavedBound { group: u8, slot: u8, address: u64, size: u32 }
}

impl Bindings {
    pub(super) fn save(&self) -> Vec<SavedBound> {
        let mut saved = Vec::new();
        for (group, slots) in self.groups.iter().enumerate() {
            for (slot, bound) in slots.iter().enumerate() {
                if let &Some(Bound { address, size }) = bound {
                    saved.push(SavedBound { group: group as u8, slot: slot as u8, address, size });
                }
            }
        }
        saved
    }

    /// What was saved; `None` when there are no such places.
    pub(super) fn restore(saved: &[SavedBound]) -> Option<Self> {
        let mut bindings = Bindings::default();
        for &SavedBound { group, slot, address, size } in saved {
            let place = bindings.groups.get_mut(usize::from(group))?.get_mut(usize::from(slot))?;
            *place = Some(Bound { address, size });
        }
        Some(bindings)
    }

    /// The first buffers of group 0, and no others.
    pub(in crate::tegra) fn of_grid(buffers: impl IntoIterator<Item = Option<Bound>>) -> Self {
        let mut bindings = Bindings::default();
        for (slot, bound) in bindings.groups[0].iter_mut().zip(buffers) {
            *slot = bound;
        }
        bindings
    }

    /// BIND_GROUP_CONSTANT_BUFFER: binds what is selected, or unbinds.
    pub(super) fn bind(&mut self, core: &mut Core, registers: &Registers, group: usize, word: u32) {
        use regs::{bind_group_constant_buffer as bind, set_constant_buffer_selector_a as select};
        let slot = bind::shader_slot(word) as usize;
        let Some(place) = self.groups.get_mut(group).and_then(|slots| slots.get_mut(slot)) else {
            let what = format_args!("constant buffer {slot} of group {group}");
            return core.fault(FaultKind::BadMethod, bind::id(0) as u64, what);
        };
        *place = bind::valid(word).then(|| Bound {
            address: registers.address(regs::set_constant_buffer_selector_b::ID) & ADDRESS_MASK,
            size: select::size(registers.get(select::ID)).min(0x1_0000),
        });
    }

    /// Unbinds everything.
    pub(super) fn unbind_all(&mut self) {
        *self = Bindings::default();
    }

    /// A buffer of a group.
    pub(super) fn get(&self, group: usize, slot: usize) -> Option<Bound> {
        *self.groups.get(group)?.get(slot)?
    }

    /// Word at a byte offset of a buffer; 0 outside.
    pub(in crate::tegra) fn word(&self, core: &mut Core, group: usize, slot: usize, offset: u32) -> u32 {
        match self.get(group, slot) {
            Some(Bound { address, size }) if offset + 4 <= size => {
                core.read_word(address.wrapping_add(offset.into()) & ADDRESS_MASK, "a constant buffer")
            }
            _ => 0,
        }
    }

    /// Copies of what a program reads of the buffers of a group: at most `needs` bytes of each.
    pub(super) fn copies(
        &self,
        core: &mut Core,
        group: usize,
        needs: &[u32; CONSTANT_BUFFERS],
    ) -> [Option<Constants>; CONSTANT_BUFFERS] {
        std::array::from_fn(|slot| {
            let Bound { address, size } = self.get(group, slot)?;
            let length = size.min(needs[slot]) as usize;
            if length == 0 {
                return None;
            }
            let mut bytes = vec![0; length];
            core.read_bytes(address, &mut bytes, "a constant buffer");
            Some(bytes.into_iter().map(AtomicU8::new).collect())
        })
    }
}
