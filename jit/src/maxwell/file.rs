//! Register file: the current values of registers, predicates and the condition code in a block, and their slots in
//! memory between blocks.
//!
//! In a block registers are SSA values. Programs of several blocks keep them in memory between blocks, four lanes in
//! one vector. When all blocks have been emitted, liveness is known and dead stores are removed.

use std::collections::{BTreeMap, HashMap};

use cranelift_codegen::ir::{Inst, InstBuilder, Value};
use triglyph_guest::num::ops::Ops;

use super::graph::Block;
use super::{AT_ONCE, Context, Lower};
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

/// What is known of NaNs among a value's bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Nan {
    /// The bits are what they are.
    Any,
    /// There is none but the canonical one.
    Canonical,
    /// A NaN among the floats may have any bits; as an integer it is the canonical one.
    Loose,
}

/// A value in the forms that have been requested so far.
#[derive(Clone, Copy, Debug)]
pub struct LaneValue {
    float: Option<F32x4>,
    int: Option<I32x4>,
    /// With denormals flushed to zero.
    flushed: Option<F32x4>,
    nan: Nan,
    /// Lanes whose bits are not zero, where that is known.
    truth: Option<Mask>,
}

impl LaneValue {
    /// Bits.
    pub fn int(value: I32x4) -> LaneValue {
        LaneValue { float: None, int: Some(value), flushed: None, nan: Nan::Any, truth: None }
    }

    /// A constant, in all lanes.
    pub fn constant(e: &mut crate::lane::Emit<'_>, value: u32) -> LaneValue {
        let nan = if f32::from_bits(value).is_nan() { Nan::Any } else { Nan::Canonical };
        LaneValue { nan, ..LaneValue::int(e.i(value as i32)) }
    }

    /// Bits that are zero but in these lanes.
    pub fn truth(value: I32x4, lanes: Mask) -> LaneValue {
        LaneValue { truth: Some(lanes), ..LaneValue::int(value) }
    }

    /// A result of arithmetic: any NaN represents the canonical one.
    pub fn float(value: F32x4) -> LaneValue {
        LaneValue { float: Some(value), int: None, nan: Nan::Loose, flushed: None, truth: None }
    }

    /// As [`LaneValue::float`], without denormals.
    pub fn normal(value: F32x4) -> LaneValue {
        LaneValue { flushed: Some(value), ..LaneValue::float(value) }
    }

    /// As [`LaneValue::float`], without NaN.
    pub fn number(value: F32x4) -> LaneValue {
        LaneValue { nan: Nan::Canonical, ..LaneValue::float(value) }
    }

    /// Bits that were loaded as floats.
    pub fn loaded(value: F32x4) -> LaneValue {
        LaneValue { nan: Nan::Any, ..LaneValue::float(value) }
    }

    /// The lanes whose bits are not zero, if they are known without looking.
    pub fn known_truth(&self) -> Option<Mask> {
        self.truth
    }
}

#[derive(Clone, Copy)]
struct Entry {
    number: LaneValue,
    dirty: bool,
}

/// See [`File::snapshot`].
#[derive(Clone)]
pub struct Snapshot(BTreeMap<Loc, Entry>);

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
    cache: BTreeMap<Loc, Entry>,
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
    /// The value of a location.
    pub(super) fn get(&mut self, loc: Loc) -> LaneValue {
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
        self.file.cache.insert(loc, Entry { number, dirty: false });
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
        self.file.cache.insert(loc, Entry { number, dirty: true });
    }

    /// Sets a location, whatever the guard.
    pub(super) fn put(&mut self, loc: Loc, number: LaneValue) {
        self.file.note_write(loc);
        self.file.cache.insert(loc, Entry { number, dirty: true });
    }

    /// `new` in some lanes, `old` in the others.
    pub(super) fn merge(&mut self, mask: Mask, new: LaneValue, old: LaneValue) -> LaneValue {
        let loose = [new, old].iter().any(|value| value.nan == Nan::Loose);
        let exact = [new, old].iter().any(|value| value.nan == Nan::Any);
        // A loose NaN beside exact bits: they can be told apart only as bits.
        let as_floats = if loose { !exact } else { new.float.is_some() && old.float.is_some() };
        if !as_floats {
            let (a, b) = (self.value_int(new), self.value_int(old));
            let nan = if new.nan == Nan::Canonical && old.nan == Nan::Canonical { Nan::Canonical } else { Nan::Any };
            return LaneValue { nan, ..LaneValue::int(self.host.e().iselect(mask, a, b)) };
        }
        let (a, b) = (self.value_float(new), self.value_float(old));
        let float = self.host.e().select(mask, a, b);
        let flushed = match (new.flushed, old.flushed) {
            (Some(x), Some(y)) if x == a && y == b => Some(float),
            _ => None,
        };
        let nan = match (loose, exact) {
            (true, _) => Nan::Loose,
            (false, true) => Nan::Any,
            (false, false) => Nan::Canonical,
        };
        LaneValue { flushed, nan, ..LaneValue::float(float) }
    }

    pub(super) fn value_float(&mut self, number: LaneValue) -> F32x4 {
        match (number.float, number.int) {
            (Some(value), _) => value,
            (None, Some(value)) => self.host.e().float_of_bits(value),
            (None, None) => self.host.e().f(0.0),
        }
    }

    pub(super) fn value_int(&mut self, number: LaneValue) -> I32x4 {
        let e = self.host.e();
        match (number.int, number.float) {
            (Some(value), _) => value,
            (None, Some(value)) if number.nan != Nan::Loose => e.bits(value),
            (None, Some(value)) => canonical(e, value),
            (None, None) => e.i(0),
        }
    }

    pub(super) fn value_flushed(&mut self, number: &mut LaneValue) -> F32x4 {
        if let Some(value) = number.flushed {
            return value;
        }
        let float = self.value_float(*number);
        let value = flush(self.host.e(), float);
        number.float = Some(float);
        number.flushed = Some(value);
        value
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

    fn bits_of(&mut self, number: LaneValue) -> Value {
        match (number.float, number.int) {
            (_, Some(int)) => int.0,
            (Some(float), None) => float.0,
            (None, None) => self.host.e().i(0).0,
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

/// The bits of floats, NaN as the canonical one.
pub fn canonical(e: &mut crate::lane::Emit<'_>, value: F32x4) -> I32x4 {
    let nan = e.unordered(value, value);
    let (bits, only) = (e.bits(value), e.i(0x7FFF_FFFF));
    e.iselect(nan, only, bits)
}

/// Denormals as zeros of the same sign.
pub fn flush(e: &mut crate::lane::Emit<'_>, value: F32x4) -> F32x4 {
    let (magnitude, least) = (e.abs(value), e.f(f32::MIN_POSITIVE));
    let tiny = e.lt(magnitude, least);
    let clear = e.ushr(I32x4(tiny.0), 1);
    let bits = e.bits(value);
    let bits = I32x4(e.b.ins().band_not(bits.0, clear.0));
    e.float_of_bits(bits)
}
