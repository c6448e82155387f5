//! Surfaces that draws and clears go to.

use triglyph_guest::kernel::program::fragment::{MAX_SAMPLES, Samples};
use triglyph_guest::kernel::program::output::{DepthFormat, TARGETS};
use triglyph_guest::layout::{Blocks, SurfaceLayout};
use triglyph_guest::tegra::format::{ColorFormat, ZetaFormat};
use triglyph_guest::tegra::methods::threed::{LayerControl, SampleMode, ThirdDimension, ZetaLayers, dirty, regs as r};
use triglyph_guest::tegra::methods::values::MemoryLayout;

use crate::core::{ADDRESS_MASK, Core};
use crate::front_end::registers::Registers;
use triglyph_engine::device::FaultKind;
use triglyph_engine::scene::Rect;
use triglyph_engine::scene::program::{MAX_EDGE, ProgramTarget, SamplePosition, TargetSurface};

/// A colour target as registers describe it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ColorTarget {
    /// Its format.
    pub format: ColorFormat,
    /// Its layout in memory.
    pub image: TargetImage,
}

/// The depth target.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ZetaTarget {
    /// Its format.
    pub format: ZetaFormat,
    /// The same to kernels.
    pub kernel: DepthFormat,
    /// Its layout in memory.
    pub image: TargetImage,
}

/// Layout of a target in memory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TargetImage {
    address: u64,
    /// Samples of a row and rows of samples.
    size: [u32; 2],
    /// Layers or slices.
    layers: u32,
    /// The layer that layer 0 of draws and clears is.
    base_layer: u32,
    storage: Storage,
    bytes: u32,
}

#[derive(Clone, Copy, Debug)]
enum Storage {
    /// Rows at this distance.
    Pitch { pitch: u32, layer_bytes: u64 },
    /// Blocks; layers are images of their own.
    Layers { blocks: Blocks, layer_bytes: u64 },
    /// Blocks; layers are slices of one image.
    Slices { blocks: Blocks },
}

impl TargetImage {
    /// The layer that draws to `layer` go to: the first one if there is no such layer.
    fn drawn_layer(&self, layer: u32) -> u32 {
        let exists = layer.checked_add(self.base_layer).is_some_and(|layer| layer < self.layers);
        if exists { layer } else { 0 }
    }

    /// Whether its first byte is in memory.
    fn is_mapped(&self, core: &Core) -> bool {
        !core.memory.writable(core.place(self.address)).is_empty()
    }

    /// The surface of a layer; `None` when there is no such layer, or no memory, which is a fault.
    pub(crate) fn surface(&self, core: &mut Core, layer: u32) -> Option<TargetSurface> {
        let layer = layer.checked_add(self.base_layer)?;
        if layer > self.base_layer && layer >= self.layers.max(1) {
            return None;
        }
        let (offset, layout, pitch, limit) = match self.storage {
            Storage::Pitch { pitch, layer_bytes } => {
                let size = u64::from(pitch) * u64::from(self.size[1]);
                (layer_bytes.saturating_mul(layer.into()), SurfaceLayout::Pitch, pitch, size)
            }
            Storage::Layers { blocks, layer_bytes } => {
                let layout = SurfaceLayout::BlockLinear { log2_gobs: blocks.log2_gobs };
                (layer_bytes.saturating_mul(layer.into()), layout, blocks.gobs_across, blocks.slab_bytes())
            }
            Storage::Slices { blocks } => {
                let Blocks { log2_gobs, log2_slices, .. } = blocks;
                let layout = match log2_slices {
                    0 => SurfaceLayout::BlockLinear { log2_gobs },
                    _ => SurfaceLayout::BlockSlice { log2_gobs, log2_slices },
                };
                let inside = blocks.slice_offset(layer) % blocks.block_bytes();
                (blocks.slice_offset(layer), layout, blocks.gobs_across, blocks.slab_bytes().saturating_sub(inside))
            }
        };
        let place = core.place(self.address.wrapping_add(offset));
        if core.memory.writable(place).is_empty() {
            if !core.memory.is_sparse(place) {
                core.fault(
                    FaultKind::UnmappedWrite,
                    place.address,
                    format_args!("the render target is not in mapped memory"),
                );
            }
            return None;
        }
        Some(TargetSurface { place, limit, layout, pitch, bytes: self.bytes })
    }
}

/// The targets in use.
#[derive(Clone, Debug)]
pub(crate) struct Targets {
    /// By number.
    pub colors: [Option<ColorTarget>; TARGETS],
    /// Depth and stencil.
    pub zeta: Option<ZetaTarget>,
    /// Number of targets, and for each output of the program the number of its own.
    pub count: usize,
    /// See there.
    pub of_output: [usize; TARGETS],
    /// Sample mode of the surfaces.
    pub mode: SampleMode,
    /// Samples of a pixel.
    pub samples: Samples,
    /// Pixels that all surfaces have, as far as the surface clip goes.
    pub clip: Option<Rect>,
    /// The layer, if registers say it.
    pub layer: Option<u32>,
    size: [u32; 2],
}

/// Samples across and down of a mode.
pub(crate) const fn samples_of(mode: SampleMode) -> Samples {
    use SampleMode::*;
    let (across, down) = match mode {
        S1x1 => (1, 1),
        S2x1 | S2x1D3d => (2, 1),
        S2x2 | S2x2Vc4 | S2x2Vc12 => (2, 2),
        S4x2 | S4x2D3d | S4x2Vc8 | S4x2Vc24 => (4, 2),
        S4x4 => (4, 4),
    };
    Samples { across, down }
}

/// The number of the sample that is at place `k` of a pixel's cell, rows first. Source: Mesa's tables.
pub(crate) fn sample_at(mode: SampleMode, k: usize) -> usize {
    use SampleMode::*;
    match mode {
        S2x1D3d => [1, 0][k & 1],
        // Samples 0 to 7 are at (0,0) (1,0) (0,1) (1,1) (2,0) (3,0) (2,1) (3,1).
        S4x2 | S4x2Vc8 | S4x2Vc24 => [0, 1, 4, 5, 2, 3, 6, 7][k & 7],
        // At (2,0) (1,1) (3,1) (1,0) (0,1) (0,0) (2,1) (3,0).
        S4x2D3d => [5, 3, 0, 7, 4, 1, 6, 2][k & 7],
        _ => k,
    }
}

impl Targets {
    /// Groups of registers that they are derived from.
    pub(crate) const GROUPS: u32 = dirty::TARGET;

    /// The targets that registers describe.
    pub(crate) fn new(core: &mut Core, registers: &Registers) -> Self {
        let get = |id: usize| registers.get(id);
        let select = get(r::set_ct_select::ID);
        let count = (r::set_ct_select::target_count(select) as usize).min(TARGETS);
        let mode = r::set_anti_alias::samples(get(r::set_anti_alias::ID)).unwrap_or(SampleMode::S1x1);
        let samples = samples_of(mode);
        let control = get(r::set_rt_layer::ID);
        let mut color = |i: usize| if i < count { color(core, registers, i) } else { None };
        let mut targets = Targets {
            colors: std::array::from_fn(&mut color),
            zeta: zeta(core, registers),
            count,
            of_output: std::array::from_fn(|i| (select >> (4 + 3 * i) & 7) as usize),
            mode,
            samples,
            clip: None,
            layer: match r::set_rt_layer::control(control) {
                Some(LayerControl::Program) => None,
                _ => Some(r::set_rt_layer::v(control)),
            },
            size: [MAX_EDGE; 2],
        };
        // Whether a target is used at all is the draw's business; the area is that of all that exist.
        let images = targets.colors[..count].iter().flatten().map(|color| color.image);
        for image in images.chain(targets.zeta.map(|zeta| zeta.image)) {
            let pixels = targets.pixels_of(&image);
            targets.size = [0, 1].map(|axis| targets.size[axis].min(pixels[axis]));
        }
        let [horizontal, vertical] = [r::set_surface_clip_horizontal::ID, r::set_surface_clip_vertical::ID].map(get);
        let clip = sized(
            [r::set_surface_clip_horizontal::x(horizontal), r::set_surface_clip_vertical::y(vertical)],
            [r::set_surface_clip_horizontal::width(horizontal), r::set_surface_clip_vertical::height(vertical)],
        );
        let all = sized([0, 0], targets.size);
        targets.clip = clip.and_then(|clip| clip.intersect(all?));
        targets
    }

    /// A colour target as a clear names it: by its registers, whether draws use it or not. NVK clears targets of a
    /// pass before it says which ones draws use.
    pub(crate) fn cleared(&self, core: &mut Core, registers: &Registers, number: usize) -> Option<ColorTarget> {
        match number {
            0..TARGETS if number < self.count => self.colors[number],
            0..TARGETS => color(core, registers, number),
            _ => None,
        }
    }

    /// The pixels of a target.
    pub(crate) fn area(&self, image: &TargetImage) -> Option<Rect> {
        sized([0, 0], self.pixels_of(image))
    }

    fn pixels_of(&self, image: &TargetImage) -> [u32; 2] {
        [image.size[0] / u32::from(self.samples.across), image.size[1] / u32::from(self.samples.down)]
    }

    /// The surfaces of a layer for a draw that tests depth or stencil, or does not. Channels begin with a depth target
    /// at address 0 in use, so that draws without such tests may have none in memory.
    pub(crate) fn surfaces(&self, core: &mut Core, layer: u32, tests: bool) -> ProgramTarget {
        let mut target = ProgramTarget { samples: self.samples, ..ProgramTarget::NOWHERE };
        // The area reaches only as far as something may be drawn: less tiles.
        if let Some(clip) = self.clip {
            (target.width, target.rows) = (clip.x1 + 1, clip.y1 + 1);
        }
        for (surface, color) in target.colors.iter_mut().zip(&self.colors) {
            *surface = color.and_then(|color| color.image.surface(core, color.image.drawn_layer(layer)));
        }
        if let Some(zeta) = self.zeta.filter(|zeta| tests || zeta.image.is_mapped(core)) {
            target.depth = zeta.image.surface(core, zeta.image.drawn_layer(layer));
        }
        target
    }
}

/// A rectangle from its first pixel and its size.
pub(crate) fn sized(start: [u32; 2], size: [u32; 2]) -> Option<Rect> {
    let [x1, y1] = [0, 1].map(|axis| (start[axis] + size[axis]).checked_sub(1));
    (size[0] != 0 && size[1] != 0).then_some(())?;
    Some(Rect { x0: start[0], y0: start[1], x1: x1?, y1: y1? })
}

/// A rectangle from its first pixel and the one after the last.
pub(crate) fn between(min: [u32; 2], max: [u32; 2]) -> Option<Rect> {
    let size = [0, 1].map(|axis| max[axis].checked_sub(min[axis]));
    sized(min, [size[0]?, size[1]?])
}

fn color(core: &mut Core, registers: &Registers, i: usize) -> Option<ColorTarget> {
    let get = |id: usize| registers.get(id);
    let word = get(r::set_color_target_format::id(i)) & 0xFF;
    let width = get(r::set_color_target_width::id(i)) & 0x0FFF_FFFF;
    if word == 0 || width == 0 {
        return None;
    }
    let Some(format) = ColorFormat::from_register(word) else {
        let what = format_args!("colour format {word:#x}");
        core.fault(FaultKind::BadMethod, r::set_color_target_format::id(i) as u64, what);
        return None;
    };
    let bytes = format.bytes();
    let height = get(r::set_color_target_height::id(i)) & 0x1_FFFF;
    let memory = get(r::set_color_target_memory::id(i));
    let layer_bytes = 4 * u64::from(get(r::set_color_target_array_pitch::id(i)));
    let layers = r::set_color_target_third_dimension::v(get(r::set_color_target_third_dimension::id(i)));
    let (log2_gobs, log2_slices) =
        (r::set_color_target_memory::block_height(memory), r::set_color_target_memory::block_depth(memory));
    let (size, storage) = match r::set_color_target_memory::layout(memory) {
        Some(MemoryLayout::Pitch) => ([width / bytes, height], Storage::Pitch { pitch: width, layer_bytes }),
        _ => {
            let width = width.min(MAX_EDGE * 4);
            let volume = r::set_color_target_memory::third_dimension_control(memory) == Some(ThirdDimension::Depth);
            let blocks = Blocks {
                gobs_across: (width * bytes).div_ceil(64),
                rows: height,
                slices: if volume { layers.max(1) } else { 1 },
                log2_gobs: log2_gobs.min(5) as u8,
                log2_slices: if volume { log2_slices.min(5) as u8 } else { 0 },
            };
            // A volume of which one slice is bound has the distance of slices of several blocks in its address.
            let storage = if volume { Storage::Slices { blocks } } else { Storage::Layers { blocks, layer_bytes } };
            ([width, height], storage)
        }
    };
    let image = TargetImage {
        address: registers.address(r::set_color_target_a::id(i)) & ADDRESS_MASK,
        size,
        layers: layers.max(1),
        base_layer: r::set_color_target_layer::offset(get(r::set_color_target_layer::id(i))),
        storage,
        bytes,
    };
    Some(ColorTarget { format, image })
}

fn zeta(core: &mut Core, registers: &Registers) -> Option<ZetaTarget> {
    let get = |id: usize| registers.get(id);
    if r::set_zt_select::target_count(get(r::set_zt_select::ID)) == 0 {
        return None;
    }
    let word = get(r::set_zt_format::ID) & 31;
    let Some(format) = ZetaFormat::from_register(word) else {
        core.fault(
            FaultKind::BadMethod,
            r::set_zt_format::ID as u64,
            format_args!("SET_ZT_FORMAT: depth format {word:#x} does not exist"),
        );
        return None;
    };
    let kernel = format.row().kernel;
    let width = r::set_zt_size_a::width(get(r::set_zt_size_a::ID)).min(MAX_EDGE * 4);
    let rows = r::set_zt_size_b::height(get(r::set_zt_size_b::ID));
    let third = get(r::set_zt_size_c::ID);
    let layers = match r::set_zt_size_c::control(third) {
        Some(ZetaLayers::One) => 1,
        _ => r::set_zt_size_c::third_dimension(third).max(1),
    };
    let block = get(r::set_zt_block_size::ID);
    let blocks = Blocks {
        gobs_across: (width * format.bytes()).div_ceil(64),
        rows,
        slices: 1,
        log2_gobs: r::set_zt_block_size::height(block).min(5) as u8,
        log2_slices: 0,
    };
    let layer_bytes = 4 * u64::from(get(r::set_zt_array_pitch::ID));
    let image = TargetImage {
        address: registers.address(r::set_zt_a::ID) & ADDRESS_MASK,
        size: [width, rows],
        layers,
        base_layer: r::set_zt_layer::offset(get(r::set_zt_layer::ID)),
        storage: Storage::Layers { blocks, layer_bytes },
        bytes: format.bytes(),
    };
    Some(ZetaTarget { format, kernel, image })
}

/// The middle of a pixel.
pub(crate) const CENTER: SamplePosition = [128, 128];

/// Where the samples lie that are at each place of a pixel's cell. Without multisampling all of them lie in the
/// middle.
pub(crate) fn sample_positions(registers: &Registers, targets: &Targets) -> [SamplePosition; MAX_SAMPLES] {
    let mut positions = [CENTER; MAX_SAMPLES];
    if targets.samples.count() == 1 || !r::set_anti_alias_enable::v(registers.get(r::set_anti_alias_enable::ID)) {
        return positions;
    }
    for (k, position) in positions.iter_mut().enumerate().take(targets.samples.count()) {
        // Of the four pixels of a 2x2 the first one's are taken: drivers write the same for all.
        let sample = sample_at(targets.mode, k);
        let word = registers.get(r::set_anti_alias_sample_positions::id(sample / 4));
        let byte = word >> (8 * (sample % 4));
        *position = [byte & 15, byte >> 4 & 15].map(|v| (16 * v) as u8);
    }
    positions
}
