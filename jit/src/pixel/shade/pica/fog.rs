//! Fog by depth.

use triglyph_guest::num::ops::Ops;

use crate::lane::{F32x4, I32x4, Pair};
use crate::pixel::args::pica::{at, quad_scratch_at};
use crate::pixel::quad::pica::Quad;

impl Quad<'_, '_> {
    /// Mixes the colour with the fog's; alpha stays.
    pub fn fog(&mut self, color: Pair) -> Pair {
        let depth = self.depth();
        let k = self.fog_value(depth);
        let e = &mut *self.e;
        let one = e.f(1.0);
        let rest = e.sub(one, k);

        let channels = [e.odd_ints(color.br), e.odd_ints(color.ag), e.even_ints(color.br)];
        let mut channel = 0;
        let [r, g, b] = channels.map(|c| {
            let args = e.args;
            let c = e.to_float(c);
            let own = e.mul(k, c);
            let fog = e.load_floats(args, at!(fog_color) + 16 * channel);
            channel += 1;
            let fog = e.mul(rest, fog);
            let sum = e.add(own, fog);
            e.truncate_to_int(sum)
        });
        let alpha = e.even_ints(color.ag);
        Pair { br: e.join_ints(b, r), ag: e.join_ints(alpha, g) }
    }

    /// The table's value at `x`, 0 to 1.
    pub fn fog_value(&mut self, x: F32x4) -> F32x4 {
        let e = &mut *self.e;
        let x = if self.key.fog.is_some_and(|fog| fog.flip) {
            let one = e.f(1.0);
            e.sub(one, x)
        } else {
            x
        };
        let scale = e.f(128.0);
        let index = e.mul(x, scale);
        let whole = e.floor(index);
        let whole = e.clamp(whole, 0.0, 127.0);
        let fraction = e.sub(index, whole);
        let entry = e.truncate_to_int(whole);
        let [value, difference] = self.fog_entries(entry);
        let e = &mut *self.e;
        let product = e.mul(fraction, difference);
        let k = e.add(value, product);
        e.clamp(k, 0.0, 1.0)
    }

    /// Value and difference of the table's entries; every index is 0 to 127.
    fn fog_entries(&mut self, index: I32x4) -> [F32x4; 2] {
        let e = &mut *self.e;
        let args = e.args;
        let table = e.load_i64(args, at!(fog));
        let entries = e.pair_addresses(table, index, quad_scratch_at!(indices));
        e.load_pairs(entries, 0)
    }
}
