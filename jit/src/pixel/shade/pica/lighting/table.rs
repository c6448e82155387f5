//! Lookups in the tables of fragment lighting.

use triglyph_guest::kernel::lighting::{DISTANCE, Table};
use triglyph_guest::num::ops::Ops;

use super::Lighting;
use super::light::{Light, TableIndex};
use crate::lane::{Emit, F32x4, I32x4};
use crate::pixel::args::pica::{at, quad_scratch_at};

/// Bytes of a table.
const TABLE: i32 = 256 * 8;

impl Lighting<'_, '_, '_> {
    /// The value of a table for a light, `None` when the table is not in use.
    pub(super) fn table(&mut self, light: &mut Light<'_>, role: Table) -> Option<F32x4> {
        let key = self.key.tables[role as usize]?;
        let known =
            light.table_indices.iter().find(|(input, absolute, _)| (*input, *absolute) == (key.input, key.absolute));
        let place = match known {
            Some(&(_, _, place)) => place,
            None => {
                let input = self.input(light, key.input);
                let e = &mut *self.quad.e;
                let place = match key.absolute {
                    true => absolute(e, input, light.key.two_sided),
                    false => signed(e, input),
                };
                light.table_indices.push((key.input, key.absolute, place));
                place
            }
        };
        let e = &mut *self.quad.e;
        let value = entry(e, role.number(light.key.index & 7), place);
        if key.scale == 0 {
            return Some(value);
        }
        let factor = e.f(2f32.powi(key.scale.into()));
        Some(e.mul(value, factor))
    }

    /// The light's distance attenuation at `position`, clamped to 0..1.
    pub(super) fn distance_table(&mut self, light: &Light<'_>, position: F32x4) -> F32x4 {
        let e = &mut *self.quad.e;
        let clamped = e.clamp(position, 0.0, 1.0);
        let place = above_zero(e, clamped);
        entry(e, DISTANCE + usize::from(light.key.index & 7), place)
    }
}

/// `entry[0] + entry[1] * fraction` of table `number`. Loads may touch the table before or after it.
fn entry(e: &mut Emit<'_>, number: usize, place: TableIndex) -> F32x4 {
    let [value, difference] = e.load_pairs_wide(place.entries, TABLE * number as i32, number > 0);
    let product = e.mul(difference, place.fraction);
    e.add(value, product)
}

/// The index of an input from 0 to 1; NaN is 0.
fn absolute(e: &mut Emit<'_>, input: F32x4, two_sided: bool) -> TableIndex {
    let input = if two_sided { e.abs(input) } else { input };
    let zero = e.f(0.0);
    let input = e.max(input, zero);
    above_zero(e, input)
}

/// The index of an input that is not negative.
fn above_zero(e: &mut Emit<'_>, input: F32x4) -> TableIndex {
    let scale = e.f(256.0);
    let t = e.mul(input, scale);
    let last = e.f(255.0);
    let index = e.min(t, last);
    let index = e.truncate_to_int(index);
    let whole = e.to_float(index);
    let fraction = e.sub(t, whole);
    table_index(e, index, fraction)
}

/// The index of an input from -1 to 1; NaN is 0. Negative indices are the upper half of the table.
fn signed(e: &mut Emit<'_>, input: F32x4) -> TableIndex {
    let scale = e.f(128.0);
    let t = e.mul(input, scale);
    let number = e.feq(t, t);
    let zero = e.f(0.0);
    let t = e.select(number, t, zero);
    let clamped = e.clamp(t, -128.0, 127.0);
    let whole = e.floor(clamped);
    let fraction = e.sub(t, whole);
    let index = e.truncate_to_int(whole);
    let low = e.i(255);
    let index = e.iand(index, low);
    table_index(e, index, fraction)
}

/// The entries of indices 0 to 255.
fn table_index(e: &mut Emit<'_>, index: I32x4, fraction: F32x4) -> TableIndex {
    let args = e.args;
    let tables = e.load_i64(args, at!(lighting.tables));
    let entries = e.pair_addresses(tables, index, quad_scratch_at!(indices));
    TableIndex { entries, fraction }
}
