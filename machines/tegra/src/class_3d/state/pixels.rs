//! State of fragments: the pixel program, its inputs, tests and targets.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::{Arc, LazyLock};

use smallvec::SmallVec;
use triglyph_guest::kernel::maxwell::{Code, PixelCode, PixelInput, PixelMode};
use triglyph_guest::kernel::program::environment::ImageKey;
use triglyph_guest::kernel::program::fragment::{
    FragmentCode, FragmentConstants, FragmentKey, MAX_SAMPLES, Samples, UNITS,
};
use triglyph_guest::kernel::program::output::{Channel, ColorKey, OutputKey};
use triglyph_guest::kernel::program::sampler::TextureKey;
use triglyph_guest::kernel::program::words::WordSet;
use triglyph_guest::tegra::header::ProgramHeader;
use triglyph_guest::tegra::header::program::{Interpolation, attribute, fields};
use triglyph_guest::tegra::methods::threed::{self as m, PointSpriteOrigin, ShadeMode, dirty, regs as r};

use super::target::{CENTER, Targets, sample_at, sample_positions};
use super::{output, setup, unsupported};
use crate::class_3d::ThreeD;
use crate::class_3d::draw::geometry::{VIEWPORT, VIEWPORT_MASK};
use crate::class_3d::programs::codes::Program;
use crate::class_3d::programs::program::Loaded;
use crate::class_3d::programs::stage_numbers::PIXEL;
use crate::core::Core;
use crate::front_end::registers::Registers;
use triglyph_engine::cache::{Handle, Recent, kinds};
use triglyph_engine::draw::program::{Fill, Interpolate, LineShape, ProgramSetup, WordPlane, WordPlanes, WordValue};
use triglyph_engine::frontend::{Recycled, RegisterDependency};
use triglyph_engine::mem::Epoch;
use triglyph_engine::scene::program::{ProgramState, ProgramTarget, Surfaces, TextureBinding};
use triglyph_engine::scene::resources::DeclaredResources;

/// Kernels of pixel programs by what they are specialised to, and what the last draw had.
#[derive(Debug)]
pub(crate) struct Pixels {
    pools: PixelPools,
    dependency: RegisterDependency,
    /// Of the last draws with other programs or records, the last one first.
    last: Vec<RecentDraw>,
    /// The same of what only depends on [`INPUTS`].
    derived: Vec<RecentFragmentState>,
    inputs: RegisterDependency,
    /// Words of the blend program.
    blend_program: Arc<[u32]>,
}

impl Default for Pixels {
    fn default() -> Self {
        Pixels {
            pools: PixelPools::default(),
            dependency: RegisterDependency::new(GROUPS),
            last: Vec::new(),
            derived: Vec::new(),
            inputs: RegisterDependency::new(INPUTS),
            blend_program: Arc::default(),
        }
    }
}

/// Kernels by what they are specialised to; the address of a code is unique as long as its kernel is here.
type Handles = HashMap<FragmentKeyInputs, (Arc<Code>, Handle<kinds::Fragment>)>;

/// Kernels of pixel programs by what they are specialised to, and the memory of what earlier draws had.
#[derive(Debug, Default)]
pub(crate) struct PixelPools {
    handles: Handles,
    recent: Recent<FragmentKeyInputs, (Arc<Code>, Handle<kinds::Fragment>)>,
    targets: Recycled<ProgramTarget>,
    states: Recycled<ProgramState>,
    setups: Recycled<ProgramSetup>,
}

/// What a recent draw derived: for all views, and for each view that it drew to.
#[derive(Debug)]
struct RecentDraw {
    program: Option<Arc<Program>>,
    reach: Arc<DeclaredResources>,
    derived: Arc<FragmentState>,
    space: u32,
    made: Epoch,
    views: SmallVec<[(TargetView, Option<ViewState>); 1]>,
}

/// What was derived for a program.
#[derive(Debug)]
struct RecentFragmentState {
    program: Option<Arc<Program>>,
    derived: Arc<FragmentState>,
}

/// What a draw needs for one view.
#[derive(Clone, Debug)]
pub(crate) struct ViewState {
    pub target: Arc<ProgramTarget>,
    pub state: Arc<ProgramState>,
    pub setup: Arc<ProgramSetup>,
}

/// A layer of the targets and a viewport.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TargetView {
    pub layer: u32,
    pub viewport: usize,
}

/// Groups of registers that pixels depend on, besides their program.
const GROUPS: u32 = dirty::TARGET | dirty::VIEWPORT | dirty::RASTER | dirty::FRAGMENT;

/// Those of them that inputs depend on: the others are about colours and depths.
const INPUTS: u32 = dirty::RASTER;

/// Draws with different programs whose pixels are remembered.
const MAX_PROGRAMS: usize = 8;

/// Views of one program that are kept.
const MAX_VIEWS: usize = 64;

/// What a kernel is specialised to besides a code, which is named by its address on the host.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct FragmentKeyInputs {
    code: usize,
    textures: Arc<[Option<TextureKey>]>,
    images: Arc<[Option<ImageKey>]>,
    inputs: Arc<[PixelInput]>,
    traits: FragmentTraits,
    output: OutputKey,
    samples: Samples,
}

/// Traits of a program that its header and registers set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct FragmentTraits {
    targets: u32,
    sample_mask: bool,
    depth: bool,
    kills: bool,
    per_sample: bool,
    early_tests: bool,
    sample_numbers: [u8; MAX_SAMPLES],
}

/// The program of draws without one.
static NO_CODE: LazyLock<Arc<Code>> = LazyLock::new(Arc::default);

/// The parts of a state that programs of this machine do not have: constants and units of its own.
static NO_CONSTANTS: LazyLock<Arc<[[f32; 4]]>> = LazyLock::new(|| Arc::new([]));
static NO_TEXTURES: LazyLock<Arc<[Option<TextureBinding>; UNITS]>> =
    LazyLock::new(|| Arc::new([const { None }; UNITS]));

/// Entries that are kept; when there are more, all go.
const MAX_ENTRIES: usize = 4096;

impl PixelPools {
    fn handle(&mut self, core: &Core, inputs: FragmentKeyInputs, code: &Arc<Code>) -> Handle<kinds::Fragment> {
        let PixelPools { handles, recent, .. } = self;
        let find = |inputs: &FragmentKeyInputs| (code.clone(), find(handles, core, inputs.clone(), code));
        recent.get(&inputs, find).1
    }
}

/// The kernel of inputs that are not among the recent ones.
fn find(handles: &mut Handles, core: &Core, inputs: FragmentKeyInputs, code: &Arc<Code>) -> Handle<kinds::Fragment> {
    if handles.len() >= MAX_ENTRIES {
        handles.clear();
    }
    if let Some((_, handle)) = handles.get(&inputs) {
        return handle.clone();
    }
    let FragmentTraits { targets, sample_mask, depth, kills, per_sample, early_tests, sample_numbers } = inputs.traits;
    let pixel = PixelCode {
        code: code.clone(),
        textures: inputs.textures.to_vec(),
        images: inputs.images.to_vec(),
        inputs: inputs.inputs.to_vec(),
        targets,
        sample_mask,
        depth,
        kills,
        per_sample,
        early_tests,
        sample_numbers,
    };
    let key = FragmentKey {
        code: FragmentCode::Maxwell(Arc::new(pixel)),
        textures: [None; UNITS],
        output: inputs.output.clone(),
        samples: inputs.samples,
    };
    let handle = core.renderer.kernels.fragment(&key);
    handles.insert(inputs, (code.clone(), handle.clone()));
    handle
}

/// What the pixels of a draw need whatever the layer and the viewport.
#[derive(Debug)]
pub(crate) struct FragmentState {
    pub header: ProgramHeader,
    pub code: Arc<Code>,
    pub instructions: u64,
    pub textures: Arc<[Option<TextureKey>]>,
    pub images: Arc<[Option<ImageKey>]>,
    pub inputs: Arc<[PixelInput]>,
    pub planes: Vec<WordPlane>,
    /// The same for setup.
    pub words: Arc<WordPlanes>,
    /// Words of the vertices' records.
    pub outputs: WordSet,
    /// Whether depth and stencil count.
    pub depth: bool,
    /// Words of the blend program.
    pub blend_program: Arc<[u32]>,
}

/// Whether kernels of two draws are the same.
fn have_same_keys(a: &Option<Arc<Program>>, b: &Option<Arc<Program>>) -> bool {
    match (a, b) {
        (Some(a), Some(b)) => a.has_keys_of(b),
        (a, b) => a.is_none() && b.is_none(),
    }
}

impl Pixels {
    /// Notes groups of registers that have changed.
    pub(crate) fn note(&mut self, groups: u32) {
        self.dependency.note(groups);
        self.inputs.note(groups);
    }

    /// Takes over the words of the blend program, which have changed.
    pub(crate) fn set_blend_program(&mut self, words: &[u32]) {
        self.blend_program = words.into();
        self.last.clear();
        self.derived.clear();
    }

    /// The words of the blend program.
    pub(crate) fn blend_program(&self) -> Arc<[u32]> {
        self.blend_program.clone()
    }

    /// Kernels, and memory for what draws have.
    pub(crate) fn pools(&mut self) -> &mut PixelPools {
        &mut self.pools
    }

    /// Brings what is the same for all views up to date: for a program, none if fragments only have depth and stencil,
    /// and for records of the words `outputs`. Returns the instructions of the program.
    fn refresh(&mut self, core: &Core, registers: &Registers, program: Option<Arc<Program>>, outputs: &WordSet) -> u64 {
        let other_place = |last: &RecentDraw| last.space != core.space || core.memory.mapped_since(last.made);
        if !self.dependency.is_valid(core, registers.file()) || self.last.iter().any(other_place) {
            self.last.clear();
        }
        let same = |last: &RecentDraw| last.derived.outputs == *outputs && have_same_keys(&last.program, &program);
        if let Some(at) = self.last.iter().position(same) {
            self.last[..=at].rotate_right(1);
            let last = &mut self.last[0];
            if let Some(program) = program {
                last.reach = program.reach.clone();
                last.program = Some(program);
            }
            return last.derived.instructions;
        }
        let derived = self.derived(core, registers, &program, outputs);
        let instructions = derived.instructions;
        let (space, made) = (core.space, core.memory.epoch());
        let nothing = || Arc::new(DeclaredResources { space, y_direction: 1.0, ..DeclaredResources::default() });
        let reach = program.as_ref().map_or_else(nothing, |program| program.reach.clone());
        self.last.truncate(MAX_PROGRAMS - 1);
        self.last.insert(0, RecentDraw { program, reach, derived, space, made, views: SmallVec::new() });
        instructions
    }

    /// What inputs of a program say.
    fn derived(
        &mut self,
        core: &Core,
        registers: &Registers,
        program: &Option<Arc<Program>>,
        outputs: &WordSet,
    ) -> Arc<FragmentState> {
        if !self.inputs.is_valid(core, registers.file()) {
            self.derived.clear();
        }
        let same =
            |last: &RecentFragmentState| last.derived.outputs == *outputs && have_same_keys(&last.program, program);
        if let Some(at) = self.derived.iter().position(same) {
            self.derived[..=at].rotate_right(1);
        } else {
            let derived = registers.deriving(INPUTS, || FragmentState::new(registers, program.as_deref(), outputs));
            let derived = Arc::new(FragmentState { blend_program: self.blend_program.clone(), ..derived });
            self.derived.truncate(MAX_PROGRAMS - 1);
            self.derived.insert(0, RecentFragmentState { program: program.clone(), derived });
        }
        self.derived[0].derived.clone()
    }

    /// What a draw to a view needs; `None` when it changes nothing.
    pub(crate) fn view(
        &mut self,
        core: &mut Core,
        registers: &Registers,
        targets: &Targets,
        view: TargetView,
    ) -> Option<ViewState> {
        let last = self.last.first_mut()?;
        if let Some((_, known)) = last.views.iter_mut().find(|(known, _)| *known == view) {
            let state_of_view = known.as_mut()?;
            // Another draw may see other constants and textures.
            if state_of_view.state.reach.as_ref().is_none_or(|reach| !Arc::ptr_eq(reach, &last.reach)) {
                let state = ProgramState { reach: Some(last.reach.clone()), ..(*state_of_view.state).clone() };
                state_of_view.state = self.pools.states.share(state);
            }
            return Some(state_of_view.clone());
        }
        let (derived, reach) = (last.derived.clone(), last.reach.clone());
        let make = |core: &mut Core| derived.view(core, registers, targets, view, reach, &mut self.pools);
        let state_of_view = self.dependency.derive(core, registers.file(), make);
        if last.views.len() == MAX_VIEWS {
            last.views.clear();
        }
        last.views.push((view, state_of_view.clone()));
        state_of_view
    }
}

impl ThreeD {
    /// Brings the pixel program and its inputs from records of the words `outputs` up to date, for points or other
    /// shapes. Returns its instructions, if there is something to draw with.
    pub(crate) fn refresh_pixels(
        &mut self,
        core: &mut Core,
        registers: &Registers,
        targets: &Targets,
        outputs: &WordSet,
        points: bool,
    ) -> Option<u64> {
        // Without a program fragments only have depth and stencil.
        let program = match Self::is_on(registers, PIXEL) {
            true => Some(self.program(core, registers, PIXEL)?),
            false => None,
        };
        let header = program.as_ref().map(|program| &program.loaded.header);
        unsupported::count(core, registers, targets, header, points);
        Some(self.pixels.refresh(core, registers, program, outputs))
    }
}

impl FragmentState {
    fn new(registers: &Registers, program: Option<&Program>, outputs: &WordSet) -> Self {
        let Some(Program { loaded, code, textures, images, .. }) = program else {
            return FragmentState {
                header: ProgramHeader([0; 20]),
                code: NO_CODE.clone(),
                instructions: 0,
                textures: [].into(),
                images: [].into(),
                inputs: [].into(),
                planes: Vec::new(),
                words: Arc::new(WordPlanes::new(&[])),
                outputs: *outputs,
                depth: true,
                blend_program: [].into(),
            };
        };
        let (inputs, planes) = inputs(registers, loaded, outputs);
        FragmentState {
            header: loaded.header,
            code: code.clone(),
            instructions: loaded.instructions,
            textures: textures.clone(),
            images: images.clone(),
            inputs: inputs.into(),
            words: Arc::new(WordPlanes::new(&planes)),
            planes,
            outputs: *outputs,
            depth: true,
            blend_program: [].into(),
        }
    }
}

impl FragmentState {
    /// Target, state and setup of a view; `None` when draws to it change nothing.
    pub(crate) fn view(
        &self,
        core: &mut Core,
        registers: &Registers,
        targets: &Targets,
        TargetView { layer, viewport }: TargetView,
        reach: Arc<DeclaredResources>,
        pools: &mut PixelPools,
    ) -> Option<ViewState> {
        let get = |id: usize| registers.get(id);
        let planes = self.planes_in(viewport);
        let words = match &planes {
            Cow::Borrowed(_) => self.words.clone(),
            Cow::Owned(planes) => Arc::new(WordPlanes::new(planes)),
        };
        let mut setup = setup::derive(registers, targets, viewport, &self.outputs, words);
        setup.clip?;
        let depth_range = setup::depth_range(registers, viewport);
        let mut output = output::derive(registers, targets, &self.header, depth_range, &self.blend_program);
        if !self.depth {
            output.key.depth = None;
        }
        output.key.depth_offset = setup.depth_offset.counts();
        let count_samples = r::set_zpass_pixel_count::enable(get(r::set_zpass_pixel_count::ID));
        // All that are bound, so that draws of different tests and masks stay in one scene.
        let target = targets.surfaces(core, layer, output.key.depth.is_some());
        for (i, key) in output.key.colors.iter_mut().enumerate() {
            match target.colors[i] {
                Some(surface) => key.iter_mut().for_each(|key| key.layout = surface.layout),
                None => *key = None,
            }
        }
        match target.depth {
            Some(surface) => output.key.depth.iter_mut().for_each(|key| key.layout = surface.layout),
            None => output.key.depth = None,
        }
        let integers = |key: &ColorKey| {
            key.format.channels.iter().any(|channel| matches!(channel, Channel::Uint(_) | Channel::Sint(_)))
        };
        if setup.line_shape == LineShape::Smooth && !output.key.colors.iter().flatten().any(integers) {
            output.key.share = Some(planes.len() as u16);
            setup.words = Some(Arc::new(WordPlanes::new(&[&*planes, &WordPlane::LINE_SHARE].concat())));
        }
        let surfaces = Surfaces {
            colors: (0..8).fold(0, |set, i| set | u8::from(output.key.colors[i].is_some()) << i),
            depth: output.key.depth.is_some(),
        };
        if surfaces == Surfaces::default() && !count_samples && !reach.writes {
            return None;
        }
        let inputs = FragmentKeyInputs {
            code: Arc::as_ptr(&self.code) as usize,
            textures: self.textures.clone(),
            images: self.images.clone(),
            inputs: self.inputs.clone(),
            traits: traits(registers, targets, &self.header),
            output: output.key,
            samples: targets.samples,
        };
        let positions = sample_positions(registers, targets);
        let constants = FragmentConstants {
            output: output.constants,
            position_scale_y: 1.0,
            sample_offsets: positions.map(|at| at.map(|v| (f32::from(v) - 128.0) * (1.0 / 256.0))),
            ..FragmentConstants::default()
        };
        let state = ProgramState {
            kernel: pools.handle(core, inputs, &self.code),
            constants,
            program_constants: NO_CONSTANTS.clone(),
            textures: NO_TEXTURES.clone(),
            windows: setup::windows(registers),
            stipple: (get(r::set_polygon_stipple::ID) & 1 != 0).then(|| Arc::new(setup::stipple(registers))),
            sample_positions: match setup.fill {
                Fill::Touched => [CENTER; MAX_SAMPLES],
                _ => positions,
            },
            sample_masks: sample_masks(registers, targets),
            count_samples,
            surfaces,
            reach: Some(reach),
        };
        let PixelPools { targets, states, setups, .. } = pools;
        Some(ViewState { target: targets.share(target), state: states.share(state), setup: setups.share(setup) })
    }

    /// The planes of a primitive's part in a viewport. Where a mask repeats primitives, programs see the viewport that
    /// they are in; source: piglit's tests of NV_viewport_array2, which pass on the hardware (Mesa's list for GM206).
    fn planes_in(&self, viewport: usize) -> Cow<'_, [WordPlane]> {
        let mut planes = Cow::Borrowed(&self.planes[..]);
        if self.outputs.index(VIEWPORT_MASK).is_some() {
            let value = WordValue::Constant(viewport as u32);
            for input in self.inputs.iter().filter(|input| input.word == VIEWPORT) {
                if let Some(plane) = planes.to_mut().get_mut(usize::from(input.plane)) {
                    *plane = WordPlane::of(value, Interpolate::Flat);
                }
            }
        }
        planes
    }
}

fn traits(registers: &Registers, targets: &Targets, header: &ProgramHeader) -> FragmentTraits {
    let get = |id: usize| registers.get(id);
    let several = targets.samples.count() > 1 && r::set_anti_alias_enable::v(get(r::set_anti_alias_enable::ID));
    let usage = get(r::set_ps_output_sample_mask_usage::ID);
    let counts = r::set_ps_output_sample_mask_usage::enable(usage)
        && (several || !r::set_ps_output_sample_mask_usage::qualify_by_anti_alias_enable(usage));
    FragmentTraits {
        targets: fields::TARGET_MASK.get(&header.0),
        sample_mask: fields::WRITES_SAMPLE_MASK.is_set(&header.0) && counts,
        depth: fields::WRITES_DEPTH.is_set(&header.0),
        kills: fields::KILLS_PIXELS.is_set(&header.0),
        per_sample: several && passes(get(r::set_hybrid_anti_alias_control::ID)) > 1,
        early_tests: r::set_api_mandated_early_z::enable(get(r::set_api_mandated_early_z::ID)),
        sample_numbers: std::array::from_fn(|k| {
            if k < targets.samples.count() { sample_at(targets.mode, k) as u8 } else { k as u8 }
        }),
    }
}

/// Runs of the program for a fragment.
fn passes(word: u32) -> u32 {
    use r::set_hybrid_anti_alias_control as control;
    control::passes_extended(word) << 4 | control::passes(word)
}

/// Samples by their positions in a pixel's cell that may be covered, of the four pixels of a 2x2.
fn sample_masks(registers: &Registers, targets: &Targets) -> [u16; 4] {
    let count = targets.samples.count();
    let multisampled = count > 1 && r::set_anti_alias_enable::v(registers.get(r::set_anti_alias_enable::ID));
    let ids = [
        r::set_sample_mask_x0_y0::ID,
        r::set_sample_mask_x1_y0::ID,
        r::set_sample_mask_x0_y1::ID,
        r::set_sample_mask_x1_y1::ID,
    ];
    ids.map(|id| {
        let mask = registers.get(id);
        if !multisampled {
            // All samples of a pixel are as one.
            return if mask & 1 != 0 { u16::MAX } else { 0 };
        }
        (0..count).fold(0, |set, k| set | ((mask >> sample_at(targets.mode, k) & 1) as u16) << k)
    })
}

/// What IPA reads, and the planes of it.
fn inputs(registers: &Registers, program: &Loaded, outputs: &WordSet) -> (Vec<PixelInput>, Vec<WordPlane>) {
    let flat = r::set_shade_mode::v(registers.get(r::set_shade_mode::ID)) == Some(ShadeMode::Flat);
    let (mut inputs, mut planes) = (Vec::new(), Vec::new());
    for &(word, mut how) in &program.varyings {
        let address = 4 * u32::from(word);
        if flat && (attribute::FRONT_DIFFUSE..attribute::BACK_DIFFUSE).contains(&address) {
            how = Interpolation::Constant;
        }
        let (mode, interpolate) = match how {
            Interpolation::Constant | Interpolation::Unused => (PixelMode::Constant, Interpolate::Flat),
            Interpolation::Perspective => (PixelMode::Perspective, Interpolate::Perspective),
            Interpolation::ScreenLinear => (PixelMode::Linear, Interpolate::Linear),
        };
        let [front, back, point] = values(registers, outputs, address);
        inputs.push(PixelInput { word, plane: planes.len() as u16, mode });
        planes.push(WordPlane { front, back, point, interpolate });
    }
    (inputs, planes)
}

/// An input that nothing writes. Registers say it of a group of inputs; that of colours is 1 in all components or in
/// the last one, that of others is 0 or 1 in the last one. The side of a colour makes no difference.
fn default(registers: &Registers, address: u32) -> WordValue {
    use r::set_attribute_default as of;
    const ALPHA: u32 = 3;
    let word = registers.get(of::ID);
    let vector = |set: Option<m::DefaultVector>| (false, set == Some(m::DefaultVector::Vector0001));
    let (all, alpha) = match address {
        attribute::FRONT_DIFFUSE..attribute::BACK_DIFFUSE if address & 0x10 == 0 => {
            (of::color_front_diffuse(word) == Some(m::DefaultDiffuse::Vector1111), true)
        }
        attribute::FRONT_DIFFUSE..attribute::BACK_DIFFUSE => vector(of::color_front_specular(word)),
        attribute::TEXTURE_COORDINATE..attribute::VIEWPORT_MASK => vector(of::fixed_fnc_texture(word)),
        _ => vector(of::generic_vector(word)),
    };
    let one = all || alpha && address / 4 % 4 == ALPHA;
    WordValue::Constant(if one { 1f32.to_bits() } else { 0 })
}

/// Where an input comes from, on the front, on the back, and of points: those alone have coordinates made for them
/// (piglit's arb_point_sprite-interactions).
fn values(registers: &Registers, outputs: &WordSet, address: u32) -> [WordValue; 3] {
    let select = registers.get(r::set_point_sprite_select::ID);
    let written = |address: u32| setup::at(outputs, address).map(WordValue::Record);
    let default = || default(registers, address);
    let t = match r::set_point_sprite_select::origin(select) {
        Some(PointSpriteOrigin::Top) => WordValue::PointT,
        Some(PointSpriteOrigin::Bottom) | None => WordValue::PointTUpwards,
    };
    let value = match address {
        attribute::PRIMITIVE_ID => written(address).unwrap_or(WordValue::Primitive),
        attribute::POINT_SPRITE => WordValue::PointS,
        0x2E4 => t,
        attribute::LAYER..attribute::POSITION | attribute::CLIP_DISTANCE..attribute::TEXTURE_COORDINATE => {
            written(address).unwrap_or(WordValue::Constant(0))
        }
        attribute::TEXTURE_COORDINATE..attribute::VIEWPORT_MASK => {
            let coordinate = (address - attribute::TEXTURE_COORDINATE) / 16;
            let value = written(address).unwrap_or_else(default);
            let generated = r::set_point_sprite::enable(registers.get(r::set_point_sprite::ID))
                && select >> (3 + coordinate) & 1 != 0;
            let point = match (generated, address / 4 % 4) {
                (false, _) => value,
                (true, 0) => WordValue::PointS,
                (true, 1) => t,
                (true, 2) => match select & 3 {
                    1 => written(address).unwrap_or(WordValue::Constant(0)),
                    2 => WordValue::PointS,
                    _ => WordValue::Constant(0),
                },
                (true, _) => WordValue::Constant(1f32.to_bits()),
            };
            return [value, value, point];
        }
        _ => written(address).unwrap_or_else(default),
    };
    let two_sided = r::set_two_sided_light::enable(registers.get(r::set_two_sided_light::ID));
    match address {
        attribute::FRONT_DIFFUSE..attribute::BACK_DIFFUSE if two_sided => {
            [value, written(address + 0x20).unwrap_or(value), value]
        }
        _ => [value; 3],
    }
}
