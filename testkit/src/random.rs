//! What random tests of draws have in common: seeds, numbers, actions by weight.

/// Seeds of random runs: the first `count`, or those that TRIGLYPH_SEEDS names as start:count.
pub fn seeds(count: u64) -> std::ops::Range<u64> {
    let Ok(text) = std::env::var("TRIGLYPH_SEEDS") else { return 0..count };
    let (start, count) = text.split_once(':').expect("TRIGLYPH_SEEDS=start:count");
    let [start, count] = [start, count].map(|text| text.parse::<u64>().expect("a number"));
    start..start + count
}

/// A stream of numbers that is the same in every run (xorshift64).
pub struct Random(u64);

impl Random {
    /// From a seed; seeds next to each other give streams that have nothing in common.
    pub fn new(seed: u64) -> Self {
        Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ 0x1234_5677)
    }

    /// 32 random bits.
    pub fn word(&mut self) -> u32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 16) as u32
    }

    /// A number below a limit.
    pub fn below(&mut self, limit: u32) -> u32 {
        self.word() % limit
    }

    /// One of some things.
    pub fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len() as u32) as usize]
    }

    /// Random bytes.
    pub fn bytes(&mut self, count: usize) -> Vec<u8> {
        (0..count).map(|_| self.word() as u8).collect()
    }
}

/// Something that a test does to `T`, and how often among others.
pub type Action<T> = (u32, fn(&mut T));

/// Does one of some actions. `random` is where `T` has its numbers.
pub fn act<T>(on: &mut T, actions: &[Action<T>], random: fn(&mut T) -> &mut Random) {
    let all: u32 = actions.iter().map(|(weight, _)| weight).sum();
    let mut at = random(on).below(all);
    for (weight, action) in actions {
        if at < *weight {
            return action(on);
        }
        at -= weight;
    }
}

/// Asserts that two memories are the same.
#[track_caller]
pub fn assert_same([a, b]: [&[u8]; 2], what: &str) {
    let difference = a.iter().zip(b).position(|(a, b)| a != b);
    assert_eq!((difference, a.len()), (None, b.len()), "{what}: the first byte that is different");
}
