//! Kernels of the 3DS and their call.

#![allow(unsafe_code)]

use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use triglyph_guest::format::PixelFormat;
use triglyph_guest::kernel::pixel::{Compare, LogicOp, Output, PixelJob, PixelKey};
use triglyph_guest::kernel::tier::TextureDecoder;
use triglyph_guest::kernel::{MachineCode, PixelKernel, Unsupported};

use super::function::{Function, compile, show};
use crate::code::{Code, Compiler};
use crate::pixel::args::pica::{self as args, Frame};
use crate::pixel::plan::pica::Plan;
use crate::pixel::quad::pica::Pica;
use crate::texture::Decoder;

/// A pixel kernel as machine code.
struct CompiledPixel {
    key: PixelKey,
    plan: Plan,
    pool: Vec<[u8; 16]>,
    code: Code<Frame>,
}

thread_local! {
    /// The frame of a thread's calls, which do not call each other. It is kept because it is large, and a kernel uses
    /// little of it.
    static FRAME: RefCell<Box<Frame>> = RefCell::new(Frame::new());
}

impl PixelKernel for CompiledPixel {
    fn shade(&self, job: &PixelJob<'_>) -> Result<(), Unsupported> {
        FRAME.with_borrow_mut(|frame| {
            frame.args.fill(&self.key, &self.plan, &self.pool, job)?;
            // SAFETY: `fill` has checked that every address the code makes from these arguments is valid: blocks inside
            // the surfaces, primitives and varyings inside their slices, textures complete. Surfaces are atomics, and
            // no other writer depends on the result; everything else is borrowed by `job`.
            unsafe { self.code.call(std::ptr::from_mut(&mut **frame)) };
            if let (Some(_), Some(densest)) = (self.key.density, job.densest) {
                let largest = frame.args.gas.densest.into_iter().max().unwrap_or(0);
                densest.fetch_max(largest, Relaxed);
            }
            Ok(())
        })
    }

    fn texture_decoder(&self) -> Option<&dyn TextureDecoder> {
        self.plan.textures.contains(&true).then_some(&Decoder)
    }

    fn code(&self) -> MachineCode {
        self.code.made()
    }
}

/// The pixel kernel of `key`.
pub fn pixel(compiler: &Compiler, key: &PixelKey) -> Result<Arc<dyn PixelKernel>, Unsupported> {
    let key = in_effect(key);
    let plan = plan(&key)?;
    let Function { code, pool, needs: () } = compile::<Pica>(compiler, &key, &plan)?;
    Ok(Arc::new(CompiledPixel { key, plan, pool, code }))
}

/// What [`pixel`]'s result consists of, as text.
pub fn dump(compiler: &Compiler, key: &PixelKey) -> String {
    let key = &in_effect(key);
    plan(key).map_or_else(|unsupported| unsupported.to_string(), |plan| show::<Pica>(compiler, key, &plan))
}

/// `key` without the parts that rendering of shadows or gas ignores.
fn in_effect(key: &PixelKey) -> PixelKey {
    let key = key.clone();
    if key.shadow.is_none() && key.density.is_none() {
        return key;
    }
    PixelKey {
        density: key.density.filter(|_| key.shadow.is_none()),
        depth_format: key.depth_format.filter(|_| key.shadow.is_none()),
        fog: None,
        alpha_test: Compare::Always,
        stencil: None,
        depth_test: Compare::Always,
        depth_write: false,
        output: Output::Logic(LogicOp::Copy),
        color_mask: 15,
        tells_survivors: false,
        ..key
    }
}

fn plan(key: &PixelKey) -> Result<Plan, Unsupported> {
    let plan = Plan::new(key);
    if (key.shadow.is_some() || key.density.is_some()) && key.color_format != Some(PixelFormat::Rgba8) {
        return Err(Unsupported("rendering of shadows or gas to other words than theirs"));
    }
    if key.textures.iter().zip(plan.textures).any(|(texture, used)| used && !texture.power_of_two) {
        return Err(Unsupported("texture dimensions that are no powers of two"));
    }
    if key.stencil.is_some() && !plan.stencil() && key.depth_format.is_some() {
        return Err(Unsupported("stencil without a stencil buffer"));
    }
    if plan.planes() > args::PLANES || plan.varyings.len() > args::VARYINGS {
        return Err(Unsupported("too many varyings"));
    }
    Ok(plan)
}

#[cfg(all(test, feature = "check-aarch64"))]
mod tests {
    use triglyph_guest::kernel::random_pixel::RandomPixel;

    #[test]
    fn random_states_compile_for_aarch64() {
        let compiler = crate::code::Compiler::aarch64();
        let mut state = 1u64;
        let mut word = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 32) as u32
        };
        for case in 0..1000 {
            let key = RandomPixel::new(&mut word).key;
            assert!(super::pixel(&compiler, &key).is_ok(), "case {case}: {}", super::dump(&compiler, &key));
        }
    }
}
