//! Round trips: written captures are read back unchanged.

use proptest::prelude::*;

use crate::*;
use triglyph_engine::device::{Access, Machine, ObjectEntry};
use triglyph_engine::mem::GuestAddr;

fn bytes() -> impl Strategy<Value = Vec<u8>> {
    // Some that compress, some that do not.
    prop_oneof![
        proptest::collection::vec(any::<u8>(), 0..200),
        (any::<u8>(), 0..3000usize).prop_map(|(byte, count)| vec![byte; count]),
    ]
}

fn at() -> impl Strategy<Value = GuestAddr> {
    let address = prop_oneof![0..0x1_0000_0000u64, any::<u64>().prop_map(|address| address >> 1)];
    (0..2u32, address).prop_map(|(space, address)| GuestAddr::new(space, address))
}

fn present() -> impl Strategy<Value = Present> {
    let numbers = (at(), any::<[u32; 5]>(), "\\PC{0,12}");
    numbers.prop_map(|(at, [format, width, height, pitch, layout], label)| Present {
        at,
        format,
        width,
        height,
        pitch,
        layout,
        label,
    })
}

/// One to two records of a PlayStation 3 capture, the machine that has them all.
fn records() -> impl Strategy<Value = Vec<Record<'static>>> {
    let owned = |bytes: Vec<u8>| Bytes::new(bytes.into(), 0);
    let map = (at(), 1..u64::MAX >> 1, 0..4u32).prop_map(|(at, size, access)| {
        vec![Record::Map(Map { range: at.range(size), access: Access::from_bits(access) })]
    });
    let mem = (at(), bytes()).prop_map(move |(at, bytes)| vec![Record::Mem(Mem { at, bytes: owned(bytes) })]);
    let object = (any::<[u32; 2]>(), 0..2u32, any::<[u64; 2]>()).prop_map(|([handle, class], space, [base, limit])| {
        vec![Record::Object(ObjectEntry { handle, class, space, base, limit })]
    });
    let submit = (0..30usize, any::<u8>())
        .prop_map(move |(segments, byte)| vec![Record::Submit(owned(vec![byte; 8 + 16 * segments]))]);
    let expect = (present(), any::<[u32; 2]>(), bytes()).prop_map(move |(present, [tolerance, permille], png)| {
        vec![Record::Present(present), Record::Expect(Expect { tolerance, permille, png: owned(png) })]
    });
    let hash = (at(), 0..u64::MAX >> 1, any::<u64>())
        .prop_map(|(at, size, xxh3)| vec![Record::Hash(Hash { range: at.range(size), xxh3 })]);
    let snapshot =
        bytes().prop_map(move |bytes| vec![Record::Snapshot(owned(bytes.clone())), Record::Call(owned(bytes))]);
    let skipped = any::<u32>().prop_map(|kind| vec![Record::Skipped(kind | 1 << 31 | 4)]);
    let present = present().prop_map(|present| vec![Record::Present(present)]);
    prop_oneof![map, mem, object, submit, present, expect, hash, snapshot, skipped]
}

pub fn write(header: Header, compression: Compression, records: &[Record<'_>]) -> Vec<u8> {
    let mut writer = Writer::new(Vec::new(), header, compression).unwrap();
    for record in records {
        match record {
            Record::Meta(meta) => writer.meta(meta),
            Record::Map(map) => writer.map(map),
            Record::Mem(mem) => writer.mem(mem.at, &mem.bytes),
            Record::Object(object) => writer.object(object),
            Record::Submit(payload) => writer.submit(payload),
            Record::Present(present) => writer.present(present),
            Record::Expect(expect) => writer.expect(expect),
            Record::Hash(hash) => writer.hash(hash),
            Record::Snapshot(snapshot) => writer.snapshot(snapshot),
            Record::Call(call) => writer.call(call),
            Record::Skipped(kind) => writer.record(*kind, &[b"whatever"]),
        }
        .unwrap();
    }
    writer.finish().unwrap()
}

/// Payloads by their bytes, not by where in the payload they begin.
fn same(left: &Record<'_>, right: &Record<'_>) -> bool {
    match (left, right) {
        (Record::Mem(l), Record::Mem(r)) => (l.at, &*l.bytes) == (r.at, &*r.bytes),
        (Record::Submit(l), Record::Submit(r)) => **l == **r,
        (Record::Expect(l), Record::Expect(r)) => {
            (l.tolerance, l.permille, &*l.png) == (r.tolerance, r.permille, &*r.png)
        }
        (left, right) => left == right,
    }
}

proptest! {
    #[test]
    fn records_survive(
        groups in proptest::collection::vec(records(), 0..12),
        big_endian: bool,
        level in proptest::option::of(1..6i32),
        meta in proptest::option::of("\\PC{0,40}"),
    ) {
        let meta = meta.map(|name| Record::Meta(Meta::new().with("name", name)));
        let records: Vec<_> = meta.into_iter().chain(groups.into_iter().flatten()).collect();
        let header = Header { machine: Machine::Ps3, big_endian };
        let compression = level.map_or(Compression::None, Compression::Zstd);
        let file = write(header, compression, &records);
        prop_assert_eq!(file.len() % 8, 0);
        let reader = Reader::new(&file).unwrap();
        prop_assert_eq!(reader.header(), header);
        let back: Vec<_> = reader.records().collect::<Result<_, _>>().unwrap();
        prop_assert_eq!(back.len(), records.len());
        for (index, (entry, record)) in back.iter().zip(&records).enumerate() {
            prop_assert_eq!(entry.index, index);
            prop_assert!(same(&entry.record, record), "{:?} became {:?}", record, entry.record);
        }
    }
}

#[test]
fn raw_payloads_are_borrowed() {
    let records = [Record::Mem(Mem { at: GuestAddr::new(0, 0), bytes: b"not copied"[..].into() })];
    let file = write(Header::new(Machine::TegraX1), Compression::None, &records);
    let raw = Reader::new(&file).unwrap().raw_records().next().unwrap().unwrap();
    assert!(matches!(raw.decode(100).unwrap(), std::borrow::Cow::Borrowed(_)));
}
