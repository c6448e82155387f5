//! Nearest and linear filters of one level.

use cranelift_codegen::ir::Value;
use cranelift_codegen::ir::types::{I16X8, I32X4};
use triglyph_guest::kernel::program::sampler::{Reduction, Texels};
use triglyph_guest::num::ops::Ops;

use super::mix::mix;
use super::sixteen_bits::SixteenBits;
use super::texel::splat_lane;
use super::wrap::{Index, Two};
use super::{Channels, Sampler, Size, dimensions};
use crate::lane::{Emit, F32x4, I16x8, I32x4, Mask};

/// Pairs of channels in 16 bits each: red and blue, green and alpha.
#[derive(Clone, Copy)]
struct Channels16(Option<I16x8>, Option<I16x8>);

impl Channels16 {
    fn mapped(self, mut each: impl FnMut(I16x8) -> I16x8) -> Channels16 {
        Channels16(self.0.map(&mut each), self.1.map(&mut each))
    }

    fn joined(self, other: Channels16, mut both: impl FnMut(I16x8, I16x8) -> I16x8) -> Channels16 {
        let mut pair = |a: Option<I16x8>, b: Option<I16x8>| Some(both(a?, b?));
        Channels16(pair(self.0, other.0), pair(self.1, other.1))
    }
}

/// Weights of two texels, 256 together.
#[derive(Clone, Copy)]
struct Weights16 {
    first: I16x8,
    second: I16x8,
}

impl Weights16 {
    /// 256 times the mean of bytes, which is exact.
    fn sum(self, e: &mut Emit<'_>, a: I16x8, b: I16x8) -> I16x8 {
        let (a, b) = (e.mul16(a, self.first), e.mul16(b, self.second));
        e.add16(a, b)
    }

    /// The byte that is nearest to the mean of bytes, halves up.
    fn rounded_sum(self, e: &mut Emit<'_>, a: I16x8, b: I16x8) -> I16x8 {
        let sum = self.sum(e, a, b);
        rounded(e, sum)
    }
}

/// A 256th, halves up.
fn rounded(e: &mut Emit<'_>, sum: I16x8) -> I16x8 {
    let half = e.short(128);
    let sum = e.add16(sum, half);
    e.shr16(sum, 8)
}

/// The mean of four bytes, halves up, from sums of two times 128.
fn mean_of_four(e: &mut Emit<'_>, a: I16x8, b: I16x8) -> I16x8 {
    let (a, b) = (e.shr16(a, 7), e.shr16(b, 7));
    let (sum, half) = (e.add16(a, b), e.short(2));
    let sum = e.add16(sum, half);
    e.shr16(sum, 2)
}

impl Sampler<'_, '_> {
    /// Combines two texels, the second with a weight.
    pub(super) fn combined(&mut self, a: F32x4, b: F32x4, weight: F32x4) -> F32x4 {
        let e = &mut *self.e;
        let min_or_max = match self.key.reduction {
            Reduction::Minimum => e.min(a, b),
            Reduction::Maximum => e.max(a, b),
            Reduction::Average | Reduction::Rounded | Reduction::Halves | Reduction::Words => {
                return mix(e, a, b, weight);
            }
        };
        let zero = e.f(0.0);
        let alone = e.feq(weight, zero);
        e.select(alone, a, min_or_max)
    }

    /// As [`Self::combined`], of all channels.
    fn combined_channels(&mut self, a: Channels, b: Channels, weight: F32x4) -> Channels {
        std::array::from_fn(|c| Some(self.combined(a[c]?, b[c]?, weight)))
    }

    pub(super) fn nearest(&mut self, size: Size) -> Channels {
        let axes: Vec<Index> = (0..dimensions(self.key.shape)).map(|axis| self.nearest_index(axis, &size)).collect();
        let axis = |n: usize| axes.get(n).copied();
        let border = self.border(&[axis(0), axis(1), axis(2)]);
        let base = self.base(&size);
        let row = self.row(&size, axis(1).map(|i| i.index), axis(2).map(|i| i.index));
        let index = self.texel(row, axes[0].index);
        if self.reference.is_some() {
            let result = self.compared(base, index, border);
            return self.wanted.map(|wanted| wanted.then_some(result));
        }
        match self.key.texels {
            Texels::Rgba8 => {
                let words = self.words(base, index, border);
                self.bytes(words)
            }
            Texels::Srgb8 => self.linear_values(base, index, border),
            Texels::Float4 => {
                let texels = self.quadruples(base, index, border);
                self.by_channels(texels)
            }
        }
    }

    /// Bytes of words as floats, scaled by 256 where the filter's results are.
    pub(super) fn bytes(&mut self, words: I32x4) -> Channels {
        let up = if self.fixed() { 8 } else { 0 };
        std::array::from_fn(|c| {
            if !self.wanted[c] {
                return None;
            }
            let shift = 8 * c as u32;
            let moved = match shift {
                _ if shift == up => words,
                _ if shift < up => self.e.ishl(words, up - shift),
                _ => self.e.ushr(words, shift - up),
            };
            let low = self.e.i(0xFF << up);
            let byte = if shift - shift.min(up) == 24 { moved } else { self.e.iand(moved, low) };
            Some(self.e.to_float(byte))
        })
    }

    pub(super) fn by_channels(&mut self, texels: [F32x4; 4]) -> Channels {
        let columns = self.e.transpose(texels);
        std::array::from_fn(|c| self.wanted[c].then_some(columns[c]))
    }

    pub(super) fn linear(&mut self, size: Size) -> Channels {
        let axes: Vec<Two> = (0..dimensions(self.key.shape)).map(|axis| self.linear_indices(axis, &size)).collect();
        if self.reference.is_some() {
            let result = self.linear_compared(&size, &axes);
            return self.wanted.map(|wanted| wanted.then_some(result));
        }
        match self.key.texels {
            Texels::Rgba8 if self.fixed() => self.linear_bytes(&size, &axes),
            Texels::Rgba8 if self.key.reduction == Reduction::Rounded => self.rounded_bytes(&size, &axes),
            Texels::Rgba8 => self.min_max_bytes(&size, &axes),
            Texels::Srgb8 => self.linear_srgb(&size, &axes),
            Texels::Float4 => {
                let texels = match SixteenBits::of(self.key.reduction) {
                    Some(kind) => self.linear_sixteen_bits(kind, &size, &axes),
                    None => self.linear_floats(&size, &axes),
                };
                self.by_channels(texels)
            }
        }
    }

    /// A weight of 0 to 256 as a fraction.
    fn fraction(&mut self, weight: I32x4) -> F32x4 {
        let weight = self.e.to_float(weight);
        let scale = self.e.f(1.0 / 256.0);
        self.e.mul(weight, scale)
    }

    /// Combinations of indices along y and z, rows before slices.
    fn rows(axes: &[Two]) -> Vec<[Option<Index>; 2]> {
        let of = |axis: usize| match axes.get(axis) {
            Some(two) => vec![Some(two.texels[0]), Some(two.texels[1])],
            None => vec![None],
        };
        of(2).into_iter().flat_map(|z| of(1).into_iter().map(move |y| [y, z])).collect()
    }

    /// Combines the values of rows along y, then z.
    fn across<T: Copy>(&mut self, axes: &[Two], rows: Vec<T>, combine: impl Fn(&mut Self, T, T, F32x4) -> T) -> T {
        let mut values = rows;
        for two in &axes[1..] {
            let weight = self.fraction(two.weight);
            values = values.chunks(2).map(|pair| combine(self, pair[0], pair[1], weight)).collect();
        }
        values[0]
    }

    /// Linear filter of texels of one word: along x in integers, which is exact; the rest as floats.
    fn linear_bytes(&mut self, size: &Size, axes: &[Two]) -> Channels {
        let rows = self.sums_of_rows(size, axes);
        let rows = rows.into_iter().map(|row| self.apart(row)).collect();
        self.across(axes, rows, Self::combined_channels)
    }

    /// Rows filtered along x, times 256.
    fn sums_of_rows(&mut self, size: &Size, axes: &[Two]) -> Vec<Channels16> {
        let texels = self.texels_of_rows(size, axes);
        let weights = self.weights16(axes[0].weight);
        let mut sum = |[a, b]: [I32x4; 2]| {
            let (a, b) = (self.halves(a), self.halves(b));
            a.joined(b, |a, b| weights.sum(self.e, a, b))
        };
        texels.into_iter().map(&mut sum).collect()
    }

    /// Linear filter of texels of one word that rounds along each axis, in integers.
    fn rounded_bytes(&mut self, size: &Size, axes: &[Two]) -> Channels {
        let mut rows = self.sums_of_rows(size, axes);
        match axes.get(1) {
            None => rows.iter_mut().for_each(|row| *row = row.mapped(|sum| rounded(self.e, sum))),
            Some(y) => rows = self.rounded_planes([axes[0].weight, y.weight], &rows),
        }
        if let Some(z) = axes.get(2) {
            let weights = self.weights16(z.weight);
            rows = vec![rows[0].joined(rows[1], |a, b| weights.rounded_sum(self.e, a, b))];
        }
        self.apart(rows[0])
    }

    /// Pairs of rows filtered along y, both axes rounded: where both weights are a half only the mean of all four.
    fn rounded_planes(&mut self, [x, y]: [I32x4; 2], rows: &[Channels16]) -> Vec<Channels16> {
        let half = self.e.i(128);
        let (half_x, half_y) = (self.e.ieq(x, half), self.e.ieq(y, half));
        let is_mean_of_four = self.e.and(half_x, half_y);
        let weights = self.weights16(y);
        let e = &mut *self.e;
        let mut plane = |a: I16x8, b: I16x8| {
            let mean = mean_of_four(e, a, b);
            let (a, b) = (rounded(e, a), rounded(e, b));
            let steps = weights.rounded_sum(e, a, b);
            let [mean, steps] = [mean, steps].map(|v| I32x4(e.cast(v.0, I32X4)));
            let chosen = e.iselect(is_mean_of_four, mean, steps);
            I16x8(e.cast(chosen.0, I16X8))
        };
        rows.chunks(2).map(|pair| pair[0].joined(pair[1], &mut plane)).collect()
    }

    /// Weights of 0 to 256 and what is left of 256, in both halves of each lane.
    fn weights16(&mut self, weight: I32x4) -> Weights16 {
        let second = self.e.join_ints(weight, weight);
        let whole = self.e.short(256);
        Weights16 { first: self.e.sub16(whole, second), second }
    }

    /// Minimum or maximum reduction of texels of one word, as floats.
    fn min_max_bytes(&mut self, size: &Size, axes: &[Two]) -> Channels {
        let texels = self.texels_of_rows(size, axes);
        let weight = self.fraction(axes[0].weight);
        let rows = texels
            .into_iter()
            .map(|[a, b]| {
                let (a, b) = (self.bytes(a), self.bytes(b));
                self.combined_channels(a, b, weight)
            })
            .collect();
        self.across(axes, rows, Self::combined_channels)
    }

    /// Red and blue, green and alpha of words, if needed.
    fn halves(&mut self, words: I32x4) -> Channels16 {
        let words = I16x8(self.e.cast(words.0, I16X8));
        let [r, g, b, a] = self.wanted;
        let even = (r || b).then(|| {
            let low = self.e.short(0xFF);
            self.e.and16(words, low)
        });
        let odd = (g || a).then(|| self.e.shr16(words, 8));
        Channels16(even, odd)
    }

    /// Channels as floats.
    fn apart(&mut self, channels: Channels16) -> Channels {
        std::array::from_fn(|c| {
            let pair = if c % 2 == 0 { channels.0 } else { channels.1 };
            let pair = pair.filter(|_| self.wanted[c])?;
            let ints = if c < 2 { self.e.even_ints(pair) } else { self.e.odd_ints(pair) };
            Some(self.e.to_float(ints))
        })
    }

    /// The two texels of each row. Away from seams they are adjacent in memory.
    fn texels_of_rows(&mut self, size: &Size, axes: &[Two]) -> Vec<[I32x4; 2]> {
        let columns = axes[0].texels;
        let rows = Self::rows(axes);
        let base = self.base(size);
        let starts: Vec<Option<I32x4>> =
            rows.iter().map(|[y, z]| self.row(size, y.map(|i| i.index), z.map(|i| i.index))).collect();
        let all: Vec<Option<Index>> = axes.iter().flat_map(|two| two.texels.map(Some)).collect();
        let border = self.border(&all);
        let fine = self.side_by_side(columns, border);
        let words = vec![I32X4; 2 * rows.len()];
        let (fast, slow, done) = (self.e.block(&[]), self.e.cold_block(&[]), self.e.block(&words));
        self.e.branch_if_all(fine, (fast, &[]), (slow, &[]));

        self.e.switch_to(fast);
        let mut found = Vec::new();
        for start in &starts {
            let index = self.texel(*start, columns[0].index);
            found.extend(self.pairs(base, index).map(|words| words.0));
        }
        self.e.jump(done, &found);

        self.e.switch_to(slow);
        let mut found = Vec::new();
        for (start, [y, z]) in starts.iter().zip(&rows) {
            for column in columns {
                let border = self.border(&[Some(column), *y, *z]);
                let index = self.texel(*start, column.index);
                found.push(self.words(base, index, border).0);
            }
        }
        self.e.jump(done, &found);
        self.e.seal(&[fast, slow, done]);

        self.e.switch_to(done);
        (0..rows.len()).map(|row| [0, 1].map(|k| I32x4(self.e.parameter(done, 2 * row + k)))).collect()
    }

    /// Linear filter of texels that `load` gives, from base address, index and border.
    fn linear_texels<T: Copy>(
        &mut self,
        size: &Size,
        axes: &[Two],
        load: impl Fn(&mut Self, Value, I32x4, Option<Mask>) -> T,
        combine: impl Fn(&mut Self, T, T, F32x4) -> T,
    ) -> T {
        let base = self.base(size);
        let weight = self.fraction(axes[0].weight);
        let mut rows = Vec::new();
        for [y, z] in Self::rows(axes) {
            let start = self.row(size, y.map(|i| i.index), z.map(|i| i.index));
            let [a, b] = axes[0].texels.map(|column| {
                let border = self.border(&[Some(column), y, z]);
                let index = self.texel(start, column.index);
                load(self, base, index, border)
            });
            rows.push(combine(self, a, b, weight));
        }
        self.across(axes, rows, combine)
    }

    /// Texels of four words, filtered lane by lane.
    fn linear_floats(&mut self, size: &Size, axes: &[Two]) -> [F32x4; 4] {
        self.linear_texels(size, axes, Self::quadruples, |this, a: [F32x4; 4], b, weight| {
            std::array::from_fn(|lane| {
                let weight = splat_lane(this.e, weight, lane);
                this.combined(a[lane], b[lane], weight)
            })
        })
    }

    /// Texels of four words, filtered lane by lane as a unit of 16 bits does it.
    fn linear_sixteen_bits(&mut self, kind: SixteenBits, size: &Size, axes: &[Two]) -> [F32x4; 4] {
        let base = self.base(size);
        let mut rows = Vec::new();
        for [y, z] in Self::rows(axes) {
            let start = self.row(size, y.map(|i| i.index), z.map(|i| i.index));
            rows.push(axes[0].texels.map(|column| {
                let border = self.border(&[Some(column), y, z]);
                let index = self.texel(start, column.index);
                self.quadruples(base, index, border)
            }));
        }
        let weights: Vec<F32x4> = axes.iter().map(|two| self.fraction(two.weight)).collect();
        std::array::from_fn(|lane| {
            let weights: Vec<F32x4> = weights.iter().map(|weight| splat_lane(self.e, *weight, lane)).collect();
            let mut planes = Vec::new();
            for plane in rows.chunks(axes.len().min(2)) {
                let texels: Vec<F32x4> = plane.iter().flatten().map(|texel| texel[lane]).collect();
                planes.push(kind.filter(self.e, &texels, &weights));
            }
            match planes[..] {
                [near, far] => mix(self.e, near, far, weights[2]),
                _ => planes[0],
            }
        })
    }

    /// Texels of sRGB, filtered as floats.
    fn linear_srgb(&mut self, size: &Size, axes: &[Two]) -> Channels {
        self.linear_texels(size, axes, Self::linear_values, Self::combined_channels)
    }

    /// Comparisons, filtered.
    fn linear_compared(&mut self, size: &Size, axes: &[Two]) -> F32x4 {
        self.linear_texels(size, axes, Self::compared, Self::combined)
    }

    /// 1 where the comparison of a texel's red holds, else 0.
    pub(super) fn compared(&mut self, base: Value, index: I32x4, border: Option<Mask>) -> F32x4 {
        let red = match self.key.texels {
            Texels::Float4 => self.channel(base, index, border, 0),
            Texels::Srgb8 => {
                let wanted = std::mem::replace(&mut self.wanted, [true, false, false, false]);
                let [red, ..] = self.linear_values(base, index, border);
                self.wanted = wanted;
                red.unwrap_or_else(|| self.e.f(0.0))
            }
            Texels::Rgba8 => {
                let words = self.words(base, index, border);
                let (low, scale) = (self.e.i(0xFF), self.e.f(1.0 / 255.0));
                let red = self.e.iand(words, low);
                let red = self.e.to_float(red);
                self.e.mul(red, scale)
            }
        };
        let one = self.e.f(1.0);
        let (Some(how), Some(reference)) = (self.key.compare, self.reference) else { return one };
        match self.e.compare_floats(how, red, reference) {
            Some(passes) => {
                let (bits, mask) = (self.e.bits(one), self.e.mask_ints(passes));
                let bits = self.e.iand(bits, mask);
                self.e.float_of_bits(bits)
            }
            None => one,
        }
    }
}
