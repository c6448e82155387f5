//! One quad of 2x2 pixels through all stages.
//!
//! A kernel that interpolates anything does a block in phases: tests and interpolation for all of its quads, then each
//! texture, then the rest. The state between phases is in a record for each quad that is still alive.
//! Within a phase consecutive quads do not depend on each other, and their instructions are few enough for the host
//! to overlap them, which it cannot do with whole pipelines.

use std::collections::HashMap;

use cranelift_codegen::ir::{Block, InstBuilder, Value};
use triglyph_guest::kernel::pixel::{Compare, PixelKey};
use triglyph_guest::num::ops::Ops;

use super::edges::edges;
use super::plan::Plan;
use super::record::saved;
use crate::lane::{Emit, F32x4, I16x8, I32x4, Mask, Pair};

/// What the quads of a block share.
pub struct Corner {
    /// Not zero when all pixels of the block are covered.
    pub full: Value,
    /// The edge functions at its first pixel.
    pub edges: [I32x4; 3],
    /// Address of the block's first pixel in the colour and depth buffers.
    pub color: Option<Value>,
    pub depth: Option<Value>,
}

/// Blocks after a quad: the next quad when no pixel is alive, the same quad or the next phase otherwise.
#[derive(Clone, Copy)]
pub struct Exits<'x> {
    pub dead: (Block, &'x [Value]),
    pub alive: (Block, &'x [Value]),
}

/// State of a quad that earlier phases have stored in its record.
#[derive(Clone, Copy)]
pub enum PhaseState {
    /// This is the first phase.
    Nothing,
    /// Masks, addresses and edge functions.
    Tests(Value),
    /// Interpolated values, and results of later phases.
    Attributes(Value),
}

impl PhaseState {
    /// The record.
    pub fn record(self) -> Option<Value> {
        match self {
            PhaseState::Nothing => None,
            PhaseState::Tests(record) | PhaseState::Attributes(record) => Some(record),
        }
    }

    /// The record of interpolated values.
    pub fn attributes(self) -> Option<Value> {
        if let PhaseState::Attributes(record) = self { Some(record) } else { None }
    }
}

/// A quad of a block.
#[derive(Clone, Copy)]
pub struct CoveredQuad {
    /// Four times its number.
    pub four: Value,
    /// Mask of its covered pixels.
    pub mask: Mask,
}

/// A quad while it is emitted. Values are computed on first use, in a block that dominates all later ones.
pub struct Quad<'q, 'a> {
    pub e: &'q mut Emit<'a>,
    pub key: &'q PixelKey,
    pub plan: &'q Plan,
    /// State from earlier phases.
    pub known: PhaseState,
    /// Pixels that are still alive; `None` until they are read from the record.
    mask: Option<Mask>,
    /// Not zero when every pixel of the block is covered; `None` when tests have changed the mask since.
    pub full: Option<Value>,
    pub exits: Exits<'q>,
    color_at: Option<Value>,
    depth_at: Option<Value>,
    edges: Option<[F32x4; 3]>,
    pub w: Option<F32x4>,
    pub varyings: HashMap<usize, F32x4>,
    pub depth: Option<F32x4>,
    pub depth_int: Option<I32x4>,
    /// Results of the small operations on channels, by kind and operand.
    pub channels: HashMap<(Value, u8), I16x8>,
    /// Colours among the arguments, by offset.
    pub constants: HashMap<i32, Pair>,
}

impl<'q, 'a> Quad<'q, 'a> {
    fn new(e: &'q mut Emit<'a>, key: &'q PixelKey, plan: &'q Plan, known: PhaseState, exits: Exits<'q>) -> Self {
        Quad {
            e,
            key,
            plan,
            known,
            mask: None,
            full: None,
            exits,
            color_at: None,
            depth_at: None,
            edges: None,
            w: None,
            varyings: HashMap::new(),
            depth: None,
            depth_int: None,
            channels: HashMap::new(),
            constants: HashMap::new(),
        }
    }

    /// Starts with a quad of a block.
    pub fn first(
        e: &'q mut Emit<'a>,
        key: &'q PixelKey,
        plan: &'q Plan,
        corner: &Corner,
        covered: CoveredQuad,
        exits: Exits<'q>,
    ) -> Self {
        let edges = edges(e, corner.edges, covered.four);
        let mut quad = Quad::new(e, key, plan, PhaseState::Nothing, exits);
        let mut address = |base: Option<Value>, bytes: Option<u32>| {
            let offset = quad.e.scale(covered.four, bytes?);
            Some(quad.e.b.ins().iadd(base?, offset))
        };
        quad.color_at = address(corner.color, key.color_format.map(|f| f.bytes()));
        quad.depth_at = address(corner.depth, key.depth_format.map(|f| f.bytes()));
        quad.mask = Some(covered.mask);
        quad.full = Some(corner.full);
        quad.edges = Some(edges);
        quad
    }

    /// Resumes a quad in a later phase.
    pub fn resumed(
        e: &'q mut Emit<'a>,
        key: &'q PixelKey,
        plan: &'q Plan,
        known: PhaseState,
        exits: Exits<'q>,
    ) -> Self {
        Quad::new(e, key, plan, known, exits)
    }

    /// All stages at once.
    pub fn whole(mut self) {
        self.first_tests();
        self.shade();
        self.alive();
    }

    /// The phase of the tests that go first; the quad goes to `record` when it is still alive.
    pub fn test_phase(mut self, record: Value) {
        self.first_tests();
        for (k, edge) in self.edges().into_iter().enumerate() {
            self.e.store(edge.0, record, saved!(edges) + 16 * k as i32);
        }
        self.remember_tests(record);
        self.alive();
    }

    /// The phase of interpolation; the quad goes to `record`.
    pub fn interpolation_phase(mut self, record: Value) {
        let plan = self.plan;
        for (index, &packed) in plan.carried.iter().enumerate() {
            let value = self.packed_varying(packed);
            self.e.store(value.0, record, saved!(varyings) + 16 * index as i32);
        }
        if plan.lod(self.key) {
            let w = self.w();
            self.e.store(w.0, record, saved!(w));
        }
        if plan.primary.any() {
            let pair = self.primary();
            self.store_pair(pair, record, saved!(primary));
        }
        if let PhaseState::Nothing = self.known {
            self.remember_tests(record);
        }
        self.alive();
    }

    fn remember_tests(&mut self, record: Value) {
        if let Some(mask) = self.mask {
            self.e.store(mask.0, record, saved!(mask));
        }
        if self.carries_depth() {
            let depth = self.depth();
            self.e.store(depth.0, record, saved!(depth));
        }
        if self.carries_depth_int() {
            let depth = self.depth_int();
            self.e.store(depth.0, record, saved!(depth_int));
        }
        for (address, offset) in [(self.color_at, saved!(color_at)), (self.depth_at, saved!(depth_at))] {
            if let Some(address) = address {
                self.e.store(address, record, offset);
            }
        }
    }

    /// All that follows the tests.
    pub fn rest(mut self) {
        self.shade();
        self.alive();
    }

    /// The phase that finds the level of detail of a texture unit, a long computation of its own.
    pub fn lod_phase(mut self, unit: usize) {
        let coordinates = self.coordinates(unit);
        let lod = self.lod(unit, &coordinates);
        if let Some(record) = self.known.record() {
            self.e.store(lod.0, record, saved!(lod));
        }
        self.alive();
    }

    /// The phase of a texture unit, 3 being the procedural one.
    pub fn texture_phase(mut self, unit: usize) {
        let pair = if unit == 3 { self.procedural() } else { self.sample(unit) };
        if let Some(record) = self.known.record() {
            self.store_pair(pair, record, saved!(textures) + 32 * unit as i32);
        }
        self.alive();
    }

    /// Ends with the quad.
    pub fn alive(self) {
        let (block, values) = self.exits.alive;
        self.e.jump(block, values);
    }

    /// Keeps a colour in a record.
    pub fn store_pair(&mut self, pair: Pair, record: Value, at: i32) {
        self.e.store(pair.br.0, record, at);
        self.e.store(pair.ag.0, record, at + 16);
    }

    /// Whether a later phase needs the depth.
    fn carries_depth(&self) -> bool {
        let density = self.key.density.is_some() && self.key.depth_format.is_some();
        self.key.shadow.is_some() || density || self.plan.fog(self.key)
    }

    /// Whether a later phase needs the depth as it is stored.
    fn carries_depth_int(&self) -> bool {
        let late = self.key.alpha_test != Compare::Always && self.key.shadow.is_none();
        late && (self.plan.depth_write || self.plan.depth_test && self.plan.stencil)
    }

    /// The tests that may precede shading without a visible difference: stencil and depth read and write nothing that
    /// the alpha test has not passed, so they come first as a whole when there is no alpha test, and the depth test
    /// alone when it has no side effects.
    fn first_tests(&mut self) {
        if self.key.shadow.is_some() {
            self.shadow_test();
        } else if self.key.alpha_test == Compare::Always {
            self.stencil_and_depth();
        } else if self.plan.depth_first(self.key) {
            self.depth_test();
            self.skip_unless_alive();
        }
    }

    /// Combiners, alpha test, the remaining tests, fog, blending.
    fn shade(&mut self) {
        let gas = self.plan.gas(self.key);
        if !self.plan.stages[5].any() && gas.is_none() {
            return;
        }
        let mut color = self.combine();
        if self.key.shadow.is_some() {
            return self.write_shadow(color);
        }
        if let Some(density) = self.key.density {
            return self.write_density(density.compare, color);
        }
        if self.key.alpha_test != Compare::Always {
            self.alpha_test(color);
            if !self.plan.depth_first(self.key) {
                self.stencil_and_depth();
            } else if self.plan.depth_write {
                self.depth_write();
            }
        }
        if !self.plan.color_write {
            return;
        }
        if let Some(gas) = gas {
            color = self.gas(gas);
        } else if self.plan.fog(self.key) {
            color = self.fog(color);
        }
        self.write(color);
    }

    /// The pixels that are still alive.
    pub fn mask(&mut self) -> Mask {
        match (self.mask, self.known.record()) {
            (Some(mask), _) => mask,
            (None, Some(record)) => *self.mask.insert(Mask(self.e.load_ints(record, saved!(mask)).0)),
            (None, None) => Mask(self.e.i(-1).0),
        }
    }

    /// Removes the pixels that are not in `passes`.
    pub fn keep(&mut self, passes: Mask) {
        let mask = self.mask();
        self.mask = Some(self.e.and(mask, passes));
        self.full = None;
    }

    /// Jumps to the next quad when no pixel is alive.
    pub fn skip_unless_alive(&mut self) {
        let mask = self.mask();
        let any = self.e.any(mask);
        let alive = self.e.block(&[]);
        self.e.branch_if_any(any, (alive, &[]), self.exits.dead);
        self.e.switch_to(alive);
    }

    // Values that an earlier phase has computed.

    /// The three edge functions.
    pub fn edges(&mut self) -> [F32x4; 3] {
        match (self.edges, self.known.record()) {
            (Some(edges), _) => edges,
            (None, Some(record)) => {
                let edges = [0, 1, 2].map(|k| self.e.load_floats(record, saved!(edges) + 16 * k));
                *self.edges.insert(edges)
            }
            (None, None) => [self.e.f(0.0); 3],
        }
    }

    /// A packed varying that an earlier phase has interpolated.
    pub fn known_varying(&mut self, packed: usize) -> Option<F32x4> {
        let index = self.plan.carried.iter().position(|&v| v == packed)?;
        self.known.attributes().map(|record| self.e.load_floats(record, saved!(varyings) + 16 * index as i32))
    }

    /// W, when it has been computed.
    pub fn known_w(&mut self) -> Option<F32x4> {
        if self.w.is_none() {
            self.w = self.known.attributes().map(|record| self.e.load_floats(record, saved!(w)));
        }
        self.w
    }

    /// The depth, when it has been computed.
    pub fn known_depth(&mut self) -> Option<F32x4> {
        if self.depth.is_none() && self.carries_depth() {
            self.depth = self.known.record().map(|record| self.e.load_floats(record, saved!(depth)));
        }
        self.depth
    }

    /// The depth as it is stored, when it has been computed.
    pub fn known_depth_int(&mut self) -> Option<I32x4> {
        if self.depth_int.is_none() && self.carries_depth_int() {
            self.depth_int = self.known.record().map(|record| self.e.load_ints(record, saved!(depth_int)));
        }
        self.depth_int
    }

    /// The level of detail, when it has been computed.
    pub fn known_lod(&mut self) -> Option<F32x4> {
        self.known.attributes().map(|record| self.e.load_floats(record, saved!(lod)))
    }

    /// A sampled texture.
    pub fn texture_of_record(&mut self, unit: usize) -> Option<Pair> {
        self.pair_of_record(saved!(textures) + 32 * unit as i32)
    }

    /// The primary (0) or secondary colour of fragment lighting.
    pub fn fragment_of_record(&mut self, side: usize) -> Option<Pair> {
        self.pair_of_record(saved!(fragment) + 32 * side as i32)
    }

    /// The vertex colour.
    pub fn primary_of_record(&mut self) -> Option<Pair> {
        self.pair_of_record(saved!(primary))
    }

    fn pair_of_record(&mut self, at: i32) -> Option<Pair> {
        let record = self.known.attributes()?;
        Some(Pair { br: self.e.load_shorts(record, at), ag: self.e.load_shorts(record, at + 16) })
    }

    /// Address of the quad's colours.
    pub fn color_at(&mut self) -> Value {
        Self::address(self.e, &mut self.color_at, self.known.record(), saved!(color_at))
    }

    /// Address of the quad's depths.
    pub fn depth_at(&mut self) -> Value {
        Self::address(self.e, &mut self.depth_at, self.known.record(), saved!(depth_at))
    }

    fn address(e: &mut Emit<'a>, known: &mut Option<Value>, record: Option<Value>, offset: i32) -> Value {
        match (*known, record) {
            (Some(address), _) => address,
            (None, Some(record)) => *known.insert(e.load_i64(record, offset)),
            // Only kernels without this surface, which never use it.
            (None, None) => e.i64(0),
        }
    }
}
