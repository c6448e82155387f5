//! Texture formats in cells of 144x96 pixels, each an image of 256x256 texels under a linear filter.
//!
//! The images are black but for the texels that rows of the scene's table name: those around one of its pixels.

use triglyph_guest::rsx::methods::curie as m;
use triglyph_testkit::rsx::{Console, QUADS, REPORTS};

use super::{Recorded, SIZE, rows};

/// Cells of the picture, as they are drawn: from the lower left one on, row by row. Names are those of GCM's headers.
const CELLS: [Cell; 25] = [
    Cell::new("B8", 0x81, 1),
    Cell::new("A1R5G5B5", 0x82, 2),
    Cell::new("A4R4G4B4", 0x83, 2),
    Cell::new("R5G6B5", 0x84, 2),
    Cell::new("A8R8G8B8", 0x85, 4),
    Cell::blocks("DXT1", 0x86, 8),
    Cell::blocks("DXT23", 0x87, 16),
    Cell::blocks("DXT45", 0x88, 16),
    Cell::new("G8B8", 0x8B, 2),
    Cell::new("R6G5B5", 0x8F, 2),
    Cell::new("DEPTH24_D8", 0x90, 4),
    Cell::new("DEPTH24_D8_FLOAT", 0x91, 4),
    Cell::new("DEPTH16", 0x92, 2),
    Cell::new("DEPTH16_FLOAT", 0x93, 2),
    Cell::new("X16", 0x94, 2),
    Cell::new("Y16_X16", 0x95, 4),
    Cell::new("R5G5B5A1", 0x97, 2),
    Cell::new("HILO8", 0x98, 2),
    Cell::new("HILO_S8", 0x99, 2),
    Cell::new("W16_Z16_Y16_X16_FLOAT", 0x9A, 8),
    Cell::new("D1R5G5B5", 0x9D, 2),
    Cell::new("D8R8G8B8", 0x9E, 4),
    Cell::new("Y16_X16_FLOAT", 0x9F, 4),
    Cell::new("B8R8_G8R8", 0x8D, 2),
    Cell::new("R8B8_R8G8", 0x8E, 2),
];
/// Cells of a row of the picture.
const COLUMNS: u32 = 5;
/// Pixels of a cell.
const CELL: [u32; 2] = [SIZE[0] / COLUMNS, SIZE[1] / 5];
/// Texels of an image, across and down.
const EDGE: u32 = 256;

/// Rows instead of interleaved coordinates.
const LINEAR: u32 = 0x20;
/// Main memory, two dimensions, no border, one level.
const FORMAT: u32 = 2 | 2 << 4 | 1 << 3 | 1 << 16;
/// OpenGL's CLAMP of all axes.
const CLAMP: u32 = 5 | 5 << 8 | 5 << 16;
const ENABLE: u32 = 1 << 31;
/// The crossbar that changes nothing.
const REMAP: u32 = 0xAAE4;
/// Linear without levels, minified and magnified.
const FILTER: u32 = 1 << 13 | 2 << 16 | 2 << 24;

/// Bytes of the report area.
const REPORT_BYTES: u32 = 0x1_0000;

struct Cell {
    name: &'static str,
    format: u32,
    /// Bytes of a texel, or of a block.
    bytes: u32,
    /// Texels of a block across and down.
    block: u32,
}

impl Cell {
    const fn new(name: &'static str, format: u32, bytes: u32) -> Cell {
        Cell { name, format, bytes, block: 1 }
    }

    const fn blocks(name: &'static str, format: u32, bytes: u32) -> Cell {
        Cell { name, format, bytes, block: 4 }
    }

    const fn pitch(&self) -> u32 {
        self.bytes * (EDGE / self.block)
    }

    /// Writes the rows of bytes of a table's row, lower one first, where pixel x, y of a cell looks.
    fn write(&self, console: &mut Console<Recorded>, image: u32, [x, y]: [u32; 2], stored: &str) {
        let [column, row] = [(x, CELL[0]), (CELL[1] - 1 - y, CELL[1])].map(first_texel);
        for (i, bytes) in stored.split('/').enumerate() {
            let bytes: Vec<u8> =
                bytes.split_whitespace().map(|byte| u8::from_str_radix(byte, 16).expect("bytes")).collect();
            let at = (row / self.block + i as u32) * self.pitch() + column / self.block * self.bytes;
            console.write_main(image + at, &bytes);
        }
    }
}

/// The first of the two texels around the middle of pixel `i` of `pixels`.
fn first_texel((i, pixels): (u32, u32)) -> u32 {
    ((2 * i + 1) * EDGE).saturating_sub(pixels) / (2 * pixels)
}

fn draw(console: &mut Console<Recorded>) {
    console.vertex_program("mov o[HPOS], v[0]\n mov o[TC0], v[8]  [end]");
    console.fragment_program("tex r0, f[TC0], tex0  [end]");
    // Images follow the reports in main memory.
    let mut image = REPORTS + REPORT_BYTES;
    let table = rows("texture-formats");
    for (i, cell) in CELLS.iter().enumerate() {
        let (column, row) = (i as u32 % COLUMNS, i as u32 / COLUMNS);
        let [left, top] = [column * CELL[0], SIZE[1] - (row + 1) * CELL[1]];
        let facts: Vec<_> = table.iter().filter(|fact| fact.text.split(':').next() == Some(cell.name)).collect();
        if facts.is_empty() {
            continue;
        }
        for fact in facts {
            let stored = fact.text.split('`').nth(1).expect("bytes in quotes");
            let (x, y) = fact.measure.trim_start_matches("color ").split_once(',').expect("a pixel");
            let [x, y] = [x, y].map(|text| text.trim().parse::<u32>().expect("a number"));
            cell.write(console, image, [x - left, y - top], stored);
        }
        let format = FORMAT | (cell.format | LINEAR) << 8;
        let words = [image, format, CLAMP, ENABLE, REMAP, FILTER, EDGE << 16 | EDGE, 0];
        console.method(m::set_texture_offset::id(0), &words);
        console.set(m::set_texture_control3::id(0), cell.pitch() | 1 << 20);
        let [x, y] = [left as f32 / 360.0 - 1.0, 1.0 - (top + CELL[1]) as f32 / 240.0];
        console.begin(QUADS);
        for [s, t] in [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]] {
            console.attribute(8, [s, t, 0.0, 1.0]);
            console.attribute(0, [x + 0.4 * s, y + 0.4 * t, 0.0, 1.0]);
        }
        console.end();
        image += cell.pitch() * (EDGE / cell.block);
    }
}

#[test]
fn texture_formats() {
    super::check("texture-formats", super::EXACT, draw);
}
