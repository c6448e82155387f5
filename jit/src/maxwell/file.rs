//! Register file: the current values of registers, predicates and the condition code in a block, and their slots in
//! memory between blocks.
//!
//! In a block registers are SSA values. Programs of several blocks keep them in memory between blocks, four lanes in
//! one vector. When all blocks have been emitted, liveness is known and dead stores are removed.

use std::collections::{BTreeMap, HashMap};

use cranelift_codegen::ir::{Inst, InstBuilder, Value};

use super::graph::Block;
use super::lane_value::{LaneValue, Nan};
use super::{AT_ONCE, Brought, Context, Lower};
use crate::lane::{F32x4, I32x4, Mask};

/// A location of the register file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Loc {
    Reg(u8),
    /// As masks.
    Pred(u8),
    /// Z, S, C, O as masks.
    Cc(u8),
    /// A word of the output record.
    Output(u16),
    /// Mask of the helper pixels, which store nothing.
    Helper,
    /// In warp slices: the block that a lane executes next.
    At,
    /// The target of the stack entry at a depth.
    Level(u8),
    /// Number of instructions that a lane has executed, where every lane is a warp; that a quad has executed, in the
    /// first lane.
    Count,
    /// What a lane waits for at a barrier, see [`Wait`](super::compute::Wait).
    Wait,
    /// The result of a barrier's reduction of predicates.
    Reduced,
}

#[derive(Clone, Copy)]
struct CachedValue {
    number: LaneValue,
    dirty: bool,
}

/// See [`File::snapshot`].
#[derive(Clone)]
pub struct Snapshot(BTreeMap<Loc, CachedValue>);

/// Liveness of a block, by slots.
#[derive(Clone, Default)]
struct Use {
    /// Read before they are written.
    reads: Vec<bool>,
    /// Written in all lanes that execute, before they are read.
    kills: Vec<bool>,
}

/// A store that may turn out to be dead, and the load it needs.
struct Saved {
    block: usize,
    slot: usize,
    store: Inst,
    /// The load and the select that merge the old value, for masked stores.
    joined: Option<[Inst; 2]>,
}

/// See the module.
pub struct File {
    straight: bool,
    slots: HashMap<Loc, usize>,
    cache: BTreeMap<Loc, CachedValue>,
    uses: Vec<Use>,
    block: usize,
    saved: Vec<Saved>,
    /// Read by other lanes: always kept.
    shared: Vec<Loc>,
    /// Where the lanes' storage is.
    pub storage: Option<Value>,
    /// Vectors from a slot to the next one.
    stride: usize,
}

fn mark(set: &mut Vec<bool>, slot: usize) {
    if set.len() <= slot {
        set.resize(slot + 1, false);
    }
    set[slot] = true;
}

fn has(set: &[bool], slot: usize) -> bool {
    set.get(slot).copied().unwrap_or(false)
}

impl File {
    pub fn new(straight: bool, blocks: usize) -> Self {
        File {
            straight,
            slots: HashMap::new(),
            cache: BTreeMap::new(),
            uses: vec![Use::default(); blocks],
            block: 0,
            saved: Vec::new(),
            shared: Vec::new(),
            storage: None,
            stride: 1,
        }
    }

    /// Whether the program is straight-line code, so that nothing is kept in memory.
    pub fn is_straight(&self) -> bool {
        self.straight
    }

    fn slot(&mut self, loc: Loc) -> usize {
        let next = self.slots.len();
        *self.slots.entry(loc).or_insert(next)
    }

    /// Slots are so many vectors apart.
    pub fn set_stride(&mut self, stride: usize) {
        self.stride = stride;
    }

    /// Byte offset of a slot in the storage.
    pub fn offset(&self, slot: usize) -> i32 {
        (16 * self.stride * slot) as i32
    }

    /// Byte offset of a location that has a slot but is no value: only loads and stores of its own access it.
    pub fn place(&mut self, loc: Loc) -> i32 {
        let slot = self.slot(loc);
        self.offset(slot)
    }

    /// Allocates slots for locations.
    pub fn keep(&mut self, places: &[Loc]) {
        for &loc in places {
            self.slot(loc);
        }
    }

    /// The slot of a location that other lanes read, which is always stored.
    pub fn shared_slot(&mut self, loc: Loc) -> usize {
        if !self.shared.contains(&loc) {
            self.shared.push(loc);
        }
        self.slot(loc)
    }

    /// The slots that other lanes read.
    pub fn shared_slots(&self) -> impl Iterator<Item = usize> {
        self.shared.iter().filter_map(|loc| self.slots.get(loc).copied())
    }

    /// The locations that other lanes read, and their slots.
    pub fn shared_places(&self) -> impl Iterator<Item = (Loc, usize)> {
        self.shared.iter().filter_map(|&loc| Some((loc, *self.slots.get(&loc)?)))
    }

    /// Begins a block.
    pub fn begin(&mut self, block: usize) {
        if !self.straight {
            self.cache.clear();
        }
        self.block = block;
    }

    /// The current values of all locations.
    pub fn snapshot(&self) -> Snapshot {
        Snapshot(self.cache.clone())
    }

    /// Restores the values of a snapshot.
    pub fn restore(&mut self, snapshot: Snapshot) {
        self.cache = snapshot.0;
    }

    fn note_read(&mut self, slot: usize) {
        if let Some(uses) = self.uses.get_mut(self.block)
            && !has(&uses.kills, slot)
        {
            mark(&mut uses.reads, slot);
        }
    }

    fn note_write(&mut self, loc: Loc) {
        let slot = self.slot(loc);
        if let Some(uses) = self.uses.get_mut(self.block)
            && !has(&uses.reads, slot)
        {
            mark(&mut uses.kills, slot);
        }
    }

    /// Live-in slots of each block. `last` are the locations read after the program.
    fn live(&self, blocks: &[Block], last: &[Loc]) -> (Vec<Vec<bool>>, Vec<Vec<bool>>) {
        let count = self.slots.len();
        let mut end = vec![false; count];
        for slot in last.iter().chain(&self.shared).filter_map(|loc| self.slots.get(loc)) {
            end[*slot] = true;
        }
        let mut into = vec![vec![false; count]; blocks.len()];
        let mut out = vec![vec![false; count]; blocks.len()];
        let mut changed = true;
        while changed {
            changed = false;
            for (i, block) in blocks.iter().enumerate().rev() {
                // Lanes may end at any block when they run out of fuel.
                let mut live = end.clone();
                for target in block.targets() {
                    live.iter_mut().zip(&into[target]).for_each(|(a, b)| *a |= b);
                }
                out[i].clone_from(&live);
                for (slot, live) in live.iter_mut().enumerate() {
                    *live = has(&self.uses[i].reads, slot) || *live && !has(&self.uses[i].kills, slot);
                }
                changed |= into[i] != live;
                into[i] = live;
            }
        }
        (into, out)
    }
}

impl Lower<'_, '_> {
    /// The value of a location: also in lanes that are brought in.
    pub(super) fn get(&mut self, loc: Loc) -> LaneValue {
        let number = self.own(loc);
        let Some(brought) = &mut self.brought else { return number };
        let Some(exec) = brought.exec else { return number };
        if !brought.wide.insert(loc) {
            return number;
        }
        let own = self.value_int(number);
        let slot = self.file.shared_slot(loc);
        let Some(storage) = self.file.storage else { return number };
        let at = self.file.offset(slot);
        let e = self.host.e();
        let others = e.load_ints(storage, at);
        let number = LaneValue::int(e.iselect(exec, own, others));
        self.remember(loc, number);
        number
    }

    /// Notes that a location is written in all lanes, also those that are brought in.
    fn note_wide(&mut self, loc: Loc) {
        if let Some(brought) = &mut self.brought {
            brought.wide.insert(loc);
            brought.written.insert(loc);
        }
    }

    /// Lanes are brought in.
    pub(super) fn bring(&mut self) {
        self.brought = Some(Brought { exec: self.exec.take(), ..Brought::default() });
    }

    /// Lanes that were brought in are left, with what they have written.
    pub(super) fn leave_brought(&mut self) {
        let Some(Brought { exec, written, .. }) = self.brought.take() else { return };
        self.exec = exec;
        let (Some(_), Some(storage)) = (exec, self.file.storage) else { return };
        for loc in written {
            let value = self.int(loc);
            let slot = self.file.shared_slot(loc);
            let at = self.file.offset(slot);
            self.host.e().store(value.0, storage, at);
        }
    }

    /// The value of a location in the lanes that execute by themselves.
    fn own(&mut self, loc: Loc) -> LaneValue {
        if let Some(entry) = self.file.cache.get(&loc) {
            return entry.number;
        }
        let number = match self.file.storage {
            Some(storage) if !self.file.straight => {
                let slot = self.file.slot(loc);
                self.file.note_read(slot);
                let at = self.file.offset(slot);
                let value = self.host.e().load_floats(storage, at);
                LaneValue::loaded(value)
            }
            _ => match self.initials.get(&loc) {
                Some(&value) => LaneValue::int(value),
                None => LaneValue::constant(self.host.e(), 0),
            },
        };
        self.file.cache.insert(loc, CachedValue { number, dirty: false });
        number
    }

    /// Sets a location in the lanes for which the guard holds.
    pub(super) fn set(&mut self, loc: Loc, number: LaneValue) {
        let number = match self.guard {
            None => {
                self.file.note_write(loc);
                number
            }
            Some(gate) => {
                let old = self.get(loc);
                self.merge(gate, number, old)
            }
        };
        self.note_wide(loc);
        self.file.cache.insert(loc, CachedValue { number, dirty: true });
    }

    /// Sets a location, whatever the guard.
    pub(super) fn put(&mut self, loc: Loc, number: LaneValue) {
        self.file.note_write(loc);
        self.note_wide(loc);
        self.file.cache.insert(loc, CachedValue { number, dirty: true });
    }

    fn remember(&mut self, loc: Loc, number: LaneValue) {
        if let Some(entry) = self.file.cache.get_mut(&loc) {
            entry.number = number;
        }
    }

    /// A location as bits.
    pub(super) fn int(&mut self, loc: Loc) -> I32x4 {
        let mut number = self.get(loc);
        let value = self.value_int(number);
        if number.int.is_none() {
            number.int = Some(value);
            self.remember(loc, number);
        }
        value
    }

    /// A location as floats.
    pub(super) fn float(&mut self, loc: Loc) -> F32x4 {
        let mut number = self.get(loc);
        let value = self.value_float(number);
        if number.float.is_none() {
            number.float = Some(value);
            self.remember(loc, number);
        }
        value
    }

    /// A location as floats, denormals flushed.
    pub(super) fn flushed(&mut self, loc: Loc) -> F32x4 {
        let mut number = self.get(loc);
        let value = self.value_flushed(&mut number);
        self.remember(loc, number);
        value
    }

    /// A location as a mask.
    pub(super) fn mask(&mut self, loc: Loc) -> Mask {
        Mask(self.int(loc).0)
    }

    /// The bits of a location in all lanes, inactive ones included.
    pub(super) fn int_of_all(&mut self, loc: Loc) -> I32x4 {
        let own = self.int(loc);
        if self.file.straight {
            return own;
        }
        let slot = self.file.shared_slot(loc);
        let (Some(exec), Some(storage)) = (self.exec, self.file.storage) else { return own };
        let at = self.file.offset(slot);
        let e = self.host.e();
        let others = e.load_ints(storage, at);
        e.iselect(exec, own, others)
    }

    /// Stores the written locations in memory, for later blocks.
    pub(super) fn flush_file(&mut self) {
        if self.file.straight {
            return;
        }
        let Some(storage) = self.file.storage else { return };
        let dirty: Vec<(Loc, LaneValue)> =
            self.file.cache.iter().filter(|(_, entry)| entry.dirty).map(|(&loc, entry)| (loc, entry.number)).collect();
        for (loc, number) in dirty {
            let slot = self.file.slot(loc);
            let offset = self.file.offset(slot);
            let mut value = if number.nan == Nan::Loose { self.value_int(number).0 } else { self.bits_of(number) };
            let mut joined = None;
            let exec = self.exec;
            let e = self.host.e();
            if let Some(exec) = exec {
                let old = e.b.ins().load(cranelift_codegen::ir::types::I32X4, crate::lane::memory(), storage, offset);
                let new = e.cast(value, cranelift_codegen::ir::types::I32X4);
                value = e.b.ins().bitselect(exec.0, new, old);
                let [load, choice] = [old, value].map(|value| e.b.func.dfg.value_def(value).inst());
                joined = load.zip(choice).map(|(load, choice)| [load, choice]);
            }
            let store = e.b.ins().store(crate::lane::memory(), value, storage, offset);
            let block = self.file.block;
            self.file.saved.push(Saved { block, slot, store, joined });
            if let Some(entry) = self.file.cache.get_mut(&loc) {
                entry.dirty = false;
            }
        }
    }

    /// Removes dead stores. Returns the locations that need their initial value when the program begins.
    pub(super) fn finish_file(&mut self, last: &[Loc]) -> Vec<(Loc, usize)> {
        let (into, out) = self.file.live(&self.graph.blocks, last);
        let e = self.host.e();
        for saved in &self.file.saved {
            if !out[saved.block][saved.slot] {
                e.b.func.layout.remove_inst(saved.store);
                saved.joined.into_iter().flatten().for_each(|inst| e.b.func.layout.remove_inst(inst));
            }
        }
        let mut first: Vec<(Loc, usize)> = match self.graph.first {
            Some(first) => {
                self.file.slots.iter().map(|(&loc, &slot)| (loc, slot)).filter(|s| into[first][s.1]).collect()
            }
            None => self.file.slots.iter().map(|(&loc, &slot)| (loc, slot)).collect(),
        };
        first.sort_unstable_by_key(|place| place.1);
        // A program may be emitted more than once.
        self.needs.slots = self.needs.slots.max(self.file.stride * self.file.slots.len());
        first
    }

    /// Loads a pointer from the context.
    pub(super) fn context_pointer(&mut self, offset: usize) -> Value {
        let context = self.host.context();
        self.host.e().load_i64(context, offset as i32)
    }

    /// Address of the storage.
    pub(super) fn find_storage(&mut self) {
        let (storage, stride) = match self.host.storage() {
            Some(storage) => (storage, AT_ONCE),
            None => (self.context_pointer(std::mem::offset_of!(Context, storage)), 1),
        };
        (self.file.storage, self.file.stride) = (Some(storage), stride);
    }
}
