//! Push buffers of the Tegra X1.

use std::collections::HashMap;

use triglyph::GuestAddr;
use triglyph_guest::tegra::fifo::{Entry, Event, Stream, Write, host};
use triglyph_guest::tegra::methods::{Class, SUBCHANNEL_CLASSES, common};

use super::image::{Image, Stretch};
use super::{Isa, Order, Site, Sites, What};
use crate::document::{Document, long, word};

/// A channel between two words.
#[derive(Clone)]
struct Channel {
    stream: Stream,
    bound: [Option<Class>; 8],
}

/// The channels of a capture.
pub struct PushBuffers<'d> {
    document: &'d Document,
    channels: HashMap<u32, Channel>,
}

impl<'d> PushBuffers<'d> {
    /// Those of a capture at its beginning.
    pub fn new(document: &'d Document) -> Self {
        PushBuffers { document, channels: HashMap::new() }
    }

    /// The segments of a submission.
    pub fn find(&mut self, image: &Image, payload: &[u8], sites: &mut Sites) {
        let new = || Channel { stream: Stream::default(), bound: SUBCHANNEL_CLASSES };
        let channel = self.channels.entry(word(payload, 0)).or_insert_with(new);
        for at in (8..payload.len()).step_by(8) {
            let Entry::Segment(segment) = Entry::decode(long(payload, at)) else { continue };
            let bytes = 4 * u64::from(segment.words);
            if let Some(piece) = image.stretch(GuestAddr::new(0, segment.address), bytes) {
                channel.piece(&self.document.blocks[piece.record].payload, piece, sites);
            }
        }
    }
}

impl Channel {
    fn piece(&mut self, bytes: &[u8], piece: Stretch, sites: &mut Sites) {
        let Stretch { record, at: start, length } = piece;
        for at in (start..start + length / 4 * 4).step_by(4) {
            let is_header = self.stream.pending_words() == 0;
            let event = self.stream.word(word(bytes, at));
            let site = |what, name| Site { record, at, order: Order::Little, what, name };
            if is_header {
                sites.headers.push(site(What::Header, "header"));
            }
            match event {
                // An immediate method is in its header.
                Event::Write(write) if is_header => self.bind(write),
                Event::Write(write) => {
                    self.bind(write);
                    let bound = self.bound[write.subchannel as usize & 7];
                    let method = bound.and_then(|class| class.method(write.method));
                    if write.method as usize == common::macros::load_mme_instruction_ram::ID {
                        sites.instructions.push(site(What::Instruction(Isa::Macro), "macro"));
                    } else {
                        let (name, fields) = method.map_or(("?", &[][..]), |method| (method.name, method.fields));
                        sites.data.push(site(What::Datum(fields), name));
                    }
                }
                Event::EndSegment => return,
                Event::None | Event::Malformed => {}
            }
        }
    }

    fn bind(&mut self, write: Write) {
        if write.method as usize == host::set_object::ID {
            self.bound[write.subchannel as usize & 7] = Class::from_id(write.data);
        }
    }
}
