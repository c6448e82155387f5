//! Which partition a texel belongs to. (Khronos Data Format Specification, ASTC: partition pattern generation.)

/// Partitions of a block as a function of the texel's place.
pub(super) struct Partitions {
    count: u32,
    hash: u32,
    /// Factors of x and y for each of four sums.
    factors: [[u32; 2]; 4],
    /// 2 for small blocks, whose coordinates are doubled, else 1.
    scale: u32,
}

/// Steps of the sums.
const STEPS: [u32; 4] = [14, 10, 6, 2];

impl Partitions {
    /// `count`: 1 to 4; `texels`: of a block.
    pub(super) fn new(seed: u32, count: u32, texels: u32) -> Partitions {
        let seed = seed + (count - 1) * 1024;
        let hash = mixed(seed);
        let (by_parity, by_count) = (if seed & 2 != 0 { 4 } else { 5 }, if count == 3 { 6 } else { 5 });
        let shifts = if seed & 1 != 0 { [by_parity, by_count] } else { [by_count, by_parity] };
        let factor = |sum: u32, axis: u32| {
            let nibble = hash >> (8 * sum + 4 * axis) & 15;
            (nibble * nibble) >> shifts[axis as usize]
        };
        let factors = [0, 1, 2, 3].map(|sum| [factor(sum, 0), factor(sum, 1)]);
        Partitions { count, hash, factors, scale: if texels < 31 { 2 } else { 1 } }
    }

    /// The partition of a texel, 0 to 3.
    pub(super) fn of(&self, x: u32, y: u32) -> usize {
        if self.count < 2 {
            return 0;
        }
        let (x, y) = (x * self.scale, y * self.scale);
        let mut sums = [0; 4];
        for (i, sum) in sums.iter_mut().enumerate().take(self.count as usize) {
            let [across, down] = self.factors[i];
            *sum = (across * x + down * y + (self.hash >> STEPS[i])) & 63;
        }
        // The first of the largest ones.
        (1..4).fold(0, |best, i| if sums[i] > sums[best] { i } else { best })
    }
}

fn mixed(seed: u32) -> u32 {
    let mut p = seed;
    p ^= p >> 15;
    p = p.wrapping_sub(p << 17);
    p = p.wrapping_add(p << 7);
    p = p.wrapping_add(p << 4);
    p ^= p >> 5;
    p = p.wrapping_add(p << 16);
    p ^= p >> 7;
    p ^= p >> 3;
    p ^= p << 6;
    p ^ p >> 17
}
