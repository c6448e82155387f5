//! Snapshots that are broken, of others, or forged.

use crate::support::*;
use arbtest::arbtest;
use triglyph_engine::Error;
use triglyph_engine::device::{Device, Machine};
use triglyph_engine::mem::GuestAddr;
use triglyph_engine::snapshot::SnapshotOptions;
use triglyph_guest::pica::regs;

#[test]
fn broken_snapshots_change_nothing() {
    let snapshot = busy().gpu.snapshot(SnapshotOptions::default()).unwrap();
    let mut target = Console::new();
    target.run(plain().end());
    target.write(VRAM, &[1, 2, 3]);
    let before = target.gpu.snapshot(SnapshotOptions::default()).unwrap();
    let mut refuse = |bytes: &[u8]| {
        let error = target.gpu.restore(bytes).unwrap_err();
        assert!(matches!(error, Error::Snapshot { .. }), "{error}");
    };
    (0..snapshot.len()).step_by(97).for_each(|length| refuse(&snapshot[..length]));
    arbtest(|u| {
        let mut bytes = snapshot.clone();
        let at = u.choose_index(bytes.len())?;
        bytes[at] ^= 1 << u.int_in_range(0..=7)?;
        refuse(&bytes);
        Ok(())
    })
    .budget_ms(500);
    refuse(b"TGLS");
    refuse(&[]);
    assert!(target.gpu.snapshot(SnapshotOptions::default()).unwrap() == before);
}

/// Sections of an uncompressed snapshot as (start of the contents, length).
fn sections(snapshot: &[u8]) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    let mut at = 32;
    while at < snapshot.len() {
        let length = u64::from_le_bytes(snapshot[at + 24..at + 32].try_into().unwrap()) as usize;
        found.push((at + 32, length));
        at += 32 + length;
    }
    found
}

/// Makes the checksum hold again.
fn sign(snapshot: &mut [u8]) {
    let sum = xxhash_rust::xxh3::xxh3_64(&[&snapshot[..24], &snapshot[32..]].concat());
    snapshot[24..32].copy_from_slice(&sum.to_le_bytes());
}

/// A file with a valid checksum may have any registers; the machine survives that as it survives any guest.
#[test]
fn forged_states_are_refused_or_harmless() {
    let options = SnapshotOptions::default().with_compression(false);
    let mut console = busy();
    console.run(&plain().with(regs::primitive_config::ID, 1 << 8 | 2).with(regs::fixed_attr_index::ID, 15).0);
    console.run(&List::default().vertex(&triangle(0.0, [1.0; 4])[0]).0);
    let good = console.gpu.snapshot(options).unwrap();
    let sections = sections(&good);
    let mut taken = 0;
    arbtest(|u| {
        let mut bytes = good.clone();
        for _ in 0..u.int_in_range(1..=8)? {
            // Mostly the end of a section, where the small structures are.
            let &(start, length) = u.choose(&sections)?;
            let from = if u.ratio(1, 2)? { length.saturating_sub(400) } else { 0 };
            let at = start + from + u.choose_index(length - from)?;
            bytes[at] = *u.choose(&[0, 1, 2, 3, 4, 0x7F, 0x80, 0xFF])?;
        }
        sign(&mut bytes);
        let mut target = machine();
        if target.restore(&bytes).is_ok() {
            taken += 1;
            let again = target.snapshot(options).unwrap();
            assert!(again.len() >= 1000);
            let mut target = Console { gpu: target };
            target.gpu.with_gsp(|gsp, hardware| {
                gsp.trigger(hardware);
                gsp.auto_deliver(hardware);
            });
            if target.gpu.memory().mappings().count() == 2 {
                let mut list = List::default();
                list.vertex(&triangle(0.0, [1.0; 4])[1]).set(regs::num_vertices::ID, 9).set(regs::draw_arrays::ID, 1);
                let bytes = list_bytes(list.end());
                if target.gpu.write(GuestAddr::new(0, LISTS.into()), &bytes).is_ok() {
                    target.run_at(LISTS, bytes.len() as u32);
                }
            }
        }
        Ok(())
    })
    .budget_ms(3000);
    assert!(taken > 0);
}

#[test]
fn snapshots_of_others_are_refused() {
    let mut console = Console::new();
    let mut foreign = console.gpu.snapshot(SnapshotOptions::REGISTERS).unwrap();
    foreign[8] = Machine::Ps3 as u8;
    sign(&mut foreign);
    assert!(console.gpu.restore(&foreign).unwrap_err().to_string().contains("PlayStation 3"));
    let mut newer = console.gpu.snapshot(SnapshotOptions::REGISTERS).unwrap();
    // The first section is that of the PICA200.
    newer[32 + 4] += 1;
    let version = newer[32 + 4];
    sign(&mut newer);
    assert!(console.gpu.restore(&newer).unwrap_err().to_string().contains(&format!("version {version} of PICA")));
}
