//! One quad of 2x2 pixels through all phases, of any machine.

pub mod pica;
pub mod programs;

use cranelift_codegen::ir::Block;
use triglyph_guest::kernel::Unsupported;

use super::contract::{BlockValues, Buffers, Contract, Early, KernelParts, Quad};
use super::quads::{CoveredQuad, tell_survivors};
use super::target::surface::QuadAddress;
use crate::lane::{Emit, Mask};

impl<'q, 'a, C: Contract> Quad<'q, 'a, C> {
    /// A quad of a block.
    pub fn new(
        e: &'q mut Emit<'a>,
        made: KernelParts<'q, C>,
        shared: &BlockValues<C>,
        quad: CoveredQuad,
        next: Block,
    ) -> Self {
        let CoveredQuad { pixels, cover, storage } = quad;
        let place = C::place(e, made.key, &shared.block, quad);
        Quad {
            mask: C::mask(e, cover),
            e,
            key: made.key,
            plan: made.plan,
            needs: made.needs,
            block: shared.block,
            pixels,
            cover,
            full: Some(shared.full),
            storage,
            next,
            place,
            known: C::QuadValues::default(),
            buffers: Buffers::default(),
        }
    }

    /// Emits the phases of a pixel with one sample, in their order; ends in a jump to the next quad.
    pub fn phases(mut self) -> Result<(), Unsupported> {
        let early = C::early(&self);
        let counts_early = C::counts_early(self.plan);
        C::test_first(&mut self);
        match early {
            Early::Nothing => {}
            Early::Test => self.depth_test(),
            Early::All => {
                self.depth_stage(None);
                if counts_early {
                    self.count();
                }
            }
        }
        let shaded = C::shade(&mut self)?;
        C::discard(&mut self, &shaded);
        match early {
            Early::Nothing => {
                let depth = C::shaded_depth(&mut self, &shaded);
                self.depth_stage(depth);
            }
            Early::Test => self.depth_write(),
            Early::All => {}
        }
        if !counts_early {
            self.count();
        }
        C::write(&mut self, &shaded);
        self.e.jump(self.next, &[]);
        Ok(())
    }

    /// Counts the pixels that have passed all tests, and stores their mask for kernels that tell survivors.
    pub fn count(&mut self) {
        C::count(self);
        if let Some(survivors) = C::survivors(self) {
            tell_survivors(self.e, survivors, self.pixels, self.mask);
        }
    }

    /// Address of the quad in surface `number`, if the kernel uses it.
    pub fn address(&mut self, number: usize) -> Option<QuadAddress> {
        if self.buffers.addresses[number].is_none() {
            self.buffers.addresses[number] = C::address(self, number);
        }
        self.buffers.addresses[number]
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
        self.e.branch_if_any(any, (alive, &[]), (self.next, &[]));
        self.e.switch_to(alive);
    }
}
