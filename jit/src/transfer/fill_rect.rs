//! Fills of rectangles: stretches of neighbouring bytes that lie in the rectangle as a whole, each filled at once.

#![allow(unsafe_code)]

use triglyph_guest::kernel::transfer::{FillRect, FillRectKey, TransferJob};
use triglyph_guest::kernel::{TransferKernel, Unsupported};
use triglyph_guest::layout::SurfaceLayout;
use triglyph_guest::layout::surface::swizzle;

use super::{WRONG_JOB, fits};

/// Bytes that are stored at a time: a whole number of units of any size.
const STEP: usize = 64;

/// A fill of rectangles.
pub(super) struct CompiledFillRect {
    key: FillRectKey,
}

impl CompiledFillRect {
    pub fn new(key: &FillRectKey) -> Result<CompiledFillRect, Unsupported> {
        match key.bytes {
            1 | 2 | 4 | 8 | 16 => Ok(CompiledFillRect { key: *key }),
            _ => Err(Unsupported("units of an odd size")),
        }
    }
}

impl TransferKernel for CompiledFillRect {
    fn run(&self, job: &TransferJob<'_>) -> Result<(), Unsupported> {
        let TransferJob::FillRect(job) = job else { return Err(WRONG_JOB) };
        if job.to.layout.kind() != self.key.layout {
            return Err(WRONG_JOB);
        }
        if job.width == 0 || job.rows.is_empty() {
            return Ok(());
        }
        let bytes = u32::from(self.key.bytes);
        // Offsets only grow with x and with y.
        let end = job.to.offset(job.width - 1, job.rows.end - 1, bytes) + u64::from(bytes);
        if !fits(&job.to, job.width, job.rows.end) || end > job.target.len() as u64 {
            return Err(Unsupported("a fill beyond its window"));
        }
        let repeat = |unit: &[u8; 16]| std::array::from_fn(|i| unit[i % bytes as usize]);
        let mask = repeat(&job.mask);
        let pattern = Pattern { value: repeat(&job.value), mask, whole: mask == [u8::MAX; STEP] };
        let target = job.target.as_ptr();
        let mut stretches = Stretches {
            job,
            bytes,
            joined: 0..0,
            fill: |start: u64, length: u64| {
                // SAFETY: a stretch consists of units of the rectangle, none of which lies beyond the last one, which
                // the window has by the comparison before.
                unsafe { pattern.store(target.add(start as usize), length as usize) }
            },
        };
        match job.to.layout {
            SurfaceLayout::Pitch => stretches.rows(),
            SurfaceLayout::Swizzled { log2_width, log2_height } => stretches.swizzled([log2_width, log2_height]),
            SurfaceLayout::BlockLinear { .. } | SurfaceLayout::BlockSlice { .. } => stretches.gobs(),
        }
        stretches.push(0..0);
        Ok(())
    }
}

/// What is stored, repeated, and which of its bits.
struct Pattern {
    value: [u8; STEP],
    mask: [u8; STEP],
    /// Whether these are all.
    whole: bool,
}

impl Pattern {
    /// Stores `length` bytes.
    ///
    /// # Safety
    /// `target` must be valid for reads and writes of `length` bytes.
    unsafe fn store(&self, target: *mut u8, length: usize) {
        #[cfg(target_arch = "x86_64")]
        if self.whole && std::arch::is_x86_feature_detected!("avx") {
            // SAFETY: the caller's promise, and that the processor has what the function is compiled for.
            return unsafe { self.store_wide(target, length) };
        }
        // SAFETY: the caller's promise.
        unsafe { self.store_steps(target, length) }
    }

    /// The same with vectors of 256 bits.
    ///
    /// # Safety
    /// As for [`Self::store`]; the processor must have AVX.
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx")]
    unsafe fn store_wide(&self, target: *mut u8, length: usize) {
        // SAFETY: the caller's promise.
        unsafe { self.store_steps(target, length) }
    }

    /// The same with what vectors there are where this is compiled.
    ///
    /// # Safety
    /// As for [`Self::store`].
    #[inline(always)]
    unsafe fn store_steps(&self, target: *mut u8, length: usize) {
        for done in (0..length).step_by(STEP) {
            let size = STEP.min(length - done);
            // SAFETY: `size` of the `length` bytes at `target`; the arrays are no guest memory and have `STEP` bytes.
            unsafe {
                let target = target.add(done);
                match (self.whole, size) {
                    (true, STEP) => target.copy_from_nonoverlapping(self.value.as_ptr(), STEP),
                    (true, _) => target.copy_from_nonoverlapping(self.value.as_ptr(), size),
                    (false, STEP) => {
                        let stored = self.over(target.cast::<[u8; STEP]>().read());
                        target.cast::<[u8; STEP]>().write(stored);
                    }
                    (false, _) => {
                        let mut stored = [0; STEP];
                        stored.as_mut_ptr().copy_from_nonoverlapping(target, size);
                        target.copy_from_nonoverlapping(self.over(stored).as_ptr(), size);
                    }
                }
            }
        }
    }

    /// Stored bytes with the pattern's over them.
    fn over(&self, mut stored: [u8; STEP]) -> [u8; STEP] {
        for (stored, (value, mask)) in stored.iter_mut().zip(self.value.iter().zip(&self.mask)) {
            *stored = *stored & !mask | value & mask;
        }
        stored
    }
}

/// Finds the stretches of a rectangle. The bytes of each begin with a unit.
struct Stretches<'j, F> {
    job: &'j FillRect<'j>,
    /// Bytes of a unit.
    bytes: u32,
    /// Stretches so far that lie next to each other.
    joined: std::ops::Range<u64>,
    /// Fills a stretch: its offset and length.
    fill: F,
}

impl<F: FnMut(u64, u64)> Stretches<'_, F> {
    fn push(&mut self, stretch: std::ops::Range<u64>) {
        if stretch.start == self.joined.end {
            self.joined.end = stretch.end;
            return;
        }
        if !self.joined.is_empty() {
            (self.fill)(self.joined.start, self.joined.end - self.joined.start);
        }
        self.joined = stretch;
    }

    /// Rows of an image in rows.
    fn rows(&mut self) {
        let row = u64::from(self.job.width) * u64::from(self.bytes);
        for y in self.job.rows.clone() {
            let start = self.job.to.offset(0, y, self.bytes);
            self.push(start..start + row);
        }
    }

    /// Whole GOBs, and 16 bytes or less of a row of those that are cut.
    fn gobs(&mut self) {
        let to = self.job.to;
        let (left, right) = (to.x * self.bytes, (to.x + self.job.width) * self.bytes);
        let (top, bottom) = (to.y + self.job.rows.start, to.y + self.job.rows.end);
        let at = |x: u32, y: u32| to.layout.offset(x, y, 1, to.pitch);
        let block = match to.layout {
            SurfaceLayout::BlockLinear { log2_gobs } | SurfaceLayout::BlockSlice { log2_gobs, .. } => 8u32 << log2_gobs,
            _ => 8,
        };
        // From top to bottom: the GOBs of a block lie next to each other in memory.
        let mut x = left;
        while x < right {
            let end_x = right.min((x & !63) + 64);
            let mut y = top;
            while y < bottom {
                let mut end_y = bottom.min((y & !7) + 8);
                if (end_x - x, end_y - y) == (64, 8) {
                    let start = at(x, y);
                    end_y = bottom.min((y / block + 1) * block) & !7;
                    self.push(start..start + 64 * u64::from(end_y - y));
                } else {
                    for row in y..end_y {
                        let mut x = x;
                        while x < end_x {
                            let (start, end) = (at(x, row), end_x.min((x & !15) + 16));
                            self.push(start..start + u64::from(end - x));
                            x = end;
                        }
                    }
                }
                y = end_y;
            }
            x = end_x;
        }
    }

    /// Squares of a swizzled image whose sides are powers of two: one stretch each.
    fn swizzled(&mut self, log2: [u8; 2]) {
        let [width, height] = log2.map(u32::from);
        let edge = width.min(height);
        for y in (0..1 << height).step_by(1 << edge) {
            for x in (0..1 << width).step_by(1 << edge) {
                self.square([x, y], edge, [width, height]);
            }
        }
    }

    fn square(&mut self, [x, y]: [u32; 2], edge: u32, log2: [u32; 2]) {
        let (to, rows) = (self.job.to, &self.job.rows);
        let (left, right) = (to.x, to.x + self.job.width);
        let (top, bottom) = (to.y + rows.start, to.y + rows.end);
        let (end_x, end_y) = (x + (1 << edge), y + (1 << edge));
        if x >= right || end_x <= left || y >= bottom || end_y <= top {
            return;
        }
        if left <= x && end_x <= right && top <= y && end_y <= bottom {
            let start = u64::from(swizzle(x, y, log2[0], log2[1])) * u64::from(self.bytes);
            return self.push(start..start + (u64::from(self.bytes) << (2 * edge)));
        }
        let half = 1 << (edge - 1);
        for [right, down] in [[0, 0], [half, 0], [0, half], [half, half]] {
            self.square([x + right, y + down], edge - 1, log2);
        }
    }
}
