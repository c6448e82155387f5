//! Frame-buffer copies (`ps3fb`): the hypervisor's own commands.
//!
//! They are what the hypervisor does on the console: words for the scaled-image object, in a push buffer of its own at
//! the beginning of the IO range that the guest has given for it.

use triglyph_engine::mem::GuestAddr;
use triglyph_guest::rsx::fifo::Methods;
use triglyph_guest::rsx::lv1::Status;
use triglyph_guest::rsx::lv1::attribute::BlitSize;
use triglyph_guest::rsx::lv1::handle;
use triglyph_guest::rsx::two_d::{scaled_image as image, surfaces_2d as surfaces};

use super::io_base;
use crate::core::Core;
use crate::front_end::dma::space;

/// Subchannels that GCM has the two objects on.
const SURFACES: u32 = 3;
const IMAGE: u32 = 6;

/// A copy of 32-bit pixels.
#[derive(Clone, Copy, Debug)]
pub(super) struct Blit {
    /// Target, offset in the context's local memory.
    pub local: u32,
    /// Source, offset in the IO space.
    pub io: u32,
    pub size: BlitSize,
    /// Bytes of a row of the source, and of the target.
    pub pitch: [u32; 2],
}

/// A run of methods of one subchannel from `method` on.
fn packet(words: &mut Vec<u32>, subchannel: u32, method: usize, data: &[u32]) {
    let header = Methods { method: method as u32, subchannel, count: data.len() as u32, increasing: true };
    words.push(header.encode());
    words.extend(data);
}

impl Blit {
    /// The commands of the copy.
    pub(super) fn commands(&self) -> Vec<u32> {
        let mut words = Vec::new();
        let both = |low: u32, high: u32| low & 0xFFFF | high << 16;
        let size = both(self.size.width, self.size.height);
        let [source, target] = self.pitch;
        packet(&mut words, SURFACES, 0, &[handle::SURFACES_2D]);
        packet(&mut words, SURFACES, surfaces::dma_image_source::ID, &[handle::LOCAL, handle::LOCAL]);
        // Format A8R8G8B8, pitches, offsets.
        packet(&mut words, SURFACES, surfaces::format::ID, &[0xA, both(target, target), self.local, self.local]);
        packet(&mut words, IMAGE, 0, &[handle::SCALED_IMAGE]);
        packet(&mut words, IMAGE, image::dma_image::ID, &[handle::MAIN]);
        packet(&mut words, IMAGE, image::surface::ID, &[handle::SURFACES_2D]);
        // Truncation, A8R8G8B8, copy, clip, target, steps of one.
        let data = [1, 3, 3, 0, size, 0, size, 1 << 20, 1 << 20];
        packet(&mut words, IMAGE, image::color_conversion::ID, &data);
        // Size, pitch with the origin in the corner and no filter, offset, start.
        packet(&mut words, IMAGE, image::in_size::ID, &[size, source & 0xFFFF | 2 << 16, self.io, 0]);
        words
    }
}

/// Stores commands at the beginning of the push buffer.
pub(super) fn store(core: &Core, slot: usize, io: u32, words: &[u32]) -> Result<(), Status> {
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_be_bytes()).collect();
    let address = u64::from(io_base(slot)) + u64::from(io);
    core.memory.write(GuestAddr::new(space::MAIN, address), &bytes).map_err(|_| Status::IllegalParameterValue)
}
