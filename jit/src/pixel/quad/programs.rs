//! A quad of the RSX and the Tegra X1: what its phases share.

use std::collections::HashMap;
use std::mem::offset_of;

use cranelift_codegen::ir::{InstBuilder, Value};
use triglyph_guest::kernel::pixel::Compare;
use triglyph_guest::kernel::program::fragment::{FragmentInput, MAX_SAMPLES, Primitive, Samples};
use triglyph_guest::kernel::program::output::TARGETS;
use triglyph_guest::num::ops::Ops;

use crate::lane::{F32x4, I32x4, Mask};
use crate::maxwell::needs::Needs as MaxwellNeeds;
use crate::pixel::args::programs::{BlockArgs, at, surface_at};
use crate::pixel::contract::{self, Contract, Early};
use crate::pixel::plan::programs::{Constants, PlaneOf};
use crate::pixel::target::channel::quantise_rsx;
use crate::pixel::target::surface::QuadAddress;

/// Results of a program.
pub struct Results {
    /// Colour outputs that targets use.
    pub colors: [Option<[F32x4; 4]>; TARGETS],
    /// Depth, if the program writes it.
    pub depth: Option<F32x4>,
    /// Lanes that are discarded.
    pub killed: Option<Mask>,
    /// Sample mask of the program, bit k for sample k.
    pub samples: Option<I32x4>,
}

/// What the emitted code needs from its caller, found while emitting.
#[derive(Default)]
pub struct Needs {
    /// Planes, in the order of the scratch memory.
    pub planes: Vec<PlaneOf>,
    /// Program constants, in the order of the table.
    pub constants: Constants,
    /// Of a Maxwell program.
    pub maxwell: MaxwellNeeds,
}

impl Needs {
    /// Index of a plane.
    pub fn plane(&mut self, of: PlaneOf) -> usize {
        index_or_push(&mut self.planes, of)
    }
}

/// Index of `item` in `list`; appends it if it is not in it.
fn index_or_push<T: PartialEq>(list: &mut Vec<T>, item: T) -> usize {
    list.iter().position(|known| *known == item).unwrap_or_else(|| {
        list.push(item);
        list.len() - 1
    })
}

/// The pixel pipeline of the RSX and the Tegra X1: pixels are shaded by programs.
pub(crate) enum Programs {}

/// A quad while it is emitted.
pub(crate) type Quad<'q, 'a> = contract::Quad<'q, 'a, Programs>;

/// What a quad has for itself.
pub struct QuadPlace {
    /// Columns and rows of the pixels in the block.
    pub inside: [I32x4; 2],
    /// The sample that is being written.
    pub sample: usize,
}

/// Values of a quad that have been computed.
#[derive(Clone, Default)]
pub struct QuadValues {
    pub distances: [Option<F32x4>; 2],
    pub planes: HashMap<PlaneOf, F32x4>,
    pub w: Option<F32x4>,
    pub depth: Option<F32x4>,
    pub inputs: Vec<((FragmentInput, usize, bool), F32x4)>,
    primitive: Option<Value>,
    table: Option<Value>,
    back: Option<Value>,
}

impl Quad<'_, '_> {
    /// Removes the pixels that the program discards.
    pub fn kill(&mut self, results: &Results) {
        let mut killed = results.killed;
        if let Some(bits) = results.samples.filter(|_| self.plan.samples == Samples::ONE) {
            let (one, zero) = (self.e.i(1), self.e.i(0));
            let bit = self.e.iand(bits, one);
            let none = self.e.ieq(bit, zero);
            killed = Some(match killed {
                Some(killed) => self.e.or(killed, none),
                None => none,
            });
        }
        if let Some(killed) = killed {
            self.mask = self.e.and_not(self.mask, killed);
            self.skip_unless_alive();
        }
    }

    /// Pixels for which the program has side effects: the covered ones that have passed early tests.
    pub fn running(&mut self) -> Mask {
        match self.plan.early {
            _ if self.plan.samples != Samples::ONE => self.mask,
            Early::All if self.plan.counts_early => self.mask,
            Early::Nothing => self.mask,
            _ => Programs::mask(self.e, self.cover),
        }
    }

    /// Alpha of the first colour output.
    pub fn alpha(&mut self, results: &Results) -> F32x4 {
        self.output(results, 0)[3]
    }

    pub fn alpha_test(&mut self, results: &Results) {
        let how = self.key.output.alpha_test;
        if how == Compare::Always {
            return;
        }
        let mut alpha = self.alpha(results);
        if self.key.output.alpha_bytes {
            let limited = self.e.clamp(alpha, 0.0, 1.0);
            let byte = quantise_rsx(self.e, limited, 8);
            alpha = self.e.to_float(byte);
        }
        let args = self.e.args;
        let reference = self.e.load_floats(args, at!(alpha_reference));
        if let Some(passes) = self.e.compare_floats(how, alpha, reference) {
            self.keep(passes);
            self.skip_unless_alive();
        }
    }

    /// Counts the pixels that are alive.
    pub fn count_alive(&mut self) {
        let args = self.e.args;
        let passed = self.e.load_ints(args, at!(passed));
        let mask = self.e.mask_ints(self.mask);
        let passed = self.e.iadd(passed, mask);
        self.e.store(passed.0, args, at!(passed));
    }

    /// Address of the primitive.
    pub fn primitive(&mut self) -> Value {
        let (e, block) = (&mut *self.e, self.block.address);
        *self.known.primitive.get_or_insert_with(|| e.load_i64(block, offset_of!(BlockArgs, primitive) as i32))
    }

    /// 1 if the primitive is back-facing, else 0: a 32-bit scalar.
    pub fn back(&mut self) -> Value {
        if let Some(back) = self.known.back {
            return back;
        }
        let primitive = self.primitive();
        let flags = self.e.load_i32(primitive, offset_of!(Primitive, flags) as i32);
        let back = self.e.b.ins().band_imm_u(flags, 1);
        self.known.back = Some(back);
        back
    }

    /// Component `component` of the program's inline constant `number`.
    pub fn constant(&mut self, number: u16, component: u8) -> F32x4 {
        let index = index_or_push(&mut self.needs.constants, (number, component));
        let e = &mut *self.e;
        let args = e.args;
        let table = *self.known.table.get_or_insert_with(|| e.load_i64(args, at!(table)));
        e.load_floats(table, 16 * index as i32)
    }

    /// Address of the quad, or of its current sample, in surface `number`.
    pub fn surface_address(&mut self, number: usize) -> Option<QuadAddress> {
        let surface = self.plan.surfaces[number]?;
        let e = &mut *self.e;
        let args = e.args;
        let base = e.load_i64(self.block.address, surface_at(number));
        // An entry of four bytes for each quad.
        let entry = e.b.ins().iadd(args, self.pixels);
        let offset = e.b.ins().uload32(crate::lane::memory(), entry, at!(quads) + 64 * number as i32);
        let mut address = e.b.ins().iadd(base, offset);
        if self.place.sample > 0 {
            let at = at!(samples) + 4 * (MAX_SAMPLES * number + self.place.sample) as i32;
            let offset = e.b.ins().uload32(crate::lane::memory(), args, at);
            address = e.b.ins().iadd(address, offset);
        }
        Some(QuadAddress::new(e, surface.grid, address, |e| {
            let args = e.args;
            e.b.ins().uload32(crate::lane::memory(), args, at!(down) + 4 * number as i32)
        }))
    }
}
