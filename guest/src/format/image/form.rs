//! Further conversions of decoded texels: signs, borders around the faces of cubes, samples as layers.

use crate::kernel::program::sampler::Texels;

/// Conversions of the texels of an image.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub enum Form {
    /// Nothing.
    #[default]
    Plain,
    /// The channels that are said to be so are numbers in two's complement, of 8 bits or, of formats that become
    /// floats, of 16. Their highest bit is flipped, so that filters mix them as the numbers that they are: what was
    /// -128 is 0, what was 127 is 255 ([`Convert::Signed`]).
    ///
    /// [`Convert::Signed`]: crate::kernel::program::sampler::Convert::Signed
    Signed([bool; 4]),
    /// Every level of a cube's face gets a border of one texel, which is that of the neighbouring face; at a corner it
    /// is the mean of the three texels that meet there, cut off where texels are bytes. Of images of square faces, six
    /// for each cube.
    Seamless,
    /// The texels of a level are samples, in cells that are pixels: each sample becomes a layer of its own. The
    /// position of each sample in the cell, across and down; at least one.
    Samples(Vec<[u8; 2]>),
}

/// A decoded texel.
pub(super) trait Texel: Copy + Default {
    /// The mean of three.
    fn mean(texels: [Self; 3]) -> Self;
}

impl Texel for u32 {
    fn mean(texels: [u32; 3]) -> u32 {
        let channel = |shift: u32| texels.iter().map(|texel| texel >> shift & 0xFF).sum::<u32>() / 3;
        channel(0) | channel(8) << 8 | channel(16) << 16 | channel(24) << 24
    }
}

impl Texel for [u32; 4] {
    fn mean(texels: [[u32; 4]; 3]) -> [u32; 4] {
        std::array::from_fn(|i| {
            let [a, b, c] = texels.map(|texel| f32::from_bits(texel[i]));
            ((a + b + c) * (1.0 / 3.0)).to_bits()
        })
    }
}

impl Form {
    /// Whether layers and levels of texels stay as they are.
    pub(super) const fn is_plain(&self) -> bool {
        matches!(self, Form::Plain | Form::Signed(_))
    }

    /// The conversion of each texel.
    pub(super) fn convert(&self, form: Texels, out: &mut [u32]) {
        let Form::Signed(signed) = *self else { return };
        match form {
            Texels::Rgba8 | Texels::Srgb8 => {
                let flips = u32::from_le_bytes(signed.map(|signed| u8::from(signed) << 7));
                out.iter_mut().for_each(|texel| *texel ^= flips);
            }
            Texels::Float4 => {
                let flip =
                    |word: u32| ((f32::from_bits(word) * 65535.0 + 0.5) as u32 ^ 0x8000) as f32 * (1.0 / 65535.0);
                for texel in out.as_chunks_mut::<4>().0 {
                    for (word, _) in texel.iter_mut().zip(signed).filter(|(_, signed)| *signed) {
                        *word = flip(*word).to_bits();
                    }
                }
            }
        }
    }

    /// Samples of a pixel.
    pub fn samples(&self) -> u32 {
        match self {
            Form::Samples(cells) => cells.len().max(1) as u32,
            _ => 1,
        }
    }

    /// Texels of a pixel's cell across and down.
    fn cell(&self) -> [u32; 2] {
        let Form::Samples(cells) = self else { return [1; 2] };
        [0, 1].map(|axis| 1 + cells.iter().map(|cell| u32::from(cell[axis])).max().unwrap_or(0))
    }

    /// Size of a decoded level of a stored size, without border.
    pub(super) fn size(&self, [width, height, depth]: [u32; 3]) -> [u32; 3] {
        let [across, down] = self.cell();
        [(width / across).max(1), (height / down).max(1), depth]
    }

    /// Texels of a layer's decoded level.
    pub(super) fn texels(&self, size: [u32; 3]) -> u64 {
        let border = if *self == Form::Seamless { 2 } else { 0 };
        let [width, height, depth] = self.size(size).map(u64::from);
        (width + border) * (height + border) * depth
    }

    /// The first texel inside of the border.
    pub(super) fn first(&self, size: [u32; 3]) -> u32 {
        if *self == Form::Seamless { size[0] + 3 } else { 0 }
    }

    /// Brings plain texels of whole layers of levels of these sizes into the form.
    pub(super) fn arrange<T: Texel>(&self, sizes: &[[u32; 3]], plain: &[T], out: &mut [T]) {
        let layer: usize = sizes.iter().map(|size| size.iter().map(|&n| n as usize).product::<usize>()).sum();
        if layer == 0 {
            return;
        }
        let formed: usize = sizes.iter().map(|&size| self.texels(size) as usize).sum();
        match self {
            Form::Plain | Form::Signed(_) => out[..plain.len()].copy_from_slice(plain),
            Form::Seamless => {
                for (faces, out) in plain.chunks_exact(6 * layer).zip(out.chunks_exact_mut(6 * formed)) {
                    bordered(sizes, faces, out);
                }
            }
            Form::Samples(cells) => {
                let layers = plain.chunks_exact(layer).flat_map(|layer| cells.iter().map(move |cell| (layer, cell)));
                for ((layer, cell), out) in layers.zip(out.chunks_exact_mut(formed)) {
                    self.sample(sizes, *cell, layer, out);
                }
            }
        }
    }

    /// The samples at `cell` of all pixels of a layer.
    fn sample<T: Texel>(&self, sizes: &[[u32; 3]], cell: [u8; 2], layer: &[T], out: &mut [T]) {
        let [across, down] = self.cell();
        let (mut rest, mut out) = (layer, out);
        for &stored in sizes {
            let [width, height, depth] = self.size(stored);
            for row in 0..depth * height {
                let y = row / height * stored[1] + row % height * down + u32::from(cell[1]);
                let first = y as usize * stored[0] as usize + usize::from(cell[0]);
                let (line, next) = out.split_at_mut(width as usize);
                let texels = rest.get(first..).unwrap_or(&[]).iter().step_by(across as usize);
                line.iter_mut().zip(texels).for_each(|(out, texel)| *out = *texel);
                out = next;
            }
            rest = rest.get(stored.iter().map(|&n| n as usize).product()..).unwrap_or(&[]);
        }
    }
}

/// Six faces with borders.
fn bordered<T: Texel>(sizes: &[[u32; 3]], faces: &[T], out: &mut [T]) {
    let (layer, formed) = (faces.len() / 6, out.len() / 6);
    let (mut from, mut to) = (0, 0);
    for &[size, ..] in sizes {
        let n = size as i32;
        let texel = |face: usize, [x, y]: [i32; 2]| faces[face * layer + from + (y * n + x) as usize];
        let mut at = to;
        for face in 0..6 {
            let mut next = face * formed + at;
            for y in -1..=n {
                for x in -1..=n {
                    let (inside_x, inside_y) = ((0..n).contains(&x), (0..n).contains(&y));
                    let beyond = |place: [i32; 2]| {
                        let (face, place) = neighbour(face, place, n);
                        texel(face, place)
                    };
                    let near = [x.clamp(0, n - 1), y.clamp(0, n - 1)];
                    out[next] = match (inside_x, inside_y) {
                        (true, true) => texel(face, [x, y]),
                        (false, false) => T::mean([beyond([x, near[1]]), beyond([near[0], y]), texel(face, near)]),
                        _ => beyond([x, y]),
                    };
                    next += 1;
                }
            }
        }
        from += (size * size) as usize;
        at += ((size + 2) * (size + 2)) as usize;
        to = at;
    }
}

/// Axis and sign of a face's direction, and of its s and t (OpenGL 2.0 specification, table 3.19).
const FACES: [[(usize, i32); 3]; 6] = [
    [(0, 1), (2, -1), (1, -1)],
    [(0, -1), (2, 1), (1, -1)],
    [(1, 1), (0, 1), (2, 1)],
    [(1, -1), (0, 1), (2, -1)],
    [(2, 1), (0, 1), (1, -1)],
    [(2, -1), (0, -1), (1, -1)],
];

/// The texel of another face that lies where texel `place`, one beyond an edge, would be.
fn neighbour(face: usize, place: [i32; 2], n: i32) -> (usize, [i32; 2]) {
    // Centres of texels in units of half a texel, from the middle of the cube, whose faces are at n.
    let [(major, sign), s, t] = FACES[face];
    let mut point = [0; 3];
    point[major] = sign * n;
    for ((axis, sign), i) in [s, t].into_iter().zip(place) {
        point[axis] = sign * (2 * i + 1 - n);
    }
    // Over the edge: the coordinate that is too large is the new face's direction.
    let over = if point[s.0].abs() > n { s.0 } else { t.0 };
    point[major] = sign * (n - 1);
    let side = point[over].signum();
    let face = 2 * over + usize::from(side < 0);
    let [_, s, t] = FACES[face];
    (face, [s, t].map(|(axis, sign)| (sign * point[axis] + n - 1) / 2))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The texel beyond an edge sees the first one as the texel beyond its own edge.
    #[test]
    fn neighbours_are_mutual() {
        for n in [1, 2, 5] {
            for face in 0..6 {
                for (place, back) in (0..n)
                    .flat_map(|i| [([-1, i], [0, i]), ([n, i], [n - 1, i]), ([i, -1], [i, 0]), ([i, n], [i, n - 1])])
                {
                    let (other, [x, y]) = neighbour(face, place, n);
                    assert!(other / 2 != face / 2 && (0..n).contains(&x) && (0..n).contains(&y));
                    let around = [[x - 1, y], [x + 1, y], [x, y - 1], [x, y + 1]];
                    let outside = around.into_iter().filter(|p| p.iter().any(|c| !(0..n).contains(c)));
                    let mut seen = outside.map(|place| neighbour(other, place, n));
                    assert!(seen.any(|(seen, place)| seen == face && place == back), "{face} {place:?} of {n}");
                }
            }
        }
    }

    #[test]
    fn faces_get_the_texels_across_their_edges() {
        // One texel a face, its number.
        let faces: Vec<u32> = (0..6).map(|face| face * 3).collect();
        let mut out = vec![99; 6 * 9];
        Form::Seamless.arrange(&[[1, 1, 1]], &faces, &mut out);
        // +x: left is +z, right -z, above +y, below -y.
        assert_eq!(out[..9], [(6 + 12) / 3, 6, (6 + 15) / 3, 12, 0, 15, (9 + 12) / 3, 9, (9 + 15) / 3]);
        assert_eq!((Form::Seamless.texels([4, 4, 1]), Form::Seamless.first([4, 4, 1])), (36, 7));
    }

    #[test]
    fn levels_of_cubes_follow_each_other_with_their_borders() {
        let sizes = [[2, 2, 1], [1, 1, 1]];
        let faces: Vec<u32> = (0..30).collect();
        let mut out = vec![99; 6 * (16 + 9)];
        Form::Seamless.arrange(&sizes, &faces, &mut out);
        for face in 0..6 {
            let inside = |i: usize| out[face * 25 + i];
            let first = 5 * face as u32;
            assert_eq!([inside(5), inside(6), inside(9), inside(10), inside(20)], [0, 1, 2, 3, 4].map(|i| first + i));
        }
    }

    #[test]
    fn samples_become_layers() {
        let form = Form::Samples(vec![[0, 0], [1, 0], [0, 1], [1, 1]]);
        // Two pixels of four samples, 4x2 texels, in two layers.
        let plain: Vec<u32> = (0..16).collect();
        let mut out = vec![99; 16];
        form.arrange(&[[4, 2, 1]], &plain, &mut out);
        assert_eq!(out, [0, 2, 1, 3, 4, 6, 5, 7, 8, 10, 9, 11, 12, 14, 13, 15]);
        assert_eq!((form.samples(), form.size([4, 2, 1])), (4, [2, 1, 1]));
    }
}
