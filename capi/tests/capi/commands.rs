//! The headers for commands, `triglyph_n3ds_commands.h` and so on, write the words that the builders in Rust write:
//! `tests/programs/commands.c` prints what its calls have written, here are the same calls.

use std::collections::BTreeMap;
use std::process::Command;

use tempfile::TempDir;
use triglyph::n3ds::gsp::{Command as Gx, FillUnit, Header};
use triglyph_guest::pica::external::TransferFormat;
use triglyph_guest::pica::regs::{
    AttributeType, ColorFormat, CombinerFunction, CombinerSource, DepthFormat, TextureFilter, TextureFormat,
};
use triglyph_guest::pica::texture::tile_rgba8;
use triglyph_guest::pica::{List, Program, Texture, Unit, output};
use triglyph_guest::rsx::enums::{
    MagFilter, MinFilter, Primitive, TextureLocation, VertexLocation, VertexType as RsxVertexType,
};
use triglyph_guest::rsx::fragment::memory::Order;
use triglyph_guest::rsx::push::fragment_program_bytes;
use triglyph_guest::rsx::state::fragment_control;
use triglyph_guest::rsx::{self, Surface};
use triglyph_guest::tegra::format::{ColorFormat as TegraColor, TextureFormat as TegraTexture, ZetaFormat};
use triglyph_guest::tegra::format::{VertexFormat, VertexType};
use triglyph_guest::tegra::header::program::{Interpolation, ProgramStage, attribute};
use triglyph_guest::tegra::header::texture::{ComponentType, TextureLayout};
use triglyph_guest::tegra::header::{HeaderBuilder, Sampler, TextureHeader};
use triglyph_guest::tegra::methods::threed::Topology;
use triglyph_guest::tegra::{self, Target};

use crate::programs::{Link, compile, succeed};

type Sections = BTreeMap<&'static str, Vec<u32>>;

/// 0, 1, 2 and so on.
fn numbers(count: u32) -> Vec<u32> {
    (0..count).collect()
}

/// Little-endian words.
fn words(bytes: &[u8]) -> Vec<u32> {
    let (words, rest) = bytes.as_chunks();
    assert!(rest.is_empty());
    words.iter().map(|word| u32::from_le_bytes(*word)).collect()
}

fn n3ds_packets() -> Vec<u32> {
    let mut list = List::new();
    list.set(0x40, 2).set_masked(0x107, 3, 9).burst(0x2CC, &numbers(600)).burst(0x2CC, &[]);
    list.consecutive(0, &numbers(601)).draw_arrays(7, 300);
    list.finish().unwrap()
}

fn n3ds_state() -> Vec<u32> {
    use AttributeType::{F32, I8, I16, U8};
    const SIZES: [u32; 6] = [8, 24, 240, 400, 1000, 1024];
    let formats = [ColorFormat::Rgba8, ColorFormat::Rgb8, ColorFormat::Rgb5A1, ColorFormat::Rgb565, ColorFormat::Rgba4];
    let attributes = [(F32, 3), (U8, 4), (I16, 2), (I8, 1), (F32, 4), (F32, 2), (F32, 1), (I16, 4), (U8, 3), (I8, 2)];
    let outputs = [
        output::POSITION,
        output::COLOR,
        output::TEXCOORD0,
        output::TEXCOORD1,
        output::TEXCOORD2,
        output::QUATERNION,
        output::VIEW,
    ];
    let program =
        |code: u32, descriptors: Vec<u32>| Program { code: numbers(code), descriptors, labels: Default::default() };
    let mut list = List::new();
    for at in 0..6 {
        let (width, height) = (SIZES[at], SIZES[5 - at]);
        list.color_target(0x1800_0000 + 64 * at as u32, formats[at % 5], width, height);
        list.viewport(-(at as i32), at as i32, width, height);
    }
    list.depth_target(0x1810_0000, DepthFormat::D24S8).depth_target(0x1810_0000, DepthFormat::D16);
    list.program(Unit::Geometry, &program(3, vec![3, 4]), 1).program(Unit::Vertex, &program(300, vec![0]), 0);
    list.float_uniforms(Unit::Vertex, 3, &[[1.0, -2.0, 0.5, 0.0], [1e-3, 3.0, 4.0, 5.0]]);
    list.vertex_buffer(0x2000_0010, 96, &attributes).vertex_buffer(0x2000_0000, 12, &attributes[..1]);
    list.shader_outputs(&outputs).shader_outputs(&outputs[..2]);
    for (unit, format) in [TextureFormat::Rgb565, TextureFormat::Rgba4, TextureFormat::Ia8].into_iter().enumerate() {
        list.texture(unit, &Texture { mag: TextureFilter::Linear, ..Texture::new(format, 64, 128, 0x2000_1000) });
    }
    let sources = [CombinerSource::Texture0, CombinerSource::Primary, CombinerSource::Constant];
    list.texture_units([true, false, true]).combiner(0, CombinerFunction::Modulate, sources).pass_combiners(1);
    list.finish().unwrap()
}

fn n3ds(sections: &mut Sections) {
    let gx = |command: Gx| command.to_words(Header::default()).to_vec();
    let unit = |start, value| FillUnit::words(start, start + 0x1000, value);
    sections.insert("n3ds-packets", n3ds_packets());
    sections.insert("n3ds-state", n3ds_state());
    sections.insert("n3ds-fill", gx(Gx::fill(unit(0x1F00_0000, 5))));
    sections.insert("n3ds-fills", gx(Gx::MemoryFill { units: [unit(0x1F00_0000, 5), unit(0x1F00_2000, 6)] }));
    sections.insert("n3ds-list", gx(Gx::list(0x3000_1000, 0x100)));
    let display = Gx::display(0x1F00_0000, 0x3001_0000, 240, 400, TransferFormat::Rgb565);
    sections.insert("n3ds-display", gx(display));
    let texels: Vec<[u8; 4]> = numbers(24 * 16).into_iter().map(u32::to_le_bytes).collect();
    sections.insert("n3ds-tiles", words(&tile_rgba8(24, 16, &texels).unwrap()));
}

fn rsx(sections: &mut Sections) {
    let constants: [[f32; 4]; 9] = std::array::from_fn(|at| match at {
        0 => [1.0, 2.0, 3.0, 4.0],
        1 => [5.0, 6.0, 7.0, 8.0],
        _ => [0.0; 4],
    });
    let code = numbers(36);
    let (local, format) = (TextureLocation::Local, rsx::texel::TextureFormat::A8R8G8B8);
    let texture = rsx::Texture::rows(format, 64, 32, 256, local, 0x90_0000);
    let mut push = rsx::PushBuffer::new();
    push.gcm_defaults().surface(&Surface::new(639, 360, 0x1000, 0x40_0000)).clear(0xFF20_3040, 0xFF_FFFF, 7);
    push.vertex_program(7, code.as_chunks().0).vertex_constants(20, &constants);
    push.fragment_program(TextureLocation::Main, 0x1000, fragment_control(5));
    push.vertex_array(8, RsxVertexType::Float16, 3, 32, VertexLocation::Main, 0x100);
    push.texture(3, &rsx::Texture { min: MinFilter::Nearest, mag: MagFilter::Linear, ..texture });
    push.draw_arrays(Primitive::Triangles, 10, 300).draw_arrays(Primitive::Points, 0, 2048 * 256);
    push.subchannel(3).methods(0x200, &[0, 1]).non_increasing(0x300, &numbers(5000));
    push.jump(0x1_0000).call(0x2000).return_();
    sections.insert("rsx-push", push.finish().unwrap());
    sections.insert("rsx-program", words(&fragment_program_bytes(&numbers(8), Order::Big)));
}

fn tegra_push(sections: &mut Sections) {
    let target = Target::rows(TegraColor::A8B8G8R8Unorm, 640, 360, 0x1_2345_6000);
    let mut push = tegra::PushBuffer::new();
    push.set_object(0xB197).color_target(2, &target).color_targets(3);
    push.zeta_target(ZetaFormat::Z24S8, [640, 360], 0x1_0040_0000, 4).viewport(1, 640, 359);
    push.clear_color([0.125, 0.25, 0.5, 1.0]).clear_zeta(0.5, 3).program_region(0x1_0001_0000);
    let stages = [
        ProgramStage::Vertex,
        ProgramStage::TessellationControl,
        ProgramStage::TessellationEvaluation,
        ProgramStage::Geometry,
        ProgramStage::Pixel,
    ];
    for stage in stages {
        push.program(stage, 0x1000 * stage.bits());
    }
    push.vertex_stream(3, 32, 0x1_0002_0000, 96);
    push.vertex_attribute(5, 3, 16, VertexFormat::R32G32B32, VertexType::Float);
    push.load_constants(0x1_0003_0000, 0x100, 16, &numbers(5));
    push.load_constants(0x1_0003_0000, 0x1_0000, 0, &numbers(9000)).bind_constants(4, 2);
    push.texture_pools((0x1_0004_0000, 5), (0x1_0005_0000, 3), 2).draw_arrays(Topology::Triangles, 10, 300);
    push.subchannel(4).methods(0x10, &[0, 1]).non_incrementing(0x20, &numbers(9000));
    push.increment_once(0x30, 5, &numbers(9000)).immediate(0x40, 0x1FFF);
    let entry = push.entry(0x1_0000_0000).unwrap();
    sections.insert("tegra-entry", vec![entry as u32, (entry >> 32) as u32]);
    sections.insert("tegra-push", push.finish().unwrap());
}

fn tegra_memory(sections: &mut Sections) {
    let vertex = HeaderBuilder::new(ProgramStage::Vertex).reads(attribute::GENERIC, 12);
    let vertex = vertex.writes(attribute::POSITION, 4).writes(attribute::GENERIC + 28, 5).build().unwrap();
    let pixel = HeaderBuilder::new(ProgramStage::Pixel).reads(attribute::POSITION + 12, 1).target(1, 7);
    let pixel = pixel.interpolates(attribute::GENERIC + 16, 6, Interpolation::Perspective).build().unwrap();
    let layout = TextureLayout::Pitch { pitch: 256 };
    let image = TextureHeader::image(TegraTexture::A8B8G8R8, ComponentType::Unorm, [64, 33], layout, 0x1_2345_6780);
    sections.insert("tegra-vertex", words(&vertex.with_code(&[0x1234_5678_9ABC_DEF0, 5])));
    sections.insert("tegra-pixel", pixel.0.to_vec());
    sections.insert("tegra-texture", image.encode().unwrap().to_vec());
    sections.insert("tegra-linear", Sampler::LINEAR.encode().unwrap().to_vec());
    sections.insert("tegra-point", Sampler::POINT.encode().unwrap().to_vec());
}

#[test]
fn headers_for_commands_write_what_the_builders_write() {
    let scratch = TempDir::new().unwrap();
    let Some(program) = compile("tests/programs/commands.c", Link::Static, &scratch) else { return };
    let printed = String::from_utf8(succeed(&mut Command::new(program)).stdout).unwrap();
    let mut expected = Sections::new();
    n3ds(&mut expected);
    rsx(&mut expected);
    tegra_push(&mut expected);
    tegra_memory(&mut expected);
    expected.insert("overflow", vec![1, 2, 77]);
    expected.insert("count", vec![5]);
    for line in printed.lines() {
        let (name, words) = line.split_once(' ').unwrap();
        let words: Vec<u32> = words.split(' ').map(|word| u32::from_str_radix(word, 16).unwrap()).collect();
        let expected = expected.remove(name).unwrap_or_else(|| panic!("{name} is printed twice, or for nothing"));
        let differs = words.iter().zip(&expected).position(|(found, expected)| found != expected);
        assert!(
            words == expected,
            "{name}: {} words, not {}; the first that differs: {differs:?}",
            words.len(),
            expected.len()
        );
    }
    assert!(expected.is_empty(), "{:?} are not printed", expected.keys());
}

/// The headers are C++ as well, by themselves and together.
#[test]
fn headers_for_commands_compile_in_cpp() {
    let scratch = TempDir::new().unwrap();
    let includes = ["n3ds", "rsx", "tegra"].map(|machine| format!("#include \"triglyph_{machine}_commands.h\"\n"));
    let text = includes.concat()
        + "int main() {\n    triglyph_words words{nullptr, 0, 0, 0};\n    \
        triglyph_n3ds_list_finish(&words);\n    return words.count == 4 ? 0 : 1;\n}\n";
    let Some(program) = crate::programs::compile_text("commands.cpp", &text, Link::Static, &scratch) else { return };
    succeed(&mut Command::new(program));
}
