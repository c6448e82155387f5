//! Numbers of records: addresses, sizes, handles, arguments of calls.

use triglyph::Machine;
use triglyph::capture::Kind;

use super::image::MEM_HEADER;
use super::{Order, Site, Sites, What};
use crate::document::{Document, extra};

/// Looks into one record.
pub fn find(document: &Document, record: usize, sites: &mut Sites) {
    let block = &document.blocks[record];
    let length = block.payload.len();
    let mut put = |at: usize, what: What, name: &'static str| {
        let size = if matches!(what, What::Long) { 8 } else { 4 };
        if at + size <= length {
            sites.numbers.push(Site { record, at, order: Order::Little, what, name });
        }
    };
    match Kind::from_number(block.kind) {
        Some(Kind::Map) => {
            put(0, What::Long, "MAP address");
            put(8, What::Long, "MAP size");
            put(16, What::Number, "MAP space");
            put(20, What::Number, "MAP access");
        }
        Some(Kind::Mem) => {
            put(0, What::Long, "MEM address");
            put(8, What::Number, "MEM space");
            sites.memory.push((record, MEM_HEADER));
        }
        Some(Kind::Object) => {
            put(0, What::Number, "OBJECT handle");
            put(4, What::Number, "OBJECT class");
            put(8, What::Number, "OBJECT space");
            put(16, What::Long, "OBJECT base");
            put(24, What::Long, "OBJECT limit");
        }
        Some(Kind::Submit) => match document.header.machine {
            Machine::N3ds => (0..8).for_each(|i| put(4 * i, What::Number, "GX command")),
            machine => {
                put(0, What::Number, "SUBMIT channel");
                let step = if machine == Machine::Ps3 { 16 } else { 8 };
                for at in (8..length).step_by(step) {
                    put(at, What::Long, "SUBMIT entry");
                    if step == 16 {
                        put(at + 8, What::Long, "SUBMIT length");
                    }
                }
            }
        },
        Some(Kind::Present) => {
            put(0, What::Long, "PRESENT address");
            (2..8).for_each(|i| put(4 * i, What::Number, "PRESENT"));
        }
        Some(Kind::Call) => (0..length / 8).for_each(|i| put(8 * i, What::Long, "CALL")),
        Some(Kind::Snapshot) => {
            sites.sealed.push(record);
            sites.memory.push((record, 0));
        }
        None if block.kind == extra::KEYS => {
            sites.sealed.push(record);
            sites.memory.push((record, 0));
        }
        None if block.kind == extra::IPC => (0..=extra::IPC_WORDS).for_each(|i| put(4 * i, What::Number, "IPC word")),
        _ => {}
    }
}
