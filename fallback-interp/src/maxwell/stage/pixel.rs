//! Pixels: quads of blocks, inputs of their programs, and output of the results.

use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use triglyph_guest::kernel::Unsupported;
use triglyph_guest::kernel::maxwell::{FUEL_UNIT, MAX_UNITS, PIXEL_FUEL, PixelCode, PixelInput, PixelMode};
use triglyph_guest::kernel::program::FragmentKernel;
use triglyph_guest::kernel::program::fragment::{BACK_FACING, FragmentJob, FragmentKey, Plane, Primitive};
use triglyph_guest::kernel::trace::{Item, Tracing, WordForm};
use triglyph_guest::tegra::shader::isa::{IpaSample, PixldMode, Reg};

use crate::maxwell::context::{Context, Interpolated, InterpolationPoint, Surroundings};
use crate::maxwell::lane::Lane;
use crate::maxwell::number;
use crate::maxwell::program::Program;
use crate::maxwell::warp::Warp;
use crate::program::fragment::blocks;
use crate::program::interpolate::share;
use crate::program::output::{Colors, Fragment, OUTPUTS, Output};
use crate::trace::{Recorder, Watch, bits};

/// Words of the window's position: x, y, depth, 1/w.
const POSITION: [u8; 4] = [0x1C, 0x1D, 0x1E, 0x1F];
/// Which side is seen.
const FACING: u8 = 0xFF;
/// Quads of a block.
const QUADS: u32 = 16;
/// Units of offsets in a pixel.
const SUBPIXEL: f32 = 4096.0;

/// The kernel of a pixel program.
#[derive(Debug)]
pub struct Kernel {
    key: FragmentKey,
    code: Arc<PixelCode>,
    program: Program,
    /// By word.
    inputs: Vec<Option<PixelInput>>,
}

impl Kernel {
    /// The kernel of `key`, whose program is `code`.
    pub fn new(key: &FragmentKey, code: &Arc<PixelCode>) -> Self {
        let mut inputs = vec![None; 256];
        code.inputs.iter().for_each(|input| inputs[usize::from(input.word)] = Some(*input));
        Kernel { key: key.clone(), code: code.clone(), program: Program::new(&code.code), inputs }
    }

    /// Whether a quad may be left out when all that it would store fails the tests: its program has no other effect,
    /// nor any on the fuel.
    fn shows_results_only(&self) -> bool {
        let PixelCode { kills, sample_mask, depth, .. } = *self.code;
        !(kills || sample_mask || depth || self.program.stores || self.program.repeats)
    }
}

crate::trace::traced_fragments!();

impl Kernel {
    /// The samples that have passed.
    fn quads(&self, job: &FragmentJob<'_>, tracing: Option<Tracing<'_>>) -> u64 {
        let output = Output::new(&self.key, job);
        let tests_first = output.asks_alpha_last() && self.shows_results_only();
        let warp = Warp::default();
        let mut run =
            FragmentRun { kernel: self, job, output, warp, taken: 0, excess: 0, tests_first, tracing, passed: 0 };
        for block in blocks(job, self.key.samples) {
            let reserve = job.environment.reserve.load(Relaxed);
            (run.warp.limit, run.taken) = (self.limit(reserve), 0);
            block.each_quad(job, |primitive, at, covered| run.quad(primitive, at, covered));
            job.environment.reserve.store(reserve.saturating_sub(run.taken), Relaxed);
        }
        job.environment.excess.fetch_add(run.excess, Relaxed);
        run.passed
    }

    /// Instructions that a quad of a block may count which begins with a reserve.
    fn limit(&self, reserve: u32) -> u32 {
        let times = if self.code.per_sample { self.key.samples.count() as u32 } else { 1 };
        PIXEL_FUEL + FUEL_UNIT * (reserve / (QUADS * times)).min(MAX_UNITS)
    }
}

/// One call of a kernel.
struct FragmentRun<'a, 'k> {
    kernel: &'k Kernel,
    job: &'k FragmentJob<'a>,
    output: Output<'k>,
    warp: Warp,
    /// Units of the reserve that quads of the current block have taken.
    taken: u32,
    /// What quads have counted beyond four times the words.
    excess: u64,
    /// Whether the program need not run before the tests are asked.
    tests_first: bool,
    tracing: Option<Tracing<'k>>,
    passed: u64,
}

/// Four pixels while their program runs.
struct Quad<'k> {
    kernel: &'k Kernel,
    job: &'k FragmentJob<'k>,
    primitive: &'k Primitive,
    /// Planes from the primitive's first one on.
    planes: &'k [Plane],
    places: [[u32; 2]; 4],
    /// Distances from the primitive's origin.
    distances: [[f32; 2]; 4],
    covered: [u32; 4],
    /// The sample that is shaded, if each is by itself.
    sample: Option<usize>,
}

impl<'k> FragmentRun<'_, 'k> {
    /// The quad whose upper left pixel is `at`, with the covered samples of its lanes. The lanes of which a sample
    /// passes, bit k lane k.
    fn quad(&mut self, primitive: &Primitive, at: [u32; 2], covered: [u32; 4]) -> u8 {
        let places = [0, 1, 2, 3].map(|lane| [at[0] + (lane & 1), at[1] + (lane >> 1)]);
        let distance = |place: [u32; 2]| [0, 1].map(|i| (place[i] as i32).wrapping_sub(primitive.origin[i]) as f32);
        let planes = self.job.planes.get(primitive.first_plane as usize..).unwrap_or(&[]);
        let distances = places.map(distance);
        let (kernel, job) = (self.kernel, self.job);
        let mut quad = Quad { kernel, job, primitive, planes, places, distances, covered, sample: None };
        let early = kernel.code.early_tests;
        let mut tested = 0;
        if early {
            for lane in 0..4 {
                let passed =
                    self.output.test(quad.fragment(lane, quad.covered[lane]), |sample| quad.depth(lane, sample));
                self.passed += u64::from(passed.count_ones());
                quad.covered[lane] = passed;
                tested |= u8::from(passed != 0) << lane;
            }
        }
        if !kernel.code.per_sample {
            return tested | self.shade(&quad, quad.covered);
        }
        (0..kernel.key.samples.count()).fold(tested, |lanes, sample| {
            quad.sample = Some(sample);
            lanes | self.shade(&quad, quad.covered.map(|covered| covered & 1 << sample))
        })
    }

    /// The lane of a quad that is asked about, if its program runs for it.
    fn traced_lane(&self, quad: &Quad<'_>, covered: [u32; 4]) -> Option<(Tracing<'k>, usize)> {
        let tracing = self.tracing?;
        let lane = tracing.lane_of_quad(quad.places[0]).filter(|&lane| covered[lane] != 0)?;
        Some((tracing, lane))
    }

    /// Runs the program for samples of a quad and stores what it gives. The lanes of which a sample passes tests that
    /// come after the program.
    fn shade(&mut self, quad: &Quad<'_>, covered: [u32; 4]) -> u8 {
        let mut lanes = 0;
        if covered == [0; 4] {
            return lanes;
        }
        let early = self.kernel.code.early_tests;
        let traced = self.traced_lane(quad, covered);
        let mut shaded = early || !self.tests_first || traced.is_some();
        match traced {
            Some((tracing, lane)) => quad.trace(&tracing, lane, &mut self.warp, covered),
            None if shaded => quad.run(&mut self.warp, covered, &mut ()),
            None => {}
        }
        if shaded {
            self.taken += self.warp.units();
            self.excess += self.warp.excess(&self.kernel.program, 4);
        }
        for lane in 0..4 {
            if covered[lane] == 0 || shaded && self.warp.lanes[lane].helper {
                continue;
            }
            if early {
                let results = quad.results(&self.warp.lanes[lane]);
                self.output.color(quad.fragment(lane, covered[lane] & results.mask), results.colors);
                continue;
            }
            let first = shaded.then(|| quad.results(&self.warp.lanes[lane]));
            let (mask, exported) = first.map_or((u32::MAX, None), |results| (results.mask, results.depth));
            let depth = |sample: usize| exported.unwrap_or_else(|| quad.depth(lane, sample));
            let warp = &mut self.warp;
            let colors = || {
                if !shaded {
                    quad.run(warp, covered, &mut ());
                    shaded = true;
                }
                quad.results(&warp.lanes[lane]).colors
            };
            let passed = self.output.write(quad.fragment(lane, covered[lane] & mask), depth, colors);
            lanes |= u8::from(passed != 0) << lane;
            self.passed += passed;
        }
        lanes
    }
}

/// The results of a program for a pixel.
struct Results {
    colors: Colors,
    mask: u32,
    depth: Option<f32>,
}

impl Quad<'_> {
    fn fragment(&self, lane: usize, covered: u32) -> Fragment {
        let share = share(self.planes, self.kernel.key.output.share, |p| plane(p, self.distances[lane], None));
        Fragment { at: self.places[lane], back: self.primitive.flags & BACK_FACING != 0, covered, share }
    }

    /// The depth that a sample has without the program.
    fn depth(&self, lane: usize, sample: usize) -> f32 {
        let key = &self.kernel.key;
        let center = key.samples.count() == 1 || key.output.depth_at_center;
        self.depth_beside(lane, (!center).then(|| self.sample_offset(sample)))
    }

    /// The depth at an offset from a pixel's centre.
    fn depth_beside(&self, lane: usize, offset: Option<[f32; 2]>) -> f32 {
        let depth = plane(&self.primitive.depth, self.distances[lane], offset);
        if self.kernel.key.output.depth_offset { depth + self.primitive.depth_offset } else { depth }
    }

    fn sample_offset(&self, sample: usize) -> [f32; 2] {
        self.job.constants.sample_offsets.get(sample).copied().unwrap_or_default()
    }

    fn start(&self, warp: &mut Warp, covered: [u32; 4]) {
        warp.start(4, &self.kernel.program);
        for (lane, covered) in warp.lanes.iter_mut().zip(covered) {
            lane.helper = covered == 0;
        }
    }

    /// Runs the program for a lane that is asked about.
    fn trace(&self, tracing: &Tracing<'_>, lane: usize, warp: &mut Warp, covered: [u32; 4]) {
        let [x, row] = self.places[lane];
        let number = self.job.primitives.iter().position(|other| std::ptr::eq(other, self.primitive)).unwrap_or(0);
        self.start(warp, covered);
        let item = Item::Pixel { x, row, primitive: number as u32 };
        let mut recorder = Recorder::new(tracing, item, lane, warp);
        self.run(warp, covered, &mut recorder);
        let Results { colors, depth, .. } = self.results(&warp.lanes[lane]);
        if !warp.lanes[lane].helper {
            for (number, color) in colors.iter().enumerate() {
                if self.kernel.code.targets >> (4 * number) & 15 != 0 {
                    recorder.result(format!("color{number}"), WordForm::Float, &bits(color));
                }
            }
            depth.iter().for_each(|depth| recorder.result("depth", WordForm::Float, &[depth.to_bits()]));
        }
        tracing.add(recorder.finish());
    }

    fn run(&self, warp: &mut Warp, covered: [u32; 4], watch: &mut impl Watch<Warp>) {
        let program = &self.kernel.program;
        self.start(warp, covered);
        let mut stage = View(self);
        let mut context = Context {
            environment: &self.job.environment,
            textures: &self.kernel.code.textures,
            images: &self.kernel.code.images,
            stage: &mut stage,
            executed: 0,
        };
        warp.finish(program, &mut context, watch);
    }

    /// The places of samples that a program names.
    fn places_of(&self, numbers: u32) -> u32 {
        let places = self.kernel.code.sample_numbers.iter().enumerate();
        places.fold(0, |set, (place, number)| set | (numbers >> number & 1) << place)
    }

    /// The positions of samples for a program.
    fn numbers_of(&self, places: u32) -> u32 {
        let numbers = self.kernel.code.sample_numbers.iter().enumerate();
        numbers.fold(0, |set, (place, number)| set | (places >> place & 1) << number)
    }

    /// The results in a lane's registers when it has ended.
    fn results(&self, lane: &Lane) -> Results {
        let code = &self.kernel.code;
        let mut colors = [[0.0; 4]; OUTPUTS];
        let mut register = 0;
        for (i, color) in colors.iter_mut().enumerate() {
            let components = code.targets >> (4 * i) & 15;
            if components == 0 {
                continue;
            }
            for (c, value) in color.iter_mut().enumerate().filter(|(c, _)| components >> c & 1 != 0) {
                *value = f32::from_bits(lane.read(Reg(register + c as u8)));
            }
            register += 4;
        }
        let mask = if code.sample_mask { self.places_of(lane.read(Reg(register))) } else { u32::MAX };
        let depth = code.depth.then(|| f32::from_bits(lane.read(Reg(register + 1))));
        Results { colors, mask, depth }
    }
}

/// A quad as its program sees it.
struct View<'q>(&'q Quad<'q>);

impl View<'_> {
    /// The distance of a place from the pixel's centre, if it is another one.
    fn offset(&self, lane: usize, place: InterpolationPoint) -> Option<[f32; 2]> {
        let own = self.0.sample.map(|sample| self.0.sample_offset(sample));
        match place.sample {
            IpaSample::Default => own,
            IpaSample::Offset => Some(place.offset.map(|units| f32::from(units) / SUBPIXEL)),
            IpaSample::Centroid => own.or_else(|| self.centroid(lane)),
            IpaSample::Unknown(_) => None,
        }
    }

    /// A covered sample's distance from the centre, if not all of a pixel's samples are covered.
    fn centroid(&self, lane: usize) -> Option<[f32; 2]> {
        let covered = self.0.covered[lane];
        let all = (1 << self.0.kernel.key.samples.count()) - 1;
        (covered != 0 && covered != all).then(|| self.0.sample_offset(covered.trailing_zeros() as usize))
    }

    /// A number that interpolation does not know as constant.
    fn position(&self, lane: usize, axis: usize, offset: Option<[f32; 2]>) -> f32 {
        let quad = self.0;
        match axis {
            0 | 1 => {
                let center = quad.places[lane][axis] as f32 + 0.5;
                offset.map_or(center, |offset| center + offset[axis])
            }
            2 => quad.depth_beside(lane, offset),
            _ => plane(&quad.primitive.inv_w, quad.distances[lane], offset),
        }
    }
}

impl Surroundings for View<'_> {
    fn interpolate(&self, lane: &Lane, word: u8, place: InterpolationPoint) -> Interpolated {
        let (quad, lane) = (self.0, lane.id as usize & 3);
        if word == FACING {
            let back = quad.primitive.flags & BACK_FACING != 0;
            return Interpolated::Bits(if back { 0 } else { u32::MAX });
        }
        let offset = self.offset(lane, place);
        if let Some(axis) = POSITION.iter().position(|&position| position == word) {
            let value = self.position(lane, axis, offset);
            return Interpolated::Value { value, flat: number::bits(value) };
        }
        let Some(input) = quad.kernel.inputs[usize::from(word)] else { return Interpolated::Bits(0) };
        let coefficients = quad.planes.get(usize::from(input.plane)).copied().unwrap_or_default();
        let flat = coefficients[0].to_bits();
        match input.mode {
            PixelMode::Constant => Interpolated::Bits(flat),
            PixelMode::Perspective | PixelMode::Linear => {
                Interpolated::Value { value: plane(&coefficients, quad.distances[lane], offset), flat }
            }
        }
    }

    fn pixel_info(&self, lane: &Lane, mode: PixldMode, sample: u32) -> u32 {
        let quad = self.0;
        match mode {
            PixldMode::Count => quad.kernel.key.samples.count() as u32,
            PixldMode::CoverageMask => quad.numbers_of(quad.covered[lane.id as usize & 3]),
            PixldMode::Offset => {
                let mut numbers = quad.kernel.code.sample_numbers.iter();
                let place = numbers.position(|&number| u32::from(number) == sample).unwrap_or(usize::MAX);
                let units = quad.sample_offset(place).map(|offset| (offset * SUBPIXEL).round_ties_even() as i16);
                u32::from(units[0] as u16) | u32::from(units[1] as u16) << 16
            }
            PixldMode::MyIndex => quad.sample.map_or(0, |place| quad.kernel.code.sample_numbers[place].into()),
            PixldMode::Covered | PixldMode::CentroidOffset | PixldMode::Unknown(_) => 0,
        }
    }

    fn is_quad(&self) -> bool {
        true
    }

    fn kills(&self) -> bool {
        self.0.kernel.code.kills
    }
}

/// `(c + dx*x) + dy*y` at a distance, or at one off it.
fn plane([c, dx, dy]: &Plane, [x, y]: [f32; 2], offset: Option<[f32; 2]>) -> f32 {
    let [x, y] = offset.map_or([x, y], |offset| [x + offset[0], y + offset[1]]);
    (c + dx * x) + dy * y
}
