//! Surfaces that draws and clears go to.

use triglyph_guest::kernel::program::fragment::Samples;
use triglyph_guest::kernel::program::output::{ColorFormat, DepthFormat};
use triglyph_guest::layout::SurfaceLayout;
use triglyph_guest::rsx::enums::{Antialias, SurfaceColor, SurfaceDepth, SurfaceLayout as Layout};
use triglyph_guest::rsx::methods::curie as m;
use triglyph_guest::rsx::surface::color_format;
use triglyph_guest::rsx::two_d::{SURFACE_OFFSET_BITS, SURFACE_PITCH_BITS};

use crate::core::Core;
use crate::front_end::registers::Registers;
use triglyph_engine::device::FaultKind;
use triglyph_engine::scene::Rect;
use triglyph_engine::scene::program::{ProgramTarget, TargetSurface};

/// The targets in use.
#[derive(Clone, Debug)]
pub(in crate::class_3d) struct Target {
    /// The surfaces: A to D are colours 0 to 3.
    pub surfaces: ProgramTarget,
    /// Format of all colour surfaces, if they have one.
    pub color: Option<(SurfaceColor, ColorFormat)>,
    /// Format of the depth surface, if there is one.
    pub depth: Option<DepthFormat>,
    /// Whether colour output n goes to surface n, else output 0 goes to all.
    pub several: bool,
    /// How samples lie.
    pub antialias: Antialias,
    /// Drawable pixels, within the surfaces; `None`: none.
    pub clip: Option<Rect>,
}

impl Default for Target {
    fn default() -> Self {
        Target {
            surfaces: ProgramTarget::NOWHERE,
            color: None,
            depth: None,
            several: false,
            antialias: Antialias::Center1,
            clip: None,
        }
    }
}

/// The longest edge of a surface.
const MAX_EDGE: u32 = 4096;

/// Methods of a surface: pitch, offset, DMA object.
const COLORS: [[usize; 3]; 4] = [
    [m::set_surface_pitch_a::ID, m::set_surface_color_aoffset::ID, m::set_context_dma_color_a::ID],
    [m::set_surface_pitch_b::ID, m::set_surface_color_boffset::ID, m::set_context_dma_color_b::ID],
    [m::set_surface_pitch_c::ID, m::set_surface_color_coffset::ID, m::set_context_dma_color_c::ID],
    [m::set_surface_pitch_d::ID, m::set_surface_color_doffset::ID, m::set_context_dma_color_d::ID],
];
const DEPTH: [usize; 3] = [m::set_surface_pitch_z::ID, m::set_surface_zeta_offset::ID, m::set_context_dma_zeta::ID];

/// Samples of an antialias mode; modes that do not exist have one.
pub(in crate::class_3d) fn samples(mode: Antialias) -> Samples {
    match mode {
        Antialias::Center1 => Samples::ONE,
        Antialias::DiagonalCentered2 => Samples { across: 2, down: 1 },
        Antialias::SquareCentered4 | Antialias::SquareRotated4 => Samples { across: 2, down: 2 },
    }
}

/// What is the same for all surfaces.
struct Frame {
    layout: SurfaceLayout,
    /// Stored pixels of a row that are drawable at all.
    width: u32,
}

impl Target {
    /// The targets that the registers describe. Surfaces without memory are faults, those without an object or with a
    /// pitch that says they are not used are just not there.
    pub(super) fn new(core: &mut Core, registers: &Registers) -> Self {
        let get = |id: usize| registers.get(id as u32);
        let format = get(m::set_surface_format::ID);
        let antialias = m::set_surface_format::antialias(format).unwrap_or(Antialias::Center1);
        let samples = samples(antialias);
        let across = u32::from(samples.across);
        let [horizontal, vertical] = [m::set_surface_clip_horizontal::ID, m::set_surface_clip_vertical::ID].map(get);
        let (x, y) = (m::set_surface_clip_horizontal::x(horizontal), m::set_surface_clip_vertical::y(vertical));
        let mut width = (x + m::set_surface_clip_horizontal::width(horizontal)).min(MAX_EDGE);
        let mut rows = (y + m::set_surface_clip_vertical::height(vertical)).min(MAX_EDGE);
        let layout = match m::set_surface_format::layout(format) {
            Some(Layout::Swizzled) => {
                let [log2_width, log2_height] =
                    [m::set_surface_format::log2_width(format), m::set_surface_format::log2_height(format)]
                        .map(|log2| log2.min(12));
                width = width.min((1 << log2_width) / across);
                rows = rows.min((1 << log2_height) / u32::from(samples.down));
                SurfaceLayout::Swizzled { log2_width: log2_width as u8, log2_height: log2_height as u8 }
            }
            _ => SurfaceLayout::Pitch,
        };

        let color = m::set_surface_format::color(format).map(|color| (color, color_format(color, core.big_endian)));
        let float = m::set_control0::depth_float(get(m::set_control0::ID));
        let depth = m::set_surface_format::depth(format).map(|depth| match (depth, float) {
            (SurfaceDepth::Z16, false) => DepthFormat::Z16,
            (SurfaceDepth::Z16, true) => DepthFormat::F16,
            (SurfaceDepth::Z24s8, false) => DepthFormat::Z24S8,
            (SurfaceDepth::Z24s8, true) => DepthFormat::F24S8,
        });
        let enabled = get(m::set_surface_color_target::ID);
        let frame = Frame { layout, width: width * across };
        let mut surfaces = ProgramTarget { samples, ..ProgramTarget::NOWHERE };
        if let Some((_, format)) = &color {
            for (i, methods) in COLORS.iter().enumerate().filter(|(i, _)| enabled >> i & 1 != 0) {
                surfaces.colors[i] =
                    surface(core, registers, *methods, u32::from(format.bytes), &frame, &mut width, across);
            }
        }
        if let Some(format) = depth {
            surfaces.depth = surface(core, registers, DEPTH, format.bytes(), &frame, &mut width, across);
        }
        let depth = depth.filter(|_| surfaces.depth.is_some());
        (surfaces.width, surfaces.rows) = (width, rows);
        let clip = (x < width && y < rows).then(|| Rect { x0: x, y0: y, x1: width - 1, y1: rows - 1 });
        let several = m::set_surface_color_target::several(enabled);
        Target { surfaces, color, depth, several, antialias, clip }
    }
}

/// One surface. A linear one whose pitch is too small is not used if the pitch is the smallest possible one (GCM leaves
/// 64 in unused targets), else it makes the target narrower (RPCS3).
fn surface(
    core: &mut Core,
    registers: &Registers,
    methods: [usize; 3],
    bytes: u32,
    frame: &Frame,
    width: &mut u32,
    across: u32,
) -> Option<TargetSurface> {
    const UNUSED_PITCH: u32 = 64;
    let [pitch, offset, object] = methods.map(|id| registers.get(id as u32));
    // Mesa draws small levels of swizzled textures around the low bits of offsets.
    let (pitch, offset) = (pitch & SURFACE_PITCH_BITS, offset & SURFACE_OFFSET_BITS);
    if frame.layout == SurfaceLayout::Pitch && pitch < frame.width * bytes {
        if pitch <= UNUSED_PITCH {
            return None;
        }
        *width = (*width).min(pitch / bytes / across);
    }
    let object = core.resolve(object)?;
    let Some(place) = object.place(offset) else {
        let what = format_args!("the render target at {offset:#x} is beyond the end of its DMA object");
        core.fault(FaultKind::UnmappedWrite, offset.into(), what);
        return None;
    };
    let limit = (object.limit - u64::from(offset)).saturating_add(1);
    if core.memory.writable(place).is_empty() {
        core.fault(FaultKind::UnmappedWrite, place.address, format_args!("the render target is not in mapped memory"));
        return None;
    }
    Some(TargetSurface { place, limit, layout: frame.layout, pitch, bytes })
}
