//! Playing and recording, on a device that is only memory.

use std::time::Duration;

use super::mock::{Mock, fill};
use super::round_trip::write;
use crate::meta::Meta;
use crate::recording_device::Expectation;
use crate::*;
use triglyph_engine::device::{Access, Device, Event as DeviceEvent, Machine, ObjectEntry, Replay};
use triglyph_engine::error::Error;
use triglyph_engine::mem::{GuestAddr, GuestRange};

fn present(label: &str) -> Present {
    let (width, height) = (2, 1);
    Present { at: GuestAddr::new(0, 0x1000), format: 1, width, height, pitch: 4, layout: 2, label: label.to_owned() }
}

fn map(address: u64, size: u64) -> Record<'static> {
    Record::Map(Map { range: GuestRange::new(0, address, size), access: Access::READ_WRITE })
}

fn submit(value: u32) -> Record<'static> {
    Record::Submit(Bytes::new(fill(0x1000, 0x1008, value).into(), 0))
}

fn expect(rgba: [u8; 4]) -> Record<'static> {
    let picture = Picture { width: 2, height: 1, rgba: rgba.repeat(2) };
    Record::Expect(Expect { tolerance: 1, permille: 0, png: Bytes::new(picture.to_png(true).unwrap().into(), 0) })
}

fn events(file: &[u8], checks: Checks) -> Vec<Event> {
    let mut mock = Mock::new(Machine::N3ds);
    let reader = Reader::new(file).unwrap();
    let mut player = Player::new(&reader, checks);
    std::iter::from_fn(|| player.next(&mut mock).unwrap()).collect()
}

#[test]
fn a_picture_comes_with_its_expectation() {
    let records = [
        map(0x1000, 0x100),
        submit(0x0102_0304),
        Record::Present(present("top")),
        Record::Skipped(1 << 31),
        expect([1, 2, 3, 5]),
        submit(0x0908_0706),
        Record::Present(present("bottom")),
    ];
    let file = write(Header::new(Machine::N3ds), Compression::None, &records);
    let all = events(&file, Checks::ALL);
    let [Event::Submitted { record: 1 }, Event::Picture(top), Event::Submitted { record: 5 }, Event::Picture(bottom)] =
        all.as_slice()
    else {
        panic!("{all:?}");
    };
    assert_eq!((top.record, top.index, top.present.label.as_str()), (2, 0, "top"));
    assert_eq!(top.picture.as_ref().unwrap().rgba, [1, 2, 3, 4, 1, 2, 3, 4]);
    assert!(top.expectation.as_ref().unwrap().1.ok);
    assert_eq!((bottom.record, bottom.index), (6, 1));
    assert!(bottom.expectation.is_none());
    let none = events(&file, Checks::NONE);
    assert!(none.iter().all(|event| !matches!(event, Event::Picture(Finished { picture: Some(_), .. }))));
    // Prepared, the same events; as often as one likes.
    let prepared = Prepared::new(&Reader::new(&file).unwrap()).unwrap();
    for _ in 0..2 {
        let mut mock = Mock::new(Machine::N3ds);
        let mut player = Player::prepared(&prepared, Checks::ALL);
        let again: Vec<_> = std::iter::from_fn(|| player.next(&mut mock).unwrap()).collect();
        assert_eq!(again, all);
    }
}

#[test]
fn nothing_is_executed_after_an_error() {
    let mem = |address| Record::Mem(Mem { at: GuestAddr::new(0, address), bytes: b"abcd"[..].into() });
    let records = [map(0x1000, 0x100), mem(0x10FC), mem(0x10FD), mem(0x1000)];
    let file = write(Header::new(Machine::N3ds), Compression::None, &records);
    let mut mock = Mock::new(Machine::N3ds);
    let mut player = Player::new(&Reader::new(&file).unwrap(), Checks::ALL);
    let error = player.next(&mut mock).unwrap_err();
    let Error::Record { record: 2, offset: 96, source } = &error else { panic!("{error:?}") };
    assert!(matches!(**source, Error::Unmapped(range) if range == GuestRange::new(0, 0x10FD, 4)));
    assert!(player.next(&mut mock).unwrap().is_none());
    assert_eq!(mock.calls, ["map 0x1000 0x100", "write 0x10fc 0x4"]);
}

#[test]
fn pictures_and_hashes_outside_memory_are_errors() {
    let hash = Record::Hash(Hash { range: GuestRange::new(0, 0x1000, u64::MAX - 0x2000), xxh3: 0 });
    let far = Record::Present(Present { at: GuestAddr::new(0, 0x10FF), ..present("top") });
    let huge = Record::Present(Present { width: u32::MAX, ..present("top") });
    for record in [hash, far, huge] {
        let file = write(Header::new(Machine::N3ds), Compression::None, &[map(0x1000, 0x100), record]);
        let reader = Reader::new(&file).unwrap();
        let error = Player::new(&reader, Checks::ALL).run(&mut Mock::new(Machine::N3ds)).unwrap_err();
        assert!(matches!(error, Error::Record { record: 1, .. }), "{error}");
    }
}

#[test]
fn another_machine_is_refused() {
    let file = write(Header::new(Machine::Ps3), Compression::None, &[]);
    let reader = Reader::new(&file).unwrap();
    let error = Player::new(&reader, Checks::ALL).run(&mut Mock::new(Machine::N3ds)).unwrap_err();
    assert!(matches!(error, Error::InvalidArgument(_)));
}

#[test]
fn frames_end_where_a_label_comes_round() {
    let shown = |label| Record::Present(present(label));
    let records = [
        map(0x1000, 0x100), // 0
        submit(1),          // 1: first frame
        shown("top"),       // 2
        shown("bottom"),    // 3
        expect([0; 4]),     // 4
        submit(2),          // 5: second
        shown("top"),       // 6
        submit(3),          // 7: third
        shown("top"),       // 8
        shown("bottom"),    // 9
        submit(4),          // 10: in none
    ];
    let file = write(Header::new(Machine::N3ds), Compression::None, &records);
    let prepared = Prepared::new(&Reader::new(&file).unwrap()).unwrap();
    assert_eq!(prepared.setup_len(), 1);
    assert_eq!(prepared.frames(), [1..5, 5..7, 7..10]);
    let mut mock = Mock::new(Machine::N3ds);
    Player::part(&prepared, 0..1, Checks::NONE).run(&mut mock).unwrap();
    for frame in prepared.frames() {
        Player::part(&prepared, frame, Checks::NONE).run(&mut mock).unwrap();
    }
    assert_eq!(mock.calls, ["map 0x1000 0x100", "submit", "submit", "submit"]);
}

#[test]
fn a_recording_replays_to_the_same_memory() {
    let mut device = RecordingDevice::new(Mock::new(Machine::N3ds));
    device.map(GuestRange::new(0, 0x1000, 0x5000), Access::READ_WRITE).unwrap();
    device.map(GuestRange::new(0, 0x8000, 0x10), Access::READ).unwrap();
    device.write(GuestAddr::new(0, 0x3004), b"before").unwrap();
    device.submit(&fill(0x1FF8, 0x2008, 0x1111_1111)).unwrap();
    device.start(Vec::new(), Compression::default(), Meta::new()).unwrap();
    device.write(GuestAddr::new(0, 0x8004), b"during").unwrap();
    device.submit(&fill(0x1000, 0x1008, 0xFF00_00FF)).unwrap();
    device.present(&present("top"), Expectation::AsItIs).unwrap();
    device.hash(GuestRange::new(0, 0x1000, 0x5000)).unwrap();
    let file = device.stop().unwrap().unwrap();
    assert!(!device.is_recording());

    let reader = Reader::new(&file).unwrap();
    let names: Vec<_> = reader.raw_records().map(|raw| raw.unwrap().known_kind().unwrap().name()).collect();
    let (before, during) = names.split_at(6);
    // Two maps; the pages that are not zero: 0x1000 to 0x3FFF in one run.
    assert_eq!(before, ["META", "MAP", "MAP", "MEM", "MEM", "SUBMIT"]);
    assert_eq!(during, ["PRESENT", "EXPECT", "HASH"]);
    let Some(Ok(reader::Entry { record: Record::Meta(meta), .. })) = reader.records().next() else { panic!() };
    assert_eq!(meta.text("starts"), Some("mid-run"));

    let mut replayed = Mock::new(Machine::N3ds);
    let mut player = Player::new(&reader, Checks::ALL);
    while let Some(event) = player.next(&mut replayed).unwrap() {
        match event {
            Event::Picture(finished) => assert!(finished.expectation.unwrap().1.ok),
            Event::Hash(hashed) => assert!(hashed.ok()),
            Event::Submitted { .. } => {}
        }
    }
    for (address, size) in [(0x1000, 0x5000), (0x8000, 0x10)] {
        let (mut want, mut got) = (vec![0; size], vec![0; size]);
        device.read(GuestAddr::new(0, address), &mut want).unwrap();
        replayed.read(GuestAddr::new(0, address), &mut got).unwrap();
        assert_eq!(want, got);
    }
}

#[test]
fn what_the_host_writes_to_its_own_memory_is_recorded() {
    let range = GuestRange::new(0, 0x1000, 0x3000);
    let mut device = RecordingDevice::new(Mock::new(Machine::N3ds));
    // The mock's memory is in place of the host's: changes of `device_mut` do not pass through the recording device.
    device.device_mut().map(range, Access::READ_WRITE).unwrap();
    device.note_host_memory(range, Some(Access::READ_WRITE));
    device.note_host_memory(GuestRange::new(7, 0, 0x1000), Some(Access::READ));
    device.device_mut().write(GuestAddr::new(0, 0x1004), b"before").unwrap();
    device.start(Vec::new(), Compression::None, Meta::new()).unwrap();
    device.device_mut().write(GuestAddr::new(0, 0x2004), b"during").unwrap();
    device.submit(&fill(0x3000, 0x3010, 0x2222_2222)).unwrap();
    let executed = device.submit_with(&fill(0x3010, 0x3020, 0x3333_3333), |mock| {
        mock.submit(&fill(0x3010, 0x3020, 0x3333_3333))?;
        Ok(7)
    });
    assert_eq!(executed.unwrap(), 7);
    device.hash(range).unwrap();
    let file = device.stop().unwrap().unwrap();

    let reader = Reader::new(&file).unwrap();
    let names: Vec<_> = reader.raw_records().map(|raw| raw.unwrap().known_kind().unwrap().name()).collect();
    // The page from before the recording, the one that has changed since; none of those that the GPU wrote.
    assert_eq!(names, ["META", "MAP", "MEM", "MEM", "SUBMIT", "SUBMIT", "HASH"]);
    let mut replayed = Mock::new(Machine::N3ds);
    let mut player = Player::new(&reader, Checks::ALL);
    while let Some(event) = player.next(&mut replayed).unwrap() {
        assert!(!matches!(event, Event::Hash(hashed) if !hashed.ok()));
    }
}

#[test]
fn objects_are_recorded_once_a_handle() {
    let object = |handle, class| ObjectEntry { handle, class, space: 0, base: 0, limit: 0 };
    let mut device = RecordingDevice::new(Mock::new(Machine::Ps3));
    device.object(object(1, 0x30)).unwrap();
    device.object(object(2, 0x97)).unwrap();
    device.object(object(1, 0x39)).unwrap();
    device.start(Vec::new(), Compression::None, Meta::new()).unwrap();
    let file = device.stop().unwrap().unwrap();
    let objects: Vec<_> = Reader::new(&file).unwrap().records().skip(1).map(|entry| entry.unwrap().record).collect();
    assert_eq!(objects, [Record::Object(object(2, 0x97)), Record::Object(object(1, 0x39))]);
}

#[test]
fn a_full_disk_does_not_disturb_the_recorded() {
    struct Full;
    impl std::io::Write for Full {
        fn write(&mut self, _: &[u8]) -> std::io::Result<usize> {
            Err(std::io::ErrorKind::StorageFull.into())
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let mut device = RecordingDevice::new(Mock::new(Machine::N3ds));
    device.start(Full, Compression::None, Meta::new()).unwrap();
    device.map(GuestRange::new(0, 0, 16), Access::READ).unwrap();
    device.write(GuestAddr::new(0, 0), &[1]).unwrap();
    assert!(matches!(device.stop(), Err(Error::Io { .. })));
}

#[test]
fn recording_changes_nothing_for_the_host() {
    let mut mock = Mock::new(Machine::N3ds);
    let event = DeviceEvent::Interrupt { source: 4, count: 1, delay: Duration::from_nanos(9) };
    mock.events.push(event);
    let mut device = RecordingDevice::<_, Vec<u8>>::new(mock);
    assert_eq!((device.take_events(), device.take_events()), (vec![event], vec![]));
    assert_eq!((device.stats().draws, device.warm_start().map(|start| start.keys)), (7, Some(3)));
    device.set_fault_handler(None);
    device.set_log_handler(None);
    assert_eq!(device.device().calls, ["fault handler", "log handler"]);
    assert_eq!(device.timeline().submit(), 1);
    assert_eq!(device.device().timeline().submitted(), 1);
}
