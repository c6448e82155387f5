//! Constant buffers: what is bound where, and what programs see of them.
//!
//! A draw sees constants as they are when it comes; what it reads of them is copied, so that later loads cannot reach
//! it. Draws between which nothing changes share the copy.

use std::sync::atomic::AtomicU8;
use triglyph_engine::mem::GuestAddr;

use triglyph_guest::kernel::program::environment::CONSTANT_BUFFERS;
use triglyph_guest::tegra::methods::threed::regs;

use crate::core::{ADDRESS_MASK, Core};
use crate::front_end::registers::Registers;
use triglyph_engine::device::FaultKind;
use triglyph_engine::frontend::{MemoryDependency, Recycled};
use triglyph_engine::render::Renderer;
use triglyph_engine::scene::program::Programs;
use triglyph_engine::scene::resources::Constants;
use triglyph_engine::snapshot::state;

/// Groups of constant buffers.
pub(crate) const GROUPS: usize = 5;

/// A bound constant buffer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Bound {
    /// GPU address.
    pub address: u64,
    /// Bytes, at most 0x10000.
    pub size: u32,
}

/// The constant buffers of a group.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Buffers([Option<Bound>; CONSTANT_BUFFERS]);

/// The bound constant buffers of all groups.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Bindings {
    groups: [Buffers; GROUPS],
}

state! {
    /// A bound constant buffer in a snapshot: where it is bound, address, size.
    pub(crate) struct SavedBound { group: u8, slot: u8, address: u64, size: u32 }
}

impl Bindings {
    pub(crate) fn save(&self) -> Vec<SavedBound> {
        let mut saved = Vec::new();
        for (group, slots) in self.groups.iter().enumerate() {
            for (slot, bound) in slots.0.iter().enumerate() {
                if let &Some(Bound { address, size }) = bound {
                    saved.push(SavedBound { group: group as u8, slot: slot as u8, address, size });
                }
            }
        }
        saved
    }

    /// What was saved; `None` when there are no such places.
    pub(crate) fn restore(saved: &[SavedBound]) -> Option<Self> {
        let mut bindings = Bindings::default();
        for &SavedBound { group, slot, address, size } in saved {
            let place = bindings.groups.get_mut(usize::from(group))?.0.get_mut(usize::from(slot))?;
            *place = Some(Bound { address, size });
        }
        Some(bindings)
    }

    /// BIND_GROUP_CONSTANT_BUFFER: binds what is selected, or unbinds.
    pub(crate) fn bind(&mut self, core: &mut Core, registers: &Registers, group: usize, word: u32) {
        use regs::{bind_group_constant_buffer as bind, set_constant_buffer_selector_a as select};
        let slot = bind::shader_slot(word) as usize;
        let Some(place) = self.groups.get_mut(group).and_then(|slots| slots.0.get_mut(slot)) else {
            let what = format_args!("constant buffer {slot} of group {group}");
            return core.fault(FaultKind::BadMethod, bind::id(0) as u64, what);
        };
        *place = bind::valid(word).then(|| Bound {
            address: registers.address(regs::set_constant_buffer_selector_b::ID) & ADDRESS_MASK,
            size: select::size(registers.get(select::ID)).min(0x1_0000),
        });
    }

    /// Unbinds everything.
    pub(crate) fn unbind_all(&mut self) {
        *self = Bindings::default();
    }

    /// The buffers of a group.
    pub(crate) fn group(&self, group: usize) -> Buffers {
        self.groups.get(group).copied().unwrap_or_default()
    }
}

impl Buffers {
    /// The first ones, and no others.
    pub(crate) fn of(buffers: impl IntoIterator<Item = Option<Bound>>) -> Self {
        let mut all = Buffers::default();
        for (slot, bound) in all.0.iter_mut().zip(buffers) {
            *slot = bound;
        }
        all
    }

    /// A buffer.
    pub(crate) fn get(&self, slot: usize) -> Option<Bound> {
        *self.0.get(slot)?
    }

    /// Whether the same buffers are bound to some slots, bit by bit.
    pub(crate) fn agree(&self, other: &Buffers, slots: u32) -> bool {
        (0..CONSTANT_BUFFERS).all(|slot| slots >> slot & 1 == 0 || self.0[slot] == other.0[slot])
    }

    /// Word at a byte offset of a buffer; 0 outside.
    pub(crate) fn word(&self, core: &mut Core, slot: usize, offset: u32) -> u32 {
        match self.get(slot) {
            Some(Bound { address, size }) if offset + 4 <= size => {
                core.read_word(address.wrapping_add(offset.into()) & ADDRESS_MASK, "a constant buffer")
            }
            _ => 0,
        }
    }
}

/// Copies of what a program reads of constant buffers, and whether they are still what memory holds.
#[derive(Debug, Default)]
pub(crate) struct Copies {
    slots: [Option<Copied>; CONSTANT_BUFFERS],
    recycled: Recycled<[AtomicU8]>,
}

#[derive(Debug)]
struct Copied {
    place: GuestAddr,
    reads: MemoryDependency,
    copy: Constants,
}

impl Copies {
    /// Brings the copies up to date: at most `needs` bytes of each buffer. Returns whether any is another one than
    /// before.
    pub(crate) fn refresh(&mut self, core: &mut Core, buffers: &Buffers, needs: &[u32; CONSTANT_BUFFERS]) -> bool {
        let mut changed = false;
        for (slot, (bound, need)) in self.slots.iter_mut().zip(buffers.0.iter().zip(needs)) {
            let (address, length) = match *bound {
                Some(Bound { address, size }) if *need != 0 && size != 0 => (address, size.min(*need) as usize),
                _ => {
                    changed |= slot.take().is_some();
                    continue;
                }
            };
            let place = core.place(address);
            let copied = match slot {
                Some(copied) if copied.place == place && copied.copy.len() == length => {
                    if core.is_valid(&mut copied.reads) {
                        continue;
                    }
                    copied
                }
                other => {
                    let reads = other
                        .take()
                        .map_or_else(MemoryDependency::default, |copied| copied.reads)
                        .retarget(place, length);
                    other.insert(Copied { place, reads, copy: Constants::default() })
                }
            };
            core.read_again(&mut copied.reads, "a constant buffer");
            copied.copy = self.recycled.share_list(copied.reads.bytes().iter().map(|&byte| AtomicU8::new(byte)));
            changed = true;
        }
        changed
    }

    /// Whether nothing that is drawn can change them.
    pub(crate) fn are_clear(&self, renderer: &Renderer<Programs>) -> bool {
        self.slots.iter().flatten().all(|copied| copied.reads.is_clear(renderer))
    }

    /// The copies.
    pub(crate) fn constants(&self) -> [Option<Constants>; CONSTANT_BUFFERS] {
        self.slots.each_ref().map(|slot| Some(slot.as_ref()?.copy.clone()))
    }
}
