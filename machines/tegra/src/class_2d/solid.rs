//! Solid primitives: points, lines, triangles and rectangles of one colour.
//!
//! Rectangles are `[x0, x1) x [y0, y1)` (Mesa fills with them). Nothing else is known to be used; unverified: a line
//! lights one pixel for each step of its longer direction, the last one not included; triangles cover the pixels whose
//! centres they contain, left and upper edges included, their corners being corners of pixels.

use triglyph_guest::tegra::methods::twod::SolidPrimitive;
use triglyph_guest::tegra::methods::twod::regs;

use super::canvas::{Canvas, Source};
use super::pixel::Codec;
use super::surface::Rect;
use crate::core::Core;
use crate::front_end::registers::Registers;
use triglyph_engine::device::FaultKind;
use triglyph_engine::snapshot::state;

/// Coordinates are cut to this range, so that products of their differences fit.
const FAR: i32 = 1 << 24;

/// Points of primitives.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Solid {
    /// The mode that the points are for, as its register says.
    mode: u32,
    /// Those that have come for the primitive, at most three.
    points: Vec<[i32; 2]>,
}

state! {
    /// Points of primitives in a snapshot.
    pub(crate) struct SavedSolid { mode: u32, points: Vec<[i32; 2]> }
}

impl Solid {
    /// A point has come: method RENDER_SOLID_PRIM_POINT_X_Y, or the y of one of the numbered points. Number 0 begins
    /// anew.
    pub fn point(&mut self, core: &mut Core, registers: &Registers, method: u32, datum: u32, enabled: bool) {
        use regs::render_solid_prim_point_x_y as packed;
        let point = match method as usize {
            packed::ID => [packed::x(datum) as i16, packed::y(datum) as i16].map(i32::from),
            y => {
                if y == regs::render_solid_prim_point_y::id(0) {
                    self.points.clear();
                }
                [registers.get(y - 1) as i32, datum as i32]
            }
        };
        let mode = registers.get(regs::render_solid_prim_mode::ID);
        if mode != self.mode {
            self.mode = mode;
            self.points.clear();
        }
        self.points.push(point.map(|coordinate| coordinate.clamp(-FAR, FAR)));
        match (regs::render_solid_prim_mode::v(mode), &self.points[..]) {
            (Some(SolidPrimitive::Points), &[a]) => {
                self.points.clear();
                draw(core, registers, enabled, |core, canvas, source| canvas.fill(core, pixel(a), source));
            }
            (Some(SolidPrimitive::Lines | SolidPrimitive::Polyline), &[a, b]) => {
                self.points.clear();
                if regs::render_solid_prim_mode::v(mode) == Some(SolidPrimitive::Polyline) {
                    self.points.push(b);
                }
                let ties = registers.get(regs::set_render_solid_line_tie_break_bits::ID);
                draw(core, registers, enabled, |core, canvas, source| line(core, canvas, source, [a, b], ties));
            }
            (Some(SolidPrimitive::Triangles), &[a, b, c]) => {
                self.points.clear();
                draw(core, registers, enabled, |core, canvas, source| triangle(core, canvas, source, [a, b, c]));
            }
            (Some(SolidPrimitive::Rects), &[a, b]) => {
                self.points.clear();
                let [x0, y0, x1, y1] = [a[0], a[1], b[0], b[1]].map(i64::from);
                draw(core, registers, enabled, |core, canvas, source| {
                    canvas.fill(core, Rect { x0, y0, x1, y1 }, source);
                });
            }
            (None, _) => {
                self.points.clear();
                core.fault(
                    FaultKind::BadMethod,
                    mode.into(),
                    format_args!("SET_RENDER_SOLID_PRIM_MODE: mode {mode:#x} does not exist"),
                );
            }
            _ => {}
        }
    }

    pub(super) fn save(&self) -> SavedSolid {
        SavedSolid { mode: self.mode, points: self.points.clone() }
    }

    pub(super) fn restore(saved: SavedSolid) -> Option<Self> {
        let near = |point: &[i32; 2]| point.iter().all(|coordinate| (-FAR..=FAR).contains(coordinate));
        let SavedSolid { mode, points } = saved;
        (points.len() < 3 && points.iter().all(near)).then_some(Solid { mode, points })
    }
}

/// Draws with the canvas and the colour of the registers.
fn draw(core: &mut Core, registers: &Registers, enabled: bool, how: impl FnOnce(&mut Core, &Canvas, Source)) {
    if !enabled {
        return;
    }
    let Some(canvas) = Canvas::of(core, registers) else { return };
    let word = registers.get(regs::set_render_solid_prim_color_format::ID);
    let Some(codec) = regs::set_render_solid_prim_color_format::v(word).map(Codec::of) else {
        let format = word & 0xFF;
        let what = format_args!("format {format:#x} of a colour of the 2D class");
        return core.fault(FaultKind::BadMethod, format.into(), what);
    };
    let mut words = [0; 4];
    if codec.bytes <= 4 {
        words[0] = registers.get(regs::set_render_solid_prim_color::ID);
    } else {
        words = [0, 1, 2, 3].map(|i| registers.get(regs::set_render_solid_prim_color0::ID + i));
    }
    let source = match codec.is_same_as(canvas.codec()) || codec.is_integer() && canvas.codec().is_integer() {
        true => Source::Bits(canvas.codec().convert(&codec, words, [0; 4])),
        false => Source::Color(codec.decode(words)),
    };
    how(core, &canvas, source);
}

fn pixel([x, y]: [i32; 2]) -> Rect {
    Rect::new([x, y], [1, 1])
}

/// A line from one point up to, but without, another. `ties` says for each of four directions which of two pixels is
/// taken that are equally near: 1 the one further on.
fn line(core: &mut Core, canvas: &Canvas, source: Source, [from, to]: [[i32; 2]; 2], ties: u32) {
    use regs::set_render_solid_line_tie_break_bits as tie;
    let delta = [0, 1].map(|axis| i64::from(to[axis]) - i64::from(from[axis]));
    let long = usize::from(delta[1].abs() > delta[0].abs());
    let short = 1 - long;
    let steps = delta[long].abs();
    let down = delta[1] >= 0;
    // Directions upwards are those downwards from the other end.
    let right = (delta[0] >= 0) == down;
    let forward = match (long, right) {
        (0, true) => tie::xmaj_xinc_yinc(ties),
        (0, false) => tie::xmaj_xdec_yinc(ties),
        (_, true) => tie::ymaj_xinc_yinc(ties),
        (_, false) => tie::ymaj_xdec_yinc(ties),
    };
    let advance = if (forward != 0) == down { steps } else { steps - 1 };
    if !core.budget.spend(steps as u64) {
        return core.fault(FaultKind::OutOfFuel, 0, format_args!("a line of {steps} pixels exceeds the budget"));
    }
    let mut run: Option<Rect> = None;
    for step in 0..steps {
        // The nearest whole number to step * short / long, halves as the tie says.
        let aside = (2 * step * delta[short].abs() + advance) / (2 * steps);
        let mut at = from.map(i64::from);
        at[long] += step * delta[long].signum();
        at[short] += aside * delta[short].signum();
        let [x, y] = at;
        // Neighbours in a row are one rectangle.
        match &mut run {
            Some(rect) if rect.y0 == y && (rect.x1 == x || rect.x0 == x + 1) => {
                (rect.x0, rect.x1) = (rect.x0.min(x), rect.x1.max(x + 1));
            }
            _ => {
                if let Some(rect) = run.replace(Rect { x0: x, y0: y, x1: x + 1, y1: y + 1 })
                    && !spend(core, canvas, rect, source)
                {
                    return;
                }
            }
        }
    }
    if let Some(rect) = run {
        spend(core, canvas, rect, source);
    }
}

/// Fills a part of a primitive; false when the fuel is used up.
fn spend(core: &mut Core, canvas: &Canvas, rect: Rect, source: Source) -> bool {
    let enough = core.budget.spend(20);
    if enough {
        canvas.fill(core, rect, source);
    } else {
        core.fault(FaultKind::OutOfFuel, 0, format_args!("a solid primitive exceeds the budget"));
    }
    enough
}

/// The pixels whose centres lie in a triangle, row by row.
fn triangle(core: &mut Core, canvas: &Canvas, source: Source, mut points: [[i32; 2]; 3]) {
    points.sort_unstable_by_key(|point| point[1]);
    let [top, middle, bottom] = points.map(|point| point.map(i64::from));
    // The first column whose centre is not left of the edge at the centre of row y: ceil(x - 1/2).
    let column = |a: [i64; 2], b: [i64; 2], y: i64| {
        let (dx, dy) = (b[0] - a[0], b[1] - a[1]);
        let numerator = 2 * a[0] * dy + (2 * (y - a[1]) + 1) * dx - dy;
        -(-numerator).div_euclid(2 * dy)
    };
    for y in top[1].max(canvas.area.y0)..bottom[1].min(canvas.area.y1) {
        let short = if y < middle[1] { column(top, middle, y) } else { column(middle, bottom, y) };
        let long = column(top, bottom, y);
        let rect = Rect { x0: short.min(long), y0: y, x1: short.max(long), y1: y + 1 };
        if !spend(core, canvas, rect, source) {
            return;
        }
    }
}
