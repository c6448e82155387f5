//! Fragment kernels: blocks, quads, and the inputs and results of a quad's program.

use triglyph_guest::kernel::Unsupported;
use triglyph_guest::kernel::program::FragmentKernel;
use triglyph_guest::kernel::program::fragment::{
    FragmentJob, FragmentKey, PixelBlock, Primitive, RsxFragmentCode, Samples,
};
use triglyph_guest::kernel::trace::{Item, Tracing};
use triglyph_guest::layout::unmorton;

use super::interpolate::Point;
use super::output::{Fragment, Output};
use crate::rsx_fragment::{Program, Quad, Resources};
use crate::trace::Recorder;

/// A fragment kernel: its key with the program decoded.
#[derive(Clone, Debug)]
pub struct Kernel {
    key: FragmentKey,
    program: Program,
}

impl Kernel {
    /// The kernel of `key`, whose program is `code`.
    pub fn new(key: &FragmentKey, code: &RsxFragmentCode) -> Self {
        Kernel { key: key.clone(), program: Program::new(code) }
    }
}

crate::trace::traced_fragments!();

impl Kernel {
    /// The samples that have passed.
    fn quads(&self, job: &FragmentJob<'_>, tracing: Option<Tracing<'_>>) -> u64 {
        let output = Output::new(&self.key, job);
        let resources =
            Resources { constants: job.program_constants, keys: &self.key.textures, textures: job.textures };
        let tests_first = output.asks_alpha_last() && !self.program.decides(&self.key.textures);
        let quad = Quad::new(&self.program, resources);
        let mut run = FragmentRun { kernel: self, job, output, quad, tests_first, passed: 0 };
        for_each_quad(job, self.key.samples, |primitive, at, covered| {
            if let Some(tracing) = tracing {
                run.trace(&tracing, primitive, at, covered);
            }
            run.quad(primitive, at, covered)
        });
        run.passed
    }
}

/// One call of a kernel.
struct FragmentRun<'a, 'k> {
    kernel: &'k Kernel,
    job: &'k FragmentJob<'a>,
    output: Output<'k>,
    quad: Quad<'k>,
    /// Whether the program need not run before the tests are asked. It has no side effect: only what passes shows it.
    tests_first: bool,
    passed: u64,
}

/// The four pixels of the quad whose upper left one is this.
fn places(at: [u32; 2]) -> [[u32; 2]; 4] {
    [0, 1, 2, 3].map(|lane| [at[0] + (lane & 1), at[1] + (lane >> 1)])
}

impl<'k> FragmentRun<'_, 'k> {
    /// A pixel of a primitive.
    fn point<'p>(&self, primitive: &'p Primitive, at: [u32; 2]) -> Point<'p>
    where
        'k: 'p,
    {
        Point::new(&self.kernel.key, self.job, primitive, at)
    }

    /// Runs the program for a pixel that is asked about. It has no side effect.
    fn trace(&mut self, tracing: &Tracing<'_>, primitive: &Primitive, at: [u32; 2], covered: [u32; 4]) {
        let Some(lane) = tracing.lane_of_quad(at).filter(|&lane| covered[lane] != 0) else { return };
        let points = places(at).map(|at| self.point(primitive, at));
        let [x, row] = places(at)[lane];
        let number = self.job.primitives.iter().position(|other| std::ptr::eq(other, primitive)).unwrap_or(0);
        self.quad.reset();
        let item = Item::Pixel { x, row, primitive: number as u32 };
        let mut recorder = Recorder::new(tracing, item, lane, &self.quad);
        self.quad.run_watched(&points, &mut recorder);
        if !self.quad.is_discarded(lane) {
            self.quad.note_results(lane, &mut recorder);
        }
        tracing.add(recorder.finish());
    }

    /// The quad whose upper left pixel is `at`, with the covered samples of its lanes. The lanes of which a sample
    /// passes, bit k lane k.
    fn quad(&mut self, primitive: &Primitive, at: [u32; 2], covered: [u32; 4]) -> u8 {
        let places = places(at);
        let points = places.map(|at| self.point(primitive, at));
        let center = self.kernel.key.samples.count() == 1 || self.kernel.key.output.depth_at_center;
        let mut lanes = 0;
        let mut shaded = !self.tests_first;
        if shaded {
            self.quad.run(&points);
        }
        for lane in 0..4 {
            if covered[lane] == 0 || shaded && self.quad.is_discarded(lane) {
                continue;
            }
            let share = points[lane].share(self.kernel.key.output.share);
            let fragment = Fragment { at: places[lane], back: points[lane].is_back(), covered: covered[lane], share };
            let exported = self.quad.depth(lane);
            let depth = |sample: usize| match exported {
                Some(depth) => depth,
                None if center => points[lane].center_depth(),
                None => points[lane].sample_depth(sample),
            };
            let colors = || {
                if !shaded {
                    self.quad.run(&points);
                    shaded = true;
                }
                self.quad.colors(lane)
            };
            let passed = self.output.write(fragment, depth, colors);
            lanes |= u8::from(passed != 0) << lane;
            self.passed += passed;
        }
        lanes
    }
}

/// Calls `shade` for each quad of a job's blocks that has covered samples, as [`Block::each_quad`] does.
pub(crate) fn for_each_quad(
    job: &FragmentJob<'_>,
    samples: Samples,
    mut shade: impl FnMut(&Primitive, [u32; 2], [u32; 4]) -> u8,
) {
    blocks(job, samples).for_each(|block| block.each_quad(job, &mut shade));
}

/// Eight by eight pixels of a primitive.
pub(crate) struct Block<'a> {
    index: usize,
    primitive: &'a Primitive,
    /// One for each sample.
    samples: &'a [PixelBlock],
}

/// The blocks of a job whose primitive exists.
pub(crate) fn blocks<'a>(job: &FragmentJob<'a>, samples: Samples) -> impl Iterator<Item = Block<'a>> {
    let primitives = job.primitives;
    job.blocks.chunks(samples.count().max(1)).enumerate().filter_map(move |(index, samples)| {
        let primitive = primitives.get(samples.first()?.primitive as usize)?;
        Some(Block { index, primitive, samples })
    })
}

impl Block<'_> {
    /// Calls `shade` for each quad that has covered samples, with its primitive, its upper left pixel and the covered
    /// samples of its four pixels, and notes the lanes that it returns as [`FragmentJob::survivors`].
    pub(crate) fn each_quad(&self, job: &FragmentJob<'_>, mut shade: impl FnMut(&Primitive, [u32; 2], [u32; 4]) -> u8) {
        let Block { index, primitive, samples } = *self;
        let Some(block) = samples.first() else { return };
        for quad in 0..16 {
            let covered = |lane: u32| {
                let bit = |sample: &PixelBlock| (sample.coverage >> (4 * quad + lane) & 1) as u32;
                samples.iter().enumerate().fold(0, |bits, (k, sample)| bits | bit(sample) << k)
            };
            let covered = [0, 1, 2, 3].map(covered);
            if covered != [0; 4] {
                let (x, y) = unmorton(4 * quad);
                let passed = shade(primitive, [u32::from(block.x) + x, u32::from(block.row) + y], covered);
                if let Some(survivors) = job.survivors.get(index) {
                    survivors.add(u64::from(passed) << (4 * quad));
                }
            }
        }
    }
}
