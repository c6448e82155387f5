//! Tests and shading of fragments as kernels of their own.
//!
//! Where the tests of a fragment do not depend on the result of its shading, they may come earlier than the shading of
//! fragments before it: first the tests of many primitives, in order, then the shading of what is visible in the end.
//! The kernel of the tests stores depth and stencil and tells which pixels pass ([`Survivors`]); that of the shading
//! has no tests. Together they store what the kernel of the whole key stores.

use std::sync::Arc;

pub use super::block::Survivors;
use super::combine::{Combiners, Stage};
use super::operations::{Compare, LogicOp};
use super::pixel::{BlendEquation, BlendFactor, BlendKey, Output, PixelKey, TextureKey};
use super::program::fragment::{FragmentCode, FragmentKey, RsxFragmentCode, Samples, UNITS};
use super::program::output::{ColorKey, OutputKey, TARGETS};
use crate::format::PixelFormat;
use crate::rsx::fragment::Program;

/// A key whose tests can be done apart from its shading.
#[derive(Clone, Debug, PartialEq)]
pub struct Divided<K> {
    /// Tells [`Survivors`]; `None` where all fragments are.
    pub tests: Option<K>,
    /// Shades survivors; `None` where no colour is written.
    pub shading: Option<K>,
    /// Whether shading may still discard a fragment, so that not all survivors of the tests pass.
    pub discards: bool,
    /// Colour targets that it writes, bit i = target i.
    pub written: u8,
    /// Those of them of which a fragment replaces all that it writes, whatever was there. A fragment without tests may
    /// be left out if later ones replace what it writes.
    pub replaced: u8,
}

impl PixelKey {
    /// The key in parts, if it can be divided.
    pub fn divide(&self) -> Option<Divided<PixelKey>> {
        let discards = self.alpha_test != Compare::Always;
        let stores = self.depth_format.is_some() && (self.depth_write || self.stencil.is_some());
        if self.shadow.is_some() || self.density.is_some() || discards && stores {
            return None;
        }
        let tested = self.depth_format.is_some() && (self.depth_test != Compare::Always || stores);
        let writes = self.color_format.is_some() && self.color_mask & 15 != 0;
        let replaces = writes && !discards && self.replaces();
        Some(Divided {
            tests: tested.then(|| self.tests_alone()),
            shading: writes.then(|| self.without_tests()),
            discards,
            written: writes.into(),
            replaced: replaces.into(),
        })
    }

    /// Whether what is stored does not depend on what was there.
    fn replaces(&self) -> bool {
        let all = if self.color_format.is_some_and(PixelFormat::has_alpha) { 15 } else { 7 };
        let output = match self.output {
            Output::Logic(op) => matches!(op, LogicOp::Clear | LogicOp::Copy | LogicOp::Set | LogicOp::CopyInverted),
            Output::Blend(BlendKey { color, alpha, color_destination, alpha_destination, .. }) => {
                let terms = [(color, color_destination), (alpha, alpha_destination)];
                terms.iter().all(|term| matches!(term, (BlendEquation::Add, BlendFactor::Zero)))
                    && !self.factors_read_destination()
            }
        };
        output && self.color_mask & all == all
    }

    fn factors_read_destination(&self) -> bool {
        use BlendFactor::{
            DestinationAlpha, DestinationColor, InverseDestinationAlpha, InverseDestinationColor, SourceAlphaSaturate,
        };
        let Output::Blend(blend) = self.output else { return false };
        let reads = |factor| {
            matches!(
                factor,
                DestinationColor
                    | InverseDestinationColor
                    | DestinationAlpha
                    | InverseDestinationAlpha
                    | SourceAlphaSaturate
            )
        };
        reads(blend.color_source) || reads(blend.alpha_source)
    }

    fn tests_alone(&self) -> PixelKey {
        PixelKey {
            slots: 0,
            color_slots: [0; 4],
            w_buffer: self.w_buffer,
            textures: [TextureKey::DISABLED; 3],
            combiners: Combiners { stages: [Stage::PASS; 6] },
            fog: None,
            alpha_test: Compare::Always,
            stencil: self.stencil,
            depth_test: self.depth_test,
            depth_write: self.depth_write,
            depth_format: self.depth_format,
            output: Output::Logic(LogicOp::Copy),
            color_format: None,
            color_mask: 0,
            block: self.block,
            lighting: None,
            procedural: None,
            shadow: None,
            density: None,
            tells_survivors: true,
        }
    }

    fn without_tests(&self) -> PixelKey {
        PixelKey {
            stencil: None,
            depth_test: Compare::Always,
            depth_write: false,
            depth_format: None,
            tells_survivors: false,
            ..self.clone()
        }
    }
}

impl OutputKey {
    fn without_tests(&self) -> OutputKey {
        OutputKey { depth: None, tells_survivors: false, ..self.clone() }
    }
}

impl FragmentKey {
    /// The key in parts, if it can be divided. Effects of its program other than colours are not checked.
    pub fn divide(&self) -> Option<Divided<FragmentKey>> {
        let output = &self.output;
        let depth = output.depth.filter(|depth| depth.test.is_some() || depth.bounds || depth.stencil.is_some());
        let stores = depth.is_some_and(|depth| depth.write || depth.stencil.is_some());
        let program = self.program_effects();
        let discards = program.discards || output.alpha_test != Compare::Always || output.alpha_to_coverage;
        let divides = self.samples == Samples::ONE
            && output.coverage_color.is_none()
            && !(depth.is_some() && program.writes_depth)
            && !(discards && stores);
        if !divides {
            return None;
        }
        let targets = |which: &dyn Fn(&ColorKey) -> bool| {
            let has = |i: &usize| output.colors[*i].as_ref().is_some_and(which);
            (0..TARGETS).filter(has).fold(0, |bits, i| bits | 1 << i)
        };
        let stored = output.color_samples & 1 != 0;
        let written = targets(&|color| stored && color.mask & 15 != 0);
        let replaces = !discards && output.logic.is_none();
        let replaced = targets(&|color| stored && replaces && color.mask & 15 == 15 && color.blend.is_none());
        let nothing = OutputKey::storing([None; TARGETS]);
        let OutputKey { depth_at_center, depth_offset, .. } = *output;
        let tests = OutputKey { depth, depth_at_center, depth_offset, tells_survivors: true, ..nothing };
        Some(Divided {
            tests: depth.is_some().then(|| FragmentKey {
                code: no_program(),
                textures: [None; UNITS],
                output: tests,
                samples: self.samples,
            }),
            shading: (written != 0).then(|| FragmentKey { output: self.output.without_tests(), ..self.clone() }),
            discards,
            written,
            replaced,
        })
    }

    fn program_effects(&self) -> ProgramEffects {
        match &self.code {
            FragmentCode::Rsx(code) => {
                let summary = Program::decode(&code.code, |_, _| ()).summary;
                let kills = |(unit, texture): (usize, &Option<super::program::sampler::TextureKey>)| {
                    summary.textures >> unit & 1 != 0 && texture.is_some_and(|texture| texture.alpha_kill)
                };
                ProgramEffects {
                    discards: summary.kills || self.textures.iter().enumerate().any(kills),
                    writes_depth: code.export_depth,
                }
            }
            FragmentCode::Maxwell(code) => {
                ProgramEffects { discards: code.kills || code.sample_mask, writes_depth: code.depth }
            }
        }
    }
}

/// The decisions of a program about its fragment.
struct ProgramEffects {
    discards: bool,
    writes_depth: bool,
}

/// A program that does nothing.
fn no_program() -> FragmentCode {
    FragmentCode::Rsx(Arc::new(RsxFragmentCode {
        code: Vec::new(),
        inputs: Default::default(),
        export_float: true,
        export_depth: false,
        accuracy: Default::default(),
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn survivors_are_coverage() {
        let survivors = Survivors::default();
        assert_eq!(survivors.coverage(), 0);
        survivors.add(0x8000_0000_1234_0001);
        survivors.add(0x0000_00F0_0000_0002);
        assert_eq!(survivors.coverage(), 0x8000_00F0_1234_0003);
    }
}
