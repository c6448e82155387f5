//! Image from the processor: pixels that come with the commands.

use triglyph_guest::rsx::two_d::format::{Bits, Operation};
use triglyph_guest::rsx::two_d::image_from_cpu as methods;

use super::surface::{Surface, push_pixel};
use super::{TwoD, point, scaled, size};
use crate::core::Core;
use triglyph_engine::device::FaultKind;
use triglyph_engine::frontend::budget::cost;

/// An image as the registers describe it.
#[derive(Clone, Copy, Debug)]
struct Image {
    format: Bits,
    point: [i32; 2],
    size_in: [u32; 2],
    size_out: [u32; 2],
}

impl Image {
    /// Words of a row: rows begin with a word of their own.
    fn row_words(&self) -> u32 {
        (self.size_in[0] * self.format.bytes()).div_ceil(4)
    }

    /// The pixels in a word that lie in the row, `column` being the first pixel.
    fn pixels(&self, word: u32) -> impl Iterator<Item = u32> {
        // With 16 bits the low half comes first, in either byte order.
        let (count, shift) = if self.format.bytes() == 2 { (2, 16) } else { (1, 0) };
        let mask = if count == 2 { 0xFFFF } else { u32::MAX };
        (0..count).map(move |i| word >> (shift * i) & mask)
    }
}

impl TwoD {
    /// Words for the colour methods: the next ones of the image, whichever of the methods they go to.
    pub(super) fn colors(&mut self, core: &mut Core, index: usize, words: &[u32]) {
        let Some(image) = self.image(core, index) else { return };
        let (row_words, [_, rows]) = (image.row_words(), image.size_in);
        if row_words == 0 || rows == 0 {
            return;
        }
        let name = self.objects[index].registers.get(methods::surface::ID as u32);
        let Some(surface) = self.surface(core, name) else { return };
        let mut words = words;
        while !words.is_empty() {
            let at = self.objects[index].words;
            let (y, column) = (at / row_words, at % row_words);
            let count = words.len().min((row_words - column) as usize);
            if !core.budget.spend(8 * count as u64) || !core.budget.charge((cost::PIXEL * 2 + 8) * count as u64) {
                let what = format_args!("an image from the processor");
                return core.fault(FaultKind::OutOfFuel, methods::COLORS.into(), what);
            }
            store(core, &surface, &image, y, column, &words[..count]);
            words = &words[count..];
            let done = at + count as u32 >= row_words * rows;
            self.objects[index].words = if done { 0 } else { at + count as u32 };
            if done {
                self.notify(core, index);
            }
        }
    }

    fn image(&self, core: &mut Core, index: usize) -> Option<Image> {
        let registers = &self.objects.get(index)?.registers;
        let get = |id: usize| registers.get(id as u32);
        let word = get(methods::color_format::ID);
        let Some(format) = methods::color_format::format(word) else {
            let number = word & 0xFF;
            let what = format_args!("format {number:#x} of an image from the processor");
            core.fault(FaultKind::BadMethod, number.into(), what);
            return None;
        };
        let word = get(methods::operation::ID);
        if !methods::operation::operation(word).is_some_and(Operation::is_copy) {
            let operation = word & 7;
            let what = format_args!("operation {operation} of an image from the processor");
            core.fault(FaultKind::Unimplemented, operation.into(), what);
        }
        Some(Image {
            format: *format.row(),
            point: point(get(methods::point::ID)),
            size_in: size(get(methods::size_in::ID)),
            size_out: size(get(methods::size_out::ID)),
        })
    }
}

/// Stores words of row `y` from word `column` on.
fn store(core: &mut Core, surface: &Surface, image: &Image, y: u32, column: u32, words: &[u32]) {
    let [left, top] = image.point;
    let [width, height] = [0, 1].map(|axis| image.size_in[axis].min(image.size_out[axis]));
    let row = top + y as i32;
    if y >= height || !(0..surface.size()[1]).contains(&row) {
        return;
    }
    let first = column * 4 / image.format.bytes();
    let big_endian = core.big_endian;
    let mut pixels = Vec::with_capacity(4 * words.len());
    // Where in the surface the first pixel goes that is stored.
    let mut start = None;
    for (x, pixel) in (first..width).zip(words.iter().flat_map(|&word| image.pixels(word))) {
        let x = left + x as i32;
        if (0..surface.size()[0]).contains(&x) {
            start.get_or_insert(x as u32);
            let pixel = scaled::convert_pixel(image.format, *surface.format.row(), pixel);
            push_pixel(&mut pixels, pixel, surface.bytes(), big_endian);
        }
    }
    if let Some(x) = start {
        surface.store_row(core, x, row as u32, &pixels);
    }
}
