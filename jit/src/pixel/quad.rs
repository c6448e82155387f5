//! One quad of 2x2 pixels through all stages.

use std::collections::HashMap;

use cranelift_codegen::ir::{Block, InstBuilder, Value};
use triglyph_guest::kernel::pixel::{Compare, PixelKey};

use super::kernel::Corner;
use super::plan::Plan;
use crate::lane::{Emit, F32x4, I16x8, I32x4, Mask};

/// What a quad knows while it is emitted. Values are computed when first asked for, in a block that dominates all
/// later ones.
pub struct Quad<'q, 'a> {
    pub e: &'q mut Emit<'a>,
    pub key: &'q PixelKey,
    pub plan: &'q Plan,
    /// Number of the quad in its block, 64 bits.
    pub number: Value,
    /// Addresses of the quad's pixels.
    pub color_at: Option<Value>,
    pub depth_at: Option<Value>,
    /// Pixels that are still alive; `None` means all.
    pub mask: Option<Mask>,
    /// Where to go when none is.
    pub next: Block,
    /// The three edge functions.
    pub edges: [F32x4; 3],
    pub w: Option<F32x4>,
    pub varyings: HashMap<usize, F32x4>,
    pub depth: Option<F32x4>,
    pub depth_int: Option<I32x4>,
    /// Results of the small operations on channels, by kind and operand.
    pub channels: HashMap<(Value, u8), I16x8>,
}

impl<'q, 'a> Quad<'q, 'a> {
    /// Emits quad `number` of a block; both ends of it jump to `next`.
    pub fn emit(
        e: &'q mut Emit<'a>,
        key: &'q PixelKey,
        plan: &'q Plan,
        corner: &Corner,
        number: Value,
        mask: Option<Mask>,
        next: Block,
    ) {
        let mut address = |base: Option<Value>, bytes: Option<u32>| {
            let offset = e.b.ins().imul_imm_u(number, 4 * i64::from(bytes?));
            Some(e.b.ins().iadd(base?, offset))
        };
        let color_at = address(corner.color, key.color_format.map(|f| f.bytes()));
        let depth_at = address(corner.depth, key.depth_format.map(|f| f.bytes()));
        let edges = super::interpolate::edges(e, number);
        let mut quad = Quad {
            e,
            key,
            plan,
            number,
            color_at,
            depth_at,
            mask,
            next,
            edges,
            w: None,
            varyings: HashMap::new(),
            depth: None,
            depth_int: None,
            channels: HashMap::new(),
        };
        quad.stages();
        quad.e.jump(next, &[]);
    }

    /// The order of the stages. The tests go first where nobody can tell: stencil and depth read and write nothing
    /// that the alpha test has not passed, so they go first as a whole when there is none, and the depth test alone
    /// when it has no side effects.
    fn stages(&mut self) {
        let alpha_test = self.key.alpha_test != Compare::Always;
        let early = !alpha_test;
        let depth_first = alpha_test && !self.plan.stencil && self.plan.depth_test;
        if early {
            self.stencil_and_depth();
        } else if depth_first {
            self.depth_test();
            self.skip_unless_alive();
        }
        if !self.plan.stages[5].any() {
            return if !early {
                self.late_tests(depth_first)
            };
        }
        let mut color = self.combine();
        if alpha_test {
            self.alpha_test(color);
            self.late_tests(depth_first);
        }
        if !self.plan.color_write {
            return;
        }
        if self.plan.fog(self.key) {
            color = self.fog(color);
        }
        self.write(color);
    }

    /// What follows the alpha test.
    fn late_tests(&mut self, depth_tested: bool) {
        if depth_tested {
            if self.plan.depth_write {
                self.depth_write();
            }
        } else {
            self.stencil_and_depth();
        }
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
            self.e.branch(any, (alive, &[]), (self.next, &[]));
            self.e.switch_to(alive);
        }
    }
}
