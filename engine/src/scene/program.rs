//! Scenes of shader pipelines.

use std::sync::Arc;

use smallvec::SmallVec;
use triglyph_guest::kernel::Window;
use triglyph_guest::kernel::program::fragment::{FragmentConstants, MAX_SAMPLES, Primitive, Samples, UNITS};
use triglyph_guest::kernel::program::output::TARGETS;
use triglyph_guest::kernel::transfer::Corner;
use triglyph_guest::layout::SurfaceLayout;

use super::resources::DeclaredResources;
pub use super::texture_binding::TextureBinding;
use super::{Extent, Rect, SceneKind};
use crate::cache::image::ImageSource;
use crate::cache::{Handle, kinds};
use crate::mem::{GuestAddr, GuestRange, Memory};
use crate::transfer::FillRect;

/// Shader pipelines, whose fragments are shaded by fragment kernels.
#[derive(Debug)]
pub enum Programs {}

impl SceneKind for Programs {
    type Target = ProgramTarget;
    type Primitive = Primitive;
    type Edges = Edges;
    type State = ProgramState;
    /// Pixels cost more than those of fixed-function fragments, and so do calls.
    const TILE: u32 = 64;
}

/// A scene of fragment programs.
pub type ProgramScene = super::Scene<Programs>;

/// The surfaces a scene draws to. Pixels are those of the surface whatever the samples: the stored rows are
/// `samples.down` times as many.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProgramTarget {
    /// Colour surfaces.
    pub colors: [Option<TargetSurface>; TARGETS],
    /// The depth surface.
    pub depth: Option<TargetSurface>,
    /// Pixels of a row, at most [`MAX_EDGE`].
    pub width: u32,
    /// Rows of pixels, at most [`MAX_EDGE`].
    pub rows: u32,
    /// Samples of a pixel.
    pub samples: Samples,
}

/// Pixels of the longest edge of a target.
pub const MAX_EDGE: u32 = 16_384;

/// A surface of a target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TargetSurface {
    /// Its first byte.
    pub place: GuestAddr,
    /// Bytes from there on that belong to it.
    pub limit: u64,
    /// How pixels are laid out in memory.
    pub layout: SurfaceLayout,
    /// Bytes of a row, or GOBs of one.
    pub pitch: u32,
    /// Bytes of a pixel.
    pub bytes: u32,
}

impl TargetSurface {
    /// The bytes that stored rows `first..=last` of `width` stored pixels lie in, as (offset, bytes).
    pub fn rows(&self, width: u32, first: u32, last: u32) -> (u64, u64) {
        let pitch = u64::from(self.pitch);
        let (start, end) = match self.layout {
            SurfaceLayout::Pitch => {
                let row = u64::from(width) * u64::from(self.bytes);
                (u64::from(first) * pitch, u64::from(last) * pitch + row)
            }
            SurfaceLayout::Swizzled { log2_width, log2_height } => {
                (0, u64::from(self.bytes) << (u32::from(log2_width) + u32::from(log2_height)))
            }
            SurfaceLayout::BlockLinear { log2_gobs } => {
                let block = u64::from(8u32 << log2_gobs);
                let row = pitch * 64 * block;
                (u64::from(first) / block * row, (u64::from(last) / block + 1) * row)
            }
            SurfaceLayout::BlockSlice { log2_gobs, log2_slices } => {
                let block = u64::from(8u32 << log2_gobs);
                let row = (pitch * 64 * block) << log2_slices;
                (u64::from(first) / block * row, (u64::from(last) / block + 1) * row)
            }
        };
        let (start, end) = (start.min(self.limit), end.min(self.limit));
        (start, end - start)
    }

    /// Stores the bits `mask` of `value` in the stored pixels of a rectangle.
    pub fn fill(&self, stored: Rect, value: [u8; 16], mask: [u8; 16]) -> FillRect {
        FillRect {
            target: self.place,
            limit: self.limit,
            to: Corner { layout: self.layout, pitch: self.pitch, x: stored.x0, y: stored.y0 },
            bytes: self.bytes as u8,
            width: stored.width(),
            height: stored.height(),
            value,
            mask,
        }
    }
}

/// A set of surfaces of a target.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Surfaces {
    /// Colour surfaces, bit i = surface i.
    pub colors: u8,
    /// The depth surface.
    pub depth: bool,
}

impl Surfaces {
    /// All that there can be.
    pub const ALL: Surfaces = Surfaces { colors: u8::MAX, depth: true };

    /// Those of either.
    pub fn union(self, other: Surfaces) -> Surfaces {
        Surfaces { colors: self.colors | other.colors, depth: self.depth || other.depth }
    }

    fn of<'a>(self, target: &'a ProgramTarget) -> impl Iterator<Item = &'a TargetSurface> + use<'a> {
        let color = target.colors.iter().enumerate().filter(move |(i, _)| self.colors >> i & 1 != 0);
        let depth = target.depth.iter().filter(move |_| self.depth);
        color.filter_map(|(_, surface)| surface.as_ref()).chain(depth)
    }
}

impl Extent for ProgramTarget {
    fn extent(&self) -> (u32, u32) {
        (self.width, self.rows)
    }
}

impl ProgramTarget {
    /// No surface, no pixels.
    pub const NOWHERE: ProgramTarget =
        ProgramTarget { colors: [None; TARGETS], depth: None, width: 0, rows: 0, samples: Samples::ONE };

    /// The memory that rows `first..=last` of pixels of some surfaces lie in.
    pub fn ranges(&self, which: Surfaces, first: u32, last: u32) -> impl Iterator<Item = GuestRange> + '_ {
        let Samples { across, down } = self.samples;
        let width = self.width * u32::from(across);
        let (first, last) = (first * u32::from(down), last * u32::from(down) + u32::from(down) - 1);
        which.of(self).map(move |surface| {
            let (offset, bytes) = surface.rows(width, first, last);
            surface.place.after(offset).range(bytes)
        })
    }

    /// Whether a range overlaps one of the surfaces.
    pub fn overlaps(&self, which: Surfaces, range: GuestRange) -> bool {
        self.rows != 0 && self.ranges(which, 0, self.rows - 1).any(|surface| surface.overlaps(range))
    }

    /// Whether tiles share memory, so that they must be drawn one after the other: two surfaces have bytes in common,
    /// whatever the addresses they are mapped at, or rows of one do.
    pub fn tiles_alias(&self, which: Surfaces, memory: &Memory) -> bool {
        let windows: SmallVec<[Window<'_>; TARGETS + 1]> = self.windows(which, memory).collect();
        let overlap = windows.iter().enumerate().any(|(i, a)| windows[i + 1..].iter().any(|b| a.overlaps(*b)));
        let width = u64::from(self.width) * u64::from(self.samples.across);
        let short = |surface: &TargetSurface| {
            surface.layout == SurfaceLayout::Pitch && u64::from(surface.pitch) < width * u64::from(surface.bytes)
        };
        overlap || which.of(self).any(short)
    }

    /// Whether nothing else lies between the rows of some surfaces, padding of blocks aside.
    pub fn is_dense(&self, which: Surfaces) -> bool {
        let width = u64::from(self.width) * u64::from(self.samples.across);
        which.of(self).all(|surface| match surface.layout {
            SurfaceLayout::Pitch => u64::from(surface.pitch) == width * u64::from(surface.bytes),
            SurfaceLayout::Swizzled { .. } | SurfaceLayout::BlockLinear { .. } => true,
            // Other slices.
            SurfaceLayout::BlockSlice { .. } => false,
        })
    }

    /// The memory that surfaces are drawn to.
    pub fn windows<'m>(&self, which: Surfaces, memory: &'m Memory) -> impl Iterator<Item = Window<'m>> {
        self.windows_of_rows(which, (0, self.rows.saturating_sub(1)), memory)
    }

    /// The memory that rows `first..=last` of pixels of some surfaces lie in and are drawn to.
    pub fn windows_of_rows<'m>(
        &self,
        which: Surfaces,
        (first, last): (u32, u32),
        memory: &'m Memory,
    ) -> impl Iterator<Item = Window<'m>> {
        let ranges = self.ranges(which, first, last);
        ranges.map(|range| memory.writable(range.start).first(usize::try_from(range.size).unwrap_or(usize::MAX)))
    }
}

/// Edge functions of a triangle with positions in 1/256 pixel. A pixel is covered when all of them are at least 0 at
/// it; the fill rule is in the values already.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Edges {
    /// Values at the top left corner of pixel (0, 0).
    pub corner: [i64; 3],
    /// Steps for 1/256 pixel to the right; for a whole pixel 256 times as much.
    pub dx: [i32; 3],
    /// Steps for 1/256 pixel down.
    pub dy: [i32; 3],
    /// Whether the stipple counts: for polygons that are filled, not for lines and points.
    pub stippled: bool,
}

impl Edges {
    /// The area in pixels: wherever they are evaluated, the three functions add up to twice as many 1/65536.
    pub fn area(&self) -> u64 {
        self.corner.iter().sum::<i64>().max(0) as u64 >> 17
    }
}

/// Where a sample lies in its pixel, in 1/256 pixel from the top left corner.
pub type SamplePosition = [u8; 2];

/// State of the pixels of a draw.
#[derive(Clone, Debug)]
pub struct ProgramState {
    /// The kernel.
    pub kernel: Handle<kinds::Fragment>,
    /// Values of the fixed parts.
    pub constants: FragmentConstants,
    /// Constants of the program.
    pub program_constants: Arc<[[f32; 4]]>,
    /// Texture units, where the program samples them.
    pub textures: Arc<[Option<TextureBinding>; UNITS]>,
    /// Rectangles that pixels must lie in, or outside of.
    pub windows: Option<Windows>,
    /// Rows of 32x32 pixels that repeat; bit n of a row lets column n of a filled polygon pass.
    pub stipple: Option<Arc<[u32; 32]>>,
    /// Where samples lie, as many as the target has.
    pub sample_positions: [SamplePosition; MAX_SAMPLES],
    /// Samples that may be covered, bit k = sample k: of the pixels (0, 0), (1, 0), (0, 1), (1, 1) of each 2x2.
    pub sample_masks: [u16; 4],
    /// Whether samples that pass are counted.
    pub count_samples: bool,
    /// Surfaces that the kernel reads or writes.
    pub surfaces: Surfaces,
    /// The declared resources of the program, of machines that declare them.
    pub reach: Option<Arc<DeclaredResources>>,
}

impl ProgramState {
    /// The images of all textures.
    pub fn images(&self) -> impl Iterator<Item = &Arc<ImageSource>> {
        let reach = self.reach.iter().flat_map(|reach| &*reach.textures);
        self.textures.iter().chain(reach).flatten().map(|binding| &binding.image)
    }

    /// Whether both have the very same lists of textures.
    pub fn has_textures_of(&self, other: &ProgramState) -> bool {
        let bound = |state: &ProgramState| state.reach.as_ref().map(|reach| Arc::as_ptr(&reach.textures));
        Arc::ptr_eq(&self.textures, &other.textures)
            && match (bound(self), bound(other)) {
                (Some(a), Some(b)) => std::ptr::addr_eq(a, b),
                (a, b) => a.is_none() && b.is_none(),
            }
    }

    /// Whether the program reaches memory that others may write: such a draw has a scene of its own.
    pub fn reaches_memory(&self) -> bool {
        self.reach.as_ref().is_some_and(|reach| reach.writes || reach.reads)
    }

    /// Whether the program may run long, or without end.
    pub fn loops(&self) -> bool {
        self.reach.as_ref().is_some_and(|reach| reach.loops)
    }

    /// Whether tiles see what other tiles have written: the program writes memory, or reads an image that may be in one
    /// of the surfaces it is drawn to. What it [loads](DeclaredResources::loads) by address is known only when it runs.
    pub fn tiles_depend(&self, target: &ProgramTarget, memory: &Memory) -> bool {
        self.reach.as_ref().is_some_and(|reach| {
            let in_target = |window: Window<'_>| target.windows(self.surfaces, memory).any(|s| s.overlaps(window));
            reach.writes || reach.reads && reach.image_windows(memory).any(in_target)
        })
    }
}

/// Window clip rectangles.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Windows {
    /// The rectangles.
    pub rects: Arc<[Rect]>,
    /// Pixels in none of them pass, instead of pixels in any.
    pub outside: bool,
}
