//! One quad of 2x2 pixels through all stages.

use std::collections::HashMap;

use cranelift_codegen::ir::{Block, InstBuilder, Value};
use triglyph_guest::kernel::pixel::{Compare, PixelKey};

use crate::lane::{Emit, F32x4, I16x8, I32x4, Mask, Pair};
use crate::pixel::args::pica::at;
use crate::pixel::interpolate::pica::edges;
use crate::pixel::plan::pica::Plan;
use crate::pixel::quads::{CoveredQuad, tell_survivors};

/// What the quads of a block share.
pub struct Corner {
    /// Not zero when all pixels of the block are covered.
    pub full: Value,
    /// The edge functions at its first pixel.
    pub edges: [I32x4; 3],
    /// Address of the block's first pixel in the colour and depth buffers.
    pub color: Option<Value>,
    pub depth: Option<Value>,
    /// Address of the block's survivors, of kernels that tell them.
    pub survivors: Option<Value>,
}

/// A quad while it is emitted. Values are computed on first use, in a block that dominates all later ones.
pub struct Quad<'q, 'a> {
    pub e: &'q mut Emit<'a>,
    pub key: &'q PixelKey,
    pub plan: &'q Plan,
    /// Pixels that are still alive.
    pub mask: Mask,
    /// Not zero when every pixel of the block is covered; `None` when tests have changed the mask since.
    pub full: Option<Value>,
    /// The block to jump to when no pixel is alive, or all is done.
    next: Block,
    /// Address of memory for the texels that are filtered.
    pub storage: Value,
    /// Addresses of the quad's colours and depths, of kernels that use them.
    color_at: Option<Value>,
    depth_at: Option<Value>,
    /// Where its block's survivors go, and its number.
    survivors: Option<(Value, Value)>,
    pub edges: [F32x4; 3],
    pub known: Computed,
}

/// Values of a quad that have been computed.
#[derive(Default)]
pub struct Computed {
    pub w: Option<F32x4>,
    pub varyings: HashMap<usize, F32x4>,
    pub depth: Option<F32x4>,
    /// The depth as it is stored.
    pub depth_int: Option<I32x4>,
    /// Colours of the texture units.
    pub textures: [Option<Pair>; 4],
    /// Primary and secondary colour of fragment lighting.
    pub fragment: Option<[Option<Pair>; 2]>,
    /// Results of the small operations on channels, by kind and operand.
    pub channels: HashMap<(Value, u8), I16x8>,
    /// Colours among the arguments, by offset.
    pub constants: HashMap<i32, Pair>,
}

impl<'q, 'a> Quad<'q, 'a> {
    /// A quad of a block, and the address of memory for its texels.
    pub fn new(
        e: &'q mut Emit<'a>,
        key: &'q PixelKey,
        plan: &'q Plan,
        corner: &Corner,
        (covered, storage): (CoveredQuad, Value),
        next: Block,
    ) -> Self {
        let CoveredQuad { number, cover, .. } = covered;
        let edges = edges(e, corner.edges, number);
        let mut address = |base: Option<Value>, bytes: Option<u32>| {
            let offset = e.scale(number, 4 * bytes?);
            Some(e.b.ins().iadd(base?, offset))
        };
        let color_at = address(corner.color, key.color_format.map(|f| f.bytes()));
        let depth_at = address(corner.depth, key.depth_format.map(|f| f.bytes()));
        let masks = e.address(e.args, cover, 4);
        let mask = Mask(e.load_ints(masks, at!(masks)).0);
        let (full, known) = (Some(corner.full), Computed::default());
        let survivors = corner.survivors.map(|survivors| (survivors, number));
        Quad { e, key, plan, mask, full, next, storage, color_at, depth_at, survivors, edges, known }
    }

    /// Emits all stages; ends in a jump to the next quad.
    pub fn whole(mut self) {
        self.first_tests();
        self.shade();
        let next = self.next;
        self.e.jump(next, &[]);
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
            return self.tell_survivors();
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
        self.tell_survivors();
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

    /// Tells which pixels have passed all tests, if somebody wants to know.
    fn tell_survivors(&mut self) {
        if let Some((survivors, number)) = self.survivors {
            tell_survivors(self.e, survivors, number, self.mask);
        }
    }

    /// Removes the pixels that are not in `passes`.
    pub fn keep(&mut self, passes: Mask) {
        self.mask = self.e.and(self.mask, passes);
        self.full = None;
    }

    /// Jumps to the next quad when no pixel is alive.
    pub fn skip_unless_alive(&mut self) {
        let any = self.e.any(self.mask);
        let alive = self.e.block(&[]);
        let next = self.next;
        self.e.branch_if_any(any, (alive, &[]), (next, &[]));
        self.e.switch_to(alive);
    }

    /// Address of the quad's colours.
    pub fn color_at(&mut self) -> Value {
        // Kernels without this surface never use it.
        self.color_at.unwrap_or_else(|| self.e.i64(0))
    }

    /// Address of the quad's depths.
    pub fn depth_at(&mut self) -> Value {
        self.depth_at.unwrap_or_else(|| self.e.i64(0))
    }
}
