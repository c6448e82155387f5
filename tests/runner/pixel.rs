//! `pixel`: one fragment, from its colour and coordinates to the words that are stored.
//!
//! | setting | |
//! |---|---|
//! | `primary` | the fragment's colour r g b a; white if nothing is said |
//! | `background` | the colour r g b a that is in the target |
//! | `color format`, `color mask` | `rgba8` ..., `none`; the letters of the channels that are written |
//! | `z`, `w`, `depth scale`, `depth offset`, `w buffer` | what depth is computed from |
//! | `depth format`, `stored` | `d16` ..., and the word that is in the depth buffer |
//! | `depth test`, `depth write` | the comparison, `yes` |
//! | `stencil test`, `stencil` | the comparison; what happens when it fails, when depth fails, when both pass |
//! | `stencil reference`, `stencil input mask`, `stencil write mask` | numbers; the masks are 255 if nothing is said |
//! | `alpha test` | comparison and reference |
//! | `blend color`, `blend alpha`, `blend constant` | equation, source factor, destination factor; r g b a |
//! | `logic` | a logic operation instead of blending |
//! | `fog`, `fog color` | `yes` or `flip`, with the table k = i/128; r g b |
//! | `texture` | kind, format and size of texture 0, which then replaces the primary colour |
//! | `texels` | `places`: (16*column, 16*stored row, level, 255) of rgba8; or the bytes of the texture, repeated |
//! | `u`, `v`, `q`, `du` | coordinates; `du` is the step of u from pixel to pixel |
//! | `wrap`, `filter`, `border`, `lod` | of s and t; magnifying, minifying, between levels; r g b a; bias, first, last level |
//!
//! The result is `color` (r g b a of the pixel in the corner), `word` (the same as stored) and `depth` (the stored
//! word).

use triglyph_guest::format::TexelFormat;
use triglyph_guest::kernel::combine::Source;
use triglyph_guest::kernel::pixel::{
    BlendKey, Compare, Filter, FogKey, Output, Primitive, StencilKey, StencilOp, TextureKey, TextureKind, Wrap,
};
use triglyph_guest::layout::unmorton;

use crate::names::{
    COLOR_FORMATS, COMPARES, DEPTH_FORMATS, EQUATIONS, FACTORS, FILTERS, KINDS, LOGIC_OPS, STENCIL_OPS, TEXEL_FORMATS,
    WRAPS, named,
};
use crate::parse::{Case, color, float, floats, integer, integers};
use crate::{Engine, Results};
use triglyph_testkit::pica::scene::{COORDINATES, Scene, TextureData};
use triglyph_testkit::pica::{REPLACE, take};

pub fn run(case: &Case, engine: Engine) -> Results {
    let scene = scene(case)?;
    let surfaces = scene.draw(&*engine.tier()?).map_err(|refused| refused.to_string())?;
    let result = |key: &str| match key {
        "color" => Ok(scene.color_at(&surfaces, 0, 0).map(|channel| channel.to_string()).join(" ")),
        "word" => {
            let bytes = scene.key.color_format.map_or(0, |format| format.bytes()) as usize;
            let digits = surfaces.color[..bytes].iter().rev().map(|byte| format!("{byte:02x}"));
            Ok(format!("0x{}", digits.collect::<String>()))
        }
        "depth" => Ok(format!("{:#010x}", scene.depth_at(&surfaces, 0, 0))),
        _ => Err(format!("no result `{key}`")),
    };
    case.expectations.iter().map(|item| result(&item.key)).collect()
}

/// The blending of the scene, which may have been a logic operation before.
fn blending(scene: &mut Scene) -> &mut BlendKey {
    if matches!(scene.key.output, Output::Logic(_)) {
        scene.key.output = Output::Blend(REPLACE);
    }
    match &mut scene.key.output {
        Output::Blend(blend) => blend,
        Output::Logic(_) => unreachable!("just replaced"),
    }
}

/// The stencil test of the scene, one that passes and changes nothing at first.
fn stencil(scene: &mut Scene) -> &mut StencilKey {
    let keep = StencilOp::Keep;
    scene.key.stencil.get_or_insert(StencilKey {
        compare: Compare::Always,
        fail: keep,
        depth_fail: keep,
        pass: keep,
        write: true,
    })
}

fn scene(case: &Case) -> Result<Scene, String> {
    let mut scene = Scene::default();
    (scene.constants.stencil_input_mask, scene.constants.stencil_write_mask) = (255, 255);
    // Formats first: what is stored depends on them.
    if let Some(format) = case.get("color format") {
        scene.key.color_format = if format == "none" { None } else { Some(named(COLOR_FORMATS, format)?) };
    }
    if let Some(format) = case.get("depth format") {
        scene.key.depth_format = Some(named(DEPTH_FORMATS, format)?);
    }
    for item in &case.settings {
        let value = item.value.as_str();
        let words: Vec<&str> = value.split_whitespace().collect();
        match item.key.as_str() {
            "color format" | "depth format" => {}
            "primary" => scene.primary(color(value)?),
            "background" => scene.background(color(value)?),
            "color mask" => {
                let bit = |(bit, letter): (usize, char)| u8::from(value.contains(letter)) << bit;
                scene.key.color_mask = "rgba".chars().enumerate().map(bit).sum();
            }
            "z" => scene.primitives[0].z = [float(value)?; 3],
            "w" => scene.primitives[0].inv_w = [1.0 / float(value)?; 3],
            "depth scale" => scene.constants.depth_scale = float(value)?,
            "depth offset" => scene.constants.depth_offset = float(value)?,
            "w buffer" => scene.key.w_buffer = value == "yes",
            "stored" => scene.depth_background(integer(value)?),
            "depth test" => scene.key.depth_test = named(COMPARES, value)?,
            "depth write" => scene.key.depth_write = value == "yes",
            "stencil test" => stencil(&mut scene).compare = named(COMPARES, value)?,
            "stencil" => {
                let [fail, depth_fail, pass] = words[..] else { return Err(format!("`{value}` are not three")) };
                let key = stencil(&mut scene);
                key.fail = named(STENCIL_OPS, fail)?;
                key.depth_fail = named(STENCIL_OPS, depth_fail)?;
                key.pass = named(STENCIL_OPS, pass)?;
            }
            "stencil reference" => scene.constants.stencil_reference = integer(value)?,
            "stencil input mask" => scene.constants.stencil_input_mask = integer(value)?,
            "stencil write mask" => scene.constants.stencil_write_mask = integer(value)?,
            "alpha test" => {
                let [compare, reference] = words[..] else { return Err(format!("`{value}` is no comparison")) };
                scene.key.alpha_test = named(COMPARES, compare)?;
                scene.constants.alpha_reference = integer(reference)?;
            }
            "blend color" | "blend alpha" => {
                let [equation, source, destination] = words[..] else {
                    return Err(format!("`{value}` is no blending"));
                };
                let (equation, source) = (named(EQUATIONS, equation)?, named(FACTORS, source)?);
                let destination = named(FACTORS, destination)?;
                let blend = blending(&mut scene);
                if item.key == "blend color" {
                    (blend.color, blend.color_source, blend.color_destination) = (equation, source, destination);
                } else {
                    (blend.alpha, blend.alpha_source, blend.alpha_destination) = (equation, source, destination);
                }
            }
            "blend constant" => scene.constants.blend_color = u32::from_be_bytes(color(value)?),
            "logic" => scene.key.output = Output::Logic(named(LOGIC_OPS, value)?),
            "fog" => {
                scene.key.fog = Some(FogKey { flip: value == "flip", gas: None });
                scene.fog = Some(std::array::from_fn(|i| [i as f32 / 128.0, 1.0 / 128.0]));
            }
            "fog color" => {
                let [r, g, b] = integers::<3>(value)?;
                scene.constants.fog_color = r << 24 | g << 16 | b << 8;
            }
            "texture" => texture(&mut scene, &words, case)?,
            "texels" | "wrap" | "filter" | "border" | "lod" => {}
            "u" => {
                let (u, du) = (float(value)?, case.get("du").map_or(Ok(0.0), float)?);
                scene.set(COORDINATES[0], [u, u + 64.0 * du, 0.0]);
                if du != 0.0 {
                    let primitive = Primitive { edge: [64, 0, 0], dx: [-1, 1, 0], sum: 64.0, ..scene.primitives[0] };
                    scene.primitives = vec![primitive];
                }
            }
            "v" => scene.set(COORDINATES[1], [float(value)?; 3]),
            "q" => scene.set(COORDINATES[2], [float(value)?; 3]),
            "du" => {}
            other => return Err(format!("no setting `{other}`")),
        }
    }
    Ok(scene)
}

/// Texture 0: kind, format, WIDTHxHEIGHT.
fn texture(scene: &mut Scene, words: &[&str], case: &Case) -> Result<(), String> {
    scene.key.combiners.stages[0] = take(Source::Texture(0));
    let kind = named(KINDS, words[0])?;
    let mut key = TextureKey { kind, coordinates: COORDINATES, ..TextureKey::DISABLED };
    let [format, size] = words[1..] else {
        scene.key.textures[0] = key;
        return Ok(());
    };
    let format = named(TEXEL_FORMATS, format)?;
    let size = size.split_once('x').ok_or_else(|| format!("`{size}` is no size"))?;
    let (width, height) = (integer(size.0)?, integer(size.1)?);
    if let Some(value) = case.get("wrap") {
        let wraps: Vec<Wrap> = value.split_whitespace().map(|word| named(WRAPS, word)).collect::<Result<_, _>>()?;
        key.wrap = wraps.try_into().map_err(|_| format!("`{value}` are not two"))?;
    }
    let filters: Vec<Filter> = case
        .get("filter")
        .map_or(Ok(Vec::new()), |value| value.split_whitespace().map(|word| named(FILTERS, word)).collect())?;
    if let [magnify, minify, ..] = filters[..] {
        (key.magnify, key.minify) = (magnify, minify);
    }
    key.mipmap = filters.get(2).copied();
    let constants = &mut scene.constants.texture[0];
    (constants.width, constants.height) = (width, height);
    if let Some(value) = case.get("border") {
        constants.border = u32::from_be_bytes(color(value)?);
    }
    if let Some(value) = case.get("lod") {
        let [bias, first, last] = floats(value)?[..] else { return Err(format!("`{value}` are not three")) };
        (constants.lod_bias, constants.lod_min, constants.lod_max) = (bias, first, last);
    }
    let levels = constants.lod_max as u32 + 1;
    let bytes: u32 = (0..levels).map(|level| format.size(width >> level, height >> level)).sum();
    let texels = case.get("texels").ok_or("texels are missing")?;
    let faces = (0..if kind == TextureKind::Cube { 6 } else { 1 })
        .map(|face| match texels {
            "places" if format == TexelFormat::Rgba8 => {
                Ok((0..levels).flat_map(|level| places(level, width >> level, height >> level)).collect())
            }
            "faces" if format == TexelFormat::Rgba8 => Ok([255, 0, 0, 10 * (face + 1)].repeat(bytes as usize / 4)),
            _ => hexadecimal(texels).map(|given| given.into_iter().cycle().take(bytes as usize).collect()),
        })
        .collect::<Result<_, String>>()?;
    scene.textures[0] = TextureData { format, levels, faces };
    scene.key.textures[0] = key;
    Ok(())
}

/// A level of RGBA8 whose texels encode their positions.
fn places(level: u32, width: u32, height: u32) -> Vec<u8> {
    let tiles = (0..height / 8).flat_map(|row| (0..width / 8).map(move |column| (column, row)));
    let texels = tiles.flat_map(|(column, row)| {
        (0..64).map(move |index| {
            let (x, y) = unmorton(index);
            [255, level as u8, (16 * (8 * row + y)) as u8, (16 * (8 * column + x)) as u8]
        })
    });
    texels.flatten().collect()
}

/// Bytes from hexadecimal digits; blanks may be between them.
pub fn hexadecimal(text: &str) -> Result<Vec<u8>, String> {
    let digits: Vec<char> = text.chars().filter(|c| !c.is_whitespace()).collect();
    let byte = |pair: &[char]| u8::from_str_radix(&pair.iter().collect::<String>(), 16);
    digits.chunks(2).map(|pair| byte(pair).map_err(|error| format!("`{text}`: {error}"))).collect()
}
