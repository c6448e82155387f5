//! Fills, copies and conversions.
//!
//! ```text
//! fill.rs     patterns by wide stores                    copy.rs   runs by memcpy and memmove
//! convert.rs  geometry and bounds of a conversion        image.rs  its compiled loop over squares of 8x8 pixels
//! rearrange.rs  layouts as tables of columns              fill_rect.rs  stretches of a rectangle
//! resample.rs   rows of pixels from rows of texels        repack.rs   pixels in another format, by pixels.rs
//! halve.rs      the same at half the size
//! ```
//!
//! Copies, changes of layout and fills of rectangles are not compiled, nor are long fills: the host's own memset and
//! memcpy are faster. Jobs that a kernel does not support as a whole (odd sizes, windows that end too early, images
//! that overlap) bail out before anything is touched.

mod args;
mod convert;
mod copy;
mod fill;
mod fill_rect;
mod halve;
mod image;
mod pixels;
mod rearrange;
mod repack;
mod resample;

use std::sync::Arc;

use triglyph_guest::kernel::transfer::{Corner, TransferJob, TransferKey};
use triglyph_guest::kernel::{TransferKernel, Unsupported};
use triglyph_guest::layout::SurfaceLayout;

use crate::code::Compiler;

/// The transfer kernel of `key`.
pub fn transfer(compiler: &Compiler, key: &TransferKey) -> Result<Arc<dyn TransferKernel>, Unsupported> {
    Ok(match key {
        TransferKey::Fill { bytes } if (2..=4).contains(bytes) => Arc::new(fill::CompiledFill::new(compiler, *bytes)?),
        TransferKey::Fill { .. } => return Err(Unsupported("a fill pattern of an odd size")),
        TransferKey::Copy => Arc::new(Copy),
        TransferKey::Convert(key) => Arc::new(convert::CompiledConversion::new(compiler, key)?),
        TransferKey::Rearrange(key) => Arc::new(rearrange::CompiledRearrange::new(key)?),
        TransferKey::FillRect(key) => Arc::new(fill_rect::CompiledFillRect::new(key)?),
        TransferKey::Resample(key) => Arc::new(resample::CompiledResample::new(compiler, key)?),
        TransferKey::Repack(key) => Arc::new(repack::CompiledRepack::new(compiler, key)?),
        TransferKey::Halve(key) => Arc::new(halve::CompiledHalving::new(compiler, key)?),
    })
}

struct Copy;

impl TransferKernel for Copy {
    fn run(&self, job: &TransferJob<'_>) -> Result<(), Unsupported> {
        let TransferJob::Copy(job) = job else { return Err(WRONG_JOB) };
        copy::copy(job)
    }
}

const WRONG_JOB: Unsupported = Unsupported("a job of another key");

/// Whether two stretches of host memory share bytes.
fn overlap(a: (*const u8, usize), b: (*const u8, usize)) -> bool {
    let (a_start, b_start) = (a.0.addr(), b.0.addr());
    a_start < b_start + b.1 && b_start < a_start + a.1
}

/// Whether columns below `width` and rows below `end` of a rectangle lie in its image, as far as the layout has a size.
fn fits(corner: &Corner, width: u32, end: u32) -> bool {
    let fits = |first: u32, count: u32, log2: u8| u64::from(first) + u64::from(count) <= 1 << log2.min(16);
    match corner.layout {
        SurfaceLayout::Swizzled { log2_width, log2_height } => {
            fits(corner.x, width, log2_width) && fits(corner.y, end, log2_height)
        }
        _ => true,
    }
}
