//! Maxwell programs as pixel programs of one block, whose colours are stored as f32.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use crate::fragment::pixel_code;
use triglyph_guest::kernel::Tier;
use triglyph_guest::kernel::maxwell::{Code, PixelCode, PixelInput, PixelMode};
use triglyph_guest::kernel::pixel::PixelBlock;
use triglyph_guest::kernel::program::environment::Environment;
use triglyph_guest::kernel::program::fragment::*;
use triglyph_guest::kernel::program::output::*;
use triglyph_guest::kernel::program::sampler::{Texture, TextureKey};
use triglyph_guest::kernel::{Unsupported, Window, window};
use triglyph_guest::layout::SurfaceLayout;
use triglyph_guest::tegra::shader::assemble_program;

/// Bytes of a row of the target.
const PITCH: u32 = 8 * 16;

/// A pixel program and what is around it.
pub struct Pixels {
    pub code: PixelCode,
    pub planes: Vec<Plane>,
    pub inv_w: Plane,
    pub depth: Plane,
    pub coverage: u64,
    /// How often the block is drawn.
    pub blocks: usize,
    /// Units of fuel in reserve.
    pub reserve: u32,
    pub textures: Vec<(TextureKey, Vec<u32>, Texture<'static>)>,
}

/// Its result.
#[derive(Debug, PartialEq)]
pub struct Colors {
    /// Bits of r, g, b, a of pixels (x, y) at `8 * y + x`; untouched ones are all ones.
    pub pixels: Vec<[u32; 4]>,
    pub passed: u64,
    pub exhausted: u32,
    /// Instructions of quads beyond four times the words of the code.
    pub excess: u64,
    /// Units of fuel that are left in reserve.
    pub reserve: u32,
}

impl Pixels {
    /// A program with one colour output and perspective inputs from generic attribute 0 on.
    pub fn new(text: &str, planes: Vec<Plane>) -> Pixels {
        let words = assemble_program(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let inputs = (0..planes.len())
            .map(|n| PixelInput { word: 0x20 + n as u8, plane: n as u16, mode: PixelMode::Perspective })
            .collect();
        let code = pixel_code(Code { words, ..Code::default() }, inputs);
        let one = [1.0, 0.0, 0.0];
        let depth = [0.5, 0.0, 0.0];
        Pixels { code, planes, inv_w: one, depth, coverage: !0, blocks: 1, reserve: 0, textures: Vec::new() }
    }

    pub fn run(&self, tier: &dyn Tier) -> Result<Colors, Unsupported> {
        let mut code = self.code.clone();
        code.textures = self.textures.iter().map(|(key, ..)| Some(*key)).collect();
        let channel = |n: u8| Channel::Float(Bits { shift: 32 * n, bits: 32 });
        let format = ColorFormat { bytes: 16, swap: 1, channels: [0, 1, 2, 3].map(channel) };
        let color = ColorKey { format, layout: SurfaceLayout::Pitch, source: 0, mask: 15, blend: None };
        let mut colors = [None; TARGETS];
        colors[0] = Some(color);
        let key = FragmentKey {
            code: FragmentCode::Maxwell(Arc::new(code)),
            textures: [None; UNITS],
            output: OutputKey::storing(colors),
            samples: Samples::ONE,
        };
        let kernel = tier.fragment(&key)?;
        let memory = window::buffer(&[0xFF; 8 * PITCH as usize]);
        let mut surfaces = [Surface::default(); TARGETS];
        surfaces[0] = Surface { window: Window::new(&memory), pitch: PITCH };
        let (exhausted, reserve) = (AtomicU32::new(0), AtomicU32::new(self.reserve));
        let excess = AtomicU64::new(0);
        let mut textures: Vec<Texture<'_>> = Vec::new();
        for (_, texels, texture) in &self.textures {
            textures.push(Texture { texels, ..*texture });
        }
        let environment = Environment {
            textures: &textures,
            clock: super::CLOCK,
            exhausted: &exhausted,
            excess: &excess,
            reserve: &reserve,
            ..Environment::NONE
        };
        let (depth, inv_w) = (self.depth, self.inv_w);
        let primitive = Primitive { depth, inv_w, ..Primitive::default() };
        let job = FragmentJob {
            survivors: &[],
            colors: &surfaces,
            depth: Surface::default(),
            constants: &FragmentConstants {
                output: OutputConstants { depth_range: [0.0, 1.0], ..OutputConstants::default() },
                ..FragmentConstants::default()
            },
            program_constants: &[],
            textures: &[Texture::default(); UNITS],
            environment,
            primitives: &[primitive],
            planes: &self.planes,
            blocks: &vec![PixelBlock { primitive: 0, x: 0, row: 0, coverage: self.coverage }; self.blocks],
        };
        let passed = kernel.shade(&job)?;
        let bytes: Vec<u8> = memory.iter().map(|byte| byte.load(Ordering::Relaxed)).collect();
        let pixel = |pixel: &[[u8; 4]; 4]| pixel.map(u32::from_le_bytes);
        let pixels = bytes.as_chunks().0.as_chunks().0.iter().map(pixel).collect();
        let [exhausted, reserve] = [exhausted, reserve].map(AtomicU32::into_inner);
        Ok(Colors { pixels, passed, exhausted, excess: excess.into_inner(), reserve })
    }
}
