//! Scaled images from memory.
//!
//! What is neither scaled nor converted goes to the transfer kernels; the rest is rare and done here, pixel by pixel.

use triglyph_guest::kernel::transfer::Corner;
use triglyph_guest::layout::SurfaceLayout;
use triglyph_guest::rsx::two_d::format::{Bits, ImageFilter, ImageOrigin, ImagePixels, Operation};
use triglyph_guest::rsx::two_d::scaled_image as methods;

use super::surface::{Surface, push_pixel};
use super::{TwoD, point, size};
use crate::copy::pieces;
use crate::core::Core;
use crate::front_end::dma::DmaObject;
use crate::front_end::registers::Registers;
use triglyph_engine::device::FaultKind;
use triglyph_engine::frontend::budget::cost;
use triglyph_engine::transfer::{Rearrange, Request};

/// 1.0 in 12.20.
const ONE: i64 = 1 << 20;

/// A step of one source pixel for a target pixel, where steps are 12.20 numbers.
const HALF: i64 = ONE / 2;

/// What a scaled image is read from and how.
#[derive(Clone, Copy, Debug)]
struct Source {
    memory: DmaObject,
    offset: u32,
    format: ImagePixels,
    pitch: u32,
    size: [u32; 2],
    /// Where the first pixel of the target is read, 12.20.
    start: [i64; 2],
    /// From a target pixel to the next, 12.20.
    step: [i64; 2],
    bilinear: bool,
}

/// A rectangle of the target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Area {
    first: [i32; 2],
    end: [i32; 2],
}

impl Area {
    fn of(first: [i32; 2], size: [u32; 2]) -> Area {
        Area { first, end: [0, 1].map(|axis| first[axis] + size[axis] as i32) }
    }

    fn and(self, other: Area) -> Area {
        Area {
            first: [0, 1].map(|axis| self.first[axis].max(other.first[axis])),
            end: [0, 1].map(|axis| self.end[axis].min(other.end[axis])),
        }
    }

    fn is_empty(&self) -> bool {
        (0..2).any(|axis| self.first[axis] >= self.end[axis])
    }

    fn size(&self) -> [u32; 2] {
        [0, 1].map(|axis| (self.end[axis] - self.first[axis]).max(0) as u32)
    }
}

impl TwoD {
    /// Executes the scaled image that the registers of an object describe.
    pub(super) fn scaled_image(&mut self, core: &mut Core, index: usize) {
        let Some(object) = self.objects.get(index) else { return };
        let registers = &object.registers;
        let get = |id: usize| registers.get(id as u32);
        let word = get(methods::operation::ID);
        if !methods::operation::operation(word).is_some_and(Operation::is_copy) {
            let operation = word & 7;
            let what = format_args!("operation {operation} of a scaled image");
            core.fault(FaultKind::Unimplemented, operation.into(), what);
        }
        let Some(mut source) = source(core, registers) else { return };
        let Some(surface) = self.surface(core, get(methods::surface::ID)) else { return };
        let out = Area::of(point(get(methods::out_point::ID)), size(get(methods::out_size::ID)));
        let clip = Area::of(point(get(methods::clip_point::ID)), size(get(methods::clip_size::ID)));
        let area = out.and(clip).and(Area { first: [0, 0], end: surface.size() });
        if area.is_empty() || source.size.contains(&0) {
            return;
        }
        // From here on the image begins with the first pixel that is written.
        for axis in 0..2 {
            source.start[axis] += i64::from(area.first[axis] - out.first[axis]) * source.step[axis];
        }
        let [width, height] = area.size();
        let pixels = u64::from(width) * u64::from(height);
        let as_it_is = rearrangement(&source, &surface, &area).filter(|request| in_memory(core, request));
        let time = if as_it_is.is_some() { pixels / 2 + 1000 } else { 32 * pixels };
        // Of a source that is scaled two whole rows may be read for each row of the target.
        let row = u64::from(source.size[0]) * u64::from(source.format.bytes());
        let read = if as_it_is.is_some() { 0 } else { 2 * u64::from(height) * (row / cost::BYTES + cost::COMMAND) };
        if !core.budget.spend(time) || !core.budget.charge(cost::PIXEL * pixels + read) {
            let what = format_args!("a scaled image of {width}x{height} pixels");
            return core.fault(FaultKind::OutOfFuel, source.offset.into(), what);
        }
        match as_it_is {
            Some(request) => core.transfer("scaled image", &Request::Rearrange(request)),
            None => scale(core, &source, &surface, &area),
        }
    }
}

fn source(core: &mut Core, registers: &Registers) -> Option<Source> {
    let get = |id: usize| registers.get(id as u32);
    let memory = core.dma(get(methods::dma_image::ID), "source of a scaled image")?;
    if !memory.read {
        let what = format_args!("the source of a scaled image is write only");
        core.fault(FaultKind::UnmappedRead, 0, what);
        return None;
    }
    let word = get(methods::color_format::ID);
    let Some(format) = methods::color_format::format(word) else {
        let number = word & 0xFF;
        let what = format_args!("format {number:#x} of a scaled image");
        core.fault(FaultKind::BadMethod, number.into(), what);
        return None;
    };
    let layout = get(methods::in_format::ID);
    let start = size(get(methods::in_point::ID)).map(|at| i64::from(at) << 16);
    Some(Source {
        memory,
        offset: get(methods::in_offset::ID),
        format: *format.row(),
        pitch: methods::in_format::pitch(layout),
        size: size(get(methods::in_size::ID)),
        // Texel centres are at halves, but an image that begins at 0 begins with its first texel all the same: Mesa
        // uploads every texture that way (quirks C24); the rule for other starts is RPCS3's.
        start: match methods::in_format::origin(layout) {
            Some(ImageOrigin::Center) => start.map(|at| at.max(HALF) - HALF),
            _ => start,
        },
        step: [methods::ds_dx::ID, methods::dt_dy::ID].map(|id| i64::from(get(id) as i32)),
        bilinear: methods::in_format::filter(layout) == Some(ImageFilter::Bilinear),
    })
}

/// Whether pixels are stored as they come. Those of 32 bits are whatever their formats are (RPCS3).
fn keeps_bits(from: Bits, to: Bits) -> bool {
    let kind = |bits: Bits| match bits {
        Bits::A1R5G5B5 | Bits::X1R5G5B5 => 1555,
        Bits::R5G6B5 => 565,
        _ => 0,
    };
    from.bytes() == to.bytes() && (from.bytes() != 2 || kind(from) == kind(to) || kind(to) == 0)
}

/// A pixel in another format.
pub(super) fn convert_pixel(from: Bits, to: Bits, pixel: u32) -> u32 {
    if keeps_bits(from, to) { pixel } else { to.encode(from.decode(pixel)) }
}

/// The image as a change of layout, if it is one: nothing is scaled, filtered, converted or repeated at an edge.
fn rearrangement(source: &Source, surface: &Surface, area: &Area) -> Option<Rearrange> {
    let ImagePixels::Single(bits) = source.format else { return None };
    // Filtering takes pixels apart and puts them together in the target's format, where it has nothing to mix as well.
    let whole = |axis: usize| source.step[axis] == ONE && !source.bilinear;
    let first = source.start.map(|at| at >> 20);
    let size = area.size();
    let inside = |axis: usize| first[axis] >= 0 && first[axis] + i64::from(size[axis]) <= i64::from(source.size[axis]);
    if !keeps_bits(bits, *surface.format.row()) || !(0..2).all(|axis| whole(axis) && inside(axis)) {
        return None;
    }
    let [x, y] = area.first.map(|at| at as u32);
    let from = Corner { layout: SurfaceLayout::Pitch, pitch: source.pitch, x: first[0] as u32, y: first[1] as u32 };
    let request = Rearrange {
        source: source.memory.place(source.offset)?,
        target: surface.place()?,
        from,
        to: surface.corner(x, y),
        bytes: bits.bytes() as u8,
        width: size[0],
        height: size[1],
    };
    let fits = |memory: &DmaObject, offset: u32, corner: &Corner| memory.range(offset.into(), request.extent(corner));
    fits(&source.memory, source.offset, &request.from)?;
    fits(&surface.memory, surface.offset, &request.to)?;
    Some(request)
}

/// Whether both images lie in one mapping each.
fn in_memory(core: &Core, request: &Rearrange) -> bool {
    let (source, target) = (request.source, request.target);
    core.memory.readable(source).len() as u64 >= request.extent(&request.from)
        && core.memory.writable(target).len() as u64 >= request.extent(&request.to)
}

/// Reads pixels of a source, a row at a time.
struct Rows<'s> {
    source: &'s Source,
    big_endian: bool,
    /// The rows held, by their number.
    rows: [(u32, Vec<u8>); 2],
}

impl Rows<'_> {
    /// Holds a row; of two neighbours one is at an even and one at an odd place.
    fn load(&mut self, core: &mut Core, y: u32) {
        let held = &mut self.rows[y as usize % 2];
        if held.0 == y {
            return;
        }
        held.0 = y;
        // Pixels of a pair share their word.
        let width = match self.source.format {
            ImagePixels::Single(_) => self.source.size[0],
            ImagePixels::Pairs(_) => self.source.size[0].next_multiple_of(2),
        };
        let bytes = u64::from(width) * u64::from(self.source.format.bytes());
        held.1.clear();
        held.1.resize(bytes as usize, 0);
        let offset = u64::from(self.source.offset) + u64::from(y) * u64::from(self.source.pitch);
        match self.source.memory.range(offset, bytes) {
            Some(place) => pieces::gather(core, place, &mut held.1, "scaled image"),
            None => {
                let what = format_args!("the scaled image ends beyond its DMA object");
                core.fault(FaultKind::UnmappedRead, offset, what);
            }
        }
    }

    /// A word of a row that is held.
    fn word(&self, x: u32, y: u32, bytes: u32) -> u32 {
        let start = x as usize * bytes as usize;
        let unit = &self.rows[y as usize % 2].1[start..start + bytes as usize];
        let fold = |word: u32, byte: &u8| word << 8 | u32::from(*byte);
        if self.big_endian { unit.iter().fold(0, fold) } else { unit.iter().rev().fold(0, fold) }
    }

    /// The colour of a pixel of a row that is held.
    fn color(&self, x: u32, y: u32) -> [u8; 4] {
        match self.source.format {
            ImagePixels::Single(bits) => bits.decode(self.word(x, y, bits.bytes())),
            ImagePixels::Pairs(yuv) => yuv.decode(self.word(x / 2, y, 4), x % 2 == 1),
        }
    }
}

/// Scales and converts, row by row. The rows of the source that a target row needs are read before it is written.
fn scale(core: &mut Core, source: &Source, surface: &Surface, area: &Area) {
    core.flush();
    let big_endian = core.big_endian;
    let mut rows = Rows { source, big_endian, rows: [(u32::MAX, Vec::new()), (u32::MAX, Vec::new())] };
    let target = *surface.format.row();
    let [width, height] = area.size();
    let clamp = |axis: usize, at: i64| at.clamp(0, i64::from(source.size[axis]) - 1) as u32;
    let mut pixels = Vec::with_capacity((width * surface.bytes()) as usize);
    for row in 0..height {
        let t = source.start[1] + i64::from(row) * source.step[1];
        let y = [0, 1].map(|tap| clamp(1, (t >> 20) + tap));
        rows.load(core, y[0]);
        if source.bilinear {
            rows.load(core, y[1]);
        }
        pixels.clear();
        for column in 0..width {
            let s = source.start[0] + i64::from(column) * source.step[0];
            let x = [0, 1].map(|tap| clamp(0, (s >> 20) + tap));
            let pixel = match (source.bilinear, source.format) {
                (true, _) => target.encode(filter(&rows, x, y, [s, t].map(|at| (at >> 12 & 0xFF) as u32))),
                (false, ImagePixels::Single(bits)) => convert_pixel(bits, target, rows.word(x[0], y[0], bits.bytes())),
                (false, ImagePixels::Pairs(_)) => target.encode(rows.color(x[0], y[0])),
            };
            push_pixel(&mut pixels, pixel, surface.bytes(), big_endian);
        }
        let [x, y] = area.first.map(|at| at as u32);
        surface.store_row(core, x, y + row, &pixels);
    }
}

/// The mean of four texels, weighted with 8 bits of either coordinate, rounded (that the hardware rounds is
/// unverified).
fn filter(rows: &Rows<'_>, x: [u32; 2], y: [u32; 2], [fx, fy]: [u32; 2]) -> [u8; 4] {
    let taps = [(x[0], y[0]), (x[1], y[0]), (x[0], y[1]), (x[1], y[1])].map(|(x, y)| rows.color(x, y));
    let weights = [(256 - fx) * (256 - fy), fx * (256 - fy), (256 - fx) * fy, fx * fy];
    std::array::from_fn(|channel| {
        let sum: u32 = taps.iter().zip(weights).map(|(tap, weight)| u32::from(tap[channel]) * weight).sum();
        ((sum + 0x8000) >> 16) as u8
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn areas_are_cut() {
        let area = Area::of([-3, 5], [10, 10]).and(Area { first: [0, 0], end: [4, 100] });
        assert_eq!((area, area.size()), (Area { first: [0, 5], end: [4, 15] }, [4, 10]));
        assert!(area.and(Area::of([4, 0], [9, 9])).is_empty());
    }

    #[test]
    fn pixels_keep_their_bits_or_are_converted() {
        assert_eq!(convert_pixel(Bits::X8B8G8R8, Bits::A8R8G8B8, 0x1234_5678), 0x1234_5678);
        assert_eq!(convert_pixel(Bits::A8R8G8B8, Bits::R5G6B5, 0x80FF_8107), 0xFC00);
        assert_eq!(convert_pixel(Bits::R5G6B5, Bits::A8R8G8B8, 0xF800), 0xFFFF_0000);
        assert_eq!(convert_pixel(Bits::A1R5G5B5, Bits::R5G6B5, 0x7C00), 0xF800);
        assert_eq!(convert_pixel(Bits::A1R5G5B5, Bits::X1R5G5B5, 0xFC01), 0xFC01);
        assert_eq!(convert_pixel(Bits::R5G6B5, Bits::Y16, 0x1234), 0x1234);
    }
}
