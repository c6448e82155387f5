//! Tests of decoding and eviction.

use std::cell::Cell;
use std::rc::Rc;

use super::*;
use crate::device::Access;
use crate::mem::GuestAddr;

/// A texture of two pages, its parts, that decode to their first bytes. Counts how many parts were decoded.
#[derive(Clone, Debug)]
struct Pages {
    number: u64,
    bytes: u64,
    decoded: Rc<Cell<u32>>,
}

impl PartialEq for Pages {
    fn eq(&self, other: &Pages) -> bool {
        self.number == other.number
    }
}

impl Eq for Pages {}

impl Hash for Pages {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.number.hash(state);
    }
}

impl Source for Pages {
    type Decoded = [u8; 2];
    type Decoder<'d> = ();

    fn parts(&self) -> usize {
        2
    }

    fn memory_ranges(&self) -> impl Iterator<Item = GuestRange> {
        std::iter::once(GuestRange::new(0, self.number << 13, 1 << 13))
    }

    fn part_range(&self, part: usize) -> GuestRange {
        GuestRange::new(0, (self.number << 13) + ((part as u64) << 12), 1 << 12)
    }

    fn part_window<'m>(&self, memory: &'m Memory, part: usize) -> Window<'m> {
        memory.readable(self.part_range(part).start).first(1 << 12)
    }

    fn decoded_bytes(&self) -> u64 {
        self.bytes
    }

    fn charge(&self, _: &Memory) -> u64 {
        3
    }

    fn blank(&self) -> [u8; 2] {
        [0; 2]
    }

    fn decode(
        &self,
        memory: &Memory,
        _: &Scheduler,
        (): (),
        _: &mut Vec<u8>,
        parts: &mut [Part],
        decoded: &mut [u8; 2],
    ) {
        self.decoded.set(self.decoded.get() + parts.len() as u32);
        for part in parts {
            let window = self.part_window(memory, part.number);
            [decoded[part.number]] = window.read(0);
            part.content.get_or_insert_with(|| content_hash(window));
        }
    }
}

/// Half of what copies take that are not used for long.
const SIXTH: u64 = MAX_BYTES / 6;

struct Textures {
    memory: Memory,
    scheduler: Scheduler,
    cache: TextureCache<Pages>,
    decoded: Rc<Cell<u32>>,
}

impl Textures {
    fn new() -> Self {
        let mut memory = Memory::default();
        memory.map(GuestRange::new(0, 0, 1 << 20), Access::READ_WRITE).unwrap();
        let (scheduler, cache) = (Scheduler::new(1).unwrap(), TextureCache::default());
        Textures { memory, scheduler, cache, decoded: Rc::default() }
    }

    /// The texture of a page in a scene of its own, and whether it was decoded for that.
    fn look(&mut self, number: u64, bytes: u64) -> (Option<u8>, bool) {
        self.cache.start_scene(&self.memory, false);
        self.look_again(number, bytes)
    }

    fn look_again(&mut self, number: u64, bytes: u64) -> (Option<u8>, bool) {
        let before = self.decoded.get();
        let page = Pages { number, bytes, decoded: self.decoded.clone() };
        let found = self.cache.get(&self.memory, &self.scheduler, &page, ());
        (found.map(|bytes| bytes[0]), self.decoded.get() != before)
    }
}

#[test]
fn only_other_content_is_decoded_again() {
    let mut textures = Textures::new();
    assert_eq!(textures.look(5, 8), (Some(0), true));
    assert_eq!(textures.look(5, 8), (Some(0), false));
    textures.memory.write(GuestAddr::new(0, 5 << 13), &[0]).unwrap();
    assert_eq!(textures.look(5, 8), (Some(0), false), "written, but the same");
    textures.memory.write(GuestAddr::new(0, 5 << 13), &[7]).unwrap();
    assert_eq!(textures.look_again(5, 8), (Some(0), false), "one look for a scene");
    assert_eq!(textures.look(5, 8), (Some(7), true));
    assert_eq!((textures.cache.bytes, textures.cache.entries.len()), (8, 1));
    assert_eq!((textures.cache.take_charged(), textures.cache.take_charged()), (12, 0));
}

#[test]
fn only_parts_with_other_content_are_decoded_again() {
    let mut textures = Textures::new();
    let second = GuestAddr::new(0, (5 << 13) + (1 << 12));
    assert_eq!(textures.look(5, 8), (Some(0), true));
    let mut look = |first: &[u8], second_byte: u8| {
        textures.memory.write(GuestAddr::new(0, 5 << 13), first).unwrap();
        textures.memory.write(second, &[second_byte]).unwrap();
        textures.cache.start_scene(&textures.memory, false);
        let before = textures.decoded.get();
        let pages = Pages { number: 5, bytes: 8, decoded: textures.decoded.clone() };
        let found = textures.cache.get(&textures.memory, &textures.scheduler, &pages, ()).unwrap();
        (found, textures.decoded.get() - before)
    };
    let (first, count) = look(&[], 7);
    assert_eq!((*first, count), ([0, 7], 1));
    let (next, count) = look(&[9], 7);
    assert_eq!((*next, count), ([9, 7], 1));
    assert_eq!(*first, [0, 7], "who still has the copy of a scene before keeps it");
    assert_eq!(look(&[1], 2).1, 2);
}

#[test]
fn the_least_recently_used_leave_when_there_is_no_room() {
    let mut textures = Textures::new();
    for number in 0..6 {
        assert_eq!(textures.look(number, SIXTH), (Some(0), true));
    }
    assert_eq!(textures.look(0, SIXTH), (Some(0), false), "all of them fit");
    assert_eq!(textures.look(6, SIXTH), (Some(0), true));
    assert_eq!(textures.cache.bytes, TARGET_BYTES);
    assert_eq!([0, 6].map(|number| textures.look(number, SIXTH).1), [false, false]);
    assert!(textures.look(1, SIXTH).1);
}

#[test]
fn a_scene_has_no_more_than_there_is_room_for() {
    let mut textures = Textures::new();
    textures.cache.start_scene(&textures.memory, false);
    for number in 0..6 {
        assert_eq!(textures.look_again(number, SIXTH).0, Some(0));
    }
    assert_eq!(textures.look_again(6, 4), (None, false));
    assert_eq!(textures.look_again(3, SIXTH), (Some(0), false));
    assert_eq!(textures.look(6, 4).0, Some(0), "the next scene has room");
    assert_eq!(textures.look(7, MAX_TEXTURE_BYTES + 1), (None, false));
}

#[test]
fn parts_of_a_scene_are_one_scene() {
    let charged = |continues: bool| {
        let mut textures = Textures::new();
        let mut found = Vec::new();
        for number in [0, 1, 0, 2, 3, 4, 5, 6, 1, 0] {
            // A part for each look: checked again, but neither charged again nor given the room of the parts before.
            textures.cache.start_scene(&textures.memory, continues && !found.is_empty());
            found.push(textures.look_again(number, SIXTH).0.is_some());
        }
        (found, textures.cache.take_charged())
    };
    let mut whole = Textures::new();
    whole.cache.start_scene(&whole.memory, false);
    let found: Vec<bool> =
        [0, 1, 0, 2, 3, 4, 5, 6, 1, 0].map(|number| whole.look_again(number, SIXTH).0.is_some()).into();
    assert_eq!(charged(true), (found, whole.cache.take_charged()));
    assert!(charged(false).0.iter().all(|&found| found), "scenes of their own have room");
}

#[test]
fn what_is_not_used_for_long_leaves_above_the_target() {
    let mut textures = Textures::new();
    for number in 0..3 {
        textures.look(number, SIXTH);
    }
    for _ in 0..IDLE_SCENES {
        textures.look(2, SIXTH);
    }
    assert_eq!(textures.cache.bytes, TARGET_BYTES, "the first one has left");
    assert_eq!([1, 2, 0].map(|number| textures.look(number, SIXTH).1), [false, false, true]);
}

#[test]
fn copies_of_memory_that_is_gone_leave() {
    let mut textures = Textures::new();
    let page = |number: u64| GuestRange::new(0, number << 13, 1 << 13);
    for number in 0..4 {
        textures.look(number, 8);
    }
    textures.memory.unmap(page(1));
    textures.memory.unmap(page(2));
    textures.memory.map(page(2), Access::READ_WRITE).unwrap();
    for _ in 0..UNMAPPED_SCENES - LOOK_SCENES {
        textures.look(3, 8);
    }
    assert_eq!(textures.cache.bytes, 32, "a host may map them again");
    for _ in 0..2 * LOOK_SCENES {
        textures.look(3, 8);
    }
    assert_eq!((textures.cache.bytes, textures.cache.entries.len()), (16, 2));
    assert_eq!([0, 3, 1, 2].map(|number| textures.look(number, 8).1), [false, false, true, true]);
}
