//! DRAW_TEXTURE: a rectangle of texels, without vertex programs and without depth.
//!
//! Not in the vendor's list. Sources: yuzu and Ryujinx, which disagree about rectangles that are measured from below;
//! yuzu's reading is taken. A pixel reads the texel coordinates `source + (pixel - destination) * step`.

use std::sync::{Arc, LazyLock};

use triglyph_guest::kernel::maxwell::{Code, PixelInput, PixelMode, Unit, UnitUse};
use triglyph_guest::kernel::program::sampler::{Shape, TextureKey};
use triglyph_guest::kernel::program::words::WordSet;
use triglyph_guest::tegra::header::ProgramHeader;
use triglyph_guest::tegra::header::program::attribute;
use triglyph_guest::tegra::methods::threed::regs as r;
use triglyph_guest::tegra::shader::assemble_program;

use crate::class_3d::ThreeD;
use crate::class_3d::state::pixels::{FragmentState, TargetView, ViewState};
use crate::class_3d::state::setup;
use crate::class_3d::state::texture::{Pools, TextureUnits, Wish};
use crate::core::Core;
use crate::front_end::registers::Registers;
use triglyph_engine::draw::program::{
    CullFace, Fill, Interpolate, PolygonMode, Projection, Records, Shape as Primitive, Single, Viewport, WordPlane,
    WordPlanes, WordValue,
};
use triglyph_engine::frontend::budget::cost;
use triglyph_engine::render::program::{Primitives, ProgramCall};
use triglyph_engine::scene::Allowance;
use triglyph_engine::scene::resources::DeclaredResources;

/// The program: u and v, then a texel.
const PROGRAM: &str = "
    ipa.pass r4, a[rz+0x80], rz, rz, pt
    ipa.pass r5, a[rz+0x84], rz, rz, pt
    tex.d2 r0, r4, rz, 0x0, 0xf, pt
    exit
";

/// How many instructions it has.
const INSTRUCTIONS: u64 = 4;

/// Byte address of its texture instruction.
const LOOKUP: u32 = 0x18;

/// Its code; empty if it does not assemble, which a test excludes.
static CODE: LazyLock<Arc<Code>> = LazyLock::new(|| {
    let units = vec![UnitUse { address: LOOKUP, unit: Unit::Texture(0) }];
    Arc::new(Code { words: assemble_program(PROGRAM).unwrap_or_default(), units, ..Code::default() })
});

/// A pixel program's header that writes target 0.
const HEADER: ProgramHeader = {
    let mut words = [0; 20];
    words[0] = 2 | 3 << 5 | 5 << 10 | 1 << 14;
    words[18] = 0xF;
    ProgramHeader(words)
};

/// Words of u and v.
const COORDINATES: [u8; 2] = [(attribute::GENERIC / 4) as u8, (attribute::GENERIC / 4) as u8 + 1];

impl ThreeD {
    /// Draws the rectangle that registers describe.
    pub(crate) fn draw_texture(&mut self, core: &mut Core, registers: &Registers) {
        let handle =
            registers.get(r::draw_texture_texture::ID) & 0xF_FFFF | registers.get(r::draw_texture_sampler::ID) << 20;
        let wish = Wish { handle, shape: Some(Shape::D2), reference: false, samples: false, certain: true };
        let key = TextureUnits::key_inputs(core, &Pools::of(registers), &wish);
        let Some((key, binding)) = key.and_then(|key| self.codes.textures.texture(core, &key)) else { return };
        self.take_dirty(registers);
        let targets = self.targets(core, registers);
        let words = COORDINATES.into_iter();
        let inputs: Vec<PixelInput> = words
            .enumerate()
            .map(|(plane, word)| PixelInput { word, plane: plane as u16, mode: PixelMode::Linear })
            .collect();
        let planes: Vec<WordPlane> =
            (4..6).map(|at| WordPlane::of(WordValue::Record(at), Interpolate::Linear)).collect();
        let position = (attribute::POSITION / 4) as u8;
        let outputs: WordSet = (position..position + 4).chain(COORDINATES).collect();
        let reach = DeclaredResources {
            space: core.space,
            y_direction: 1.0,
            textures: [Some(binding)].into(),
            handles: [handle].into(),
            ..DeclaredResources::default()
        };
        let derived = FragmentState {
            header: HEADER,
            code: CODE.clone(),
            instructions: 4,
            textures: [Some(TextureKey { unnormalized: true, ..key })].into(),
            images: [].into(),
            inputs: inputs.into(),
            words: Arc::new(WordPlanes::new(&planes)),
            planes,
            outputs,
            depth: false,
            blend_program: self.pixels.blend_program(),
        };
        let place = TargetView { layer: targets.layer.unwrap_or(0), viewport: 0 };
        let pools = self.pixels.pools();
        let placed = derived.view(core, registers, &targets, place, Arc::new(reach), pools);
        let Some(ViewState { target, state, setup }) = placed else { return };
        let mut setup = Arc::unwrap_or_clone(setup);
        setup.clip = targets.clip.and_then(|clip| clip.intersect(setup::scissor(registers, 0)?));
        setup.cull = CullFace::default();
        setup.modes = [PolygonMode::Fill; 2];
        setup.fill = Fill::Inside;
        setup.projection = Projection {
            viewport: Viewport { scale: [1.0; 3], offset: [0.0; 3] },
            depth_clip: [None; 2],
            divided: true,
            distances: [None; 8],
            single: Some(Single::plain()),
            ..setup.projection
        };
        let call = ProgramCall {
            target: &target,
            state: &state,
            setup: &Arc::new(setup),
            primitives: Primitives::Shapes(&triangles()),
            stipple: 0,
            deferred_cost: None,
            allowance: Allowance::new(core.budget.fuel(), cost::pixel(INSTRUCTIONS)),
        };
        let records = Records { floats: corners(registers).concat(), stride: 6, exhausted: 0, excess: 0 };
        let (drawn, _) = core.renderer.draw_shapes(&core.memory, &call, records);
        // Without fuel the next draw is not done any more.
        let fuel = cost::DRAW + core.renderer.take_primitive_fuel();
        core.budget.spend_at(drawn.pixels.div_ceil(64) * 24, fuel);
    }
}

/// Two triangles of four corners.
fn triangles() -> [(Primitive, u32); 2] {
    [[0, 1, 2], [2, 1, 3]].map(|corners| (Primitive::Triangle { corners, provoking: corners[0], edges: 7 }, 0))
}

/// Positions and coordinates of the corners: x, y, depth, 1/w, u, v.
fn corners(registers: &Registers) -> [[f32; 6]; 4] {
    let fixed = |id: usize| f64::from(registers.get(id) as i32) / 4096.0;
    let step = |low: usize| {
        let (low, high) = (registers.get(low), registers.get(low + 1));
        (i64::from(high as i32) << 32 | i64::from(low)) as f64 / 4_294_967_296.0
    };
    let [x, mut y] = [r::draw_texture_dst_x0::ID, r::draw_texture_dst_y0::ID].map(fixed);
    let [width, height] = [r::draw_texture_dst_width::ID, r::draw_texture_dst_height::ID].map(fixed);
    let [u, v] = [r::draw_texture_src_x0::ID, r::draw_texture_src_y0::ID].map(fixed);
    let [du, dv] = [r::draw_texture_du_dx_low::ID, r::draw_texture_dv_dy_low::ID].map(step);
    if registers.get(r::set_window_origin::ID) & 1 != 0 {
        y = f64::from(r::set_surface_clip_vertical::height(registers.get(r::set_surface_clip_vertical::ID))) - y;
    }
    let corner = |across: f64, down: f64| {
        let at = [x + across * width, y + down * height, 0.0, 1.0];
        let coordinates = [u + across * width * du, v + down * height * dv];
        [at[0], at[1], at[2], at[3], coordinates[0], coordinates[1]].map(|value| value as f32)
    };
    [corner(0.0, 0.0), corner(1.0, 0.0), corner(0.0, 1.0), corner(1.0, 1.0)]
}

#[cfg(test)]
mod tests {
    use triglyph_guest::tegra::shader::isa::{Op, decode};

    use super::*;

    #[test]
    fn the_program_assembles() {
        let code = assemble_program(PROGRAM).expect("a program");
        let lookup = decode(code[LOOKUP as usize / 8]) == Some(Op::tex);
        assert!(lookup, "{:#018x}", code[LOOKUP as usize / 8]);
    }
}
