//! One quad of 2x2 pixels through all stages.

use std::collections::HashMap;
use std::mem::offset_of;

use cranelift_codegen::ir::{Block, InstBuilder, Value};
use triglyph_guest::kernel::Unsupported;
use triglyph_guest::kernel::pixel::Compare;
use triglyph_guest::kernel::program::fragment::{FragmentInput, FragmentKey, MAX_SAMPLES, Primitive, Samples};
use triglyph_guest::kernel::program::output::TARGETS;
use triglyph_guest::num::ops::Ops;

use crate::lane::{Emit, F32x4, I32x4, Mask};
use crate::maxwell::needs::Needs as MaxwellNeeds;
use crate::pixel::args::programs::{BlockArgs, at, surface_at};
use crate::pixel::args::tables::Tables;
use crate::pixel::plan::programs::{Constants, DEPTH, Early, Plan, PlaneOf};
use crate::pixel::quads::tell_survivors;
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

/// Where a quad is.
#[derive(Clone, Copy)]
pub struct QuadPlace {
    /// The block's [`BlockArgs`].
    pub block: Value,
    /// Columns and rows from the primitive's origin to the block's first pixel.
    pub distance: [I32x4; 2],
    /// The quad's number in the block, 64 bits.
    pub number: Value,
    /// Four bits of coverage.
    pub cover: Value,
    /// Address of what a Maxwell program stores between its blocks.
    pub storage: Option<Value>,
}

/// A quad while it is emitted. Values are computed on first use, in a block that dominates all later ones; code that
/// emits blocks without this property restores [`Quad::known`].
pub struct Quad<'q, 'a> {
    pub e: &'q mut Emit<'a>,
    pub key: &'q FragmentKey,
    pub plan: &'q Plan,
    pub needs: &'q mut Needs,
    /// The block's [`BlockArgs`].
    pub block: Value,
    /// Columns and rows from the primitive's origin to the block's first pixel.
    pub block_distance: [I32x4; 2],
    /// The quad's number in the block, 64 bits.
    pub number: Value,
    /// The sample that is being written.
    pub sample: usize,
    /// Covered pixels, or pixels whose current sample is covered, four bits.
    pub cover: Value,
    /// Pixels that are still alive.
    pub mask: Mask,
    /// Address of what a Maxwell program stores between its blocks.
    pub storage: Option<Value>,
    /// The block to jump to when no pixel is alive.
    pub next: Block,
    /// Columns and rows of the pixels in the block.
    pub inside: [I32x4; 2],
    pub known: Computed,
}

/// Values of a quad that have been computed.
#[derive(Clone, Default)]
pub struct Computed {
    pub distances: [Option<F32x4>; 2],
    pub planes: HashMap<PlaneOf, F32x4>,
    pub w: Option<F32x4>,
    pub depth: Option<F32x4>,
    pub inputs: Vec<((FragmentInput, usize, bool), F32x4)>,
    primitive: Option<Value>,
    table: Option<Value>,
    places: [Option<QuadAddress>; DEPTH + 1],
}

/// The lanes of four bits of coverage.
pub fn mask_of(e: &mut Emit<'_>, cover: Value) -> Mask {
    let args = e.args;
    let tables = e.load_i64(args, at!(tables));
    let masks = e.address(tables, cover, 4);
    Mask(e.load_ints(masks, offset_of!(Tables, masks) as i32).0)
}

impl<'q, 'a> Quad<'q, 'a> {
    /// Quad `number` of a block, with four bits of coverage.
    pub fn new(
        e: &'q mut Emit<'a>,
        key: &'q FragmentKey,
        plan: &'q Plan,
        needs: &'q mut Needs,
        place: QuadPlace,
        next: Block,
    ) -> Self {
        let QuadPlace { block, distance: block_distance, number, cover, storage } = place;
        let args = e.args;
        let tables = e.load_i64(args, at!(tables));
        let row = e.b.ins().ishl_imm_u(number, 5);
        let row = e.b.ins().iadd(tables, row);
        let inside = [e.load_ints(row, 0), e.load_ints(row, 16)];
        let mask = mask_of(e, cover);
        Quad {
            e,
            key,
            plan,
            needs,
            block,
            block_distance,
            number,
            sample: 0,
            cover,
            mask,
            storage,
            next,
            inside,
            known: Computed::default(),
        }
    }

    /// Emits all stages of the quad; ends in a jump to the next one.
    pub fn whole(mut self) -> Result<(), Unsupported> {
        if self.plan.samples != Samples::ONE {
            return self.whole_of_samples();
        }
        match self.plan.early {
            Early::Nothing => {}
            Early::Test => self.depth_test_only(),
            Early::All => {
                let depth = self.plan.depth.map(|_| self.depth());
                self.depth_stage(depth);
                if self.plan.counts_early {
                    self.count();
                }
            }
        }
        let results = self.program()?;
        self.kill(&results);
        self.alpha_test(&results);
        match self.plan.early {
            Early::Nothing => {
                let depth = match (self.plan.depth, results.depth) {
                    (None, _) => None,
                    (_, Some(depth)) => Some(self.clamp_depth(depth)),
                    _ => Some(self.depth()),
                };
                self.depth_stage(depth);
            }
            Early::Test => self.depth_write_only(),
            Early::All => {}
        }
        if !self.plan.counts_early {
            self.count();
        }
        self.colors(&results);
        let next = self.next;
        self.e.jump(next, &[]);
        Ok(())
    }

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
            _ => mask_of(self.e, self.cover),
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
    pub fn count(&mut self) {
        let args = self.e.args;
        let passed = self.e.load_ints(args, at!(passed));
        let mask = self.e.mask_ints(self.mask);
        let passed = self.e.iadd(passed, mask);
        self.e.store(passed.0, args, at!(passed));
        if self.plan.tells_survivors {
            let block = self.e.load_i64(self.block, offset_of!(BlockArgs, samples) as i32);
            let distance = self.e.load_i64(args, at!(to_survivors));
            let survivors = self.e.b.ins().iadd(block, distance);
            tell_survivors(self.e, survivors, self.number, self.mask);
        }
    }

    /// Removes the pixels that are not in `passes`.
    pub fn keep(&mut self, passes: Mask) {
        self.mask = self.e.and(self.mask, passes);
    }

    /// Jumps to the next quad when no pixel is alive.
    pub fn skip_unless_alive(&mut self) {
        let any = self.e.any(self.mask);
        let alive = self.e.block(&[]);
        let next = self.next;
        self.e.branch_if_any(any, (alive, &[]), (next, &[]));
        self.e.switch_to(alive);
    }

    /// Address of the primitive.
    pub fn primitive(&mut self) -> Value {
        let (e, block) = (&mut *self.e, self.block);
        *self.known.primitive.get_or_insert_with(|| e.load_i64(block, offset_of!(BlockArgs, primitive) as i32))
    }

    /// 1 if the primitive is back-facing, else 0: a 32-bit scalar.
    pub fn back(&mut self) -> Value {
        let primitive = self.primitive();
        let flags = self.e.load_i32(primitive, offset_of!(Primitive, flags) as i32);
        self.e.b.ins().band_imm_u(flags, 1)
    }

    /// Component `component` of the program's inline constant `number`.
    pub fn constant(&mut self, number: u16, component: u8) -> F32x4 {
        let index = index_or_push(&mut self.needs.constants, (number, component));
        let e = &mut *self.e;
        let args = e.args;
        let table = *self.known.table.get_or_insert_with(|| e.load_i64(args, at!(table)));
        e.load_floats(table, 16 * index as i32)
    }

    /// Address of the quad in surface `number`.
    pub fn quad_address(&mut self, number: usize) -> Option<QuadAddress> {
        if let Some(place) = self.known.places[number] {
            return Some(place);
        }
        let surface = self.plan.surfaces[number]?;
        let e = &mut *self.e;
        let args = e.args;
        let base = e.load_i64(self.block, surface_at(number));
        let quad = e.b.ins().ishl_imm_u(self.number, 2);
        let entry = e.b.ins().iadd(args, quad);
        let offset = e.b.ins().uload32(crate::lane::memory(), entry, at!(quads) + 64 * number as i32);
        let mut address = e.b.ins().iadd(base, offset);
        if self.sample > 0 {
            let at = at!(samples) + 4 * (MAX_SAMPLES * number + self.sample) as i32;
            let offset = e.b.ins().uload32(crate::lane::memory(), args, at);
            address = e.b.ins().iadd(address, offset);
        }
        let place = QuadAddress::new(e, surface.grid, address, |e| {
            let args = e.args;
            e.b.ins().uload32(crate::lane::memory(), args, at!(down) + 4 * number as i32)
        });
        self.known.places[number] = Some(place);
        Some(place)
    }
}
