//! Duplicates, reorders and removes records, and adds calls that hosts make for their guests.

use triglyph::capture::Kind;
use triglyph::{GuestRange, Machine};

use triglyph_guest::gsp::calls as hardware_calls;
use triglyph_guest::gsp::ipc::Request;
use triglyph_guest::rsx::lv1::calls as lv1;
use triglyph_guest::table::calls::CallInfo;
use triglyph_guest::tegra::driver::calls as nvdrv;

use crate::choices::Choices;
use crate::document::{Document, call as encode, extra};
use crate::edit::Edit;

/// A change of the order of records, of their kinds or of their lengths.
pub fn edit(document: &Document, choices: &mut Choices) -> Option<Edit> {
    let count = document.blocks.len();
    let record = choices.below(count);
    let before = choices.below(count + 1);
    Some(match choices.below(16) {
        0..4 => Edit::Remove { record },
        4..12 => Edit::Repeat { record, before },
        12 => Edit::Kind { record, kind: choices.pick(&Kind::ALL).map_or(0, |kind| *kind as u32) },
        13 | 14 => {
            let length = document.blocks.get(record)?.payload.len();
            Edit::Resize { record, length: choices.below(length + 64) }
        }
        _ => Edit::ByteOrder,
    })
}

/// A call of the machine's own, with arguments that are often nearly right.
pub fn call(machine: Machine, records: usize, choices: &mut Choices) -> Option<Edit> {
    let before = choices.below(records + 1);
    let insert = |kind, payload| Some(Edit::Insert { before, kind, payload });
    match machine {
        Machine::N3ds if choices.one_in(2) => insert(extra::IPC, gsp(choices)),
        Machine::N3ds => insert(Kind::Call as u32, hardware(choices)),
        Machine::Ps3 => insert(Kind::Call as u32, hypercall(choices)),
        Machine::TegraX1 => insert(Kind::Call as u32, driver(choices)),
        _ => None,
    }
}

/// A request to GSP: a header that is known, a small session, offsets of registers, pointers into the payload.
pub fn gsp(choices: &mut Choices) -> Vec<u8> {
    const PROCESS: usize = 0x200;
    let header = choices.pick(&Request::ALL).map_or(0, |request| request.header());
    let header = if choices.one_in(8) { choices.value(header) } else { header };
    let mut words = vec![choices.word() % 5, header];
    words.extend((2..=extra::IPC_WORDS).map(|_| match choices.below(8) {
        0 => choices.value(0),
        1 => choices.word() % 0x200,
        2 => 0x40_0000 + choices.word() % 0x2000,
        3 => 0x1F00_0000 + choices.word() % 0x60_0000,
        4 => 0x1400_0000 + choices.word() % 0x10_0000,
        5 => 4 * (choices.word() % 0x22),
        _ => choices.word() % 4,
    }));
    let mut payload: Vec<u8> = words.into_iter().flat_map(u32::to_le_bytes).collect();
    payload.extend(choices.some_bytes(PROCESS));
    payload
}

/// Words of a GX command: of any id, with addresses in and around what is mapped.
pub fn gx_command(choices: &mut Choices, places: &[GuestRange]) -> [u32; 8] {
    let mut words = [0; 8].map(|_: u32| match (choices.below(6), choices.pick(places)) {
        (0..3, Some(place)) => {
            let offset = if choices.one_in(4) { choices.value(0) } else { choices.word() & 0xF_FFF0 };
            (place.start.address as u32).wrapping_add(offset)
        }
        // A size of two numbers, as transfers have them.
        (3, _) => ((choices.word() % 0x401) << 16) | (choices.word() % 0x401),
        (4, _) => choices.word() % 0x1_0000,
        _ => choices.value(0),
    });
    words[0] = (words[0] & !0xFF) | (choices.word() % 7);
    words
}

/// A call of the 3DS's hardware.
pub fn hardware(choices: &mut Choices) -> Vec<u8> {
    let argument = |choices: &mut Choices| match choices.below(4) {
        0 => 0x40_0000 + u64::from(choices.word() % 0x2000),
        1 => 0x1800_0000 + u64::from(choices.word() % 0x60_0000),
        2 => u64::from(choices.value(0)),
        _ => u64::from(choices.word() % 16),
    };
    recorded(hardware_calls::CALLS, choices, argument).encode()
}

/// A call of the PS3's hypervisor, or one of what hosts do beside it.
pub fn hypercall(choices: &mut Choices) -> Vec<u8> {
    let argument = |choices: &mut Choices| match choices.below(8) {
        0 => u64::from(choices.word() % 4),
        1 => 0x5555_5555 ^ u64::from(choices.word() % 4),
        2 => 1 << (16 + choices.below(16)),
        3 => u64::from(choices.word() % 0x400) << 20,
        4 => 0x100 + u64::from(choices.word() % 0x10),
        5 => choices.long_value(0),
        6 => 0xC000_0000_0000_0000,
        _ => 0,
    };
    if choices.one_in(2) {
        let calls: Vec<_> = lv1::CALLS.iter().filter(|call| call.is_guest()).collect();
        let call = choices.pick(&calls).and_then(|call| call.number).unwrap_or_default();
        let call = if choices.one_in(12) { argument(choices) } else { call };
        let arguments: Vec<u64> = (0..lv1::ARGUMENTS).map(|_| argument(choices)).collect();
        return encode(0, &[&[call], &arguments[..]].concat());
    }
    let mut words = recorded(lv1::CALLS, choices, argument);
    if words.name == "mmio_write" {
        // A register of BAR0, or an address that is near one.
        let address = 0x2800_0000_u64.wrapping_add(u64::from(choices.word() & 0x1F_FFFC));
        words.words[0] = address & [0xFFFF_FFFF, 0x1F_FFFC][choices.below(2)];
    }
    words.encode()
}

/// A recorded call of a table.
struct Recorded {
    name: &'static str,
    number: u64,
    words: Vec<u64>,
}

impl Recorded {
    fn encode(mut self) -> Vec<u8> {
        if self.name == "set_fuel" {
            // No more than hosts give: what it bounds is asked elsewhere. The 3DS has two words of 32 bits.
            self.words[0] &= 0x7FFF_FFFF;
            self.words[1..].fill(0);
        }
        encode(self.number, &self.words)
    }
}

/// A call of a table with such arguments.
fn recorded(calls: &'static [CallInfo], choices: &mut Choices, argument: impl Fn(&mut Choices) -> u64) -> Recorded {
    let calls: Vec<_> = calls.iter().filter(|call| call.recorded_number().is_some()).collect();
    let call = calls[choices.below(calls.len())];
    let mut words = Vec::new();
    for taken in call.recorded() {
        let count = if taken.is_list { choices.below(3) } else { 1 };
        words.extend((0..count * taken.words()).map(|_| argument(choices)));
    }
    Recorded { name: call.name, number: call.number.unwrap_or_default(), words }
}

/// A call of the Switch's driver: small handles, spaces and channels, addresses of pages.
pub fn driver(choices: &mut Choices) -> Vec<u8> {
    let argument = |choices: &mut Choices| match choices.below(10) {
        0..4 => u64::from(choices.word() % 6),
        4 => 0x1_0000 << choices.below(8),
        5 => u64::from(choices.word() % 0x1000) << 12,
        6 => u64::from(choices.word() % 0x1000) << 16,
        7 => 0xFE,
        8 => choices.long_value(0x1_0000),
        _ => 0,
    };
    recorded(nvdrv::CALLS, choices, argument).encode()
}
