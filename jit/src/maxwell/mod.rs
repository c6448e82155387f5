//! Maxwell shader programs (Tegra X1): four lanes as one value.
//!
//! ```text
//! graph.rs      control flow -> blocks in the order of execution
//! flow.rs       emission of blocks: fast ones for uniform control flow, masked ones for divergent lanes; fuel
//! file.rs       register file: registers, predicates, condition code; which of them are spilled between blocks
//! float.rs ...  one file for each kind of instruction; direct.rs memory that code reaches by itself;
//!               call.rs, image.rs and libcalls/ what Rust functions do
//! stage.rs      vertex and tessellation evaluation; geometry.rs geometry; pixel.rs the host of pixel programs
//! warp_slices.rs  warps of up to 32 lanes; compute.rs thread blocks, patch.rs tessellation control
//! args.rs       arguments of the compiled code; direct_args.rs those about memory that it reaches by itself
//! ```
//!
//! The lanes of one value are four warps of one lane (vertices), the quad of a pixel program, or a slice of a compute
//! warp.

mod access;
pub(crate) mod args;
mod atomic;
mod attribute;
mod call;
mod compute;
mod control;
mod convert;
mod direct;
mod direct_args;
mod double;
mod emitted;
mod exact;
mod file;
mod float;
mod flow;
mod geometry;
mod graph;
mod half;
mod handle;
mod image;
mod image_direct;
mod integer;
mod lane_value;
mod libcalls;
mod logic;
mod memory;
mod moves;
pub(crate) mod needs;
mod patch;
mod patch_args;
pub(crate) mod pixel;
pub(crate) mod pixel_plan;
mod shader;
mod stage;
mod surface;
mod texture;
mod vectors;
mod video;
mod warp;
mod warp_slices;

use std::collections::{BTreeSet, HashMap};

use cranelift_codegen::ir::Value;
use triglyph_guest::kernel::maxwell::Code;
use triglyph_guest::kernel::program::environment::{CONSTANT_BUFFERS, ImageKey};
use triglyph_guest::kernel::program::sampler::TextureKey;
use triglyph_guest::kernel::{Accuracy, Unsupported};
use triglyph_guest::num::ops::Ops;
use triglyph_guest::table::{Fields, Shape};
use triglyph_guest::tegra::shader::isa::{self, PixldMode, form};
use triglyph_guest::tegra::shader::operand::{Constant, Operand, Pred, PredSource, Reg};
use triglyph_guest::tegra::shader::program::never;
use triglyph_guest::tegra::shader::shape::{AttributeAccess, Interpolate, Plain};
use triglyph_guest::tegra::shader::special::SpecialRegister;

use crate::lane::{Emit, F32x4, I32x4, Mask};
use crate::pixel::quads::AT_ONCE;
pub use args::{Context, Prepared};
use file::{File, Loc};
pub use graph::Graph;
use lane_value::LaneValue;
pub(crate) use needs::Needs;
pub use shader::{dump, shader};

/// Result of lowering one instruction.
type Done = Result<(), Unsupported>;

/// What has been loaded of constant buffers in a block.
#[derive(Clone, Default)]
struct Constants {
    values: HashMap<Constant, LaneValue>,
    /// Address of the words that the caller has gathered.
    table: Option<Value>,
}

/// How the four lanes of a value relate to each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lanes {
    /// Four warps of one lane each.
    Alone,
    /// The pixels of a quad.
    Quad,
    /// A warp slice: eight of them are a warp.
    WarpSlice,
    /// A warp of one lane, and those that it may bring in.
    AloneInQuad,
}

impl Lanes {
    /// Whether each lane that is not brought in is a warp of its own.
    fn are_alone(self) -> bool {
        matches!(self, Lanes::Alone | Lanes::AloneInQuad)
    }

    /// Whether the four lanes are the whole warp.
    fn are_warp(self) -> bool {
        matches!(self, Lanes::Quad | Lanes::AloneInQuad)
    }
}

/// The stage that a program is compiled for: its inputs and outputs.
pub(crate) trait Host<'a> {
    /// The emitter.
    fn e(&mut self) -> &mut Emit<'a>;
    /// Begins a block: values of earlier blocks may not dominate it.
    fn begin(&mut self) {}
    /// Address of the [`Context`].
    fn context(&mut self) -> Value {
        self.e().args
    }
    /// Address of the lanes' storage, if it is not at the beginning of the context's: slots are [`AT_ONCE`] vectors
    /// apart then.
    fn storage(&self) -> Option<Value> {
        None
    }
    /// Offset of 64 bytes of scratch memory in the kernel's arguments.
    fn scratch(&self) -> i32;
    /// A special register that the stage defines; `None` for others.
    fn special(&mut self, which: SpecialRegister) -> Option<I32x4>;
    /// A value of a pixel program's input.
    fn interpolate(&mut self, i: &Interpolate, offset: Option<I32x4>) -> Result<Interpolated, Unsupported> {
        let _ = (i, offset);
        Ok(Interpolated { value: self.e().f(0.0), constant: true })
    }
    /// Input words for which [`Host::interpolate`] gives a value.
    fn inputs(&self) -> Vec<u8> {
        Vec::new()
    }
    /// The result of PIXLD for a sample.
    fn pixel_info(&mut self, mode: PixldMode, sample: I32x4) -> I32x4 {
        let _ = (mode, sample);
        self.e().i(0)
    }
    /// A word of the input attributes: of the lane's own vertex, or of one by its number.
    fn attribute(&mut self, i: &AttributeAccess, word: u8, vertex: Option<I32x4>) -> Result<I32x4, Unsupported> {
        let _ = (i, word, vertex);
        Ok(self.e().i(0))
    }
    /// Whether [`Host::attribute`] of a vertex word can be other than 0.
    fn reads(&self, i: &AttributeAccess, word: u8) -> bool {
        let _ = (i, word);
        false
    }
    /// A word of the patch, by its number below [`PATCH_WORDS`](triglyph_guest::kernel::program::stage::PATCH_WORDS).
    fn patch_word(&mut self, word: I32x4) -> I32x4 {
        let _ = word;
        self.e().i(0)
    }
    /// Stores words of the patch, numbers and values, lane after lane.
    fn store_patch(&mut self, words: &[(I32x4, I32x4)], lanes: Mask) {
        let _ = (words, lanes);
    }
    /// Stores a word of the outputs of lanes that share them.
    fn store_attribute(&mut self, i: &AttributeAccess, word: u8, value: I32x4, lanes: Option<Mask>) -> Done {
        let _ = (i, word, value, lanes);
        Ok(())
    }
    /// Words of an output record.
    fn outputs(&self) -> usize {
        0
    }
    /// Stores an output in memory, for the libcall that emits the vertex.
    fn keep_output(&mut self, place: u16, value: I32x4) {
        let _ = (place, value);
    }
    /// Index of an output word in the output record; `None` if it is not stored.
    fn output(&self, word: u8) -> Option<u16> {
        let _ = word;
        None
    }
    /// Whether reading an output word gives an input, whatever was stored: tessellation coordinates.
    fn is_coordinate(&self, word: u8) -> bool {
        let _ = word;
        false
    }
    /// Sets the warp slice of the code that follows: 16 times its number, as a 64-bit scalar.
    fn set_slice(&mut self, place: Value) {
        let _ = place;
    }
    /// Whether the stage emits vertices.
    fn emits(&self) -> bool {
        false
    }
    /// Takes fuel for a quad that has executed so many instructions.
    fn take_fuel(&mut self, count: Value) {
        let _ = count;
    }
    /// The block to jump to when all lanes of a quad are helpers.
    fn all_helpers(&self) -> Option<cranelift_codegen::ir::Block> {
        None
    }
}

/// An input of a pixel program.
#[derive(Clone, Copy)]
pub(crate) struct Interpolated {
    pub value: F32x4,
    /// The value is constant over the primitive: no perspective multiplication applies to its bits.
    pub constant: bool,
}

/// Textures and images of a key.
#[derive(Clone, Copy)]
pub(crate) struct ResourceKeys<'k> {
    pub textures: &'k [Option<TextureKey>],
    pub images: &'k [Option<ImageKey>],
}

/// Lowers a program.
pub(crate) struct Lower<'l, 'a> {
    host: &'l mut dyn Host<'a>,
    code: &'l Code,
    graph: &'l Graph,
    resources: ResourceKeys<'l>,
    lanes: Lanes,
    needs: &'l mut Needs,
    file: File,
    /// Lanes of a block that execute; `None` for all.
    exec: Option<Mask>,
    /// Lanes for which the guard holds; `None` for all.
    guard: Option<Mask>,
    /// Constants that have been loaded in this block.
    constants: Constants,
    /// Address of the instruction.
    at: u32,
    /// In straight code the number of the instruction, from 1 on; in other code how many of its block come after it, as
    /// a negative number.
    step: i32,
    /// Whether KIL has an effect.
    kills: bool,
    /// Initial values of locations, if not 0.
    initials: HashMap<Loc, I32x4>,
    /// Where the program ends, if it is not straight-line code.
    done: Option<cranelift_codegen::ir::Block>,
    /// Of a warp slice: lanes that wait at the barrier just executed; `None` for all.
    waiting: Option<Option<Mask>>,
    /// Of a warp slice: the votes of the block.
    ballot: Option<warp_slices::Ballot>,
    /// While lanes are brought in: those that execute by themselves.
    brought: Option<Brought>,
    /// Of a warp slice: its local memory, if the program has any.
    local: Option<Value>,
    /// Of a warp slice: where it notes what it uses, as an offset from where others do.
    noted_distance: Option<Value>,
    /// Of warp slices that are executed at once: whether they have done nothing in this block that must not be done
    /// twice.
    may_restart: bool,
}

/// What SAM has done.
#[derive(Default)]
struct Brought {
    /// Lanes that execute by themselves; `None` for all.
    exec: Option<Mask>,
    /// Locations whose values are those of all lanes.
    wide: BTreeSet<Loc>,
    /// Locations that were written since.
    written: BTreeSet<Loc>,
}

/// The lanes in which a predicate holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LaneMask {
    Empty,
    All,
    Lanes(Mask),
}

impl<'l, 'a> Lower<'l, 'a> {
    pub(crate) fn new(
        host: &'l mut dyn Host<'a>,
        (code, graph): (&'l Code, &'l Graph),
        resources: ResourceKeys<'l>,
        lanes: Lanes,
        needs: &'l mut Needs,
    ) -> Self {
        let straight = graph.is_straight() && !matches!(lanes, Lanes::WarpSlice | Lanes::AloneInQuad);
        let file = File::new(straight, graph.blocks.len());
        let (exec, guard, constants, initials) = (None, None, Constants::default(), HashMap::new());
        let (at, kills, done, waiting, ballot) = (0, false, None, None, None);
        Lower {
            host,
            code,
            graph,
            resources,
            lanes,
            needs,
            file,
            exec,
            guard,
            constants,
            at,
            step: 0,
            kills,
            initials,
            done,
            waiting,
            ballot,
            brought: None,
            local: None,
            noted_distance: None,
            may_restart: true,
        }
    }

    fn e(&mut self) -> &mut Emit<'a> {
        self.host.e()
    }

    /// Translates one instruction.
    fn instruction(&mut self, address: u32, word: u64) -> Done {
        let Some(form) = form(word) else { return Ok(()) };
        let guard = Plain::decode(Fields::new(word, &form.pattern)).guard;
        if never(guard) {
            return Ok(());
        }
        self.at = address;
        self.guard = match self.predicate(guard.0) {
            LaneMask::All => None,
            LaneMask::Empty => return Ok(()),
            LaneMask::Lanes(mask) => Some(mask),
        };
        isa::visit(word, self).unwrap_or(Ok(()))
    }

    /// Whether f32 denormals are 0 for an instruction that asks for it.
    fn flushes(&self, asked: bool) -> bool {
        asked && self.code.accuracy == Accuracy::Exact
    }

    // Predicates.

    /// The lanes in which a predicate holds.
    fn predicate(&mut self, source: PredSource) -> LaneMask {
        if source.pred == Pred::PT {
            return if source.not { LaneMask::Empty } else { LaneMask::All };
        }
        let mask = self.mask(Loc::Pred(source.pred.0));
        LaneMask::Lanes(if source.not { self.e().not(mask) } else { mask })
    }

    /// A predicate as a mask.
    fn predicate_mask(&mut self, source: PredSource) -> Mask {
        let when = self.predicate(source);
        self.mask_of(when)
    }

    fn mask_of(&mut self, when: LaneMask) -> Mask {
        match when {
            LaneMask::Empty => Mask(self.e().i(0).0),
            LaneMask::All => Mask(self.e().i(-1).0),
            LaneMask::Lanes(mask) => mask,
        }
    }

    fn set_predicate(&mut self, pred: Pred, mask: Mask) {
        if pred != Pred::PT {
            self.set(Loc::Pred(pred.0), LaneValue::int(I32x4(mask.0)));
        }
    }

    /// Lanes in which the instruction has side effects; `None` for all.
    fn active(&mut self) -> Option<Mask> {
        match (self.exec, self.guard) {
            (Some(exec), Some(guard)) => Some(self.e().and(exec, guard)),
            (exec, guard) => exec.or(guard),
        }
    }

    /// Lanes whose stores happen; `None` for all.
    fn storing(&mut self) -> Option<Mask> {
        let mut active = self.active();
        if let Some(own) = self.brought.as_ref().and_then(|brought| brought.exec) {
            active = Some(active.map_or(own, |active| self.e().and(active, own)));
        }
        if self.lanes != Lanes::Quad {
            return active;
        }
        let helper = self.mask(Loc::Helper);
        let e = self.e();
        Some(match active {
            Some(active) => e.and_not(active, helper),
            None => e.not(helper),
        })
    }

    // Sources and results.

    fn set_reg(&mut self, reg: Reg, number: LaneValue) {
        if !reg.is_zero() {
            self.set(Loc::Reg(reg.0), number);
        }
    }

    fn set_int(&mut self, reg: Reg, value: I32x4) {
        self.set_reg(reg, LaneValue::int(value));
    }

    /// The `n`th register after `reg`; RZ if `reg` is RZ or there is no such register.
    fn following(reg: Reg, n: u8) -> Reg {
        if reg.is_zero() { Reg::RZ } else { Reg(reg.0.saturating_add(n)) }
    }

    fn reg(&mut self, reg: Reg) -> LaneValue {
        if reg.is_zero() {
            return LaneValue::constant(self.e(), 0);
        }
        self.get(Loc::Reg(reg.0))
    }

    fn reg_int(&mut self, reg: Reg) -> I32x4 {
        if reg.is_zero() {
            return self.e().i(0);
        }
        self.int(Loc::Reg(reg.0))
    }

    fn reg_float(&mut self, reg: Reg) -> F32x4 {
        if reg.is_zero() {
            return self.e().f(0.0);
        }
        self.float(Loc::Reg(reg.0))
    }

    /// With denormals as zeros.
    fn reg_flushed(&mut self, reg: Reg) -> F32x4 {
        if reg.is_zero() {
            return self.e().f(0.0);
        }
        self.flushed(Loc::Reg(reg.0))
    }

    fn operand(&mut self, operand: Operand) -> LaneValue {
        match operand {
            Operand::Reg(reg) => self.reg(reg),
            Operand::Constant(constant) => self.constant(constant),
            Operand::Immediate(value) => LaneValue::constant(self.e(), value),
        }
    }

    fn operand_int(&mut self, operand: Operand) -> I32x4 {
        match operand {
            Operand::Reg(reg) => self.reg_int(reg),
            Operand::Constant(constant) => {
                let number = self.constant(constant);
                self.value_int(number)
            }
            Operand::Immediate(value) => self.e().i(value as i32),
        }
    }

    fn operand_float(&mut self, operand: Operand) -> F32x4 {
        match operand {
            Operand::Reg(reg) => self.reg_float(reg),
            Operand::Constant(constant) => {
                let number = self.constant(constant);
                self.value_float(number)
            }
            Operand::Immediate(value) => self.e().f(f32::from_bits(value)),
        }
    }

    fn operand_flushed(&mut self, operand: Operand) -> F32x4 {
        match operand {
            Operand::Reg(reg) => self.reg_flushed(reg),
            Operand::Constant(constant) => {
                let mut number = self.constant(constant);
                let value = self.value_flushed(&mut number);
                self.constants.values.insert(constant, number);
                value
            }
            Operand::Immediate(value) => {
                let denormal = value & 0x7F80_0000 == 0;
                self.e().f(f32::from_bits(if denormal { value & 1 << 31 } else { value }))
            }
        }
    }

    /// The value of an operand that is a compile-time constant.
    fn known(operand: Operand) -> Option<u32> {
        match operand {
            Operand::Immediate(value) => Some(value),
            Operand::Reg(reg) if reg.is_zero() => Some(0),
            _ => None,
        }
    }

    fn constant(&mut self, constant: Constant) -> LaneValue {
        if usize::from(constant.slot) >= CONSTANT_BUFFERS {
            return LaneValue::int(self.e().i(0));
        }
        if let Some(&number) = self.constants.values.get(&constant) {
            return number;
        }
        let place = self.needs.constants.iter().position(|known| *known == constant);
        let place = place.unwrap_or_else(|| {
            self.needs.constants.push(constant);
            self.needs.constants.len() - 1
        });
        let table = match self.constants.table {
            Some(table) => table,
            None => self.context_pointer(std::mem::offset_of!(Context, table)),
        };
        self.constants.table = Some(table);
        let number = LaneValue::loaded(self.host.e().load_floats(table, 16 * place as i32));
        self.constants.values.insert(constant, number);
        number
    }
}
