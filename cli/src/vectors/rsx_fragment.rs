//! Fragment programs of the RSX: operands are inline constants in R1 to R3, the result is R0.

use std::sync::Arc;
use std::sync::atomic::AtomicU8;

use triglyph_guest::kernel::program::environment::Environment;
use triglyph_guest::kernel::program::fragment::{
    FragmentCode, FragmentConstants, FragmentInput, FragmentJob, FragmentKey, PixelBlock, Primitive, RsxFragmentCode,
    Samples, UNITS,
};
use triglyph_guest::kernel::program::output::{Bits, Channel, ColorFormat, ColorKey, OutputKey, Surface, TARGETS};
use triglyph_guest::kernel::program::sampler::Texture;
use triglyph_guest::kernel::{Accuracy, Window, window};
use triglyph_guest::layout::SurfaceLayout;
use triglyph_guest::rsx::fragment::{Op, assemble_program};

use super::table::{Block, Words};
use super::values::{FEW_SINGLES, SINGLES, rows};
use super::{Tiers, block};

/// Every operation that follows from the sources of one fragment, then a MOV with every modifier.
pub fn blocks(tiers: &Tiers) -> anyhow::Result<Vec<Block>> {
    let own = |op: &&Op| op.has_result() && !op.is_texture() && !op.needs_quad();
    let operations = Op::ALL.iter().filter(own).map(|op| {
        let count = (0..3).filter(|&n| op.info().reads(n)).count();
        let sources: String = (1..=count).map(|n| format!(", r{n}")).collect();
        (format!("{} r0{sources}", op.info().name), count)
    });
    operations.chain(modified().map(|text| (text, 1))).map(|(text, count)| one(tiers, &text, count)).collect()
}

/// Modifiers of sources, then those of results.
fn modified() -> impl Iterator<Item = String> {
    let sources = ["r1", "fp16(r1)", "fx12(r1)", "fx9(r1)", "sat(r1)", "mod5(r1)"].into_iter().flat_map(|source| {
        let absolute = format!("|{source}|");
        [source.to_owned(), absolute.clone(), format!("-{source}"), format!("-{absolute}")]
    });
    let results = ["*2", "*4", "*8", "/2", "/4", "/8", "sat", "fp16", "fx12", "fx9", "*2, sat", "*4, fp16"];
    let sources = sources.skip(1).map(|source| format!("mov r0, {source}"));
    sources.chain(results.map(|result| format!("mov r0, r1  [{result}]"))).chain(["mov h2, r1; mov r0, h2".to_owned()])
}

fn one(tiers: &Tiers, text: &str, count: usize) -> anyhow::Result<Block> {
    let loads: String = (1..=count).map(|n| format!("mov r{n}, {{0, 0, 0, 0}}\n")).collect();
    let body = text.replace("; ", "\n");
    let ended = match body.strip_suffix(']') {
        Some(start) => format!("{start}, end]"),
        None => format!("{body}  [end]"),
    };
    let code = assemble_program(&format!("{loads}{ended}")).map_err(|error| anyhow::anyhow!("{text}: {error}"))?;
    let key = key(code.clone());
    let kernel = tiers.kernel(|tier| tier.fragment(&key))?;
    let memory = window::buffer(&[0; 16 * 8 * 8]);
    block(text, code, rows(count, &SINGLES, &FEW_SINGLES), |operands| {
        let constants: Vec<[f32; 4]> =
            operands.iter().map(|words| words.map(|word| f32::from_bits(word.unwrap_or(0)))).collect();
        shade(&*kernel, &constants, &memory)
    })
}

/// One target that takes bits.
fn key(code: Vec<u32>) -> FragmentKey {
    let word = |shift| Channel::Uint(Bits { shift, bits: 32 });
    let format = ColorFormat { bytes: 16, swap: 1, channels: [word(0), word(32), word(64), word(96)] };
    let mut colors = [None; TARGETS];
    colors[0] = Some(ColorKey { format, layout: SurfaceLayout::Pitch, source: 0, mask: 15, blend: None });
    let inputs = [FragmentInput::Zero; 16];
    let code = RsxFragmentCode { code, inputs, export_float: true, export_depth: false, accuracy: Accuracy::Exact };
    FragmentKey {
        code: FragmentCode::Rsx(Arc::new(code)),
        textures: [None; UNITS],
        output: OutputKey::storing(colors),
        samples: Samples::ONE,
    }
}

fn shade(
    kernel: &dyn triglyph_guest::kernel::program::FragmentKernel,
    constants: &[[f32; 4]],
    memory: &[AtomicU8],
) -> anyhow::Result<Words> {
    let mut colors = [Surface::default(); TARGETS];
    colors[0] = Surface { window: Window::new(memory), pitch: 16 * 8 };
    let job = FragmentJob {
        survivors: &[],
        colors: &colors,
        depth: Surface::default(),
        constants: &FragmentConstants { position_scale_y: 1.0, ..FragmentConstants::default() },
        program_constants: constants,
        textures: &[Texture::default(); UNITS],
        environment: Environment::NONE,
        primitives: &[Primitive { inv_w: [1.0, 0.0, 0.0], ..Primitive::default() }],
        planes: &[],
        blocks: &[PixelBlock { primitive: 0, x: 0, row: 0, coverage: 1 }],
    };
    kernel.shade(&job).map_err(|error| anyhow::anyhow!("{error}"))?;
    Ok([0, 4, 8, 12].map(|offset| Some(u32::from_le_bytes(Window::new(memory).read(offset)))))
}
