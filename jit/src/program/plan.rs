//! What of a key matters, and what the code turned out to need.

use std::sync::Arc;

use triglyph_guest::kernel::Refused;
use triglyph_guest::kernel::pixel::Compare;
use triglyph_guest::kernel::program::fragment::{
    FragmentCode, FragmentInput, FragmentJob, FragmentKey, RsxFragmentCode, Samples,
};
use triglyph_guest::kernel::program::output::{ColorKey, DepthKey, Surface};
use triglyph_guest::kernel::program::sampler::TextureKey;
use triglyph_guest::layout::SurfaceLayout;
use triglyph_guest::rsx::fragment as rsx;

use super::args::DEPTH;
use super::surface::Grid;
use crate::rsx::fragment::Graph;

/// Planes that a program can need: depth, 1/w, and four of each of its inputs.
pub const PLANES: usize = 2 + 4 * 16;

/// Program constants that the code reads: number and component.
pub type Constants = Vec<(u16, u8)>;

/// Something that a primitive gives a plane for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PlaneOf {
    Depth,
    InvW,
    /// Among those of the primitive.
    Varying(usize),
}

/// When stencil and depth are tested.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Early {
    /// After the program.
    Nothing,
    /// The tests without side effects before it, writes after it: it may discard.
    Test,
    /// Before it.
    All,
}

/// A surface of the key.
#[derive(Clone, Copy, Debug)]
pub struct SurfacePlan {
    pub grid: Grid,
    pub layout: SurfaceLayout,
    number: usize,
}

impl SurfacePlan {
    /// The surface of a job.
    pub fn of<'a, 'm>(&self, job: &'a FragmentJob<'m>) -> &'a Surface<'m> {
        if self.number == DEPTH { &job.depth } else { &job.colors[self.number] }
    }
}

/// The parts of a key that become code.
#[derive(Debug)]
pub struct Plan {
    /// The program.
    pub code: Arc<RsxFragmentCode>,
    /// Decoded.
    pub program: rsx::Program,
    /// Its blocks.
    pub graph: Graph,
    /// Targets that are written, and the depth buffer if it is read or written.
    pub surfaces: [Option<SurfacePlan>; DEPTH + 1],
    /// The depth buffer, if it is read or written.
    pub depth: Option<DepthKey>,
    /// Units that are sampled.
    pub textures: Vec<(usize, TextureKey)>,
    /// Groups of planes that primitives must have.
    pub groups: usize,
    /// When depth is tested.
    pub early: Early,
    /// Samples of a pixel.
    pub samples: Samples,
    /// Work of a quad, in guest instructions or so.
    pub size: u32,
}

impl Plan {
    /// Analyses `key`.
    pub fn new(key: &FragmentKey) -> Result<Plan, Refused> {
        let samples = key.samples;
        if !matches!((samples.across, samples.down), (1 | 2 | 4, 1 | 2)) {
            return Err(Refused("an odd number of samples"));
        }
        let FragmentCode::Rsx(code) = &key.code else { return Err(Refused("Maxwell programs")) };
        let program = rsx::Program::decode(&code.code, |_, _| ());
        let graph = Graph::new(&program)?;
        let depth = key.output.depth.filter(|key| key.test.is_some() || key.bounds || key.stencil.is_some());
        let mut surfaces = [None; DEPTH + 1];
        for (number, color) in key.output.colors.iter().enumerate() {
            if let Some(color) = color.filter(|color| color.mask & 15 != 0) {
                surfaces[number] = Some(plan_color(number, &color, samples)?);
            }
        }
        if let Some(depth) = depth {
            let grid = Grid::new(depth.layout, depth.format.bytes(), samples)?;
            surfaces[DEPTH] = Some(SurfacePlan { grid, layout: depth.layout, number: DEPTH });
        }
        let sampled = |unit: usize| program.summary.textures >> unit & 1 != 0;
        let textures: Vec<(usize, TextureKey)> =
            (0..16).filter(|&unit| sampled(unit)).filter_map(|unit| Some((unit, key.textures[unit]?))).collect();
        let discards = program.summary.kills
            || key.output.alpha_test != Compare::Always
            || textures.iter().any(|(_, texture)| texture.alpha_kill);
        let stencil = depth.is_some_and(|key| key.stencil.is_some());
        let early = match (code.export_depth, discards, stencil) {
            // Which samples a fragment has left would have to be remembered across the program.
            _ if samples != Samples::ONE => Early::Nothing,
            (true, ..) | (_, true, true) => Early::Nothing,
            (_, true, false) => Early::Test,
            _ => Early::All,
        };
        let groups = groups(code, program.summary.inputs);
        let size = graph.size as u32 + 6 * textures.len() as u32 + 8 * samples.count() as u32;
        Ok(Plan { code: code.clone(), program, graph, surfaces, depth, textures, groups, early, samples, size })
    }

    /// The number of a unit among those that are sampled.
    pub fn texture(&self, unit: usize) -> Option<(usize, &TextureKey)> {
        let index = self.textures.iter().position(|&(sampled, _)| sampled == unit)?;
        Some((index, &self.textures[index].1))
    }
}

fn plan_color(number: usize, color: &ColorKey, samples: Samples) -> Result<SurfacePlan, Refused> {
    let bytes = u32::from(color.format.bytes);
    if !matches!(bytes, 1 | 2 | 4 | 8 | 16) || !matches!(color.format.swap, 0 | 1 | 2 | 4) {
        return Err(Refused("pixels of an odd size"));
    }
    if bytes < u32::from(color.format.swap) {
        return Err(Refused("pixels of an odd size"));
    }
    let grid = Grid::new(color.layout, bytes, samples)?;
    Ok(SurfacePlan { grid, layout: color.layout, number })
}

/// Groups of planes that the inputs in `read` reach.
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
