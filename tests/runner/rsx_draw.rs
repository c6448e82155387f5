//! `draw`: a draw of the RSX's 3D class, 16 by 16 pixels, of vertices that are given in pixels from the upper left.
//!
//! | setting | |
//! |---|---|
//! | `format` | of the target, by its name in SURFACE_FORMAT; A8R8G8B8 if nothing is said |
//! | `accuracy` | exact; fast if nothing is said |
//! | `clear` | the word that the target is cleared to |
//! | `primitive` | by its name in BEGIN_END; TRIANGLES if nothing is said |
//! | `vertices` | `x y`, separated by commas; the whole target if nothing is said |
//! | `color` | of all vertices, r g b a; or of each, separated by commas |
//! | `texel` | unit 0 has a single texel: its format's byte and the bytes of memory |
//! | `texels` | the same of an image: its width and height before the format, rows in the order of memory |
//! | `chip` | `nv47` for the PC's; the PlayStation 3's if nothing is said |
//! | `set METHOD`, `set METHOD.N` | words for a method, the N-th of an array, and for those that follow it |
//! | `main OFFSET` | bytes of main memory, written when the settings in front of it have been executed |
//! | `draw METHOD` | words that draw, between BEGIN and END, instead of vertices that are given |
//!
//! A `[program]` is a fragment program; without one a fragment has the colour of its vertices.
//!
//! | result | |
//! |---|---|
//! | `X,Y` | the pixel, its bytes in the order of memory |
//! | `row Y` | the pixels of a row: `.` where nothing was drawn, else `#` |

use triglyph_engine::Device;
use triglyph_guest::rsx::chip::Chip;
use triglyph_guest::rsx::enums::{Primitive, SurfaceColor};
use triglyph_guest::rsx::methods::{CURIE, curie as m};
use triglyph_guest::rsx::surface::color_format;
use triglyph_testkit::rsx::{COLOR, Console, EDGE, TEXTURE, at, rect};

use crate::parse::{Case, File, floats, integer, vector};
use crate::{Engine, Results};

/// Bytes of a row of the target.
const PITCH: u32 = 16 * EDGE;
/// Bytes from row to row of an image.
const TEXTURE_PITCH: u32 = 64;
/// What the target holds before, unless it is cleared.
const BEFORE: u8 = 0xEE;

pub fn run(file: &File, case: &Case, engine: Engine) -> Results {
    let chip = match case.get("chip") {
        None => Chip::Rsx,
        Some("nv47") => Chip::Nv47,
        Some(other) => return Err(format!("no chip `{other}`")),
    };
    let mut console = match case.get("accuracy") {
        None => Console::of(engine.mode(), chip.big_endian()),
        Some("exact") => Console::exact(engine.mode(), chip.big_endian()),
        Some(other) => return Err(format!("no accuracy `{other}`")),
    };
    let format = match case.get("format") {
        None => SurfaceColor::A8r8g8b8,
        Some(name) => value(SurfaceColor::VALUES, name).and_then(SurfaceColor::from_register).ok_or("no format")?,
    };
    if !file.program.trim().is_empty() {
        console.fragment_program(&file.program);
    }
    console.surface_format(format.bits(), 2, 1);
    console.set(m::set_surface_pitch_a::ID, PITCH);
    console.write_local(COLOR, &[BEFORE; (PITCH * EDGE) as usize]);
    if let Some(word) = case.get("clear") {
        console.clear(integer(word)?);
    }
    let bytes = u32::from(color_format(format, true).bytes);
    let before = console.read(0, COLOR, (PITCH * EDGE) as usize);
    if let Some(texel) = case.get("texel") {
        texture(&mut console, &format!("1 1 {texel}"))?;
    }
    if let Some(texels) = case.get("texels") {
        texture(&mut console, texels)?;
    }
    for item in &case.settings {
        match item.key.split_once(' ') {
            Some(("set", method)) => set(&mut console, method, &item.value)?,
            Some(("main", offset)) => write(&mut console, offset, &item.value)?,
            _ => {}
        }
    }
    draw(&mut console, case)?;
    if console.faults() != 0 {
        return Err(format!("{} faults, first: {:?}", console.faults(), console.gpu.faults().first().first()));
    }
    let after = console.read(0, COLOR, (PITCH * EDGE) as usize);
    let pixel = |x: u32, y: u32| (y * PITCH + x * bytes) as usize..(y * PITCH + (x + 1) * bytes) as usize;
    let result = |key: &str| -> Result<String, String> {
        if let Some(row) = key.strip_prefix("row ") {
            let y = integer(row)? % EDGE;
            let drawn = |x| if before[pixel(x, y)] == after[pixel(x, y)] { '.' } else { '#' };
            return Ok((0..EDGE).map(drawn).collect());
        }
        let (x, y) = key.split_once(',').ok_or_else(|| format!("no result `{key}`"))?;
        let bytes = &after[pixel(integer(x)? % EDGE, integer(y)? % EDGE)];
        let words = bytes.chunks(4).map(|word| word.iter().map(|byte| format!("{byte:02x}")).collect());
        Ok(words.collect::<Vec<String>>().join(" "))
    };
    case.expectations.iter().map(|item| result(&item.key)).collect()
}

/// The value that has a name.
fn value(values: &[(u32, &str)], name: &str) -> Option<u32> {
    values.iter().find(|(_, other)| *other == name).map(|(value, _)| *value)
}

fn set(console: &mut Console, name: &str, words: &str) -> Result<(), String> {
    let (name, index) = name.split_once('.').unwrap_or((name, "0"));
    let method = CURIE.named(&name.to_ascii_uppercase()).ok_or_else(|| format!("no method `{name}`"))?;
    let words = words.split_whitespace().map(integer).collect::<Result<Vec<_>, _>>()?;
    console.method(method.id + method.step * integer(index)? as usize, &words);
    Ok(())
}

fn write(console: &mut Console, offset: &str, bytes: &str) -> Result<(), String> {
    console.run();
    let bytes = bytes.split_whitespace().map(integer).collect::<Result<Vec<_>, _>>()?;
    console.write_main(integer(offset)?, &bytes.iter().map(|&byte| byte as u8).collect::<Vec<u8>>());
    Ok(())
}

/// A linear image: width, height, format, bytes.
fn texture(console: &mut Console, text: &str) -> Result<(), String> {
    let words = text.split_whitespace().map(integer).collect::<Result<Vec<_>, _>>()?;
    let [width, height, format, texels @ ..] = &words[..] else { return Err("an image has a format".to_owned()) };
    let texels: Vec<u8> = texels.iter().map(|&byte| byte as u8).collect();
    let bytes = texels.len().div_ceil((*height).max(1) as usize);
    if bytes > TEXTURE_PITCH as usize {
        return Err(format!("a row of an image has at most {TEXTURE_PITCH} bytes"));
    }
    for (row, texels) in texels.chunks(bytes.max(1)).enumerate() {
        console.write_local(TEXTURE + TEXTURE_PITCH * row as u32, texels);
    }
    // Local memory, two dimensions, one level; nearest texels, clamped.
    let format = 1 | 8 | 2 << 4 | (format | 0x20) << 8 | 1 << 16;
    let words = [TEXTURE, format, 0x3_0303, 0x8000_0000, 0xAAE4, 0x0101_0000, width << 16 | height, 0];
    console.method(m::set_texture_offset::id(0), &words);
    console.set(m::set_texture_control3::id(0), TEXTURE_PITCH | 1 << 20);
    Ok(())
}

fn draw(console: &mut Console, case: &Case) -> Result<(), String> {
    let all = rect([0.0, 0.0, EDGE as f32, EDGE as f32], 0.5);
    let (default, positions) = match case.get("vertices") {
        None => (Primitive::Quads, all.to_vec()),
        Some(text) => {
            let point = |text: &str| match floats(text)?[..] {
                [x, y] => Ok(at(x, y, 0.5)),
                _ => Err(format!("`{text}` is no vertex")),
            };
            (Primitive::Triangles, text.split(',').map(point).collect::<Result<Vec<_>, String>>()?)
        }
    };
    let primitive = match case.get("primitive") {
        None => default.bits(),
        Some(name) => value(Primitive::VALUES, name).ok_or("no primitive")?,
    };
    let colors = case.get("color").unwrap_or("1 1 1 1").split(',').map(vector).collect::<Result<Vec<_>, _>>()?;
    console.begin(primitive);
    let draws: Vec<_> = case.settings.iter().filter_map(|item| Some((item.key.strip_prefix("draw ")?, item))).collect();
    for (method, item) in &draws {
        set(console, method, &item.value)?;
    }
    let positions = if draws.is_empty() { positions } else { Vec::new() };
    for (i, position) in positions.into_iter().enumerate() {
        console.attribute(3, colors[i.min(colors.len() - 1)]);
        console.attribute(0, position);
    }
    console.end();
    console.run();
    Ok(())
}
