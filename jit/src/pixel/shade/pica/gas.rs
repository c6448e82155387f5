//! Gas: drawing densities and colouring by them; the formulas are in `guest::kernel::gas`.

use std::mem::offset_of;

use cranelift_codegen::ir::InstBuilder;
use triglyph_guest::kernel::gas::GasKey;
use triglyph_guest::kernel::pixel::Compare;
use triglyph_guest::num::ops::Ops;

use super::gas_args::GasArgs;
use crate::lane::{Emit, F32x4, I32x4, Pair};
use crate::pixel::args::pica::{at, quad_scratch_at};
use crate::pixel::quad::pica::{COLOR, Quad};

/// The largest density.
const FULL: i32 = 0xFFFF;

/// Offset of a field of the arguments.
const fn gas_at(field: usize) -> i32 {
    at!(gas) + field as i32
}

impl Quad<'_, '_> {
    /// Adds the combined red to both densities.
    pub fn write_density(&mut self, how: Compare, color: Pair) {
        let weight = self.density_weight(how);
        let Some(place) = self.address(COLOR) else { return };
        let mask = self.mask;
        let e = &mut *self.e;
        let density = e.odd_ints(color.br);
        let by_depth = match weight {
            Some(weight) => {
                let product = e.to_float(density);
                let product = e.mul(product, weight);
                e.truncate_to_int(product)
            }
            None => density,
        };
        let stored = place.load(e)[0];
        let full = e.i(FULL);
        let plain = e.iand(stored, full);
        let plain = e.iadd(plain, density);
        let plain = e.imin(plain, full);
        let deep = e.ushr(stored, 16);
        let deep = e.iadd(deep, by_depth);
        let deep = e.imin(deep, full);
        let deep = e.ishl(deep, 16);
        let words = e.ior(deep, plain);
        let words = e.iselect(mask, words, stored);
        place.store_all(e, &[words]);

        let args = e.args;
        let place = gas_at(offset_of!(GasArgs, densest));
        let before = e.load_ints(args, place);
        let inside = e.mask_ints(mask);
        let plain = e.iand(plain, inside);
        let densest = e.imax(before, plain);
        e.store(densest.0, args, place);
    }

    /// Removes the pixels that the depth comparison excludes; returns the weight of the others, `None` for 1.
    fn density_weight(&mut self, how: Compare) -> Option<F32x4> {
        let format = self.key.depth_format?;
        let plan = self.plan.depth?;
        let [stored, new] = self.depths(&plan)?;
        if let Some(passes) = self.e.compare_ints(how, new, stored) {
            self.keep(passes);
            self.skip_unless_alive();
        }
        let e = &mut *self.e;
        let (one_way, other_way) = (e.isub(new, stored), e.isub(stored, new));
        let distance = e.imax(one_way, other_way);
        let (distance, max) = (e.to_float(distance), e.f(format.max() as f32));
        let distance = e.div(distance, max);
        let proportion = gas_floats(e, offset_of!(GasArgs, proportion));
        let weight = e.mul(proportion, distance);
        Some(e.clamp(weight, 0.0, 1.0))
    }

    /// The colour of the gas that texture unit 0 has read.
    pub fn gas(&mut self, key: GasKey) -> Pair {
        let texture = self.unit(0);
        let e = &mut *self.e;
        let (high, low) = match key.by_depth {
            true => (e.odd_ints(texture.br), e.odd_ints(texture.ag)),
            false => (e.even_ints(texture.br), e.even_ints(texture.ag)),
        };
        let high = e.ishl(high, 8);
        let density = e.ior(high, low);
        let density = e.to_float(density);
        let scale = gas_floats(e, offset_of!(GasArgs, scale));
        let relative = e.mul(density, scale);
        let relative = e.clamp(relative, 0.0, 1.0);
        let input = if key.by_light { light(e, relative) } else { relative };
        let [r, g, b] = gas_color(e, input);

        let attenuation = gas_floats(e, offset_of!(GasArgs, attenuation));
        let x = e.mul(density, attenuation);
        let x = e.clamp(x, 0.0, 1.0);
        let k = self.fog_value(x);
        let e = &mut *self.e;
        let (one, scale) = (e.f(1.0), e.f(255.0));
        let alpha = e.sub(one, k);
        let alpha = e.mul(alpha, scale);
        let alpha = e.truncate_to_int(alpha);
        Pair { br: e.join_ints(b, r), ag: e.join_ints(alpha, g) }
    }
}

fn gas_floats(e: &mut Emit<'_>, field: usize) -> F32x4 {
    let args = e.args;
    e.load_floats(args, gas_at(field))
}

/// The brightness of gas of a relative density.
fn light(e: &mut Emit<'_>, density: F32x4) -> F32x4 {
    let [planar, view] = [offset_of!(GasArgs, planar), offset_of!(GasArgs, view)].map(|field| {
        let [max, range, attenuation] = [0, 16, 32].map(|at| gas_floats(e, field + at));
        let less = e.mul(attenuation, density);
        let less = e.clamp(less, 0.0, 1.0);
        let less = e.mul(range, less);
        e.sub(max, less)
    });
    let [across, along] = [0, 16].map(|at| gas_floats(e, offset_of!(GasArgs, effect) + at));
    let (planar, view) = (e.mul(planar, across), e.mul(view, along));
    e.add(planar, view)
}

/// The table's colour at `input`, clamped.
fn gas_color(e: &mut Emit<'_>, input: F32x4) -> [I32x4; 3] {
    let input = e.clamp(input, 0.0, 1.0);
    let eight = e.f(8.0);
    let position = e.mul(input, eight);
    let whole = e.floor(position);
    let last = e.f(7.0);
    let whole = e.min(whole, last);
    let fraction = e.sub(position, whole);
    let entry = e.truncate_to_int(whole);
    // An entry is as long as four pairs.
    let pair = e.ishl(entry, 2);
    let table = e.b.ins().iadd_imm_u(e.args, i64::from(gas_at(offset_of!(GasArgs, table))));
    let pairs = e.pair_addresses(table, pair, quad_scratch_at!(indices));
    [0, 8, 16].map(|channel| {
        let [color, difference] = e.load_pairs(pairs, channel);
        let product = e.mul(fraction, difference);
        let sum = e.add(color, product);
        let sum = e.clamp(sum, 0.0, 255.0);
        e.truncate_to_int(sum)
    })
}
