//! Maxwell shader programs (Tegra X1): four lanes as one value.
//!
//! ```text
//! graph.rs      control flow -> blocks in the order of execution
//! flow.rs       blocks as code: fast ones for lanes that agree, masked ones for lanes that do not; fuel
//! file.rs       registers, predicates, condition code as values; what of them goes through memory between blocks
//! float.rs ...  one file for each kind of instruction; direct.rs memory that code reaches by itself;
//!               call.rs, image.rs and rare/ what is left to functions
//! stage.rs      vertices and evaluations; geometry.rs primitives; pixel.rs what a quad offers
//! parts.rs      warps of up to 32 lanes; compute.rs blocks of threads, patch.rs control points of patches
//! args.rs       what code is called with
//! ```
//!
//! Lanes of one value are four warps (vertices), the quad of a pixel program, or a quarter of a row of a compute warp.

mod args;
mod atomic;
mod attribute;
mod call;
mod compute;
mod control;
mod convert;
mod direct;
mod exact;
mod file;
mod float;
mod flow;
mod geometry;
mod graph;
mod half;
mod handle;
mod image;
mod integer;
mod logic;
mod memory;
mod moves;
mod parts;
mod patch;
mod pixel;
mod rare;
mod stage;
mod surface;
mod texture;
mod video;
mod warp;

use std::collections::HashMap;

use cranelift_codegen::ir::Value;
use triglyph_guest::kernel::Unsupported;
use triglyph_guest::kernel::maxwell::{CONSTANT_BUFFERS, Code, ImageKey};
use triglyph_guest::kernel::program::sampler::TextureKey;
use triglyph_guest::num::ops::Ops;
use triglyph_guest::table::{Fields, Shape};
use triglyph_guest::tegra::shader::isa::{self, PixldMode, form};
use triglyph_guest::tegra::shader::operand::{Constant, Operand, Pred, PredSource, Reg};
use triglyph_guest::tegra::shader::program::never;
use triglyph_guest::tegra::shader::shape::{AttributeAccess, Interpolate, Plain};
use triglyph_guest::tegra::shader::special::SpecialRegister;

use crate::lane::{Emit, F32x4, I32x4, Mask};
pub use args::{Context, Prepared};
use file::{File, Loc, Number};
pub use graph::Graph;
pub use pixel::{PixelPlan, program};
pub use stage::{dump, shader};

/// What an instruction's translation yields.
type Done = Result<(), Unsupported>;

/// What the lanes of a value are to each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lanes {
    /// Four warps of one lane each.
    Alone,
    /// The pixels of a quad.
    Quad,
    /// A part of a warp: eight values are all of it.
    Part,
}

/// What is around a program in its stage.
pub(crate) trait Host<'a> {
    /// The emitter.
    fn e(&mut self) -> &mut Emit<'a>;
    /// A block begins: values of earlier ones may not be there.
    fn begin(&mut self);
    /// Address of the [`Context`].
    fn context(&mut self) -> Value;
    /// Offset of 64 bytes of memory to work in, from the kernel's arguments.
    fn scratch(&self) -> i32;
    /// A special register that the stage knows; `None` for others.
    fn special(&mut self, which: SpecialRegister) -> Option<I32x4>;
    /// A value of a pixel program's input.
    fn interpolate(&mut self, i: &Interpolate, offset: Option<I32x4>) -> Result<Interpolated, Unsupported> {
        let _ = (i, offset);
        Ok(Interpolated { value: self.e().f(0.0), constant: true })
    }
    /// Words that [`Host::interpolate`] knows.
    fn inputs(&self) -> Vec<u8> {
        Vec::new()
    }
    /// What PIXLD asks; of a sample.
    fn pixel_info(&mut self, mode: PixldMode, sample: I32x4) -> I32x4 {
        let _ = (mode, sample);
        self.e().i(0)
    }
    /// A word of the input attributes: of the lane's own vertex, or of one by its number.
    fn attribute(&mut self, i: &AttributeAccess, word: u8, vertex: Option<I32x4>) -> Result<I32x4, Unsupported> {
        let _ = (i, word, vertex);
        Ok(self.e().i(0))
    }
    /// Whether [`Host::attribute`] gives anything but 0 for a word of vertices.
    fn reads(&self, i: &AttributeAccess, word: u8) -> bool {
        let _ = (i, word);
        false
    }
    /// A word of the patch, by its number below [`PATCH_WORDS`](triglyph_guest::kernel::maxwell::stage::PATCH_WORDS).
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
    /// Puts an output where a function that emits it finds it.
    fn keep_output(&mut self, place: u16, value: I32x4) {
        let _ = (place, value);
    }
    /// Where an output word stands among the outputs; `None` if it is not stored.
    fn output(&self, word: u8) -> Option<u16> {
        let _ = word;
        None
    }
    /// Whether an output word reads as an input, whatever was stored: tessellation coordinates.
    fn is_coordinate(&self, word: u8) -> bool {
        let _ = word;
        false
    }
    /// Which part of a warp the code is for: 16 times its number, as a 64-bit scalar.
    fn set_part(&mut self, place: Value) {
        let _ = place;
    }
    /// Whether the stage emits vertices.
    fn emits(&self) -> bool {
        false
    }
    /// Where a quad goes when all of its lanes are helpers.
    fn all_helpers(&self) -> Option<cranelift_codegen::ir::Block> {
        None
    }
}

/// An input of a pixel program.
#[derive(Clone, Copy)]
pub(crate) struct Interpolated {
    pub value: F32x4,
    /// Bits that nothing is multiplied with.
    pub constant: bool,
}

/// Textures and images of a key.
#[derive(Clone, Copy)]
pub(crate) struct Units<'k> {
    pub textures: &'k [Option<TextureKey>],
    pub images: &'k [Option<ImageKey>],
}

/// What the code turned out to need.
#[derive(Debug, Default)]
pub(crate) struct Needs {
    /// Words of constant buffers, in the order of the table.
    pub constants: Vec<Constant>,
    /// Vectors of storage of four lanes.
    pub slots: usize,
    /// Of parts of warps: those that have to be 0 when the program begins.
    pub cleared: Vec<usize>,
    /// Whether KIL occurs.
    pub kills: bool,
    /// Whether local memory is used.
    pub local: bool,
    /// Accesses of global memory that keep the mapping they found last.
    pub mapped: u32,
    /// Textures that are read.
    pub textures: Vec<usize>,
    /// Whether textures, or images, are looked for by their handles.
    pub any_texture: bool,
    pub any_image: bool,
    /// Slots of [`Loc::Wait`] and [`Loc::Reduced`], if barriers join predicates.
    pub waits: Option<[usize; 2]>,
}

/// Emits a program.
pub(crate) struct Lower<'l, 'a> {
    host: &'l mut dyn Host<'a>,
    code: &'l Code,
    graph: &'l Graph,
    units: Units<'l>,
    lanes: Lanes,
    needs: &'l mut Needs,
    file: File,
    /// Lanes of a block that execute; `None` for all.
    exec: Option<Mask>,
    /// Lanes for which the guard holds; `None` for all.
    gate: Option<Mask>,
    /// Constants that have been loaded in this block.
    constants: HashMap<Constant, Number>,
    /// Address of the instruction.
    at: u32,
    /// Whether KIL has an effect.
    kills: bool,
    /// What places hold when the program begins, if not 0.
    initials: HashMap<Loc, I32x4>,
    /// Of a part of a warp: lanes that wait at the barrier that was just met; `None` for all.
    waiting: Option<Option<Mask>>,
    /// Of a part of a warp: the votes of the block.
    ballot: Option<parts::Ballot>,
}

/// When something happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum When {
    Never,
    Always,
    Lanes(Mask),
}

impl<'l, 'a> Lower<'l, 'a> {
    pub(crate) fn new(
        host: &'l mut dyn Host<'a>,
        (code, graph): (&'l Code, &'l Graph),
        units: Units<'l>,
        lanes: Lanes,
        needs: &'l mut Needs,
    ) -> Self {
        let straight = graph.is_straight() && lanes != Lanes::Part;
        let file = File::new(straight, graph.blocks.len());
        let (exec, gate, constants, initials) = (None, None, HashMap::new(), HashMap::new());
        let (at, kills, waiting, ballot) = (0, false, None, None);
        Lower {
            host,
            code,
            graph,
            units,
            lanes,
            needs,
            file,
            exec,
            gate,
            constants,
            at,
            kills,
            initials,
            waiting,
            ballot,
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
        self.gate = match self.predicate(guard.0) {
            When::Always => None,
            When::Never => return Ok(()),
            When::Lanes(mask) => Some(mask),
        };
        isa::visit(word, self).unwrap_or(Ok(()))
    }

    // Predicates.

    /// A predicate as it is read.
    fn predicate(&mut self, source: PredSource) -> When {
        if source.pred == Pred::PT {
            return if source.not { When::Never } else { When::Always };
        }
        let mask = self.mask(Loc::Pred(source.pred.0));
        When::Lanes(if source.not { self.e().not(mask) } else { mask })
    }

    /// A predicate as a mask.
    fn predicate_mask(&mut self, source: PredSource) -> Mask {
        let when = self.predicate(source);
        self.when_mask(when)
    }

    fn when_mask(&mut self, when: When) -> Mask {
        match when {
            When::Never => Mask(self.e().i(0).0),
            When::Always => Mask(self.e().i(-1).0),
            When::Lanes(mask) => mask,
        }
    }

    fn set_predicate(&mut self, pred: Pred, mask: Mask) {
        if pred != Pred::PT {
            self.set(Loc::Pred(pred.0), Number::int(I32x4(mask.0)));
        }
    }

    /// Lanes in which the instruction has effects outside of registers; `None` for all.
    fn active(&mut self) -> Option<Mask> {
        match (self.exec, self.gate) {
            (Some(exec), Some(gate)) => Some(self.e().and(exec, gate)),
            (exec, gate) => exec.or(gate),
        }
    }

    /// Lanes whose stores happen; `None` for all.
    fn storing(&mut self) -> Option<Mask> {
        let active = self.active();
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

    fn set_reg(&mut self, reg: Reg, number: Number) {
        if !reg.is_zero() {
            self.set(Loc::Reg(reg.0), number);
        }
    }

    fn set_int(&mut self, reg: Reg, value: I32x4) {
        self.set_reg(reg, Number::int(value));
    }

    /// Register `n` places behind `reg`; RZ if that is RZ or there is none.
    fn behind(reg: Reg, n: u8) -> Reg {
        if reg.is_zero() { Reg::RZ } else { Reg(reg.0.saturating_add(n)) }
    }

    fn reg(&mut self, reg: Reg) -> Number {
        if reg.is_zero() {
            return Number::int(self.e().i(0));
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

    fn operand(&mut self, operand: Operand) -> Number {
        match operand {
            Operand::Reg(reg) => self.reg(reg),
            Operand::Constant(constant) => self.constant(constant),
            Operand::Immediate(value) => Number::int(self.e().i(value as i32)),
        }
    }

    fn operand_int(&mut self, operand: Operand) -> I32x4 {
        match operand {
            Operand::Reg(reg) => self.reg_int(reg),
            Operand::Constant(constant) => {
                let number = self.constant(constant);
                self.number_int(number)
            }
            Operand::Immediate(value) => self.e().i(value as i32),
        }
    }

    fn operand_float(&mut self, operand: Operand) -> F32x4 {
        match operand {
            Operand::Reg(reg) => self.reg_float(reg),
            Operand::Constant(constant) => {
                let number = self.constant(constant);
                self.number_float(number)
            }
            Operand::Immediate(value) => self.e().f(f32::from_bits(value)),
        }
    }

    fn operand_flushed(&mut self, operand: Operand) -> F32x4 {
        match operand {
            Operand::Reg(reg) => self.reg_flushed(reg),
            Operand::Constant(constant) => {
                let mut number = self.constant(constant);
                let value = self.number_flushed(&mut number);
                self.constants.insert(constant, number);
                value
            }
            Operand::Immediate(value) => {
                let denormal = value & 0x7F80_0000 == 0;
                self.e().f(f32::from_bits(if denormal { value & 1 << 31 } else { value }))
            }
        }
    }

    /// The value of an operand if it is known now.
    fn known(operand: Operand) -> Option<u32> {
        match operand {
            Operand::Immediate(value) => Some(value),
            Operand::Reg(reg) if reg.is_zero() => Some(0),
            _ => None,
        }
    }

    fn constant(&mut self, constant: Constant) -> Number {
        if usize::from(constant.slot) >= CONSTANT_BUFFERS {
            return Number::int(self.e().i(0));
        }
        if let Some(&number) = self.constants.get(&constant) {
            return number;
        }
        let place = self.needs.constants.iter().position(|known| *known == constant);
        let place = place.unwrap_or_else(|| {
            self.needs.constants.push(constant);
            self.needs.constants.len() - 1
        });
        let context = self.host.context();
        let e = self.host.e();
        let table = e.load_i64(context, std::mem::offset_of!(Context, table) as i32);
        let number = Number::loaded(e.load_floats(table, 16 * place as i32));
        self.constants.insert(constant, number);
        number
    }

    /// a where the mask, else b.
    fn select_int(&mut self, mask: Mask, a: I32x4, b: I32x4) -> I32x4 {
        if a == b { a } else { self.e().iselect(mask, a, b) }
    }
}
