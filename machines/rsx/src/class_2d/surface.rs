//! Surfaces that 2D operations write, row by row.

use triglyph_guest::kernel::transfer::Corner;
use triglyph_guest::layout::SurfaceLayout;
use triglyph_guest::rsx::objects::class;
use triglyph_guest::rsx::two_d::format::SurfaceFormat;
use triglyph_guest::rsx::two_d::{SURFACE_OFFSET_BITS, SURFACE_PITCH_BITS, surface_swizzled, surfaces_2d};

use crate::copy::pieces;
use crate::core::Core;
use crate::front_end::dma::DmaObject;
use crate::front_end::registers::Registers;
use triglyph_engine::device::FaultKind;
use triglyph_engine::mem::GuestAddr;

/// A surface as the registers of its object describe it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Surface {
    pub memory: DmaObject,
    /// First byte, an offset in the memory.
    pub offset: u32,
    pub format: SurfaceFormat,
    pub layout: SurfaceLayout,
    /// Bytes from a row to the next; 0 for swizzled surfaces.
    pub pitch: u32,
}

/// Largest log2 of a swizzled surface's width and height.
const MAX_LOG2_EDGE: u32 = 12;

impl Surface {
    /// Whether objects of a class are surfaces.
    pub(super) fn is(class: u32) -> bool {
        matches!(class, class::SURFACES_2D | class::SURFACES_2D_NV10 | class::SURFACE_SWIZZLED)
    }

    /// The target that a surface object describes; `None` with a fault when there is no such thing.
    pub(super) fn of(core: &mut Core, class: u32, registers: &Registers) -> Option<Surface> {
        let get = |id: usize| registers.get(id as u32);
        let (name, offset, format, layout, pitch) = match class {
            class::SURFACE_SWIZZLED => {
                let word = get(surface_swizzled::format::ID);
                let log2 = |log2: u32| log2.min(MAX_LOG2_EDGE) as u8;
                let layout = SurfaceLayout::Swizzled {
                    log2_width: log2(surface_swizzled::format::log2_width(word)),
                    log2_height: log2(surface_swizzled::format::log2_height(word)),
                };
                let format = (word, surface_swizzled::format::format(word));
                (get(surface_swizzled::dma_image::ID), get(surface_swizzled::offset::ID), format, layout, 0)
            }
            _ => {
                let word = get(surfaces_2d::format::ID);
                let format = (word, surfaces_2d::format::format(word));
                let pitch = surfaces_2d::pitch::destin(get(surfaces_2d::pitch::ID));
                let (name, offset) = (get(surfaces_2d::dma_image_destin::ID), get(surfaces_2d::offset_destin::ID));
                (name, offset, format, SurfaceLayout::Pitch, pitch)
            }
        };
        let (offset, pitch) = (offset & SURFACE_OFFSET_BITS, pitch & SURFACE_PITCH_BITS);
        let memory = core.dma(name, "2D surface")?;
        if !memory.write {
            core.fault(
                FaultKind::UnmappedWrite,
                offset.into(),
                format_args!("the DMA object of the 2D surface is read-only"),
            );
            return None;
        }
        let (_, Some(format)) = format else {
            let number = format.0 & 0xFF;
            core.fault(
                FaultKind::BadMethod,
                number.into(),
                format_args!("2D surface format {number:#x} does not exist"),
            );
            return None;
        };
        Some(Surface { memory, offset, format, layout, pitch })
    }

    /// Bytes of a pixel.
    pub(super) fn bytes(&self) -> u32 {
        self.format.row().bytes()
    }

    /// Pixels of a row and rows that there can be.
    pub(super) fn size(&self) -> [i32; 2] {
        match self.layout {
            SurfaceLayout::Swizzled { log2_width, log2_height } => [1 << log2_width, 1 << log2_height],
            _ => [1 << 16, 1 << 16],
        }
    }

    /// The corner of a rectangle in it.
    pub(super) fn corner(&self, x: u32, y: u32) -> Corner {
        Corner { layout: self.layout, pitch: self.pitch, x, y }
    }

    /// Its first byte.
    pub(super) fn place(&self) -> Option<GuestAddr> {
        self.memory.place(self.offset)
    }

    /// Stores pixels of a row, which lie in the surface; `pixels` are their bytes as they are to be in memory. What
    /// was drawn before and does not look at these bytes may be drawn later.
    pub(super) fn store_row(&self, core: &mut Core, x: u32, y: u32, pixels: &[u8]) {
        let bytes = self.bytes();
        match self.layout {
            SurfaceLayout::Pitch => self.store(core, self.corner(x, y).offset(0, 0, bytes), pixels),
            _ => {
                for (i, pixel) in pixels.chunks_exact(bytes as usize).enumerate() {
                    self.store(core, self.corner(x, y).offset(i as u32, 0, bytes), pixel);
                }
            }
        }
    }

    /// Stores bytes at an offset from the surface's beginning.
    fn store(&self, core: &mut Core, offset: u64, bytes: &[u8]) {
        match self.memory.range(u64::from(self.offset) + offset, bytes.len() as u64) {
            Some(place) => {
                core.renderer.flush_before_write(&core.memory, place.range(bytes.len() as u64));
                pieces::scatter(core, place, bytes, "2D surface");
            }
            None => {
                let what = format_args!("the 2D surface ends beyond its DMA object");
                core.fault(FaultKind::UnmappedWrite, offset, what);
            }
        }
    }
}

/// Appends a pixel as it is in memory.
pub(super) fn push_pixel(row: &mut Vec<u8>, word: u32, bytes: u32, big_endian: bool) {
    match big_endian {
        true => row.extend(&word.to_be_bytes()[4 - bytes as usize..]),
        false => row.extend(&word.to_le_bytes()[..bytes as usize]),
    }
}
