//! A small scene for fragment kernels: one 8x8 block, its surfaces, textures and a program.

use std::sync::Arc;
use std::sync::atomic::AtomicU8;

use triglyph_guest::kernel::Tier;
use triglyph_guest::kernel::maxwell::{Code, PixelCode, PixelInput, SAMPLES_BY_PLACE};
use triglyph_guest::kernel::program::environment::Environment;
use triglyph_guest::kernel::program::fragment::{
    FragmentCode, FragmentConstants, FragmentInput, FragmentJob, FragmentKey, Interpolation, PixelBlock, Plane,
    Primitive, RsxFragmentCode, Samples, UNITS,
};
use triglyph_guest::kernel::program::output::{
    Bits, Channel, ColorFormat, ColorKey, Compare, DepthFormat, DepthKey, OutputKey, Surface, TARGETS,
};
use triglyph_guest::kernel::program::sampler::{
    Convert, Filter, Reduction, Rounding, Shape, Source, Texels, Texture, TextureKey, Wrap,
};
use triglyph_guest::kernel::{Accuracy, Window, window};
use triglyph_guest::layout::{SurfaceLayout, morton};
use triglyph_guest::rsx::fragment::{Compute, Input, Instruction, Op, Register, Source as Operand, Temp};
use triglyph_guest::rsx::operand::Mask;
use triglyph_interp::Interpreter;

/// Four f32, the bits of all four channels.
pub const RGBA32F: ColorFormat = ColorFormat {
    bytes: 16,
    swap: 1,
    channels: [
        Channel::Float(Bits { shift: 0, bits: 32 }),
        Channel::Float(Bits { shift: 32, bits: 32 }),
        Channel::Float(Bits { shift: 64, bits: 32 }),
        Channel::Float(Bits { shift: 96, bits: 32 }),
    ],
};

/// A two-dimensional texture of four floats that repeats, each texel read as it is.
pub const NEAREST: TextureKey = TextureKey {
    shape: Shape::D2,
    texels: Texels::Float4,
    unnormalized: false,
    wrap: [Wrap::Repeat; 3],
    magnify: Filter::Nearest,
    minify: Filter::Nearest,
    mipmap: None,
    compare: None,
    swizzle: [Source::Red, Source::Green, Source::Blue, Source::Alpha],
    convert: [Convert::None; 4],
    expanded: [Convert::None; 4],
    seamless: false,
    clamp_reference: false,
    alpha_kill: false,
    reduction: Reduction::Average,
    anisotropy: 1,
    rounding: Rounding::None,
    accuracy: Accuracy::Exact,
    power_of_two: false,
};

/// Width and height of the scene's surfaces in surface pixels.
pub const SIZE: usize = 32;

/// Planes whose values are those at the centre of the origin, as a kernel of `code` takes them.
pub fn planes_from_centres(code: &FragmentCode, planes: &[Plane]) -> Vec<Plane> {
    let corner = code.planes_from_corners();
    let moved =
        |&[c, dx, dy]: &Plane| if corner && [dx, dy] != [0.0; 2] { [c - 0.5 * (dx + dy), dx, dy] } else { [c, dx, dy] };
    planes.iter().map(moved).collect()
}

/// A kernel's key and what it works on.
pub struct Scene {
    pub key: FragmentKey,
    pub constants: FragmentConstants,
    pub program_constants: Vec<[f32; 4]>,
    pub textures: Vec<(usize, Texture<'static>)>,
    pub primitive: Primitive,
    /// With values at the centre of the origin.
    pub planes: Vec<Plane>,
    pub blocks: Vec<PixelBlock>,
    pub color: Vec<AtomicU8>,
    pub depth: Vec<AtomicU8>,
}

/// A Maxwell pixel program that writes all of target 0 and may kill pixels.
pub fn pixel_code(code: impl Into<Arc<Code>>, inputs: Vec<PixelInput>) -> PixelCode {
    PixelCode {
        code: code.into(),
        textures: Vec::new(),
        images: Vec::new(),
        inputs,
        targets: 0xF,
        sample_mask: false,
        depth: false,
        kills: true,
        per_sample: false,
        early_tests: false,
        sample_numbers: SAMPLES_BY_PLACE,
    }
}

/// A depth buffer of f32 that is tested and written.
pub fn depth(test: Compare) -> DepthKey {
    DepthKey {
        format: DepthFormat::F32,
        big_endian: false,
        layout: SurfaceLayout::Pitch,
        test: Some(test),
        write: true,
        bounds: false,
        stencil: None,
    }
}

/// Copies input 4 to R0 and ends.
pub fn copy_input() -> Vec<Instruction> {
    vec![end(mov(Temp::Full(0), Register::Input, 4))]
}

/// MOV of a whole register.
pub fn mov(destination: Temp, from: Register, input: u8) -> Compute {
    let sources = [Operand::new(from), Operand::UNUSED, Operand::UNUSED];
    let mask = Mask::ALL;
    let has_constant = from == Register::Constant;
    let input = Input::Register(input);
    Compute { op: Op::mov, destination: Some(destination), mask, sources, input, has_constant, ..Compute::NOP }
}

/// The last instruction.
pub fn end(compute: Compute) -> Instruction {
    Instruction::Compute(Compute { end: true, ..compute })
}

/// The words of instructions, constants cleared.
pub fn words(instructions: &[Instruction]) -> Vec<u32> {
    let mut words = Vec::new();
    for instruction in instructions {
        words.extend(instruction.encode());
        if instruction.has_constant() {
            words.extend([0; 4]);
        }
    }
    words
}

impl Scene {
    /// Draws all 64 pixels of a block at (0, 0) into one colour target of `format`, without tests.
    pub fn new(format: ColorFormat, instructions: &[Instruction]) -> Self {
        let color = ColorKey { format, layout: SurfaceLayout::Pitch, source: 0, mask: 15, blend: None };
        let mut colors = [None; TARGETS];
        colors[0] = Some(color);
        let output = OutputKey::storing(colors);
        let mut inputs = [FragmentInput::Zero; 16];
        for group in 0..4 {
            inputs[4 + usize::from(group)] =
                FragmentInput::Varying { group, interpolation: Interpolation::Linear, clamp: false };
        }
        let code = words(instructions);
        let code = RsxFragmentCode { code, inputs, export_float: true, export_depth: false, accuracy: Accuracy::Exact };
        let key = FragmentKey {
            code: FragmentCode::Rsx(Arc::new(code)),
            textures: [None; UNITS],
            output,
            samples: Samples::ONE,
        };
        let mut constants = FragmentConstants { position_scale_y: 1.0, ..Default::default() };
        constants.output.depth_range = [0.0, 1.0];
        let blocks = vec![PixelBlock { primitive: 0, x: 0, row: 0, coverage: u64::MAX }];
        Scene {
            key,
            constants,
            program_constants: Vec::new(),
            textures: Vec::new(),
            primitive: Primitive { inv_w: [1.0, 0.0, 0.0], ..Default::default() },
            planes: vec![[0.0; 3]; 16],
            blocks,
            color: window::buffer(&vec![0; SIZE * SIZE * 16]),
            depth: window::buffer(&vec![0; SIZE * SIZE * 8]),
        }
    }

    /// The program and what belongs to it, to change.
    pub fn code(&mut self) -> &mut RsxFragmentCode {
        self.key.code.rsx_mut().expect("an RSX program")
    }

    /// The first colour target, to change.
    pub fn target(&mut self) -> &mut ColorKey {
        self.key.output.colors[0].as_mut().unwrap()
    }

    /// Makes planes of the first varying constant.
    pub fn set_varying(&mut self, value: [f32; 4]) {
        for (plane, value) in self.planes.iter_mut().zip(value) {
            *plane = [value, 0.0, 0.0];
        }
    }

    /// Uses a depth buffer filled with `bytes`.
    pub fn set_depth(&mut self, key: DepthKey, bytes: &[u8]) {
        self.key.output.depth = Some(key);
        self.depth = window::buffer(&bytes.repeat(SIZE * SIZE));
    }

    /// Fills the colour target with `bytes`.
    pub fn fill_color(&mut self, bytes: &[u8]) {
        self.color = window::buffer(&bytes.repeat(SIZE * SIZE));
    }

    /// Uses a texture.
    pub fn set_texture(&mut self, unit: usize, key: TextureKey, texture: Texture<'static>) {
        self.key.textures[unit] = Some(key);
        self.textures.push((unit, texture));
    }

    /// Draws, and gives the number of samples that passed.
    pub fn draw(&self) -> u64 {
        self.draw_with(&Interpreter)
    }

    /// Draws with the kernels of a tier.
    pub fn draw_with(&self, tier: &dyn Tier) -> u64 {
        self.draw_all(tier, Environment::NONE)
    }

    /// Draws with something around the program.
    pub fn draw_in(&self, environment: Environment<'_>) -> u64 {
        self.draw_all(&Interpreter, environment)
    }

    fn draw_all(&self, tier: &dyn Tier, environment: Environment<'_>) -> u64 {
        let kernel = tier.fragment(&self.key).unwrap();
        let mut colors = [Surface::default(); TARGETS];
        if let Some(target) = self.key.output.colors[0] {
            let pitch = SIZE as u32 * u32::from(target.format.bytes);
            colors[0] = Surface { window: Window::new(&self.color), pitch };
        }
        let pitch = self.key.output.depth.map_or(0, |key| SIZE as u32 * key.format.bytes());
        let mut textures = [Texture::default(); UNITS];
        for (unit, texture) in &self.textures {
            textures[*unit] = *texture;
        }
        let job = FragmentJob {
            survivors: &[],
            colors: &colors,
            depth: Surface { window: Window::new(&self.depth), pitch },
            constants: &self.constants,
            program_constants: &self.program_constants,
            textures: &textures,
            environment,
            primitives: &[self.primitive],
            planes: &planes_from_centres(&self.key.code, &self.planes),
            blocks: &self.blocks,
        };
        kernel.shade(&job).unwrap()
    }

    /// The bytes of surface pixel (`x`, `y`).
    pub fn pixel(&self, x: usize, y: usize) -> Vec<u8> {
        let bytes = self.key.output.colors[0].map_or(0, |target| usize::from(target.format.bytes));
        read(&self.color, (y * SIZE + x) * bytes, bytes)
    }

    /// Surface pixel (`x`, `y`) of [`RGBA32F`].
    pub fn floats(&self, x: usize, y: usize) -> [f32; 4] {
        let bytes = self.pixel(x, y);
        std::array::from_fn(|i| f32::from_le_bytes(bytes[4 * i..][..4].try_into().unwrap()))
    }

    /// The bytes of the depth buffer at (`x`, `y`).
    pub fn depth_bytes(&self, x: usize, y: usize) -> Vec<u8> {
        let bytes = self.key.output.depth.map_or(0, |key| key.format.bytes() as usize);
        read(&self.depth, (y * SIZE + x) * bytes, bytes)
    }
}

/// The coverage bit of a pixel of the block.
pub fn bit(x: u32, y: u32) -> u64 {
    1 << morton(x, y)
}

fn read(memory: &[AtomicU8], offset: usize, bytes: usize) -> Vec<u8> {
    memory[offset..offset + bytes].iter().map(|b| b.load(std::sync::atomic::Ordering::Relaxed)).collect()
}
