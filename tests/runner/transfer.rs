//! `transfer`: a GX command for the transfer engine or the memory fill unit.
//!
//! | setting | |
//! |---|---|
//! | `formats` | of a display transfer: `rgba8:rgb565` |
//! | `flags` | `flip`, `to-tiled`, `crop`, `copy`, `no-convert`, `block32`, `half` (2x1), `quarter` (2x2) |
//! | `in`, `out` | sizes of source and target before scaling: `16x8` |
//! | `lines` | of a copy: bytes; then width and gap of a source line, width and gap of a target line, in units of 16 bytes |
//! | `fill` | bytes of the pattern (2 to 4), the pattern, bytes to fill |
//! | `at` | where source and target begin, in bytes; 0 and 0 if it is missing |
//! | `words` | the source is 0 but for these words, `index:word` |
//!
//! Byte n of the source is `(37 * n + 13 + n / 256) mod 256`. The target is filled with `ee` before. A result is the 32
//! bytes at an offset of the target, `0x20`, a word of it, `word 0x8`, or `faults`, their number.

use triglyph_guest::format::PixelFormat;

use crate::names::{COLOR_FORMATS, named};
use crate::parse::{Case, integer, integers};
use crate::{Engine, Results};
use triglyph_testkit::n3ds::Console;
use triglyph_testkit::pica::list::{HEAP, HEAP_VIRTUAL, VRAM, VRAM_VIRTUAL};

/// What a flag sets in the engine's register.
const FLAGS: [(u32, &str); 8] = [
    (1 << 0, "flip"),
    (1 << 1, "to-tiled"),
    (1 << 2, "crop"),
    (1 << 3, "copy"),
    (1 << 5, "no-convert"),
    (1 << 16, "block32"),
    (1 << 24, "half"),
    (2 << 24, "quarter"),
];

/// `16x8` as registers have it.
fn size(text: &str) -> Result<u32, String> {
    let (width, height) = text.split_once('x').ok_or_else(|| format!("`{text}` is no size"))?;
    Ok(integer(height)? << 16 | integer(width)?)
}

pub fn run(case: &Case, engine: Engine) -> Results {
    const AROUND: usize = 0x8000;
    let mut console = Console::new(engine.mode(), 1);
    match case.get("words") {
        Some(words) => {
            for word in words.split_whitespace() {
                let (index, word) = word.split_once(':').ok_or("words are index:word")?;
                console.write(HEAP + 4 * integer(index)?, &integer(word)?.to_le_bytes());
            }
        }
        None => console.write(HEAP, &(0..AROUND).map(|n| (37 * n + 13 + n / 256) as u8).collect::<Vec<_>>()),
    }
    let [from_at, to_at] = case.get("at").map_or(Ok([0; 2]), integers::<2>)?;
    let (source, target) = (HEAP_VIRTUAL + from_at, VRAM_VIRTUAL + to_at);
    console.write(VRAM, &[0xEE; AROUND]);
    let get = |key: &str| case.get(key).ok_or_else(|| format!("`{key}` is missing"));
    let mut flags = 0;
    for word in case.get("flags").unwrap_or("").split_whitespace() {
        flags |= named(&FLAGS, word)?;
    }
    if let Some(text) = case.get("fill") {
        let [bytes, value, length] = integers::<3>(text)?;
        let width = [0, 1, 2].into_iter().nth(bytes as usize - 2).ok_or("patterns have 2 to 4 bytes")?;
        console.gx([2, target, value, target + length, 0, 0, 0, 1 | width << 8]);
    } else if let Some(text) = case.get("lines") {
        let [bytes, in_width, in_gap, out_width, out_gap] = integers::<5>(text)?;
        let (from, to) = (in_gap << 16 | in_width, out_gap << 16 | out_width);
        console.gx([4, source, target, bytes, from, to, flags, 0]);
    } else {
        let number = |name: &str| -> Result<u32, String> {
            let format: PixelFormat = named(COLOR_FORMATS, name)?;
            Ok(PixelFormat::ALL.iter().position(|other| *other == format).expect("every format") as u32)
        };
        let (from, to) = get("formats")?.split_once(':').ok_or("formats are from:to")?;
        flags |= number(from)? << 8 | number(to)? << 12;
        console.gx([3, source, target, size(get("in")?)?, size(get("out")?)?, flags, 0, 0]);
    }
    let faults = console.gpu.faults().total();
    let mut result = |key: &str| match key.split_once(' ') {
        _ if key == "faults" => Ok(faults.to_string()),
        Some(("word", index)) => {
            let bytes = console.read(VRAM + 4 * integer(index)?, 4);
            Ok(bytes.iter().rev().map(|byte| format!("{byte:02x}")).collect())
        }
        _ => {
            let bytes = console.read(VRAM + integer(key)?, 32);
            Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
        }
    };
    case.expectations.iter().map(|item| result(&item.key)).collect()
}
