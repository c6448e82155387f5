//! Finds the row of an instruction word: a lookup on the top bits, then the rows of that bucket, most specific first.

use super::info::OpInfo;

/// A row in a bucket.
#[derive(Clone, Copy, Debug)]
struct Entry {
    mask: u64,
    value: u64,
    row: u16,
}

/// A decoder over 2^n buckets, built while compiling.
#[derive(Clone, Debug)]
pub struct Decoder<const BUCKETS: usize, const ENTRIES: usize> {
    shift: u32,
    /// First entry of each bucket and the entry after its last.
    spans: [(u16, u16); BUCKETS],
    entries: [Entry; ENTRIES],
}

/// How many entries a decoder of `rows` has: a row is in every bucket that its free top bits reach.
pub const fn entry_count(rows: &[OpInfo], word_bits: u32, buckets: usize) -> usize {
    let shift = word_bits - buckets.trailing_zeros();
    let mut count = 0;
    let mut i = 0;
    while i < rows.len() {
        let free = !(rows[i].pattern.mask >> shift) as usize & (buckets - 1);
        count += 1 << free.count_ones();
        i += 1;
    }
    count
}

impl<const BUCKETS: usize, const ENTRIES: usize> Decoder<BUCKETS, ENTRIES> {
    /// Builds the decoder of `rows`, [`entry_count`] of them being `ENTRIES`.
    ///
    /// # Panics
    /// With the name of a row that overlaps another without one being a special case of the other: which of the two a
    /// word means would depend on their order. In a `const` that is a compile error.
    pub const fn new(rows: &[OpInfo], word_bits: u32) -> Self {
        check_overlaps(rows);
        let shift = word_bits - BUCKETS.trailing_zeros();
        let mut decoder =
            Decoder { shift, spans: [(0, 0); BUCKETS], entries: [Entry { mask: 0, value: 1, row: 0 }; ENTRIES] };
        let mut counts = [0u16; BUCKETS];
        let mut i = 0;
        while i < rows.len() {
            let (value, free) = top(&rows[i], shift, BUCKETS);
            let mut sub = 0;
            loop {
                counts[value | sub] += 1;
                sub = sub.wrapping_sub(free) & free;
                if sub == 0 {
                    break;
                }
            }
            i += 1;
        }
        let mut next = 0;
        let mut bucket = 0;
        while bucket < BUCKETS {
            decoder.spans[bucket] = (next, next);
            next += counts[bucket];
            bucket += 1;
        }
        decoder.fill(rows, shift)
    }

    /// Fills the buckets, rows with more fixed bits first.
    const fn fill(mut self, rows: &[OpInfo], shift: u32) -> Self {
        let mut fixed = 65;
        while fixed > 0 {
            fixed -= 1;
            let mut i = 0;
            while i < rows.len() {
                let pattern = &rows[i].pattern;
                if pattern.mask.count_ones() == fixed {
                    let (value, free) = top(&rows[i], shift, BUCKETS);
                    let mut sub = 0;
                    loop {
                        let end = self.spans[value | sub].1;
                        self.entries[end as usize] = Entry { mask: pattern.mask, value: pattern.value, row: i as u16 };
                        self.spans[value | sub].1 = end + 1;
                        sub = sub.wrapping_sub(free) & free;
                        if sub == 0 {
                            break;
                        }
                    }
                }
                i += 1;
            }
        }
        self
    }

    /// The index of the row that `word` belongs to.
    #[inline]
    pub fn find(&self, word: u64) -> Option<usize> {
        let (first, end) = self.spans[(word >> self.shift) as usize & (BUCKETS - 1)];
        self.entries[first as usize..end as usize]
            .iter()
            .find(|entry| word & entry.mask == entry.value)
            .map(|entry| entry.row as usize)
    }
}

/// The fixed top bits of a row and a mask of its free ones.
const fn top(row: &OpInfo, shift: u32, buckets: usize) -> (usize, usize) {
    let free = !(row.pattern.mask >> shift) as usize & (buckets - 1);
    ((row.pattern.value >> shift) as usize, free)
}

const fn check_overlaps(rows: &[OpInfo]) {
    let mut i = 0;
    while i < rows.len() {
        let a = &rows[i].pattern;
        let mut j = i + 1;
        while j < rows.len() {
            let b = &rows[j].pattern;
            let common = a.mask & b.mask;
            if (a.value ^ b.value) & common == 0 && (a.mask == b.mask || (common != a.mask && common != b.mask)) {
                panic!("{}", rows[j].name);
            }
            j += 1;
        }
        i += 1;
    }
}
