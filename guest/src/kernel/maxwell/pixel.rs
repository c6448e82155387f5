//! Pixel programs: their part of a fragment key.
//!
//! A quad is shaded as [`crate::kernel::program::fragment`] says: all four pixels execute, those without coverage as
//! helpers. With [`PixelCode::per_sample`] it is shaded once for each sample that one of its pixels has covered, in
//! order, with positions and inputs at the sample's place; else once, at the pixel's centre.
//!
//! **IPA** reads [`PixelCode::inputs`]; a word that is not there reads 0. With [`PixelMode::Constant`], or in IPA's
//! mode CONSTANT, the result is the bits of the plane's first number. Else it is the plane's value at the pixel, which
//! for PASS is the result and for MUL and SC times Rb is (rounded, denormals flushed); a NaN is 0x7FFFFFFF. OFFSET is
//! another place. CENTROID is the first covered sample's place where some of the pixel's samples are covered but not
//! all; with [`PixelCode::per_sample`] the sample's, which is how Mesa's driver asks for it. Words of the window
//! position: 0x070, 0x074 the pixel's whole coordinates plus 0.5 or the sample's place, 0x078 the depth plane,
//! unclamped, 0x07C the plane of 1/w. 0x3FC is all ones on the front, 0 on the back. OFFSET is relative to the pixel's
//! centre: x in bits 11:0, y in bits 27:16, signed, in units of 1/4096 pixel (Mesa's tables of sample positions have
//! other numbers in the bits above). At a place off the centre a plane is `(c + dx*(fx + x)) + dy*(fy + y)`, a position
//! `(x + 0.5) + offset`. Saturation is that of an f32, whatever the word. PIXLD: COUNT the samples of a pixel, COVMASK
//! the covered samples of the lane's pixel (before the program), OFFSET the place of a sample in IPA's units, rounded
//! to nearest, MY_INDEX the sample (0 if not per sample), others 0. [`PixelCode::sample_numbers`] says which numbers
//! samples have here and in the sample mask.
//!
//! **KIL**, where guard and test hold, makes a lane a helper. When all lanes of the quad are helpers the program ends
//! for all of them.
//!
//! **Results** are taken from the registers when the lane ends: from R0 on, four registers for each target of
//! [`PixelCode::targets`] that has any bit, component c in register c of the four; a component without its bit is 0
//! (alpha too). Then the sample mask, if [`PixelCode::sample_mask`]; the depth is always in the register after that of
//! the sample mask. Output i of a target with no bits does not exist. Killed lanes store nothing and are not counted;
//! what they would have given is discarded before all tests.
//!
//! With [`PixelCode::early_tests`] depth bounds, stencil and depth tests, their stores and the count happen before the
//! program, with the interpolated depth, for the covered samples; only samples that pass go on (a quad none of whose
//! samples pass is not shaded), and kills, alpha test, sample mask and program's depth concern the colours alone.

use borsh::{BorshDeserialize, BorshSerialize};
use std::sync::Arc;

use super::Code;
use crate::kernel::program::environment::ImageKey;
use crate::kernel::program::fragment::MAX_SAMPLES;
use crate::kernel::program::sampler::TextureKey;

/// A pixel program and the state that its code depends on.
#[derive(Clone, Debug, PartialEq, Eq, Hash, BorshSerialize, BorshDeserialize)]
pub struct PixelCode {
    /// The program.
    pub code: Arc<Code>,
    /// Textures.
    pub textures: Vec<Option<TextureKey>>,
    /// Images.
    pub images: Vec<Option<ImageKey>>,
    /// The words that IPA reads, ascending, except those of position and facing.
    pub inputs: Vec<PixelInput>,
    /// Components r, g, b, a of colour output i in bits 4i to 4i+3.
    pub targets: u32,
    /// Whether the program gives a sample mask, ANDed into the coverage.
    pub sample_mask: bool,
    /// Whether the program gives the depth.
    pub depth: bool,
    /// Whether KIL has any effect.
    pub kills: bool,
    /// Whether every sample is shaded by itself.
    pub per_sample: bool,
    /// See above.
    pub early_tests: bool,
    /// The number that the program has for the sample at each place of a pixel's cell: each number once.
    pub sample_numbers: [u8; MAX_SAMPLES],
}

/// Samples that are numbered by their places.
pub const SAMPLES_BY_PLACE: [u8; MAX_SAMPLES] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15];

/// An input word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, BorshSerialize, BorshDeserialize)]
pub struct PixelInput {
    /// Attribute word, byte address / 4.
    pub word: u8,
    /// Its plane, counted from [`Primitive::first_plane`](crate::kernel::program::fragment::Primitive::first_plane).
    pub plane: u16,
    /// How it is interpolated.
    pub mode: PixelMode,
}

/// How an input is interpolated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, BorshSerialize, BorshDeserialize)]
pub enum PixelMode {
    /// Not: the bits of the plane's first number.
    Constant,
    /// The plane holds value/w.
    Perspective,
    /// The plane holds the value.
    Linear,
}
