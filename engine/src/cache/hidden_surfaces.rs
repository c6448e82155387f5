//! Cost and gain of hidden surface removal for one kernel, measured while it is drawn.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use super::pixel_cost::PixelCost;

const PARTS: u32 = PixelCost::PARTS as u32;

/// Pixels of a measurement at least: for fewer the clock is too coarse.
const MIN_PIXELS: u64 = 256;

/// Denominator of the shares of hidden pixels.
const ALL: u32 = 256;

/// Maximum number of scenes between two searches for hidden surfaces.
const MAX_WAIT: u32 = 255;

/// A running average, in parts of a nanosecond for each pixel; 0 before anything was measured.
#[derive(Debug, Default)]
struct Average(AtomicU32);

impl Average {
    fn get(&self) -> Option<u64> {
        Some(self.0.load(Relaxed).into()).filter(|&average| average != 0)
    }

    /// Adds a measurement: so many pixels took so long. A measurement counts as four times the estimate at most, since
    /// the thread may have been preempted.
    fn note(&self, pixels: u64, nanoseconds: u64) {
        if pixels >= MIN_PIXELS {
            let old = self.0.load(Relaxed);
            let found = nanoseconds.saturating_mul(PARTS.into()) / pixels;
            let most = if old == 0 { u32::MAX / 8 } else { 4 * old };
            let found = found.min(most.into()) as u32;
            self.0.store(if old == 0 { found } else { (3 * old + found).div_ceil(4) }.min(u32::MAX / 8), Relaxed);
        }
    }
}

/// Estimates that decide whether hidden surfaces are searched for and left out. They never change a result.
#[derive(Debug)]
pub struct HiddenSurfaces {
    /// Pixels drawn in order.
    plain: Average,
    /// Pixels of which only the tests are done.
    tests: Average,
    /// Pixels that are shaded after their tests.
    shading: Average,
    /// The share of the pixels with later ones over them that were hidden: later ones may have failed their tests.
    hidden: AtomicU32,
    /// Scenes until the next measurement, and the number until the one after it if that measurement shows no gain.
    wait: AtomicU32,
    next_wait: AtomicU32,
}

impl Default for HiddenSurfaces {
    fn default() -> Self {
        HiddenSurfaces {
            plain: Average::default(),
            tests: Average::default(),
            shading: Average::default(),
            hidden: AtomicU32::new(ALL),
            wait: AtomicU32::new(0),
            next_wait: AtomicU32::new(0),
        }
    }
}

/// Counts of pixels before they are drawn.
#[derive(Clone, Copy, Debug, Default)]
pub struct Covered {
    /// Covered ones.
    pub pixels: u64,
    /// Pixels that a later one replaces if it passes its tests.
    pub replaced: u64,
    /// Whether there are tests.
    pub tested: bool,
}

impl HiddenSurfaces {
    /// Whether to search for them in a scene. After a search without gain the next one comes later.
    pub fn is_due(&self) -> bool {
        let wait = self.wait.load(Relaxed);
        if wait != 0 {
            self.wait.store(wait - 1, Relaxed);
            return false;
        }
        let next = self.next_wait.load(Relaxed);
        self.wait.store(next, Relaxed);
        self.next_wait.store((2 * next + 1).min(MAX_WAIT), Relaxed);
        true
    }

    /// Estimated times of drawing pixels in order, and of leaving hidden ones out. There is no estimated gain before
    /// pixels were measured in order.
    pub fn estimate(&self, Covered { pixels, replaced, tested }: Covered) -> [u64; 2] {
        let plain = self.plain.get().unwrap_or(0);
        let shading = self.shading.get().unwrap_or(plain);
        let tests = if tested { self.tests.get().unwrap_or(PARTS.into()) } else { 0 };
        let hidden = replaced * u64::from(self.hidden.load(Relaxed)) / u64::from(ALL);
        let parts = [plain * pixels, tests * pixels + shading * (pixels - hidden.min(pixels))];
        parts.map(|parts| parts / u64::from(PARTS))
    }

    /// Notes that pixels were drawn in order, in so many nanoseconds.
    pub fn note_plain(&self, pixels: u64, nanoseconds: u64) {
        self.plain.note(pixels, nanoseconds);
    }

    /// Notes that hidden pixels were left out: nanoseconds of all tests, pixels that were hidden, pixels that were
    /// shaded and the nanoseconds that this took.
    pub fn note_removal(&self, covered: Covered, tests: u64, hidden: u64, shaded: u64, shading: u64) {
        if covered.tested {
            self.tests.note(covered.pixels, tests);
        }
        self.shading.note(shaded, shading);
        if covered.replaced >= MIN_PIXELS {
            let found = (u64::from(ALL) * hidden.min(covered.replaced) / covered.replaced) as u32;
            self.hidden.store((3 * self.hidden.load(Relaxed) + found).div_ceil(4), Relaxed);
        }
        self.wait.store(0, Relaxed);
        self.next_wait.store(0, Relaxed);
    }

    /// Notes a measurement that left no pixels out: earlier measurements count a little less.
    pub fn note_look(&self) {
        let hidden = self.hidden.load(Relaxed);
        self.hidden.store((hidden + 1).min(ALL), Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn looks_that_gain_nothing_become_rare() {
        let surfaces = HiddenSurfaces::default();
        let looks = || (0..2000).filter(|_| surfaces.is_due()).count();
        assert!(looks() < 20, "each wait is longer than the last one");
        surfaces.note_removal(Covered { pixels: 1000, replaced: 900, tested: true }, 1000, 900, 0, 0);
        assert!((0..1).all(|_| surfaces.is_due()));
    }

    #[test]
    fn estimates_follow_what_is_measured() {
        let surfaces = HiddenSurfaces::default();
        let covered = Covered { pixels: 1000, replaced: 750, tested: true };
        for _ in 0..30 {
            surfaces.note_plain(1000, 10_000);
            surfaces.note_removal(covered, 2000, 750, 250, 2000);
        }
        let [plain, removal] = surfaces.estimate(covered);
        assert!((9_000..=11_000).contains(&plain), "{plain}");
        assert!((3_500..=4_500).contains(&removal), "{removal}");
        // Later pixels fail their tests: nothing is hidden.
        for _ in 0..30 {
            surfaces.note_removal(covered, 2000, 0, 1000, 8000);
        }
        let [plain, removal] = surfaces.estimate(covered);
        assert!(removal > plain * 9 / 10, "{removal} {plain}");
    }
}
