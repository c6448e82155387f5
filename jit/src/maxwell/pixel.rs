//! Pixel programs: the quad as their host, and their results.

use cranelift_codegen::ir::{Block, InstBuilder, Value};
use triglyph_guest::kernel::Unsupported;
use triglyph_guest::kernel::maxwell::{FUEL_UNIT, PixelCode, PixelMode};
use triglyph_guest::kernel::program::output::TARGETS;
use triglyph_guest::num::ops::Ops;
use triglyph_guest::tegra::shader::isa::{Interpolate, IpaMode, IpaSample, PixldMode};
use triglyph_guest::tegra::shader::special::SpecialRegister;

use super::attribute::{FACING, POSITION};
use super::file::Loc;
use super::pixel_plan::PixelPlan;
use super::{Host, Interpolated, Lanes, Lower, Needs, ResourceKeys};
use crate::lane::{Emit, F32x4, I32x4};
use crate::pixel::args::programs::{EXCESS_LOW, at, quad_scratch_at};
use crate::pixel::plan::programs::PlaneOf;
use crate::pixel::quad::programs::{Quad, QuadValues, Results};

/// A quad as the host of a program.
struct Pixels<'p, 'q, 'a> {
    quad: &'p mut Quad<'q, 'a>,
    code: &'p PixelCode,
    /// Values computed before the program, which dominate all of it.
    known: QuadValues,
}

impl<'a> Host<'a> for Pixels<'_, '_, 'a> {
    fn e(&mut self) -> &mut Emit<'a> {
        self.quad.e
    }

    fn begin(&mut self) {
        self.quad.known = self.known.clone();
    }

    fn context(&mut self) -> Value {
        let args = self.quad.e.args;
        self.quad.e.load_i64(args, at!(maxwell))
    }

    fn storage(&self) -> Option<Value> {
        self.quad.storage
    }

    fn scratch(&self) -> i32 {
        quad_scratch_at!(indices)
    }

    fn special(&mut self, _: SpecialRegister) -> Option<I32x4> {
        None
    }

    fn interpolate(&mut self, i: &Interpolate, offset: Option<I32x4>) -> Result<Interpolated, Unsupported> {
        let word = (i.address.offset / 4) as u8;
        let offset = match (offset, i.sample) {
            (Some(packed), _) => Some(self.offset(packed)),
            // With sample shading, inputs without a stated location are at the sample.
            (None, IpaSample::Default | IpaSample::Centroid) if self.code.per_sample => {
                Some(self.quad.sample_offset(self.quad.place.sample))
            }
            (None, IpaSample::Centroid) => self.centroid(),
            (None, _) => None,
        };
        if word == FACING {
            let back = self.quad.back();
            let e = &mut *self.quad.e;
            let (back, one) = (e.splat_i32(back), e.i(1));
            let front = e.isub(back, one);
            return Ok(Interpolated { value: e.float_of_bits(front), constant: true });
        }
        // Positions are those of the pixel, whatever the mode.
        let constant = i.mode == IpaMode::Constant && !(POSITION..POSITION + 4).contains(&word);
        let plane = match word - POSITION.min(word) {
            axis @ 0..=1 if word >= POSITION => {
                let value = self.quad.pixel_centre(axis.into());
                let value = match offset {
                    Some(offset) => self.quad.e.add(value, offset[usize::from(axis)]),
                    None => value,
                };
                return Ok(Interpolated { value, constant: false });
            }
            2 if word >= POSITION => PlaneOf::Depth,
            3 if word >= POSITION => PlaneOf::InvW,
            _ => match self.code.inputs.iter().find(|input| input.word == word) {
                None => return Ok(Interpolated { value: self.quad.e.f(0.0), constant: true }),
                Some(input) => {
                    let plane = PlaneOf::Varying(input.plane.into());
                    if input.mode == PixelMode::Constant {
                        return Ok(Interpolated { value: self.quad.plane_base(plane), constant: true });
                    }
                    plane
                }
            },
        };
        Ok(match (constant, offset) {
            (true, _) => Interpolated { value: self.quad.plane_base(plane), constant: true },
            (false, Some(offset)) => Interpolated { value: self.quad.plane_beside(plane, offset), constant: false },
            (false, None) => Interpolated { value: self.quad.plane(plane), constant: false },
        })
    }

    fn inputs(&self) -> Vec<u8> {
        let others = (POSITION..POSITION + 4).chain([FACING]);
        self.code.inputs.iter().map(|input| input.word).chain(others).collect()
    }

    fn pixel_info(&mut self, mode: PixldMode, sample: I32x4) -> I32x4 {
        match mode {
            PixldMode::Count => self.quad.e.i(self.quad.plan.samples.count() as i32),
            PixldMode::CoverageMask => {
                let places = self.quad.covered_samples();
                let moves = self.places_and_numbers();
                move_bits(self.quad, places, &moves)
            }
            PixldMode::Offset => {
                let place = self.place_of(sample);
                let [x, y] = self.quad.sample_offsets(place);
                let e = &mut *self.quad.e;
                let [x, y] = [x, y].map(|axis| {
                    let unit = e.f(4096.0);
                    let resources = e.mul(axis, unit);
                    let whole = e.nearest(resources);
                    let whole = e.clamp(whole, -32768.0, 32767.0);
                    e.truncate_to_int(whole)
                });
                let low = e.i(0xFFFF);
                let (x, y) = (e.iand(x, low), e.ishl(y, 16));
                e.ior(x, y)
            }
            PixldMode::MyIndex if self.code.per_sample => {
                self.quad.e.i(self.code.sample_numbers[self.quad.place.sample].into())
            }
            PixldMode::MyIndex | PixldMode::Covered | PixldMode::CentroidOffset | PixldMode::Unknown(_) => {
                self.quad.e.i(0)
            }
        }
    }

    fn take_fuel(&mut self, count: Value) {
        let words = self.code.code.words.len() as i32;
        let e = &mut *self.quad.e;
        let free = e.i32(4 * words);
        let most = e.b.ins().umax(count, free);
        let excess = e.b.ins().isub(most, free);
        let low = e.b.ins().band_imm_u(excess, i64::from(EXCESS_LOW));
        let high = e.b.ins().ushr_imm_u(excess, i64::from(EXCESS_LOW.count_ones()));
        let units = e.b.ins().ushr_imm_u(count, i64::from(FUEL_UNIT.trailing_zeros()));
        for (lane, more) in [units, low, high].into_iter().enumerate() {
            let (args, at) = (e.args, at!(taken) + 4 * lane as i32);
            let before = e.load_i32(args, at);
            let after = e.b.ins().iadd(before, more);
            e.store(after, args, at);
        }
    }

    fn all_helpers(&self) -> Option<Block> {
        Some(self.quad.next)
    }
}

impl Pixels<'_, '_, '_> {
    /// Places of a pixel's samples, and the numbers that the program has for them.
    fn places_and_numbers(&self) -> Vec<(u8, u8)> {
        let numbers = self.code.sample_numbers.iter().take(self.quad.plan.samples.count());
        numbers.enumerate().map(|(place, &number)| (place as u8, number)).collect()
    }

    /// The places of samples that the program names.
    fn place_of(&mut self, number: I32x4) -> I32x4 {
        let mut found = number;
        let numbers = self.code.sample_numbers.iter().enumerate();
        for (place, &own) in numbers.filter(|&(place, &own)| place != usize::from(own)) {
            let e = &mut *self.quad.e;
            let (place, own) = (e.i(place as i32), e.i(own.into()));
            let here = e.ieq(number, own);
            found = e.iselect(here, place, found);
        }
        found
    }

    /// The location of the first covered sample of each pixel that is partly covered, the centre of others.
    fn centroid(&mut self) -> Option<[F32x4; 2]> {
        let count = self.quad.plan.samples.count();
        if count == 1 {
            return None;
        }
        let covered = self.quad.covered_samples();
        let centre = self.quad.e.f(0.0);
        let mut place = [centre; 2];
        for sample in (0..count).rev() {
            let own = self.quad.sample_offset(sample);
            let e = &mut *self.quad.e;
            let (bit, zero) = (e.i(1 << sample), e.i(0));
            let bit = e.iand(covered, bit);
            let missing = e.ieq(bit, zero);
            place = [0, 1].map(|axis| e.select(missing, place[axis], own[axis]));
        }
        let e = &mut *self.quad.e;
        let all = e.i((1 << count) - 1);
        let whole = e.ieq(covered, all);
        Some(place.map(|axis| e.select(whole, centre, axis)))
    }

    /// An offset from the centre, in units of 1/4096.
    fn offset(&mut self, packed: I32x4) -> [F32x4; 2] {
        let e = &mut *self.quad.e;
        let unit = e.f(1.0 / 4096.0);
        let (x, y) = (e.ishl(packed, 20), e.ishl(packed, 4));
        let (x, y) = (e.ishr(x, 20), e.ishr(y, 20));
        [x, y].map(|axis| {
            let axis = e.to_float(axis);
            e.mul(axis, unit)
        })
    }
}

/// Emits the program of a quad.
pub fn program(quad: &mut Quad<'_, '_>, plan: &PixelPlan, needs: &mut Needs) -> Result<Results, Unsupported> {
    let code = &plan.code;
    let covered = quad.running();
    let known = quad.known.clone();
    let helpers = quad.e.not(covered);
    // Locations of the results when the program ends.
    let mut places: [Option<u8>; TARGETS] = [None; TARGETS];
    let mut next = 0;
    for (target, place) in places.iter_mut().enumerate() {
        if code.targets >> (4 * target) & 15 != 0 {
            *place = Some(next);
            next += 4;
        }
    }
    let (mask_at, depth_at) = (next, next + 1);
    let mut last: Vec<Loc> = (0..next).map(Loc::Reg).collect();
    last.push(Loc::Helper);
    last.extend(code.sample_mask.then_some(Loc::Reg(mask_at)));
    last.extend(code.depth.then_some(Loc::Reg(depth_at)));

    let mut host = Pixels { quad, code, known };
    let resources = ResourceKeys::of_pixels(code);
    let mut lower = Lower::new(&mut host, (&code.code, &plan.graph), resources, Lanes::Quad, needs);
    lower.kills = code.kills;
    lower.initials.insert(Loc::Helper, I32x4(helpers.0));
    lower.run(&last, None)?;
    let mut colors = [None; TARGETS];
    for (target, (color, place)) in colors.iter_mut().zip(places).enumerate() {
        let Some(first) = place else { continue };
        *color = Some(std::array::from_fn(|c| {
            if code.targets >> (4 * target + c) & 1 == 0 {
                return lower.e().f(0.0);
            }
            let bits = lower.int(Loc::Reg(first + c as u8));
            lower.e().float_of_bits(bits)
        }));
    }
    let depth = code.depth.then(|| lower.float(Loc::Reg(depth_at)));
    let killed = lower.mask(Loc::Helper);
    let killed = lower.needs.kills.then_some(killed);
    let samples = code.sample_mask.then(|| lower.int(Loc::Reg(mask_at)));
    let moves: Vec<(u8, u8)> = host.places_and_numbers().into_iter().map(|(place, number)| (number, place)).collect();
    let known = host.known;
    quad.known = known;
    let samples = samples.map(|numbers| move_bits(quad, numbers, &moves));
    Ok(Results { colors, depth, killed, samples })
}

/// Bits `from` of a mask, each at its `to`; the mask itself where nothing moves.
fn move_bits(quad: &mut Quad<'_, '_>, mask: I32x4, moves: &[(u8, u8)]) -> I32x4 {
    if moves.iter().all(|(from, to)| from == to) {
        return mask;
    }
    let e = &mut *quad.e;
    let mut all = e.i(0);
    for &(from, to) in moves {
        let bit = e.i(1 << from);
        let own = e.iand(mask, bit);
        let distance = u32::from(from.abs_diff(to));
        let moved = if to < from { e.ishr(own, distance) } else { e.ishl(own, distance) };
        all = e.ior(all, moved);
    }
    all
}
