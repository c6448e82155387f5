//! Texture headers, samplers, program headers and launch descriptors of the Tegra X1: fields against NVIDIA's lists,
//! documented examples, random words.

use std::collections::BTreeMap;

use serde_json::Value;
use triglyph_guest::kernel::program::output::{Bits, Channel};
use triglyph_guest::table::WordField;
use triglyph_guest::tegra::format::TextureFormat;
use triglyph_guest::tegra::header::launch::{self, ConstantBuffer};
use triglyph_guest::tegra::header::program::{self, HeaderProblem, Interpolation, OutputTopology, ProgramStage};
use triglyph_guest::tegra::header::sampler::{
    self, AddressMode, DepthCompare, MagFilter, MinFilter, MipFilter, Reduction,
};
use triglyph_guest::tegra::header::texture::{self, ComponentSource, ComponentType, TextureKind, TextureLayout};
use triglyph_guest::tegra::header::{Launch, ProgramHeader, Sampler, TextureHandle, TextureHeader};
use triglyph_guest::tegra::methods::threed::SampleMode;
use triglyph_guest::tegra::methods::values::StructSize;
use triglyph_testkit::data::{json, text_of};
use triglyph_testkit::random;

/// A line of a list of fields.
struct Listed {
    name: String,
    first: u32,
    word: usize,
    lo: u32,
    hi: u32,
    step: u32,
}

fn listed(file: &str) -> Vec<Listed> {
    let line = |line: &str| {
        let columns: Vec<&str> = line.split(',').collect();
        let number = |i: usize| columns[i].parse().unwrap_or(0);
        Listed {
            name: columns[0].to_owned(),
            first: number(1),
            word: number(3) as usize,
            lo: number(4),
            hi: number(5),
            step: number(6),
        }
    };
    text_of(&format!("tegra/headers/{file}.csv")).lines().skip(1).map(line).collect()
}

/// Every field of the list that is not reserved is in the table, at its place.
fn assert_fields(file: &str, fields: &[WordField], left_out: &[&str]) {
    let ours: BTreeMap<_, _> = fields.iter().map(|field| (field.name, field)).collect();
    assert_eq!(ours.len(), fields.len());
    let mut count = 0;
    for listed in listed(file) {
        if listed.name.contains("RESERVED") || left_out.iter().any(|part| listed.name.contains(part)) {
            continue;
        }
        let field = ours.get(listed.name.as_str()).unwrap_or_else(|| panic!("{file} {}", listed.name));
        assert_eq!((field.word, field.lo, field.hi), (listed.word, listed.lo, listed.hi), "{file} {}", listed.name);
        count += 1;
    }
    assert!(count >= 15, "{file}");
}

#[test]
fn fields_are_where_the_lists_have_them() {
    for kind in ["blocklinear", "blocklinear-colorkey", "pitch", "pitch-colorkey", "buffer"] {
        assert_fields(&format!("tic-{kind}"), texture::fields::FIELDS, &[]);
    }
    assert_fields("tsc", sampler::fields::FIELDS, &[]);
    assert_fields("qmd-v01_07", launch::fields::FIELDS, &["SPARE", "HW_ONLY", "DEBUG"]);
    for file in ["sph-v3-type1-vtg", "sph-v3-type2-ps"] {
        assert_fields(file, program::fields::FIELDS, &["MAP"]);
    }
}

#[test]
fn both_versions_of_launch_descriptors_agree_on_what_is_read() {
    let newer: BTreeMap<_, _> = listed("qmd-v01_07").into_iter().map(|f| (f.name, (f.word, f.lo, f.hi))).collect();
    let older = listed("qmd-v00_06");
    let used =
        ["PROGRAM_OFFSET", "CTA_", "CONSTANT_BUFFER", "SHARED_MEMORY_SIZE", "LOCAL_MEMORY", "RELEASE", "SAMPLER"];
    let compared = older.iter().filter(|field| used.iter().any(|part| field.name.starts_with(part)));
    for field in compared.filter(|field| !field.name.contains("RESERVED") && !field.name.ends_with("ENABLE")) {
        assert_eq!(newer.get(&field.name), Some(&(field.word, field.lo, field.hi)), "{}", field.name);
    }
}

fn vectors() -> Value {
    json("tegra/vectors/tic_tsc.json")
}

fn words<const N: usize>(value: &Value) -> [u32; N] {
    let word = |value: &Value| {
        let digits = value.as_str().and_then(|text| text.strip_prefix("0x")).expect("a hexadecimal number");
        u32::from_str_radix(digits, 16).expect("a number")
    };
    let list: Vec<u32> = value.as_array().expect("a list").iter().map(word).collect();
    list.try_into().expect("the right number of words")
}

#[test]
fn documented_headers_have_their_fields() {
    let json = vectors();
    for (list, fields) in [("texture_headers", texture::fields::FIELDS), ("samplers", sampler::fields::FIELDS)] {
        for case in json[list].as_array().expect("a list") {
            let words: [u32; 8] = words(&case["words"]);
            for (name, value) in case["nonzero_fields"].as_object().expect("fields") {
                let field = fields.iter().find(|field| field.name == name).unwrap_or_else(|| panic!("{name}"));
                assert_eq!(Some(u64::from(field.get(&words))), value.as_u64(), "{} {name}", case["name"]);
            }
        }
    }
}

fn texture_header(name: &str) -> TextureHeader {
    let json = vectors();
    let cases = json["texture_headers"].as_array().expect("a list");
    let case = cases.iter().find(|case| case["name"] == name).expect("the case is there");
    TextureHeader::decode(&words(&case["words"])).expect("the version exists")
}

#[test]
fn documented_texture_headers_mean_what_they_say() {
    let header = texture_header("rgba8_2d");
    assert_eq!((header.format, header.kind), (Some(TextureFormat::A8B8G8R8), Some(TextureKind::D2)));
    assert_eq!((header.address, header.width, header.height, header.levels), (0x5_0001_0000, 1280, 720, 1));
    let blocks = |log2_height, log2_depth| TextureLayout::BlockLinear { log2_height, log2_depth, log2_spacing: 0 };
    assert_eq!((header.layout, header.normalized, header.border_log2), (blocks(4, 0), true, None));
    let channels = header.packed().expect("a packed format").channels;
    assert_eq!(channels[2], Channel::Unorm(Bits { shift: 16, bits: 8 }));

    let header = texture_header("bgra8_view_of_rgba8_memory_srgb");
    use ComponentSource::*;
    assert_eq!(header.sources, [Some(B), Some(G), Some(R), Some(A)]);
    assert_eq!((header.address, header.levels, header.last_level, header.srgb), (0x4_FFFF_F200, 7, 6, true));
    let channels = header.packed().expect("a packed format").channels;
    assert_eq!(channels[0], Channel::Srgb(Bits { shift: 0, bits: 8 }));
    assert_eq!(channels[3], Channel::Unorm(Bits { shift: 24, bits: 8 }));

    let header = texture_header("bc1_array_level_subset");
    assert_eq!((header.layers(), header.first_level, header.last_level, header.min_lod), (6, 1, 4, 384));
    assert_eq!(header.packed(), None);
    assert_eq!((texture_header("cube").layers(), texture_header("cube_array").layers()), (6, 24));
    let header = texture_header("3d");
    assert_eq!((header.slices(), header.layers(), header.layout), (32, 1, blocks(0, 4)));
    let header = texture_header("depth_stencil_as_depth");
    assert_eq!((header.sources, header.types[0]), ([Some(G); 4], Some(ComponentType::Uint)));
    assert!(header.depth_texture && header.format.is_some_and(TextureFormat::is_depth));
    assert_eq!(texture_header("msaa4").samples, Some(SampleMode::S2x2));
    let header = texture_header("negative_lod_bias");
    assert_eq!((header.lod_bias, header.uses_own_lod, header.max_anisotropy), (-128, true, 8));
    let header = texture_header("pitch_640x480");
    assert_eq!((header.address, header.layout), (0x4_0002_0040, TextureLayout::Pitch { pitch: 2560 }));
    assert!(!header.normalized);
    let header = texture_header("buffer_r32f");
    assert_eq!((header.address, header.layout), (0x4_ABCD_EF10, TextureLayout::Buffer { elements: 100_000 }));
    assert_eq!(header.sources, [Some(R), Some(Zero), Some(Zero), Some(OneFloat)]);
    assert_eq!(texture_header("null").format, None);
}

#[test]
fn documented_samplers_mean_what_they_say() {
    let json = vectors();
    let all: Vec<_> =
        json["samplers"].as_array().expect("a list").iter().map(|c| Sampler::decode(&words(&c["words"]))).collect();
    let [trilinear, border, shadow, bias, reduced] = all[..] else { panic!("five samplers") };
    assert_eq!(
        (trilinear.max_anisotropy, trilinear.min, trilinear.mip),
        (16, MinFilter::Anisotropic, MipFilter::Linear)
    );
    assert_eq!((trilinear.min_lod, trilinear.max_lod), (0, 15 * 256));
    assert_eq!(border.border.map(f32::from_bits), [1.0, 0.5, 0.25, 1.0]);
    assert_eq!((border.srgb_border, border.address), ([255, 188, 137], [AddressMode::Border; 3]));
    assert_eq!(
        (shadow.compare, shadow.mip, shadow.mag),
        (Some(DepthCompare::LessOrEqual), MipFilter::Point, MagFilter::Linear)
    );
    assert_eq!((bias.lod_bias, bias.min_lod, bias.max_lod), (320, 256, 896));
    assert_eq!(bias.address[..2], [AddressMode::Mirror, AddressMode::MirrorOnceClampToEdge]);
    assert_eq!((reduced.lod_bias, reduced.reduction, reduced.unnormalized), (-512, Reduction::Maximum, true));
}

#[test]
fn documented_handles_split() {
    let json = vectors();
    for case in json["handles"].as_array().expect("a list") {
        let [word] = words(&Value::Array(vec![case["word"].clone()]));
        let handle = TextureHandle(word);
        assert_eq!(Some(u64::from(handle.header())), case["tic"].as_u64());
        assert_eq!(Some(u64::from(handle.sampler())), case["tsc"].as_u64());
    }
}

#[test]
fn random_words_decode_to_something_valid() {
    let mut rng = random::words(1);
    for _ in 0..20_000 {
        let words: [u32; 8] = std::array::from_fn(|_| rng());
        let _ = Sampler::decode(&words);
        match TextureHeader::decode(&words) {
            Ok(header) => {
                assert!(header.levels >= 1 && header.width >= 1 && header.height >= 1 && header.depth >= 1);
                assert!(header.layers() >= 1 && header.slices() >= 1 && header.address < 1 << 48);
                let _ = header.packed();
            }
            Err(error) => assert!((5..8).contains(&error.version)),
        }
        let program = ProgramHeader(std::array::from_fn(|_| rng()));
        for address in (0..0x410).step_by(4) {
            let _ = (program.reads(address), program.writes(address), program.interpolation(address));
        }
        assert!(program.depth_register().is_none_or(|register| register <= 33));
        let launch = Launch::decode(&std::array::from_fn(|_| rng()));
        assert!(launch.shared_memory < 1 << 18 && launch.threads() < 1 << 48);
    }
}

/// The attribute address that a bit of the maps is named after, first component of the first one.
fn address_of(name: &str) -> Option<u32> {
    let name = name.replace("_IMAP", "").replace("_OMAP", "");
    let name = name.trim_start_matches("IMAP_").trim_start_matches("OMAP_");
    let color =
        |name: &str| ["RED", "GREEN", "BLUE", "ALPHA"].iter().position(|c| name.ends_with(c)).map(|i| 4 * i as u32);
    let last = name.chars().last()?;
    let component = |letters: &str| letters.find(last).map(|i| 4 * i as u32);
    Some(match name {
        "TESSELLATION_LOD_LEFT" => 0x10,
        "TESSELLATION_LOD_RIGHT" => 0x14,
        "TESSELLATION_LOD_BOTTOM" => 0x18,
        "TESSELLATION_LOD_TOP" => 0x1C,
        "TESSELLATION_INTERIOR_U" => 0x20,
        "TESSELLATION_INTERIOR_V" => 0x24,
        "PRIMITIVE_ID" => 0x60,
        "RT_ARRAY_INDEX" => 0x64,
        "VIEWPORT_INDEX" => 0x68,
        "POINT_SIZE" => 0x6C,
        "POINT_SPRITE_S" => 0x2E0,
        "POINT_SPRITE_T" => 0x2E4,
        "FOG_COORDINATE" => 0x2E8,
        "TESSELLATION_EVALUATION_POINT_U" => 0x2F0,
        "TESSELLATION_EVALUATION_POINT_V" => 0x2F4,
        "INSTANCE_ID" => 0x2F8,
        "VERTEX_ID" => 0x2FC,
        _ if name.starts_with("POSITION") => 0x70 + component("XYZW")?,
        _ if name.starts_with("GENERIC") => 0x80 + component("XYZW")?,
        _ if name.starts_with("TEX") => 0x300 + component("STRQ")?,
        _ if name.starts_with("CLIP_DISTANCE") => 0x2C0 + 4 * last.to_digit(10)?,
        _ if name.starts_with("COLOR_FRONT_DIFFUSE") || name.starts_with("COLOR_DIFFUSE") => 0x280 + color(name)?,
        _ if name.starts_with("COLOR_FRONT_SPECULAR") || name.starts_with("COLOR_SPECULAR") => 0x290 + color(name)?,
        _ if name.starts_with("COLOR_BACK_DIFFUSE") => 0x2A0 + color(name)?,
        _ if name.starts_with("COLOR_BACK_SPECULAR") => 0x2B0 + color(name)?,
        _ => return None,
    })
}

fn with_bits(first: u32, value: u32) -> ProgramHeader {
    let mut words = [0; 20];
    words[first as usize / 32] |= value << (first % 32);
    ProgramHeader(words)
}

#[test]
fn maps_of_vertex_to_geometry_programs_follow_the_attribute_addresses() {
    let mut count = 0;
    for field in listed("sph-v3-type1-vtg").iter().filter(|field| field.name.contains("MAP")) {
        let address = address_of(&field.name).unwrap_or_else(|| panic!("{}", field.name));
        let elements = if field.name.starts_with("GENERIC") {
            32
        } else if field.step != 0 {
            10
        } else {
            1
        };
        for element in 0..elements {
            let header = with_bits(field.first + element * field.step, 1);
            let input = field.name.contains("IMAP");
            for at in (0..0x400).step_by(4) {
                let there = at == address + 16 * element;
                assert_eq!((header.reads(at), header.writes(at)), (there && input, there && !input), "{}", field.name);
            }
            count += 1;
        }
    }
    assert_eq!(count, 2 * (6 + 8 + 32 * 4 + 16 + 15 + 10 * 4));
    // The viewport mask is where the first coordinate after texture coordinate 9 would be.
    assert!(with_bits(632, 1).writes(program::attribute::VIEWPORT_MASK));
}

#[test]
fn maps_of_pixel_programs_follow_the_attribute_addresses() {
    for field in listed("sph-v3-type2-ps").iter().filter(|field| field.name.contains("IMAP")) {
        let address = address_of(&field.name).unwrap_or_else(|| panic!("{}", field.name));
        let elements = if field.name.starts_with("GENERIC") {
            32
        } else if field.step != 0 {
            10
        } else {
            1
        };
        // Left over from other stages: pixel programs have no such inputs.
        if address < 0x60 {
            continue;
        }
        for element in 0..elements {
            let (width, at) = (field.hi - field.lo + 1, address + 16 * element);
            for value in 1..1 << width {
                let header = with_bits(field.first + element * field.step, value);
                let found: Vec<_> =
                    (0..0x400).step_by(4).filter(|&at| header.interpolation(at) != Interpolation::Unused).collect();
                assert_eq!(found, [at], "{}", field.name);
                if width == 2 {
                    assert_eq!(Some(header.interpolation(at)), Interpolation::from_register(value));
                }
            }
        }
    }
}

#[test]
fn pixel_outputs_take_four_registers_a_target() {
    let mut words = [0; 20];
    words[18] = 0x0F0F_0003;
    words[19] = 2;
    let header = ProgramHeader(words);
    let registers: Vec<_> = (0..8).map(|target| header.target_register(target)).collect();
    assert_eq!(registers, [Some(0), None, None, None, Some(4), None, Some(8), None]);
    assert_eq!((header.sample_mask_register(), header.depth_register()), (None, Some(13)));
    words[19] = 3;
    assert_eq!(ProgramHeader(words).sample_mask_register(), Some(12));
    assert_eq!(header.target_components(0), 3);
}

#[test]
fn program_headers_tell_what_hardware_would_not_take() {
    // Word 0 of a vertex and of a pixel program as Mesa writes them.
    let mut words = [0; 20];
    words[0] = 0x0002_0461;
    words[1] = 0x10;
    words[2] = 0x0300_0020;
    words[3] = 0x0700_0000;
    words[4] = 6;
    let header = ProgramHeader(words);
    assert_eq!((header.stage(), header.problem(ProgramStage::Vertex)), (Some(ProgramStage::Vertex), None));
    assert_eq!(header.problem(ProgramStage::Geometry), Some(HeaderProblem::Stage(1)));
    assert_eq!(header.problem(ProgramStage::Pixel), Some(HeaderProblem::Type(1)));
    assert_eq!((header.local_memory(), header.threads_per_primitive(), header.max_output_vertices()), (0x30, 3, 6));
    assert_eq!(header.output_topology(), Some(OutputTopology::TriangleStrip));
    assert_eq!(ProgramHeader([0; 20]).problem(ProgramStage::Vertex), Some(HeaderProblem::Version(0)));
}

#[test]
fn launch_descriptors_have_their_fields() {
    let mut words = [0u32; 64];
    let mut put = |bit: usize, value: u32| words[bit / 32] |= value << (bit % 32);
    put(256, 0x1234);
    put(384, 70_000);
    put(416, 5);
    put(432, 6);
    put(592, 8);
    put(608, 4);
    put(624, 2);
    put(544, 0x300);
    put(1440, 0x40);
    put(1472, 0x10);
    put(1467, 3);
    put(1496, 32);
    put(640, 1 << 7 | 1);
    put(928 + 64 * 7, 0x1000_0100);
    put(960 + 64 * 7, 5);
    put(975 + 64 * 7, 0x1_0000);
    put(203, 1);
    put(832, 0x2000);
    put(864, 1);
    put(895, 1);
    put(896, 77);
    put(382, 1);
    let launch = Launch::decode(&words);
    assert_eq!((launch.program_offset, launch.grid, launch.block), (0x1234, [70_000, 5, 6], [8, 4, 2]));
    assert_eq!((launch.shared_memory, launch.local_memory), (0x300, 0x50));
    assert_eq!((launch.barriers, launch.registers, launch.sampler_via_header), (3, 32, true));
    let last = ConstantBuffer { address: 0x5_1000_0100, size: 0x1_0000 };
    assert_eq!((launch.constant_buffers[7], launch.constant_buffers[1]), (Some(last), None));
    assert_eq!(launch.constant_buffers[0], Some(ConstantBuffer { address: 0, size: 0 }));
    let release = launch.releases[1].expect("release 1 is on");
    assert_eq!((release.address, release.payload, release.size), (0x1_0000_2000, 77, StructSize::OneWord));
    assert_eq!((release.reduction, launch.releases[0]), (None, None));
    assert_eq!((launch.threads(), launch.blocks()), (64, 2_100_000));
}
