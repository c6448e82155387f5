//! Analysis of a key: what code generation depends on.

use std::sync::Arc;

use triglyph_guest::kernel::Unsupported;
use triglyph_guest::kernel::pixel::Compare;
use triglyph_guest::kernel::program::fragment::{
    FragmentCode, FragmentInput, FragmentJob, FragmentKey, RsxFragmentCode, Samples,
};
use triglyph_guest::kernel::program::output::{ColorKey, DepthKey, Surface, TARGETS};
use triglyph_guest::kernel::program::sampler::TextureKey;
use triglyph_guest::layout::SurfaceLayout;
use triglyph_guest::rsx::fragment as rsx;

use crate::maxwell::pixel_plan::PixelPlan;
use crate::pixel::blend::blend_program::MAX_COMPILED_STEPS;
use crate::pixel::contract::Early;
use crate::pixel::depth_stencil::plan::DepthPlan;
use crate::pixel::target::surface::Grid;
use crate::rsx::fragment::graph::Graph;

/// The depth buffer's index among the surfaces, after the colour targets.
pub const DEPTH: usize = TARGETS;

/// Planes that a program can need: depth and its offset, 1/w, and four of each of its inputs.
pub const PLANES: usize = 3 + 4 * 16;

/// Program constants that the code reads: number and component.
pub type Constants = Vec<(u16, u8)>;

/// A quantity that a primitive has a plane of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PlaneOf {
    Depth,
    /// What is added to depth, the same everywhere.
    DepthOffset,
    InvW,
    /// A varying, by its index in the primitive.
    Varying(usize),
}

/// A surface of the key.
#[derive(Clone, Copy, Debug)]
pub struct SurfacePlan {
    pub grid: Grid,
    pub layout: SurfaceLayout,
    number: usize,
}

impl SurfacePlan {
    /// Colour surface `number`, or [`DEPTH`].
    pub fn new(number: usize, grid: Grid, layout: SurfaceLayout) -> SurfacePlan {
        SurfacePlan { grid, layout, number }
    }

    /// The surface of a job.
    pub fn of<'a, 'm>(&self, job: &'a FragmentJob<'m>) -> &'a Surface<'m> {
        if self.number == DEPTH { &job.depth } else { &job.colors[self.number] }
    }
}

/// An RSX program.
#[derive(Debug)]
pub struct RsxPlan {
    /// The program.
    pub code: Arc<RsxFragmentCode>,
    /// Decoded.
    pub program: rsx::Program,
    /// Its blocks.
    pub graph: Graph,
}

/// The program of one of the machines.
#[derive(Debug)]
pub enum ProgramPlan {
    Rsx(RsxPlan),
    Maxwell(PixelPlan),
}

/// The parts of a key that code generation depends on.
#[derive(Debug)]
pub struct Plan {
    /// The program.
    pub program: ProgramPlan,
    /// Targets that are written, and the depth buffer if it is read or written.
    pub surfaces: [Option<SurfacePlan>; DEPTH + 1],
    /// The depth buffer, if it is read or written.
    pub depth: Option<DepthPlan>,
    /// Texture units that are sampled.
    pub textures: Vec<(usize, TextureKey)>,
    /// Number of planes that primitives must have.
    pub planes: usize,
    /// When depth is tested.
    pub early: Early,
    /// Samples are counted by the early tests, even if the program discards them.
    pub counts_early: bool,
    /// Samples of a pixel.
    pub samples: Samples,
    /// What passes comes back.
    pub tells_survivors: bool,
    /// The program runs for each of them.
    pub per_sample: bool,
    /// Estimated cost of a quad, in guest instructions.
    pub size: u32,
}

impl Plan {
    /// Analyses `key`.
    pub fn new(key: &FragmentKey) -> Result<Plan, Unsupported> {
        let samples = key.samples;
        if key.output.program.as_ref().is_some_and(|program| program.steps.len() > MAX_COMPILED_STEPS) {
            return Err(Unsupported("a long program that blends"));
        }
        if key.output.coverage_color.is_some() {
            return Err(Unsupported("coverage as a colour"));
        }
        let tells_survivors = key.output.tells_survivors;
        if tells_survivors && samples != Samples::ONE {
            return Err(Unsupported("survivors of several samples"));
        }
        if !matches!((samples.across, samples.down), (1 | 2 | 4, 1 | 2 | 4)) {
            return Err(Unsupported("an odd number of samples"));
        }
        let depth = key.output.depth.map(|key| match key.format.has_depth() {
            true => key,
            false => DepthKey { test: None, bounds: false, ..key },
        });
        let depth = depth.filter(|key| key.test.is_some() || key.bounds || key.stencil.is_some());
        let mut surfaces = [None; DEPTH + 1];
        for (number, color) in key.output.colors.iter().enumerate() {
            if let Some(color) = color.filter(|color| color.mask & 15 != 0) {
                surfaces[number] = Some(plan_color(number, &color, samples)?);
            }
        }
        if let Some(depth) = depth {
            let grid = Grid::new(depth.layout, depth.format.bytes(), samples)?;
            surfaces[DEPTH] = Some(SurfacePlan::new(DEPTH, grid, depth.layout));
        }
        let program = match &key.code {
            FragmentCode::Rsx(code) => {
                let program = rsx::Program::decode(&code.code, |_, _| ());
                let graph = Graph::new(&program)?;
                ProgramPlan::Rsx(RsxPlan { code: code.clone(), program, graph })
            }
            FragmentCode::Maxwell(code) => ProgramPlan::Maxwell(PixelPlan::new(code, key)?),
        };
        let (textures, planes, work, needs) = match &program {
            ProgramPlan::Rsx(rsx) => rsx.summary(key),
            ProgramPlan::Maxwell(maxwell) => {
                let needs = TestNeeds {
                    depth: maxwell.code.depth,
                    discards: maxwell.code.kills || maxwell.code.sample_mask,
                    always: maxwell.always,
                    before: maxwell.code.early_tests,
                };
                (Vec::new(), maxwell.planes, maxwell.graph.size, needs)
            }
        };
        let planes = planes.max(key.output.share.map_or(0, |first| usize::from(first) + 4));
        let discards = needs.discards || key.output.alpha_test != Compare::Always;
        let stencil = depth.is_some_and(|key| key.stencil.is_some());
        let early = match (needs.depth, discards, stencil) {
            _ if needs.before => Early::All,
            _ if needs.always => Early::Nothing,
            // The remaining samples of a fragment would have to be kept across the program.
            _ if samples != Samples::ONE => Early::Nothing,
            (true, ..) | (_, true, true) => Early::Nothing,
            (_, true, false) => Early::Test,
            _ => Early::All,
        };
        let per_sample = matches!(&program, ProgramPlan::Maxwell(maxwell) if maxwell.code.per_sample);
        let work = if per_sample { work * samples.count() } else { work };
        let size = work as u32 + 6 * textures.len() as u32 + 8 * samples.count() as u32;
        let counts_early = needs.before;
        Ok(Plan {
            program,
            surfaces,
            depth: depth.as_ref().map(DepthPlan::of_output),
            textures,
            planes,
            early,
            counts_early,
            samples,
            tells_survivors,
            per_sample,
            size,
        })
    }

    /// The index of a unit among the sampled ones.
    pub fn texture(&self, unit: usize) -> Option<(usize, &TextureKey)> {
        let index = self.textures.iter().position(|&(sampled, _)| sampled == unit)?;
        Some((index, &self.textures[index].1))
    }
}

/// Properties of a program that decide when tests may happen.
struct TestNeeds {
    /// It writes the depth.
    depth: bool,
    /// It may discard.
    discards: bool,
    /// It runs even for fragments that fail.
    always: bool,
    /// Tests are forced to come first.
    before: bool,
}

impl RsxPlan {
    /// Sampled texture units, number of planes, number of instructions, and what the tests depend on.
    fn summary(&self, key: &FragmentKey) -> (Vec<(usize, TextureKey)>, usize, usize, TestNeeds) {
        let summary = &self.program.summary;
        let sampled = |unit: usize| summary.textures >> unit & 1 != 0;
        let textures: Vec<(usize, TextureKey)> =
            (0..16).filter(|&unit| sampled(unit)).filter_map(|unit| Some((unit, key.textures[unit]?))).collect();
        let discards = summary.kills || textures.iter().any(|(_, texture)| texture.alpha_kill);
        let needs = TestNeeds { depth: self.code.export_depth, discards, always: false, before: false };
        (textures, 4 * groups(&self.code, summary.inputs), self.graph.size, needs)
    }
}

fn plan_color(number: usize, color: &ColorKey, samples: Samples) -> Result<SurfacePlan, Unsupported> {
    let bytes = u32::from(color.format.bytes);
    if !matches!(bytes, 1 | 2 | 4 | 8 | 16) || !matches!(color.format.swap, 0 | 1 | 2 | 4) {
        return Err(Unsupported("pixels of an odd size"));
    }
    if bytes < u32::from(color.format.swap) {
        return Err(Unsupported("pixels of an odd size"));
    }
    let grid = Grid::new(color.layout, bytes, samples)?;
    Ok(SurfacePlan::new(number, grid, color.layout))
}

/// Number of plane groups that cover the inputs in `read`.
fn groups(code: &RsxFragmentCode, read: u16) -> usize {
    let group = |input: &FragmentInput| match *input {
        FragmentInput::Varying { group, .. }
        | FragmentInput::Varying2d { group }
        | FragmentInput::Fog { group, .. }
        | FragmentInput::PointCoordinate { group, .. } => usize::from(group) + 1,
        FragmentInput::Zero | FragmentInput::Position | FragmentInput::Facing => 0,
    };
    let read = code.inputs.iter().enumerate().filter(|(n, _)| read >> n & 1 != 0);
    read.map(|(_, input)| group(input)).max().unwrap_or(0)
}
