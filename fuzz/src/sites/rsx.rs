//! Push buffers of the PlayStation 3.

use std::collections::HashMap;

use triglyph::{GuestAddr, ObjectEntry};
use triglyph_guest::rsx::enums::TextureLocation;
use triglyph_guest::rsx::fifo::{Command, Methods};
use triglyph_guest::rsx::methods::{PULLER, curie, describe};
use triglyph_guest::rsx::objects::class;

use super::image::{Image, Stretch};
use super::{Isa, Order, Site, Sites, What};
use crate::document::{Document, long};

/// Pieces that jumps lead to, of one submission.
const MAX_PIECES: usize = 64;

/// Bytes from the beginning of a fragment program that are taken for it.
const FRAGMENT_BYTES: u64 = 1024;

/// Objects and channels of a capture.
pub struct PushBuffers<'d> {
    document: &'d Document,
    order: Order,
    classes: HashMap<u32, u32>,
    bound: [Option<u32>; 8],
}

impl<'d> PushBuffers<'d> {
    /// Those of a capture at its beginning.
    pub fn new(document: &'d Document) -> Self {
        let order = if document.header.big_endian { Order::Big } else { Order::Little };
        PushBuffers { document, order, classes: HashMap::new(), bound: [None; 8] }
    }

    /// An entry of the object table.
    pub fn add_object(&mut self, object: &ObjectEntry) {
        self.classes.insert(object.handle, object.class);
    }

    /// The segments of a submission.
    pub fn find(&mut self, image: &Image, payload: &[u8], sites: &mut Sites) {
        let space = (long(payload, 0) >> 32) as u32;
        for at in (8..payload.len()).step_by(16) {
            let (mut start, mut length) = (long(payload, at), long(payload, at + 8));
            for _ in 0..MAX_PIECES {
                let Some(piece) = image.stretch(GuestAddr::new(space, start), length) else { break };
                let Some(target) = self.piece(image, piece, sites) else { break };
                (start, length) = (target.into(), u64::MAX >> 1);
            }
        }
    }

    /// The words of a piece up to its end or a jump, whose target is returned.
    fn piece(&mut self, image: &Image, piece: Stretch, sites: &mut Sites) -> Option<u32> {
        let Stretch { record, at: start, length } = piece;
        let bytes = &self.document.blocks[record].payload;
        let end = start + length / 4 * 4;
        let mut at = start;
        let site = |at, what, name| Site { record, at, order: self.order, what, name };
        while at < end {
            let header = self.order.word(bytes, at);
            sites.headers.push(site(at, What::Header, "header"));
            at += 4;
            let methods = match Command::decode(header) {
                Command::Methods(methods) => methods,
                Command::Jump(target) => return Some(target),
                Command::Call(_) | Command::Return | Command::Invalid => continue,
            };
            for word in 0..methods.count as usize {
                if at >= end {
                    return None;
                }
                let Methods { method, subchannel, .. } = methods.after(word as u32);
                let value = self.order.word(bytes, at);
                if method == 0 {
                    self.bound[subchannel as usize] = self.classes.get(&value).copied();
                }
                let bound = self.bound[subchannel as usize].unwrap_or(class::CURIE);
                if is_vertex_code(bound, method) && word % 4 == 0 && methods.count as usize - word >= 4 {
                    sites.instructions.push(site(at, What::Instruction(Isa::RsxVertex), "vertex program"));
                }
                if bound == class::CURIE && method as usize == curie::set_shader_program::ID {
                    fragment(image, value, self.order, sites);
                }
                let (name, fields) = named(bound, method);
                sites.data.push(site(at, What::Datum(fields), name));
                at += 4;
            }
        }
        None
    }
}

/// Whether a method takes instructions of vertex programs.
fn is_vertex_code(bound: u32, method: u32) -> bool {
    let first = curie::set_transform_program::ID as u32;
    bound == class::CURIE && (first..first + 0x80).contains(&method)
}

/// Name and fields of a method.
fn named(bound: u32, method: u32) -> (&'static str, &'static [triglyph_guest::table::FieldInfo]) {
    let found = if method < 0x100 { PULLER.find(method) } else { None };
    let found = found.or_else(|| triglyph_guest::rsx::methods::CURIE.find(method).filter(|_| bound == class::CURIE));
    match found {
        Some(found) => (found.method.name, found.method.fields),
        None => ("?", describe(bound, method).map_or(&[], |(_, fields)| fields)),
    }
}

/// The fragment program that a value of SET_SHADER_PROGRAM names.
fn fragment(image: &Image, value: u32, order: Order, sites: &mut Sites) {
    let space = match curie::set_shader_program::location(value) {
        Some(TextureLocation::Local) => 0,
        _ => 1,
    };
    let start = GuestAddr::new(space, u64::from(value & !3));
    let Some(Stretch { record, at, length }) = image.stretch(start, FRAGMENT_BYTES) else { return };
    for place in (0..length / 16 * 16).step_by(16) {
        let what = What::Instruction(Isa::RsxFragment);
        sites.instructions.push(Site { record, at: at + place, order, what, name: "fragment program" });
    }
}
