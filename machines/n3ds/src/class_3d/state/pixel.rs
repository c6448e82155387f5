//! From registers to a pixel kernel's key, its constants, and the target.

use std::collections::HashSet;
use std::sync::Arc;

use triglyph_guest::format::{DepthFormat, PixelFormat};
use triglyph_guest::kernel::combine::{
    AlphaOperand, Channel, ColorChannel, ColorOperand, Combiners, Function, Source, Stage,
};
use triglyph_guest::kernel::gas::GasConstants;
use triglyph_guest::kernel::known_alpha::Opaque;
use triglyph_guest::kernel::lighting::{Bump, LightTables, LightingConstants, LightingKey};
use triglyph_guest::kernel::pixel::{
    BlendEquation, BlendFactor, BlendKey, Compare, FogKey, LogicOp, Output, PixelConstants, PixelKey, ShadowWrite,
    StencilKey, TextureKind,
};
use triglyph_guest::kernel::procedural::{ProceduralData, ProceduralKey};
use triglyph_guest::layout::Block;
use triglyph_guest::pica::regs::{self, CombinerScale, CombinerSource, DepthMode, FogMode, FragmentMode, ScissorMode};

use super::texture;
use super::texture::Unit;
use super::{gas, lighting, procedural, vertex};
use crate::class_3d::Pica;
use crate::front_end::registers::{Registers, rgba};
use triglyph_engine::cache::texture::TextureSource;
use triglyph_engine::cache::{Handle, Kernels, Recent, TierMode, kinds};
use triglyph_engine::draw::{OpaqueState, Setup};
use triglyph_engine::frontend::Recycled;
use triglyph_engine::frontend::budget::cost;
use triglyph_engine::mem::{GuestAddr, Memory};
use triglyph_engine::scene::{DrawState, Rect, SceneTarget, Scissor};

/// Vertex record slots of the primary colour.
const COLOR_SLOTS: [u8; 4] = [8, 9, 10, 11];

/// Derived from the raster, texture, combiner, fragment and target groups.
#[derive(Debug)]
pub(crate) struct PixelState {
    pub(crate) target: SceneTarget,
    pub(crate) draw: Arc<DrawState>,
    /// What primitives need: with quaternions to interpolate, their signs are made to agree first.
    pub(crate) setup: Setup,
    /// Whether nothing can be drawn.
    pub(crate) nothing: bool,
    /// What a covered pixel costs in fuel.
    pub(crate) fuel: u64,
}

/// What the last states were made of, and the memory of those that are drawn.
#[derive(Debug, Default)]
pub(crate) struct PixelPools {
    kernels: Recent<PixelKey, Handle<kinds::Pixel>>,
    lighting_keys: HashSet<Arc<LightingKey>>,
    draws: Recycled<DrawState>,
    lighting: Recycled<LightingConstants>,
}

/// Tables of units that are on, as a draw gets them.
#[derive(Debug)]
pub(crate) struct Tables {
    pub(crate) light_tables: Option<Arc<LightTables>>,
    pub(crate) procedural: Option<Arc<ProceduralData>>,
}

/// Lighting keys that are kept; when there are more, all go.
const MAX_LIGHTING_KEYS: usize = 1024;

/// A key that is allocated when it is first met.
fn known(keys: &mut HashSet<Arc<LightingKey>>, key: LightingKey) -> Arc<LightingKey> {
    if let Some(known) = keys.get(&key) {
        return known.clone();
    }
    if keys.len() >= MAX_LIGHTING_KEYS {
        keys.clear();
    }
    let key = Arc::new(key);
    keys.insert(key.clone());
    key
}

impl PixelState {
    /// Derives it from the registers.
    pub(crate) fn new(
        pica: &Pica,
        memory: &Memory,
        kernels: &Kernels,
        pools: &mut PixelPools,
        Tables { light_tables, procedural: procedural_data }: Tables,
    ) -> Self {
        let PixelPools { kernels: recent, lighting_keys, draws, lighting: lighting_constants } = pools;
        let registers = &pica.registers;
        let combiners = combiners(registers);
        let mut used = UsedSources::of(&combiners);
        let lighting = (used.lighting && lighting::enabled(registers)).then(|| lighting::key(registers));
        if let Some(lighting) = &lighting {
            used.add_lighting(lighting);
        }
        let procedural = (used.textures[3] && procedural::enabled(registers)).then(|| procedural::key(registers));
        let fog = fog(registers);
        // Gas is seen through the first unit.
        used.textures[0] |= fog.is_some_and(|fog| fog.gas.is_some());
        let textures = [0, 1, 2].map(|i| if used.textures[i] { Unit::new(registers, i) } else { texture::OFF });
        let (target, color_format, depth_format) = target(registers, memory);
        let mode = regs::color_operation::mode(registers.get(regs::color_operation::ID));
        let shadow = mode == Some(FragmentMode::Shadow);
        let density = (mode == Some(FragmentMode::Gas)).then(|| gas::density(registers));
        // Rendering of shadows and gas takes the colour target as words of 32 bits, whatever its format.
        let words = shadow || density.is_some();
        let color_format = if words { color_format.and(Some(PixelFormat::Rgba8)) } else { color_format };
        let depth_format = depth_format.filter(|_| !shadow);
        let target = SceneTarget {
            color_bytes: color_format.map_or(0, PixelFormat::bytes),
            depth: target.depth.filter(|_| !shadow),
            ..target
        };
        let key = PixelKey {
            slots: slots(&textures, used.primary, lighting.as_ref(), procedural.as_ref()),
            color_slots: COLOR_SLOTS,
            w_buffer: regs::depthmap_mode::mode(registers.get(regs::depthmap_mode::ID)) == Some(DepthMode::W),
            textures: textures.map(|unit| unit.key),
            combiners,
            fog,
            alpha_test: alpha_test(registers),
            stencil: stencil(registers).filter(|_| depth_format == Some(DepthFormat::D24S8)),
            depth_test: depth_test(registers),
            depth_write: depth_write(registers),
            depth_format,
            output: output(registers),
            color_format: color_format.filter(|_| words || color_mask(registers) != 0),
            color_mask: if words { 15 } else { color_mask(registers) },
            block: target.block,
            lighting: lighting.map(|key| known(lighting_keys, key)),
            procedural,
            shadow: shadow.then_some(ShadowWrite),
            density,
            tells_survivors: false,
        };
        let constants =
            PixelConstants { gas: gas::constants(registers, &pica.gas_table), ..constants(registers, &textures) };
        let opaque = Opaque { textures: textures.map(|unit| unit.source.is_some_and(is_opaque)), primary: false };
        let mut simpler = |primary: bool| {
            // The reference draws with the key as it is, and shows that there is no difference.
            let is_reference = kernels.mode() == TierMode::InterpreterOnly;
            let simpler = key.with_known_alpha(&constants, Opaque { primary, ..opaque }).filter(|_| !is_reference)?;
            Some(recent.get(&simpler, |key| kernels.pixel_when_used(key)))
        };
        let (general, if_opaque) = (simpler(false), simpler(true));
        let is_used = general.is_none();
        let kernel = recent.get(&key, |key| if is_used { kernels.pixel(key) } else { kernels.pixel_when_used(key) });
        let sources = textures.map(|unit| unit.source);
        let feedback = sources.iter().flatten().any(|s| s.ranges().any(|range| target.touches(memory, range)));
        let draw = draws.share(DrawState {
            kernel,
            simpler: general,
            constants,
            densest: key.density.map(|_| pica.densest.clone()),
            fog: key.fog.map(|_| pica.fog.clone()),
            lighting: key.lighting.as_ref().map(|_| lighting_constants.share(lighting::constants(registers))),
            light_tables: light_tables.filter(|_| key.lighting.is_some()),
            procedural: procedural_data.filter(|_| key.procedural.is_some()),
            textures: sources,
            scissor: scissor(registers, &target),
            feedback,
        });
        // What only the vertices tell.
        let alpha = key.varying(COLOR_SLOTS[3]).filter(|_| !same_kernel(&draw.simpler, &if_opaque));
        let opaque = alpha.map(|alpha| OpaqueState {
            alpha,
            state: draws.share(DrawState { simpler: if_opaque, ..(*draw).clone() }),
            general: draw.clone(),
        });
        let colors = used.primary.then_some(COLOR_SLOTS);
        PixelState {
            fuel: pixel_fuel(&key),
            target,
            setup: Setup { opaque, colors, ..vertex::setup(registers, key.slots, key.lighting.is_some()) },
            nothing: target.width == 0 || color_format.is_none() && (words || depth_format.is_none()),
            draw,
        }
    }
}

/// What a covered pixel costs in fuel: the reference takes as long for it as for a program of so many instructions.
fn pixel_fuel(key: &PixelKey) -> u64 {
    let textures = key.textures.iter().filter(|texture| texture.kind != TextureKind::Disabled).count();
    let lights = key.lighting.as_ref().map_or(0, |lighting| lighting.lights.len());
    let parts = textures + lights + usize::from(key.fog.is_some()) + 2 * usize::from(key.procedural.is_some());
    cost::pixel(24 + 8 * parts as u64)
}

/// Whether both are the kernel of the same key, or none.
fn same_kernel(a: &Option<Handle<kinds::Pixel>>, b: &Option<Handle<kinds::Pixel>>) -> bool {
    a.as_ref().map(Handle::key) == b.as_ref().map(Handle::key)
}

/// Whether all texels of a texture have an alpha of 255. None of its levels is empty.
fn is_opaque(source: TextureSource) -> bool {
    !source.format.has_alpha()
}

/// Which inputs the combiner stages look at.
struct UsedSources {
    primary: bool,
    lighting: bool,
    textures: [bool; 4],
}

impl UsedSources {
    fn of(combiners: &Combiners) -> Self {
        let mut used = UsedSources { primary: false, lighting: false, textures: [false; 4] };
        for stage in &combiners.stages {
            let sources =
                stage.color_operands.map(|o| o.source).into_iter().chain(stage.alpha_operands.map(|o| o.source));
            for source in sources {
                match source {
                    Source::Primary => used.primary = true,
                    Source::FragmentPrimary | Source::FragmentSecondary => used.lighting = true,
                    Source::Texture(unit) => used.textures[usize::from(unit & 3)] = true,
                    _ => {}
                }
            }
        }
        used
    }

    /// Lighting looks at textures as well.
    fn add_lighting(&mut self, lighting: &LightingKey) {
        if let Some(shadow) = lighting.shadow {
            self.textures[usize::from(shadow.unit & 3)] = true;
        }
        if let Bump::Normal { unit, .. } | Bump::Tangent { unit, .. } = lighting.bump {
            self.textures[usize::from(unit & 3)] = true;
        }
    }
}

fn slots(units: &[Unit; 3], primary: bool, lighting: Option<&LightingKey>, procedural: Option<&ProceduralKey>) -> u64 {
    let mut slots = 0;
    let mut add = |more: &[u8]| slots |= more.iter().fold(0, |slots, slot| slots | 1 << slot);
    if primary {
        add(&COLOR_SLOTS);
    }
    if let Some(lighting) = lighting {
        add(&lighting.quaternion_slots);
        add(&lighting.view_slots);
    }
    if let Some(procedural) = procedural {
        add(&procedural.coordinates);
    }
    for unit in units {
        match unit.key.kind {
            TextureKind::Disabled | TextureKind::Null => {}
            TextureKind::Plain => add(&unit.key.coordinates[..2]),
            TextureKind::Projected
            | TextureKind::Cube
            | TextureKind::Shadow { .. }
            | TextureKind::ShadowCube { .. } => add(&unit.key.coordinates),
        }
    }
    slots
}

fn target(registers: &Registers, memory: &Memory) -> (SceneTarget, Option<PixelFormat>, Option<DepthFormat>) {
    let dimensions = registers.get(regs::fb_dim::ID);
    let mapped = |id: usize, field: fn(u32) -> u64| {
        let address = field(registers.get(id));
        (address != 0 && !memory.writable(GuestAddr::new(0, address)).is_empty()).then_some(address)
    };
    let color = mapped(regs::color_addr::ID, regs::color_addr::address);
    let depth = mapped(regs::depth_addr::ID, regs::depth_addr::address);
    let color_format = regs::color_format::format(registers.get(regs::color_format::ID)).map(PixelFormat::from);
    let depth_format = regs::depth_format::format(registers.get(regs::depth_format::ID)).map(DepthFormat::from);
    let (color_format, depth_format) =
        (color_format.filter(|_| color.is_some()), depth_format.filter(|_| depth.is_some()));
    let target = SceneTarget {
        space: 0,
        color: color.filter(|_| color_format.is_some()),
        depth: depth.filter(|_| depth_format.is_some()),
        color_bytes: color_format.map_or(0, PixelFormat::bytes),
        depth_bytes: depth_format.map_or(0, DepthFormat::bytes),
        width: regs::fb_dim::width(dimensions),
        rows: regs::fb_dim::height_minus_1(dimensions) + 1,
        block: if regs::fb_block32::enable(registers.get(regs::fb_block32::ID)) { Block::B32 } else { Block::B8 },
    };
    (target, color_format, depth_format)
}

/// Scissor corners are pixels with y upwards, the second one inclusive (hardware test).
fn scissor(registers: &Registers, target: &SceneTarget) -> Scissor {
    let (first, last) = (registers.get(regs::scissor_pos::ID), registers.get(regs::scissor_dim::ID));
    let (x1, y1) = (regs::scissor_pos::x1(first), regs::scissor_pos::y1(first));
    let (x2, y2) = (regs::scissor_dim::x2(last), regs::scissor_dim::y2(last).min(target.rows - 1));
    let rect = (x1 <= x2 && y1 <= y2).then(|| {
        let flip = regs::fb_dim::flip(registers.get(regs::fb_dim::ID));
        let (y0, y1) = if flip { (target.rows - 1 - y2, target.rows - 1 - y1) } else { (y1, y2) };
        Rect { x0: x1, y0, x1: x2, y1 }
    });
    match (regs::scissor_mode::mode(registers.get(regs::scissor_mode::ID)), rect) {
        (Some(ScissorMode::Outside), rect) => Scissor::Inside(rect),
        (Some(ScissorMode::Inside), Some(rect)) => Scissor::Outside(rect),
        _ => Scissor::Off,
    }
}

fn alpha_test(registers: &Registers) -> Compare {
    let word = registers.get(regs::alpha_test::ID);
    regs::alpha_test::func(word).filter(|_| regs::alpha_test::enable(word)).map_or(Compare::Always, Compare::from)
}

fn depth_test(registers: &Registers) -> Compare {
    let word = registers.get(regs::depth_color_mask::ID);
    let function = regs::depth_color_mask::depth_func(word);
    function.filter(|_| regs::depth_color_mask::depth_test(word)).map_or(Compare::Always, Compare::from)
}

/// Any value but 0 allows depth and stencil writes alike; a hardware test found no bit mask in it.
fn depth_allowed(registers: &Registers) -> bool {
    registers.get(regs::depth_write_allow::ID) & 15 != 0
}

/// Depth is written also while its test is off.
fn depth_write(registers: &Registers) -> bool {
    regs::depth_color_mask::write_depth(registers.get(regs::depth_color_mask::ID)) && depth_allowed(registers)
}

fn stencil(registers: &Registers) -> Option<StencilKey> {
    let (test, action) = (registers.get(regs::stencil_test::ID), registers.get(regs::stencil_op::ID));
    if !regs::stencil_test::enable(test) {
        return None;
    }
    Some(StencilKey {
        compare: regs::stencil_test::func(test)?.into(),
        fail: regs::stencil_op::fail(action)?.into(),
        depth_fail: regs::stencil_op::depth_fail(action)?.into(),
        pass: regs::stencil_op::depth_pass(action)?.into(),
        write: depth_allowed(registers),
    })
}

/// The write-allow register is a gate: any value but 0 allows all channels (hardware test).
fn color_mask(registers: &Registers) -> u8 {
    match regs::color_write_allow::allow(registers.get(regs::color_write_allow::ID)) {
        0 => 0,
        _ => (registers.get(regs::depth_color_mask::ID) >> 8 & 15) as u8,
    }
}

fn output(registers: &Registers) -> Output {
    if !regs::color_operation::blend(registers.get(regs::color_operation::ID)) {
        return Output::Logic(
            regs::logic_op::op(registers.get(regs::logic_op::ID)).map_or(LogicOp::Copy, LogicOp::from),
        );
    }
    let word = registers.get(regs::blend_func::ID);
    // All values have a meaning.
    let equation = |value: Option<regs::BlendEquation>| value.map_or(BlendEquation::Add, BlendEquation::from);
    let factor = |value: Option<regs::BlendFactor>| value.map_or(BlendFactor::SourceColor, BlendFactor::from);
    let blend = BlendKey {
        color: equation(regs::blend_func::rgb_equation(word)),
        alpha: equation(regs::blend_func::alpha_equation(word)),
        color_source: factor(regs::blend_func::rgb_src(word)),
        color_destination: factor(regs::blend_func::rgb_dst(word)),
        alpha_source: factor(regs::blend_func::alpha_src(word)),
        alpha_destination: factor(regs::blend_func::alpha_dst(word)),
    };
    let replace = BlendKey {
        color: BlendEquation::Add,
        alpha: BlendEquation::Add,
        color_source: BlendFactor::One,
        color_destination: BlendFactor::Zero,
        alpha_source: BlendFactor::One,
        alpha_destination: BlendFactor::Zero,
    };
    // source * 255 / 255 + 0 is the source: no need to read the destination.
    if blend == replace { Output::Logic(LogicOp::Copy) } else { Output::Blend(blend) }
}

fn fog(registers: &Registers) -> Option<FogKey> {
    let word = registers.get(regs::tev_update_fog::ID);
    let gas = match regs::tev_update_fog::fog_mode(word) {
        Some(FogMode::Fog) => None,
        Some(FogMode::Gas) => Some(gas::key(registers)),
        None | Some(FogMode::Off) => return None,
    };
    Some(FogKey { flip: regs::tev_update_fog::fog_flip(word), gas })
}

fn constants(registers: &Registers, units: &[Unit; 3]) -> PixelConstants {
    let stencil = registers.get(regs::stencil_test::ID);
    PixelConstants {
        stage_color: regs::tev_color::IDS.map(|id| rgba(registers.get(id))),
        buffer_color: rgba(registers.get(regs::tev_buffer_color::ID)),
        blend_color: rgba(registers.get(regs::blend_color::ID)),
        fog_color: rgba(registers.get(regs::fog_color::ID)),
        alpha_reference: regs::alpha_test::reference(registers.get(regs::alpha_test::ID)),
        stencil_reference: regs::stencil_test::reference(stencil),
        stencil_input_mask: regs::stencil_test::input_mask(stencil),
        stencil_write_mask: regs::stencil_test::write_mask(stencil),
        depth_scale: regs::depth_scale::value(registers.get(regs::depth_scale::ID)),
        depth_offset: regs::depth_offset::value(registers.get(regs::depth_offset::ID)),
        shadow_constant: regs::shadow_attenuation::constant(registers.get(regs::shadow_attenuation::ID)),
        shadow_linear: regs::shadow_attenuation::linear(registers.get(regs::shadow_attenuation::ID)),
        texture: units.map(|unit| unit.constants),
        gas: GasConstants::default(),
    }
}

fn combiners(registers: &Registers) -> Combiners {
    let mut stages = [Stage::PASS; 6];
    for (index, stage) in stages.iter_mut().enumerate() {
        *stage = combiner_stage(registers, index);
    }
    Combiners { stages }
}

fn combiner_stage(registers: &Registers, index: usize) -> Stage {
    let source = registers.get(regs::tev_source::IDS[index]);
    let operand = registers.get(regs::tev_operand::IDS[index]);
    let function = registers.get(regs::tev_combiner::IDS[index]);
    let scale = registers.get(regs::tev_scale::IDS[index]);
    let update = registers.get(regs::tev_update_fog::ID);
    let sources = |shift: u32| {
        let sources = [0, 1, 2].map(|k| CombinerSource::from_register(source >> (shift + 4 * k) & 15));
        // The first stage has no stage before it: its operands 1 and 2 take the selection of operand 3 instead
        // (hardware test, for colour).
        let is_first = index == 0;
        let first = |source| if is_first && source == Some(CombinerSource::Previous) { sources[2] } else { source };
        [first(sources[0]), first(sources[1]), sources[2]].map(|source| source.map_or(Source::Zero, Source::from))
    };
    // Numbers that mean nothing replace.
    let [color, alpha] = [regs::tev_combiner::rgb(function), regs::tev_combiner::alpha(function)]
        .map(|function| function.map_or(Function::Replace, Function::from));
    let (color_sources, alpha_sources) = (sources(0), sources(16));
    let color_operand = |k: usize| {
        let operand = regs::ColorOperand::from_register(operand >> (4 * k) & 15).filter(|_| k < operands(color));
        let none = ColorOperand { source: Source::Zero, channel: ColorChannel::Zero, invert: false };
        operand.map_or(none, |operand| operand.of(color_sources[k]))
    };
    let alpha_operand = |k: usize| {
        let operand = regs::AlphaOperand::from_register(operand >> (12 + 4 * k) & 7).filter(|_| k < operands(alpha));
        let none = AlphaOperand { source: Source::Zero, channel: Channel::A, invert: false };
        operand.map_or(none, |operand| operand.of(alpha_sources[k]))
    };
    Stage {
        color,
        alpha,
        color_operands: [0, 1, 2].map(color_operand),
        alpha_operands: [0, 1, 2].map(alpha_operand),
        color_shift: regs::tev_scale::rgb(scale).map_or(0, CombinerScale::shift),
        alpha_shift: regs::tev_scale::alpha(scale).map_or(0, CombinerScale::shift),
        update_color: index < 4 && regs::tev_update_fog::update_rgb(update) & 1 << index != 0,
        update_alpha: index < 4 && regs::tev_update_fog::update_alpha(update) & 1 << index != 0,
    }
}

/// Operands that a function looks at: the others stay out of the key.
fn operands(function: Function) -> usize {
    match function {
        Function::Replace => 1,
        Function::Interpolate | Function::MultiplyAdd | Function::AddMultiply => 3,
        _ => 2,
    }
}
