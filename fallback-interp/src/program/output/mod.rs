//! Output of fragments after their program: tests, blending, storing, sample by sample.
//!
//! ```text
//! depth    formats, bounds, stencil and depth test
//! blend    factors, equations, logic operations; blend_program their place taken by a program
//! channel  channels of a pixel: values to bits and back
//! ```

mod blend;
mod blend_program;
pub(crate) mod channel;
mod depth;

use triglyph_guest::kernel::program::fragment::{FragmentJob, FragmentKey, Samples};
use triglyph_guest::kernel::program::output::{
    Channel, ColorFormat, ColorKey, Compare, DITHER, Limit, OutputConstants, OutputKey, Surface, TARGETS,
};
use triglyph_guest::layout::SurfaceLayout;
use triglyph_guest::num::ops::{Scalar, linear_to_srgb};

use super::{Vector, limit};
use crate::operations::{self, compare};

/// Colour outputs that a program can have.
pub const OUTPUTS: usize = 8;

/// The colour outputs of a fragment's program, (0, 0, 0, 0) where it has none.
pub type Colors = [Vector; OUTPUTS];

/// A fragment, but for what its program makes of it.
#[derive(Clone, Copy, Debug)]
pub struct Fragment {
    /// The pixel.
    pub at: [u32; 2],
    /// Whether the primitive shows its back.
    pub back: bool,
    /// Bit k: sample k is covered.
    pub covered: u32,
    /// The factor of alpha.
    pub share: f32,
}

/// Where fragments end.
#[derive(Clone, Copy, Debug)]
pub struct Output<'a> {
    /// Their output.
    pub key: &'a OutputKey,
    /// Samples of a pixel.
    pub samples: Samples,
    /// Values of tests and blending.
    pub constants: &'a OutputConstants,
    /// Colour targets.
    pub colors: &'a [Surface<'a>; TARGETS],
    /// Depth target.
    pub depth: Surface<'a>,
}

impl<'a> Output<'a> {
    /// Of a job of the kernel of `key`.
    pub fn new(key: &'a FragmentKey, job: &'a FragmentJob<'a>) -> Self {
        Output {
            key: &key.output,
            samples: key.samples,
            constants: &job.constants.output,
            colors: job.colors,
            depth: job.depth,
        }
    }

    /// Writes the samples of a fragment that pass the tests, and gives their number. `depth` is the depth of a sample.
    /// `colors` is asked once, and only if a sample passes where that is all that matters.
    pub fn write(&self, fragment: Fragment, depth: impl Fn(usize) -> f32, mut colors: impl FnMut() -> Colors) -> u64 {
        let (mut covered, mut finished) = (fragment.covered, None);
        if !self.asks_alpha_last() {
            let colors = self.limited(colors(), fragment);
            let alpha = colors[0][3];
            if !self.passes_alpha_test(alpha) {
                return 0;
            }
            covered &= self.alpha_coverage(alpha, fragment.at);
            finished = Some(self.finished(colors));
        }
        if self.key.coverage_color.is_some() {
            // All samples are tested before one is written.
            let passed = self.test(Fragment { covered, ..fragment }, depth);
            if passed != 0 {
                let finished = finished.unwrap_or_else(|| self.finished(self.limited(colors(), fragment)));
                self.store_all(&finished, fragment.at, passed);
            }
            return passed.count_ones().into();
        }
        let mut passed = 0;
        for sample in (0..self.samples.count()).filter(|sample| covered >> sample & 1 != 0) {
            let at = self.sample_at(fragment.at, sample);
            if depth::test(self, at, depth(sample), fragment.back) {
                passed += 1;
                let finished = finished.get_or_insert_with(|| self.finished(self.limited(colors(), fragment)));
                self.store(finished, at, sample, 0);
            }
        }
        passed
    }

    /// Stores the colours of samples.
    fn store_all(&self, colors: &Colors, at: [u32; 2], samples: u32) {
        for sample in (0..self.samples.count()).filter(|sample| samples >> sample & 1 != 0) {
            self.store(colors, self.sample_at(at, sample), sample, samples);
        }
    }

    /// Depth and stencil of the covered samples, before the program: those that pass.
    pub fn test(&self, fragment: Fragment, depth: impl Fn(usize) -> f32) -> u32 {
        let covered = (0..self.samples.count()).filter(|sample| fragment.covered >> sample & 1 != 0);
        let passed = covered
            .filter(|&sample| depth::test(self, self.sample_at(fragment.at, sample), depth(sample), fragment.back));
        passed.fold(0, |passed, sample| passed | 1 << sample)
    }

    /// Stores the colours of samples that have been tested before the program.
    pub fn color(&self, fragment: Fragment, colors: Colors) {
        let colors = self.limited(colors, fragment);
        let alpha = colors[0][3];
        if !self.passes_alpha_test(alpha) {
            return;
        }
        let covered = fragment.covered & self.alpha_coverage(alpha, fragment.at);
        self.store_all(&self.finished(colors), fragment.at, covered);
    }

    /// Whether alpha decides nothing, so that depth and stencil may be asked before the program has run.
    pub fn asks_alpha_last(&self) -> bool {
        self.key.alpha_test == Compare::Always && !self.key.alpha_to_coverage
    }

    fn passes_alpha_test(&self, alpha: f32) -> bool {
        let alpha = if self.key.alpha_bytes { channel::cut_unorm(alpha, 255) as f32 } else { alpha };
        compare(self.key.alpha_test, alpha, self.constants.alpha_reference)
    }

    /// Samples of a pixel that alpha to coverage keeps.
    fn alpha_coverage(&self, alpha: f32, [x, y]: [u32; 2]) -> u32 {
        let count = self.samples.count();
        if !self.key.alpha_to_coverage || count == 1 {
            return u32::MAX;
        }
        let more = if self.key.coverage_dither { DITHER[(x % 2 + y % 2 * 2) as usize] } else { 0.5 };
        let kept = (limit(alpha, 0.0, 1.0) * count as f32 + more).floor() as u32;
        (1 << kept) - 1
    }

    /// Colour outputs of a fragment within their limits, with its share as part of alpha.
    fn limited(&self, mut colors: Colors, fragment: Fragment) -> Colors {
        for (color, range) in colors.iter_mut().zip(self.key.limits) {
            let low = match range {
                Limit::None => continue,
                Limit::Unit => 0.0,
                Limit::Signed => -1.0,
            };
            *color = color.map(|v| limit(v, low, 1.0));
        }
        if self.key.share.is_some() {
            colors.iter_mut().for_each(|color| color[3] *= fragment.share);
        }
        colors
    }

    /// The data that all samples have in common after the alpha test.
    fn finished(&self, mut colors: Colors) -> Colors {
        for color in &mut colors {
            if self.key.alpha_to_one {
                color[3] = 1.0;
            }
            if self.key.encode_srgb {
                for value in &mut color[..3] {
                    *value = linear_to_srgb(&mut Scalar, limit(*value, 0.0, 1.0));
                }
            }
        }
        colors
    }

    /// The surface pixel of a sample.
    fn sample_at(&self, [x, y]: [u32; 2], sample: usize) -> [u32; 2] {
        let (across, down) = (u32::from(self.samples.across), u32::from(self.samples.down));
        let sample = sample as u32;
        [x * across + sample % across, y * down + sample / across]
    }

    /// Stores a sample of a fragment of which colours are stored for the samples `written`.
    fn store(&self, colors: &Colors, at: [u32; 2], sample: usize, written: u32) {
        if self.key.color_samples >> sample & 1 == 0 {
            return;
        }
        for (i, (target, surface)) in self.key.colors.iter().zip(self.colors).enumerate() {
            if let Some(target) = target {
                let color = colors.get(usize::from(target.source)).copied().unwrap_or_default();
                let coverage = self.key.coverage_color.filter(|coverage| usize::from(coverage.target) == i);
                let coverage = coverage.map(|coverage| {
                    let samples = (0..self.samples.count()).filter(|sample| written >> sample & 1 != 0);
                    samples.fold(0, |set, sample| set | 1u32.wrapping_shl(coverage.bits[sample].into()))
                });
                self.store_color(target, surface, [color, colors[1]], at, coverage);
            }
        }
    }

    fn store_color(
        &self,
        target: &ColorKey,
        surface: &Surface<'_>,
        [color, second]: [Vector; 2],
        at: [u32; 2],
        coverage: Option<u32>,
    ) {
        let format = &target.format;
        let Some(pixel) = Pixel::new(surface, target.layout, format.bytes.into(), at) else { return };
        if target.mask & 15 == 0 {
            return;
        }
        let stored = pixel.read(format.swap);
        let mut written = stored;
        let blend = target.blend.filter(|_| self.key.logic.is_none() && !has_integers(format));
        let color = match blend {
            Some(key) => blend::blend(&key, self.key, format, [color, second], stored, self.constants.blend)
                .map(|value| if value.is_nan() { f32::from_bits(0x7FC0_0000) } else { value }),
            None => color,
        };
        let logic = self.key.logic.filter(|_| is_unorm(format));
        for (i, &channel) in format.channels.iter().enumerate() {
            let masked = target.mask >> i & 1 == 0;
            let Some(bits) = channel::bits(channel) else { continue };
            let old = channel::extract(stored, bits);
            let new = match channel {
                Channel::Zeros(_) => 0,
                Channel::Ones(_) => u32::MAX,
                _ if masked => old,
                Channel::Uint(_) | Channel::Sint(_) if i == 0 && coverage.is_some() => coverage.unwrap_or(0),
                _ => match logic {
                    Some(operation) => operations::logic(operation, channel::encode(channel, color[i]), old),
                    None => channel::encode(channel, color[i]),
                },
            };
            written = channel::insert(written, bits, new);
        }
        pixel.write(format.swap, written);
    }
}

/// Whether the stored channels, fixed ones aside, are all unorm or sRGB.
fn is_unorm(format: &ColorFormat) -> bool {
    use Channel::{Absent, Float, FloatCut, Ones, Sint, Snorm, Srgb, Uint, Unorm, UnormHalfUp, UnormRsx, Zeros};
    format.channels.iter().all(|channel| match channel {
        Absent | Zeros(_) | Ones(_) | Unorm(_) | UnormHalfUp(_) | UnormRsx(_) | Srgb(_) => true,
        Snorm(_) | Uint(_) | Sint(_) | Float(_) | FloatCut(_) => false,
    })
}

/// Whether a channel is snorm.
fn is_snorm(format: &ColorFormat) -> bool {
    format.channels.iter().any(|channel| matches!(channel, Channel::Snorm(_)))
}

fn has_integers(format: &ColorFormat) -> bool {
    format.channels.iter().any(|channel| matches!(channel, Channel::Uint(_) | Channel::Sint(_)))
}

/// A pixel of a surface that lies in memory whole.
struct Pixel<'m> {
    surface: Surface<'m>,
    offset: usize,
    bytes: usize,
}

impl<'m> Pixel<'m> {
    fn new(surface: &Surface<'m>, layout: SurfaceLayout, bytes: u32, [x, y]: [u32; 2]) -> Option<Self> {
        let offset = usize::try_from(layout.offset(x, y, bytes, surface.pitch)).ok()?;
        let bytes = bytes as usize;
        let inside = offset.checked_add(bytes)? <= surface.window.len();
        inside.then_some(Pixel { surface: *surface, offset, bytes })
    }

    /// The stored value, units of `swap` bytes reversed.
    fn read(&self, swap: u8) -> u128 {
        let mut bytes: [u8; 16] = self.surface.window.read(self.offset);
        bytes[self.bytes..].fill(0);
        reverse_units(&mut bytes[..self.bytes], swap);
        u128::from_le_bytes(bytes)
    }

    fn write(&self, swap: u8, value: u128) {
        let mut bytes = value.to_le_bytes();
        reverse_units(&mut bytes[..self.bytes], swap);
        self.surface.window.write(self.offset, &bytes[..self.bytes]);
    }
}

fn reverse_units(bytes: &mut [u8], unit: u8) {
    for unit in bytes.chunks_mut(usize::from(unit.max(1))) {
        unit.reverse();
    }
}
