//! Pixels from the push buffer: colours, or bits that choose between two colours, in rows from the top left on.
//!
//! A source pixel covers the destination pixels from `x0 + column * dx` up to `x0 + (column + 1) * dx`, whole numbers
//! taken downwards, and rows likewise. Indices of 4 and 8 bits have no palette to go with and are not emulated.

use triglyph_guest::tegra::methods::twod::regs;
use triglyph_guest::tegra::methods::twod::{BitOrder, CpuDataType, CpuIndexFormat, CpuWrap, MonoOpacity};

use super::canvas::{Canvas, Painter, Source};
use super::pixel::Codec;
use super::surface::Rect;
use crate::core::Core;
use crate::front_end::registers::Registers;
use triglyph_engine::device::FaultKind;
use triglyph_engine::snapshot::state;

/// How far the image has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CpuImage {
    /// Column and row of the next source pixel.
    column: u32,
    row: u32,
}

state! {
    /// How far the image from the push buffer has come in a snapshot.
    pub(crate) struct SavedCpuImage { column: u32, row: u32 }
}

/// What the registers say of an image.
struct Image {
    /// Bits of a pixel: 1, 8, 16 or 32.
    bits: u32,
    size: [u32; 2],
    wrap: CpuWrap,
    /// First destination pixel, and destination pixels per source pixel, both axes, 32.32.
    start: [i64; 2],
    step: [i64; 2],
    pixels: Pixels,
}

/// What pixels are.
enum Pixels {
    /// Colours of a format.
    Colors(Codec),
    /// Bits: what 0 and 1 become, and whether the first pixel is in the highest bit of a byte.
    Bits { sources: [Source; 2], high_first: bool },
}

impl CpuImage {
    /// A new image: SET_PIXELS_FROM_CPU_DST_Y0_INT, the last register that drivers write.
    pub fn begin(&mut self) {
        *self = CpuImage::default();
    }

    /// Data of the image. What comes after its end is ignored.
    pub fn data(&mut self, core: &mut Core, registers: &Registers, words: &[u32], enabled: bool) {
        let Some(canvas) = Canvas::of(core, registers) else { return };
        let Some(image) = Image::of(core, registers, &canvas) else { return };
        let mut pixels: Vec<Source> = Vec::new();
        let mut first = *self;
        for &word in words {
            let mut bit = 0;
            while bit < 32 && self.row < image.size[1] {
                pixels.push(image.pixel(&canvas, word, bit));
                bit += image.bits;
                self.column += 1;
                if self.column < image.size[0] {
                    continue;
                }
                bit = match image.wrap {
                    CpuWrap::WrapPixel => bit,
                    CpuWrap::WrapByte => bit.next_multiple_of(8),
                    CpuWrap::WrapDword => 32,
                };
                *self = CpuImage { column: 0, row: self.row + 1 };
                image.store(core, &canvas, first, &pixels, enabled);
                (first, _) = (*self, pixels.clear());
            }
        }
        image.store(core, &canvas, first, &pixels, enabled);
    }

    pub(super) fn save(&self) -> SavedCpuImage {
        SavedCpuImage { column: self.column, row: self.row }
    }

    pub(super) fn restore(saved: SavedCpuImage) -> Self {
        let SavedCpuImage { column, row } = saved;
        CpuImage { column, row }
    }
}

impl Image {
    /// What the registers say; `None` with a fault when that is nothing that can be done.
    fn of(core: &mut Core, registers: &Registers, canvas: &Canvas) -> Option<Image> {
        let get = |id: usize| registers.get(id);
        let long = |frac: usize| i64::from(get(frac)) | i64::from(get(frac + 1) as i32) << 32;
        let word = get(regs::set_pixels_from_cpu_color_format::ID);
        let codec = regs::set_pixels_from_cpu_color_format::v(word).map(Codec::of).filter(|codec| codec.bytes <= 4);
        let Some(codec) = codec else {
            let format = word & 0xFF;
            let what = format_args!("format {format:#x} of pixels from the push buffer");
            core.fault(FaultKind::BadMethod, format.into(), what);
            return None;
        };
        let index = regs::set_pixels_from_cpu_index_format::v(get(regs::set_pixels_from_cpu_index_format::ID));
        let indexed = regs::set_pixels_from_cpu_data_type::v(get(regs::set_pixels_from_cpu_data_type::ID))
            == Some(CpuDataType::Index);
        if indexed && index != Some(CpuIndexFormat::I1) {
            let what = format_args!("indices of more than one bit from the push buffer");
            core.fault(FaultKind::Unimplemented, regs::set_pixels_from_cpu_index_format::ID as u64, what);
            return None;
        }
        let color = |id: usize| source(&codec, canvas, get(id));
        let opacity = regs::set_pixels_from_cpu_mono_opacity::v(get(regs::set_pixels_from_cpu_mono_opacity::ID));
        let order = regs::set_pixels_from_cpu_mono_format::v(get(regs::set_pixels_from_cpu_mono_format::ID));
        let pixels = match indexed {
            false => Pixels::Colors(codec),
            true => Pixels::Bits {
                sources: [
                    match opacity {
                        Some(MonoOpacity::Transparent) => Source::Nothing,
                        _ => color(regs::set_pixels_from_cpu_color0::ID),
                    },
                    color(regs::set_pixels_from_cpu_color1::ID),
                ],
                high_first: order == Some(BitOrder::Cga6),
            },
        };
        Some(Image {
            bits: if indexed { 1 } else { 8 * codec.bytes },
            size: [regs::set_pixels_from_cpu_src_width::ID, regs::set_pixels_from_cpu_src_height::ID].map(get),
            wrap: regs::set_pixels_from_cpu_wrap::v(get(regs::set_pixels_from_cpu_wrap::ID))
                .unwrap_or(CpuWrap::WrapDword),
            start: [regs::set_pixels_from_cpu_dst_x0_frac::ID, regs::set_pixels_from_cpu_dst_y0_frac::ID].map(long),
            step: [regs::set_pixels_from_cpu_dx_du_frac::ID, regs::set_pixels_from_cpu_dy_dv_frac::ID].map(long),
            pixels,
        })
    }

    /// The pixel that begins at a bit of a word.
    fn pixel(&self, canvas: &Canvas, word: u32, bit: u32) -> Source {
        match &self.pixels {
            Pixels::Bits { sources, high_first } => {
                let bit = if *high_first { bit ^ 7 } else { bit };
                sources[(word >> bit & 1) as usize]
            }
            Pixels::Colors(codec) => {
                let pixel = word >> bit & (u32::MAX >> (32 - self.bits));
                match canvas.operation.key() {
                    Some(key) if key.matches(codec, [pixel, 0, 0, 0]) => Source::Nothing,
                    _ => source(codec, canvas, pixel),
                }
            }
        }
    }

    /// Where source pixel `i` of an axis begins.
    fn edge(&self, axis: usize, i: u32) -> i64 {
        let at = i128::from(self.start[axis]) + i128::from(self.step[axis]) * i128::from(i);
        (at >> 32).clamp(i64::MIN.into(), i64::MAX.into()) as i64
    }

    /// Stores source pixels of one row, from `first` on.
    fn store(&self, core: &mut Core, canvas: &Canvas, first: CpuImage, pixels: &[Source], enabled: bool) {
        if pixels.is_empty() || !enabled {
            return;
        }
        let end = first.column + pixels.len() as u32;
        let rect = Rect {
            x0: self.edge(0, first.column),
            y0: self.edge(1, first.row),
            x1: self.edge(0, end),
            y1: self.edge(1, first.row.saturating_add(1)),
        };
        let rect = rect.and(canvas.area);
        if rect.is_empty() {
            return;
        }
        let mut row = vec![Source::Nothing; rect.width() as usize];
        for (source, column) in pixels.iter().zip(first.column..) {
            let from = self.edge(0, column).clamp(rect.x0, rect.x1);
            let to = self.edge(0, column.saturating_add(1)).clamp(from, rect.x1);
            row[(from - rect.x0) as usize..(to - rect.x0) as usize].fill(*source);
        }
        let painter = Painter { skips: row.contains(&Source::Nothing), cost: 16 };
        canvas.paint(core, rect, painter, |_, _, out| out.copy_from_slice(&row));
    }
}

/// A pixel in a format of the push buffer's.
fn source(codec: &Codec, canvas: &Canvas, pixel: u32) -> Source {
    let (to, words) = (canvas.codec(), [pixel, 0, 0, 0]);
    match codec.is_same_as(to) || codec.is_integer() && to.is_integer() {
        true => Source::Bits(to.convert(codec, words, [0; 4])),
        false => Source::Color(codec.decode(words)),
    }
}
