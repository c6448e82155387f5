//! One quad of 2x2 pixels through all stages.
//!
//! A kernel that interpolates anything does a block in phases: tests and interpolation for all of its quads, then each
//! texture, then the rest. What one phase leaves to the next stands in a record for each quad that is still alive.
//! Within a phase consecutive quads do not depend on each other, and their instructions are few enough for the host
//! to overlap them, which it cannot do with whole pipelines.

use std::collections::HashMap;
use std::mem::offset_of;

use cranelift_codegen::ir::{Block, InstBuilder, Value};
use triglyph_guest::kernel::pixel::{Compare, PixelKey};

use super::kernel::Corner;
use super::plan::Plan;
use crate::lane::{Emit, F32x4, I16x8, I32x4, Mask, Pair};

/// Largest number of varyings of a kernel: all that a vertex record holds.
pub const VARYINGS: usize = 24;

/// What is remembered of a quad between phases.
#[repr(C, align(16))]
#[derive(Clone, Copy)]
pub struct Record {
    pub varyings: [[f32; 4]; VARYINGS],
    pub w: [f32; 4],
    pub mask: [i32; 4],
    pub depth: [f32; 4],
    /// Level of detail of the texture that comes next.
    pub lod: [f32; 4],
    /// Sampled textures, the procedural one last.
    pub textures: [[[u16; 8]; 2]; 4],
    /// Primary and secondary colour of fragment lighting.
    pub fragment: [[[u16; 8]; 2]; 2],
    pub color_at: *mut u8,
    pub depth_at: *mut u8,
}

/// Where to go from a quad: the next one when no pixel is left, the same or the next phase otherwise.
#[derive(Clone, Copy)]
pub struct Exits<'x> {
    pub dead: (Block, &'x [Value]),
    pub alive: (Block, &'x [Value]),
}

/// What a quad knows while it is emitted. Values are computed when first asked for, in a block that dominates all
/// later ones.
pub struct Quad<'q, 'a> {
    pub e: &'q mut Emit<'a>,
    pub key: &'q PixelKey,
    pub plan: &'q Plan,
    /// The record to read from, after the first phase.
    record: Option<Value>,
    /// Pixels that are still alive; `None` means all.
    pub mask: Option<Mask>,
    exits: Exits<'q>,
    color_at: Option<Value>,
    depth_at: Option<Value>,
    /// The three edge functions; only in the first phase.
    pub edges: [F32x4; 3],
    pub w: Option<F32x4>,
    pub varyings: HashMap<usize, F32x4>,
    pub depth: Option<F32x4>,
    pub depth_int: Option<I32x4>,
    /// Results of the small operations on channels, by kind and operand.
    pub channels: HashMap<(Value, u8), I16x8>,
}

/// Offset of a field of a record.
macro_rules! saved {
    ($($field:tt)+) => { offset_of!(Record, $($field)+) as i32 };
}

impl<'q, 'a> Quad<'q, 'a> {
    fn new(e: &'q mut Emit<'a>, key: &'q PixelKey, plan: &'q Plan, edges: [F32x4; 3], exits: Exits<'q>) -> Self {
        Quad {
            e,
            key,
            plan,
            record: None,
            mask: None,
            exits,
            color_at: None,
            depth_at: None,
            edges,
            w: None,
            varyings: HashMap::new(),
            depth: None,
            depth_int: None,
            channels: HashMap::new(),
        }
    }

    /// Starts with quad `number` of a block.
    pub fn first(
        e: &'q mut Emit<'a>,
        key: &'q PixelKey,
        plan: &'q Plan,
        corner: &Corner,
        (number, mask): (Value, Option<Mask>),
        exits: Exits<'q>,
    ) -> Self {
        let edges = super::interpolate::edges(e, number);
        let mut quad = Quad::new(e, key, plan, edges, exits);
        let mut address = |base: Option<Value>, bytes: Option<u32>| {
            let offset = quad.e.scale(number, 4 * bytes?);
            Some(quad.e.b.ins().iadd(base?, offset))
        };
        quad.color_at = address(corner.color, key.color_format.map(|f| f.bytes()));
        quad.depth_at = address(corner.depth, key.depth_format.map(|f| f.bytes()));
        quad.mask = mask;
        quad
    }

    /// Goes on with the quad that `record` remembers.
    pub fn resumed(e: &'q mut Emit<'a>, key: &'q PixelKey, plan: &'q Plan, record: Value, exits: Exits<'q>) -> Self {
        // Everything made of the edge functions stands in the record.
        let none = e.floats([0.0; 4]);
        let mut quad = Quad::new(e, key, plan, [none; 3], exits);
        quad.record = Some(record);
        quad
    }

    /// All stages at once.
    pub fn whole(mut self) {
        self.first_tests();
        self.shade();
        self.alive();
    }

    /// The phase before the textures, tests and interpolation; the quad goes to `record` when it is still alive.
    pub fn test_phase(mut self, record: Value) {
        self.first_tests();
        let plan = self.plan;
        for (index, &packed) in plan.varyings.iter().enumerate() {
            let value = self.packed_varying(packed);
            self.e.store(value.0, record, saved!(varyings) + 16 * index as i32);
        }
        if plan.lod(self.key) {
            let w = self.w();
            self.e.store(w.0, record, saved!(w));
        }
        let mask = match self.mask {
            Some(mask) => mask.0,
            None => self.e.ints([-1; 4]).0,
        };
        self.e.store(mask, record, saved!(mask));
        if self.carries_depth() {
            let depth = self.depth();
            self.e.store(depth.0, record, saved!(depth));
        }
        for (address, offset) in [(self.color_at, saved!(color_at)), (self.depth_at, saved!(depth_at))] {
            if let Some(address) = address {
                self.e.store(address, record, offset);
            }
        }
        self.alive();
    }

    /// The phase that finds the level of detail of a texture unit, a long computation of its own.
    pub fn lod_phase(mut self, unit: usize) {
        let coordinates = self.coordinates(unit);
        let lod = self.lod(unit, &coordinates);
        if let Some(record) = self.record {
            self.e.store(lod.0, record, saved!(lod));
        }
        self.alive();
    }

    /// The phase of a texture unit, 3 being the procedural one.
    pub fn texture_phase(mut self, unit: usize) {
        let pair = if unit == 3 { self.procedural() } else { self.sample(unit) };
        if let Some(record) = self.record {
            let at = saved!(textures) + 32 * unit as i32;
            self.e.store(pair.br.0, record, at);
            self.e.store(pair.ag.0, record, at + 16);
        }
        self.alive();
    }

    /// The phase of fragment lighting.
    pub fn lighting_phase(mut self) {
        let colors = self.lighting();
        if let Some(record) = self.record {
            for (side, pair) in colors.into_iter().enumerate().filter(|&(side, _)| self.plan.fragment[side].any()) {
                let at = saved!(fragment) + 32 * side as i32;
                self.e.store(pair.br.0, record, at);
                self.e.store(pair.ag.0, record, at + 16);
            }
        }
        self.alive();
    }

    /// The phase after the textures.
    pub fn last_phase(mut self) {
        if let Some(record) = self.record {
            self.mask = Some(Mask(self.e.load_ints(record, saved!(mask)).0));
        }
        self.shade();
        self.alive();
    }

    fn alive(self) {
        let (block, values) = self.exits.alive;
        self.e.jump(block, values);
    }

    /// Whether a later phase needs the depth.
    fn carries_depth(&self) -> bool {
        let late = self.key.alpha_test != Compare::Always;
        let shadow = self.key.shadow.is_some();
        shadow
            || self.plan.fog(self.key)
            || late && (self.plan.depth_write || self.plan.depth_test && self.plan.stencil)
    }

    /// The tests that may go before shading, because nobody can tell: stencil and depth read and write nothing that
    /// the alpha test has not passed, so they go first as a whole when there is none, and the depth test alone when
    /// it has no side effects.
    fn first_tests(&mut self) {
        if self.key.shadow.is_some() {
            self.shadow_test();
        } else if self.key.alpha_test == Compare::Always {
            self.stencil_and_depth();
        } else if self.tests_depth_first() {
            self.depth_test();
            self.skip_unless_alive();
        }
    }

    fn tests_depth_first(&self) -> bool {
        self.key.alpha_test != Compare::Always && !self.plan.stencil && self.plan.depth_test
    }

    /// Combiners, alpha test and what follows it, fog, blending.
    fn shade(&mut self) {
        if !self.plan.stages[5].any() {
            return;
        }
        let mut color = self.combine();
        if self.key.shadow.is_some() {
            return self.write_shadow(color);
        }
        if self.key.alpha_test != Compare::Always {
            self.alpha_test(color);
            if !self.tests_depth_first() {
                self.stencil_and_depth();
            } else if self.plan.depth_write {
                self.depth_write();
            }
        }
        if !self.plan.color_write {
            return;
        }
        if self.plan.fog(self.key) {
            color = self.fog(color);
        }
        self.write(color);
    }

    /// Takes the pixels out that `passes` does not name.
    pub fn keep(&mut self, passes: Mask) {
        self.mask = Some(match self.mask {
            None => passes,
            Some(mask) => self.e.and(mask, passes),
        });
    }

    /// Goes to the next quad when no pixel is alive.
    pub fn skip_unless_alive(&mut self) {
        if let Some(mask) = self.mask {
            let any = self.e.any(mask);
            let alive = self.e.block(&[]);
            self.e.branch(any, (alive, &[]), self.exits.dead);
            self.e.switch_to(alive);
        }
    }

    // What an earlier phase has computed.

    /// A packed varying that an earlier phase has interpolated.
    pub fn known_varying(&mut self, packed: usize) -> Option<F32x4> {
        let index = self.plan.varyings.iter().position(|&v| v == packed)?;
        self.record.map(|record| self.e.load_floats(record, saved!(varyings) + 16 * index as i32))
    }

    /// W, when it has been computed.
    pub fn known_w(&mut self) -> Option<F32x4> {
        if self.w.is_none() {
            self.w = self.record.map(|record| self.e.load_floats(record, saved!(w)));
        }
        self.w
    }

    /// The depth, when it has been computed.
    pub fn known_depth(&mut self) -> Option<F32x4> {
        if self.depth.is_none() && self.carries_depth() {
            self.depth = self.record.map(|record| self.e.load_floats(record, saved!(depth)));
        }
        self.depth
    }

    /// The level of detail, when it has been computed.
    pub fn known_lod(&mut self) -> Option<F32x4> {
        self.record.map(|record| self.e.load_floats(record, saved!(lod)))
    }

    /// A sampled texture.
    pub fn texture_of_record(&mut self, unit: usize) -> Option<Pair> {
        let record = self.record?;
        let at = saved!(textures) + 32 * unit as i32;
        Some(Pair { br: self.e.load_shorts(record, at), ag: self.e.load_shorts(record, at + 16) })
    }

    /// The primary (0) or secondary colour of fragment lighting.
    pub fn fragment_of_record(&mut self, side: usize) -> Option<Pair> {
        let record = self.record?;
        let at = saved!(fragment) + 32 * side as i32;
        Some(Pair { br: self.e.load_shorts(record, at), ag: self.e.load_shorts(record, at + 16) })
    }

    /// Address of the quad's colours.
    pub fn color_at(&mut self) -> Value {
        Self::address(self.e, &mut self.color_at, self.record, saved!(color_at))
    }

    /// Address of the quad's depths.
    pub fn depth_at(&mut self) -> Value {
        Self::address(self.e, &mut self.depth_at, self.record, saved!(depth_at))
    }

    fn address(e: &mut Emit<'a>, known: &mut Option<Value>, record: Option<Value>, offset: i32) -> Value {
        match (*known, record) {
            (Some(address), _) => address,
            (None, Some(record)) => *known.insert(e.load_i64(record, offset)),
            // Only kernels without the surface, which do not ask.
            (None, None) => e.i64(0),
        }
    }
}
