//! The display as Mesa's Vulkan sets it: planes, properties, and changes of everything at once.

use std::collections::BTreeMap;

use bytemuck::{Zeroable, bytes_of};

use super::abi::*;
use super::argument::{Answer, Errno};
use super::tests::{gpu, make_as};
use crate::chip::Chip;
use crate::display::{CONNECTOR, CRTC, ENCODER, PLANE};
use crate::state::State;
use crate::sync_file::SyncFile;

/// A client that knows of atomic mode setting, and one that does not.
const ATOMIC: u32 = 1;
const OLD: u32 = 2;

const EVENT: u32 = 1;
const TEST_ONLY: u32 = 0x100;
const ALLOW_MODE: u32 = 0x400;

fn error(number: i32) -> Answer {
    Err(Errno(number))
}

fn make<T: bytemuck::Pod>(state: &mut State, number: u32, value: &mut T) -> Answer {
    make_as(state, ATOMIC, number, value)
}

fn display() -> State {
    let mut state = gpu(Chip::Gm20b);
    make(&mut state, 0x0D, &mut Capability { capability: 3, value: 1 }).unwrap();
    state
}

/// The properties of an object by their names, with numbers and values.
fn properties(state: &mut State, client: u32, object: u32) -> BTreeMap<String, (u32, u64)> {
    let (mut ids, mut values) = ([0u32; 32], [0u64; 32]);
    let (properties, at) = (ids.as_mut_ptr().addr() as u64, values.as_mut_ptr().addr() as u64);
    let mut asked = ObjectProperties { properties, values: at, count: 32, object, ..ObjectProperties::zeroed() };
    make_as(state, client, 0xB9, &mut asked).unwrap();
    let mut found = BTreeMap::new();
    for (&property, &value) in ids.iter().zip(&values).take(asked.count as usize) {
        let mut described = Property { property, ..Property::zeroed() };
        make_as(state, client, 0xAA, &mut described).unwrap();
        let name = described.name.iter().take_while(|&&letter| letter != 0).map(|&letter| char::from(letter));
        found.insert(name.collect(), (property, value));
    }
    found
}

/// Changes properties of objects, which are named.
fn change(state: &mut State, flags: u32, changes: &[(u32, &str, u64)]) -> Answer {
    let property = |state: &mut State, &(object, name, _): &(u32, &str, u64)| {
        properties(state, ATOMIC, object).get(name).map_or(9999, |(property, _)| *property)
    };
    let objects: Vec<u32> = changes.iter().map(|change| change.0).collect();
    let counts = vec![1u32; changes.len()];
    let numbers: Vec<u32> = changes.iter().map(|change| property(&mut *state, change)).collect();
    let values: Vec<u64> = changes.iter().map(|change| change.2).collect();
    let mut atomic = Atomic {
        flags,
        object_count: changes.len() as u32,
        objects: objects.as_ptr().addr() as u64,
        property_counts: counts.as_ptr().addr() as u64,
        properties: numbers.as_ptr().addr() as u64,
        property_values: values.as_ptr().addr() as u64,
        reserved: 0,
        user_data: 77,
    };
    make(state, 0xBC, &mut atomic)
}

fn frame_buffer(state: &mut State, width: u32, height: u32) -> u64 {
    let mut dumb = CreateDumb { height, width, bits_per_pixel: 32, ..CreateDumb::zeroed() };
    make(state, 0xB2, &mut dumb).unwrap();
    let CreateDumb { handle, pitch, .. } = dumb;
    let mut added = AddFrameBuffer { handle, width, height, pitch, ..AddFrameBuffer::zeroed() };
    make(state, 0xAE, &mut added).unwrap();
    added.frame_buffer.into()
}

/// What shows a frame buffer on the whole display.
fn shown(frame_buffer: u64) -> Vec<(u32, &'static str, u64)> {
    let plane = |name, value| (PLANE, name, value);
    vec![
        plane("FB_ID", frame_buffer),
        plane("CRTC_ID", CRTC.into()),
        plane("CRTC_X", 0),
        plane("CRTC_Y", 0),
        plane("CRTC_W", 800),
        plane("CRTC_H", 600),
        plane("SRC_X", 0),
        plane("SRC_Y", 0),
        plane("SRC_W", 800 << 16),
        plane("SRC_H", 600 << 16),
    ]
}

#[test]
fn planes_and_properties_are_for_those_who_know_them() {
    let mut state = display();
    let mut planes = [0u32];
    let address = planes.as_mut_ptr().addr() as u64;
    for (client, expected) in [(ATOMIC, 1), (OLD, 0)] {
        let mut listed = Planes { planes: address, count: 1, pad: 0 };
        make_as(&mut state, client, 0xB5, &mut listed).unwrap();
        assert_eq!(listed.count, expected);
    }
    assert_eq!(planes, [PLANE]);
    let mut formats = [0u32; 2];
    let address = formats.as_mut_ptr().addr() as u64;
    let mut plane = Plane { plane: PLANE, format_count: 2, formats: address, ..Plane::zeroed() };
    make(&mut state, 0xB6, &mut plane).unwrap();
    assert_eq!((plane.possible_crtcs, plane.crtc, formats.map(u32::to_le_bytes)), (1, 0, [*b"XR24", *b"AR24"]));
    assert_eq!(make(&mut state, 0xB6, &mut Plane::zeroed()), error(libc::ENOENT));
    let names = |state: &mut State, client, object| properties(state, client, object).into_keys().collect::<Vec<_>>();
    assert_eq!(names(&mut state, ATOMIC, CONNECTOR), ["CRTC_ID", "DPMS"]);
    assert_eq!(names(&mut state, ATOMIC, CRTC), ["ACTIVE", "MODE_ID", "OUT_FENCE_PTR"]);
    assert_eq!(names(&mut state, OLD, CONNECTOR), ["DPMS"]);
    assert_eq!(properties(&mut state, OLD, PLANE).into_iter().collect::<Vec<_>>(), [("type".to_owned(), (54, 1))]);
    for (object, kind, expected) in [(ENCODER, 0, libc::EINVAL), (99, 0, libc::ENOENT), (CRTC, 1, libc::ENOENT)] {
        let mut asked = ObjectProperties { object, kind, ..ObjectProperties::zeroed() };
        assert_eq!(make(&mut state, 0xB9, &mut asked), error(expected));
    }
    // Capabilities that there are not.
    for (capability, value) in [(3, 3), (2, 2), (7, 1)] {
        assert_eq!(make(&mut state, 0x0D, &mut Capability { capability, value }), error(libc::EINVAL));
    }
}

#[test]
fn a_mode_and_a_picture_are_set_at_once() {
    let mut state = display();
    let (mode, picture) = (state.display.mode(), frame_buffer(&mut state, 800, 600));
    let bytes = bytes_of(&mode);
    let mut blob = NewBlob { data: bytes.as_ptr().addr() as u64, length: bytes.len() as u32, blob: 0 };
    make(&mut state, 0xBD, &mut blob).unwrap();
    // Off, and on again with everything.
    let off = [(CONNECTOR, "CRTC_ID", 0), (CRTC, "MODE_ID", 0), (CRTC, "ACTIVE", 0)];
    assert_eq!(change(&mut state, 0, &off), error(libc::EINVAL), "without leave to set a mode");
    change(&mut state, ALLOW_MODE, &off).unwrap();
    let mut crtc = Crtc::zeroed();
    make(&mut state, 0xA1, &mut crtc).unwrap();
    assert_eq!(crtc.mode_valid, 0);
    let mut on = vec![(CONNECTOR, "CRTC_ID", CRTC.into()), (CRTC, "MODE_ID", blob.blob.into()), (CRTC, "ACTIVE", 1)];
    on.extend(shown(picture));
    change(&mut state, ALLOW_MODE | TEST_ONLY, &on).unwrap();
    assert_eq!(state.display.shown(), 0);
    change(&mut state, ALLOW_MODE | EVENT, &on).unwrap();
    assert_eq!(u64::from(state.display.shown()), picture);
    let event = state.display.next_event(ATOMIC, 0).unwrap();
    assert_eq!((event.user_data, event.sequence, state.display.flips()), (77, 1, 1));
    // The mode stays when its blob goes.
    make(&mut state, 0xBE, &mut blob.blob.clone()).unwrap();
    assert_eq!(make(&mut state, 0xBE, &mut blob.blob.clone()), error(libc::ENOENT));
    let set = properties(&mut state, ATOMIC, CRTC)["MODE_ID"].1 as u32;
    let mut found = Mode::zeroed();
    let mut asked = Blob { blob: set, length: bytes.len() as u32, data: (&raw mut found).addr() as u64 };
    make(&mut state, 0xAC, &mut asked).unwrap();
    assert_eq!(bytes_of(&found), bytes);
    // A frame buffer that goes is shown no longer.
    make(&mut state, 0xAF, &mut (picture as u32)).unwrap();
    let plane = properties(&mut state, ATOMIC, PLANE);
    assert_eq!((plane["FB_ID"].1, plane["CRTC_ID"].1), (0, 0));
}

#[test]
fn a_change_waits_for_its_fence_and_has_one() {
    let mut state = display();
    let picture = frame_buffer(&mut state, 800, 600);
    let (pending, end) = SyncFile::new().unwrap();
    drop(end);
    let mut out = 0i32;
    let mut changes = shown(picture);
    changes.push((PLANE, "IN_FENCE_FD", pending.hand_out().unwrap() as u64));
    changes.push((CRTC, "OUT_FENCE_PTR", (&raw mut out).addr() as u64));
    change(&mut state, TEST_ONLY, &changes).unwrap();
    assert_eq!(out, -1);
    change(&mut state, 0, &changes).unwrap();
    assert!(SyncFile::received(out).unwrap().is_reached());
    assert_eq!(change(&mut state, 0, &[(PLANE, "IN_FENCE_FD", 9999)]), error(libc::EBADF));
}

#[test]
fn changes_that_the_display_cannot_do_are_refused() {
    let mut state = display();
    let (picture, small) = (frame_buffer(&mut state, 800, 600), frame_buffer(&mut state, 400, 300));
    let with = |name, value| {
        let mut changes = shown(picture);
        changes.push((PLANE, name, value));
        changes
    };
    for (changes, expected) in [
        (with("FB_ID", 99), libc::EINVAL),
        (with("FB_ID", 0), libc::EINVAL),
        (with("CRTC_ID", 0), libc::EINVAL),
        (with("CRTC_ID", 11), libc::EINVAL),
        (with("FB_ID", small), libc::ENOSPC),
        (with("SRC_X", u64::MAX), libc::ENOSPC),
        (with("SRC_W", 400 << 16), libc::ERANGE),
        (with("CRTC_X", 1), libc::EINVAL),
        (with("type", 0), libc::EINVAL),
        (with("MODE_ID", 0), libc::ENOENT),
        (vec![(CRTC, "MODE_ID", 12345)], libc::EINVAL),
        (vec![(CRTC, "ACTIVE", 2)], libc::EINVAL),
        (vec![(CONNECTOR, "DPMS", 0)], libc::EINVAL),
        (vec![(CONNECTOR, "CRTC_ID", 0)], libc::EINVAL),
        (vec![], libc::EINVAL),
    ] {
        assert_eq!(change(&mut state, EVENT | ALLOW_MODE, &changes), error(expected), "{changes:?}");
        assert_eq!(state.display.shown(), 0);
    }
    for flags in [8, TEST_ONLY | EVENT] {
        assert_eq!(change(&mut state, flags, &shown(picture)), error(libc::EINVAL));
    }
    assert_eq!(make_as(&mut state, OLD, 0xBC, &mut Atomic::zeroed()), error(libc::EINVAL));
    assert_eq!(make(&mut state, 0xBC, &mut Atomic { object_count: 65, ..Atomic::zeroed() }), error(libc::EINVAL));
    let mut objects = [99u32];
    let (objects_at, counts) = (objects.as_mut_ptr().addr() as u64, [0u32]);
    let counts = counts.as_ptr().addr() as u64;
    let mut unknown = Atomic { object_count: 1, objects: objects_at, property_counts: counts, ..Atomic::zeroed() };
    assert_eq!(make(&mut state, 0xBC, &mut unknown), error(libc::ENOENT));
    // Blobs: none, too large, unknown.
    assert_eq!(make(&mut state, 0xBD, &mut NewBlob::zeroed()), error(libc::EINVAL));
    assert_eq!(make(&mut state, 0xBD, &mut NewBlob { length: 1 << 20, ..NewBlob::zeroed() }), error(libc::ENOMEM));
    assert_eq!(make(&mut state, 0xAC, &mut Blob { blob: 5, ..Blob::zeroed() }), error(libc::ENOENT));
}
