//! `raster`: a draw through registers and a command list, as a picture of characters.
//!
//! | setting | |
//! |---|---|
//! | `size` | of the target, 8x8 if nothing is said |
//! | `vertices` | `x y`, or `x y z w` with z between -1 and 0, in pixels, y upwards; separated by commas |
//! | `indices` | which are drawn, in order; all of them if nothing is said |
//! | `set REGISTER`, `set REGISTER.field` | a register's value before the draw, by the names of the register table |
//!
//! A result is `row N`, the pixels with y = N from left to right: `.` is background, and a letter the triangle of a
//! list that was drawn there, `a` the first. (All three vertices of a triangle have the same colour; strips and fans
//! take what interpolation gives, so their pixels are `#`.)

use triglyph_guest::layout::Block;
use triglyph_guest::pica::regs;

use crate::parse::{Case, floats, integer, integers};
use crate::{Engine, Results};
use triglyph_testkit::n3ds::{Console, draw};
use triglyph_testkit::pica::list::{HEAP, VERTICES, VRAM, Vertex, clip_space, draw_state};

/// Red of the first triangle and from one to the next.
const STEP: u8 = 10;

pub fn run(case: &Case, engine: Engine) -> Results {
    let (width, height) = match case.get("size").map(|size| size.split_once('x')) {
        None => (8, 8),
        Some(Some((width, height))) => (integer(width)?, integer(height)?),
        Some(None) => return Err("a size is WIDTHxHEIGHT".to_owned()),
    };
    let points = case.get("vertices").ok_or("no vertices")?.split(',').map(floats).collect::<Result<Vec<_>, _>>()?;
    let list_of_triangles = !case.settings.iter().any(|item| item.key == "set primitive_config.primitive");
    let vertex = |(number, point): (usize, &Vec<f32>)| -> Result<Vertex, String> {
        let red = if list_of_triangles { STEP * (number as u8 / 3 + 1) } else { 255 };
        let mut position = match point[..] {
            [x, y] | [x, y, _, _] => clip_space([x, y], width, height),
            _ => return Err(format!("{point:?} is no vertex")),
        };
        if let [_, _, z, w] = point[..] {
            // What is given is divided by w later.
            position = [position[0] * w, position[1] * w, z * w, w];
        }
        Ok([position, [f32::from(red) / 255.0, 0.0, 0.0, 1.0], [0.0; 4]])
    };
    let vertices = points.iter().enumerate().map(vertex).collect::<Result<Vec<_>, _>>()?;
    let mut list = draw_state(width, height);
    for item in &case.settings {
        let Some(name) = item.key.strip_prefix("set ") else { continue };
        let (name, field) = name.split_once('.').map_or((name, None), |(name, field)| (name, Some(field)));
        let register = regs::REGISTERS.iter().find(|register| register.name.eq_ignore_ascii_case(name));
        let register = register.ok_or_else(|| format!("no register `{name}`"))?;
        let value = match field {
            None => integer(&item.value)?,
            Some(field) => {
                let field = register.fields.iter().find(|other| other.name == field);
                let field = field.ok_or_else(|| format!("no field of {name}: `{}`", item.key))?;
                let mask = field.mask();
                // What the register holds already, by the list so far.
                let old =
                    list.0.as_chunks::<2>().0.iter().rev().find(|write| write[1] == 0xF_0000 | register.id as u32);
                let named = field.value_named(&item.value);
                let number = named.map_or_else(|| integer(&item.value), Ok)?;
                old.map_or(0, |write| write[0]) & !mask | number << field.lo & mask
            }
        };
        list.set(register.id, value);
    }
    let mut console = Console::new(engine.mode(), 1);
    match case.get("indices") {
        None => draw(&mut console, list, &vertices),
        Some(text) => {
            const INDICES: u32 = 0x8000;
            let indices = text.split_whitespace().map(integer).collect::<Result<Vec<_>, _>>()?;
            let bytes: Vec<u8> = indices.iter().map(|index| *index as u8).collect();
            console.write(HEAP + INDICES, &bytes);
            let bytes: Vec<u8> = vertices.iter().flatten().flatten().flat_map(|value| value.to_le_bytes()).collect();
            console.write(VERTICES, &bytes);
            list.set(regs::index_buffer::ID, INDICES).set(regs::num_vertices::ID, indices.len() as u32);
            list.set(regs::draw_elements::ID, 1);
            console.list(list.end());
        }
    }
    let pixels = console.read(VRAM, (4 * width * height) as usize);
    let row = |y: u32| -> String {
        let pixel = |x: u32| match pixels[4 * Block::B8.index(x, height - 1 - y, width) as usize + 3] {
            0 => '.',
            red if list_of_triangles => char::from(b'a' + red / STEP - 1),
            _ => '#',
        };
        (0..width).map(pixel).collect()
    };
    let result = |key: &str| match key.strip_prefix("row ").map(integers::<1>) {
        Some(Ok([y])) if y < height => Ok(row(y)),
        _ => Err(format!("no result `{key}`")),
    };
    case.expectations.iter().map(|item| result(&item.key)).collect()
}
