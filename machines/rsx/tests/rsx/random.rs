//! Random words in push buffers, registers, instance memory and calls: counted faults, nothing else.

use crate::support::*;
use arbtest::arbitrary::{self, Unstructured};
use triglyph_engine::Device;
use triglyph_engine::device::Access;
use triglyph_engine::mem::{GuestAddr, GuestRange};
use triglyph_rsx::lv1::XDR;
use triglyph_rsx::{Rsx, RsxMode};

const HANDLES: [u32; 12] =
    [0, DMA_LOCAL, DMA_MAIN, SEMAPHORES, NOTIFIER, M2MF, M2MF_2, SURFACES, SWIZZLED, SCALED, FROM_CPU, 0x1234_5678];

/// A word that may be a coordinate, a size, an offset, a format, a handle or anything.
fn datum(u: &mut Unstructured<'_>) -> arbitrary::Result<u32> {
    Ok(match u.int_in_range(0..=6)? {
        0 => *u.choose(&HANDLES)?,
        1 => u.int_in_range(0..=64)?,
        2 => u.int_in_range(0..=64)? | u.int_in_range(0..=64)? << 16,
        3 => u.int_in_range(0..=0x3F_FFFF)?,
        4 => 1 << 20,
        5 => 0x101,
        _ => u.arbitrary()?,
    })
}

/// Packets for objects that are bound, with methods that exist mostly.
fn packets(u: &mut Unstructured<'_>) -> arbitrary::Result<Push> {
    let mut push = Push::new().bind(1, M2MF).bind(2, M2MF_2).bind(3, SURFACES).bind(4, SWIZZLED).bind(5, SCALED);
    push = push.bind(6, FROM_CPU);
    while push.0.len() < 400 && !u.is_empty() {
        let subchannel = u.int_in_range(0..=7)?;
        let method = match u.int_in_range(0..=4)? {
            0 => u.int_in_range(0..=0x20)? * 4,
            1 => 0x180 + u.int_in_range(0..=8)? * 4,
            2 => *u.choose(&[0x2F8, 0x2FC, 0x300, 0x304, 0x308, 0x30C, 0x310, 0x328, 0x400, 0x40C])?,
            _ => u.int_in_range(0..=0x7FF)? * 4,
        };
        let count = *u.choose(&[1, 1, 2, 4, 8, 12])?;
        let data = (0..count).map(|_| datum(u)).collect::<arbitrary::Result<Vec<u32>>>()?;
        push =
            if u.ratio(1, 5)? { push.same(subchannel, method, &data) } else { push.methods(subchannel, method, &data) };
        if u.ratio(1, 20)? {
            push = push.word(u.arbitrary()?);
        }
    }
    Ok(push)
}

/// Only what was mapped writable is written, and what is written is said.
fn check_written(gpu: &mut Rsx) {
    let ranges: Vec<_> = gpu.memory().ranges().collect();
    for written in gpu.take_written() {
        assert!(ranges.iter().any(|range| range.overlaps(written)), "{written:?}");
    }
}

#[test]
fn random_packets() {
    arbtest::arbtest(|u| {
        let mode = *u.choose(&MODES)?;
        let big_endian = u.arbitrary()?;
        let mut gpu = capture_machine(mode, big_endian);
        for _ in 0..3 {
            let push = packets(u)?;
            submit_on(&mut gpu, 1, &push, big_endian);
        }
        check_written(&mut gpu);
        Ok(())
    })
    .budget_ms(4000);
}

#[test]
fn random_words() {
    arbtest::arbtest(|u| {
        let mut gpu = capture_machine(*u.choose(&MODES)?, u.arbitrary()?);
        let words = (0..200).map(|_| Ok(u.arbitrary::<u32>()? & *u.choose(&[u32::MAX, 0x1FFC_FFFC, 0x0000_FFFF])?));
        let push = Push(words.collect::<arbitrary::Result<Vec<u32>>>()?);
        for _ in 0..3 {
            gpu.write(GuestAddr::new(MAIN, PUSH_AT), &push.bytes(u.arbitrary()?)).unwrap();
            let start = PUSH_AT + 4 * u.int_in_range(0..=150)?;
            let segments = [(start, u.int_in_range(0..=400)?), (PUSH_AT, 40), (u.arbitrary()?, u.arbitrary()?)];
            gpu.submit(&payload(1, &segments)).unwrap();
        }
        check_written(&mut gpu);
        Ok(())
    })
    .budget_ms(4000);
}

#[test]
fn random_registers() {
    arbtest::arbtest(|u| {
        let mut gpu = capture_machine(RsxMode::Exact, true);
        submit_on(&mut gpu, 1, &packets(u)?, true);
        for _ in 0..u.int_in_range(0..=100)? {
            let address = match u.int_in_range(0..=6)? {
                0 => 0x2000 + u.int_in_range(0..=0x3FF)? * 4,
                1 => 0x3200 + u.int_in_range(0..=0x60)? * 4,
                2 => 0x9_0000 + u.int_in_range(0..=0x3FF)? * 4,
                3 => 0xC0_0040 + u.int_in_range(0..=8)? * 0x1000,
                4 => 0x80_0000 + u.int_in_range(0..=0x2_FFFF)? * 4,
                5 => *u.choose(&[0x2210, 0x2220, 0x2504, 0x3204, 0x3250, 0x3270, 0x3210, 0x2140])?,
                _ => u.arbitrary::<u32>()?,
            };
            match u.int_in_range(0..=4)? {
                0 => drop(gpu.mmio_read(address)),
                1 => gpu.pramin_write(u.int_in_range(0..=0x1FFFF)? * 4, datum(u)?),
                2 => gpu.run(),
                _ => gpu.mmio_write(address, datum(u)?),
            }
        }
        gpu.run();
        check_written(&mut gpu);
        Ok(())
    })
    .budget_ms(4000);
}

#[test]
fn random_calls() {
    arbtest::arbtest(|u| {
        let mut gpu = lv1_machine(*u.choose(&MODES)?);
        let context = context(&mut gpu, u.arbitrary()?);
        let value = |u: &mut Unstructured<'_>| -> arbitrary::Result<u64> {
            Ok(match u.int_in_range(0..=6)? {
                0 => u64::from(context.handle.get()),
                1 => u.int_in_range(0..=16)?,
                2 => u.int_in_range(0..=16)? << 20,
                3 => XDR_AT + (u.int_in_range(0..=16)? << 20),
                4 => u.int_in_range(0..=0xFFFF)? << 32 | u.int_in_range(0..=0xFFFF)?,
                5 => 0x5A5A_5A5B,
                _ => u.arbitrary()?,
            })
        };
        for _ in 0..u.int_in_range(0..=40)? {
            let mut arguments = [0; 8];
            for argument in &mut arguments {
                *argument = value(u)?;
            }
            let number = u.int_in_range(211..=229)?;
            if u.ratio(1, 2)? {
                arguments[0] = context.handle.get().into();
                arguments[1] =
                    *u.choose(&[1, 2, 3, 0x101, 0x102, 0x103, 0x104, 0x10A, 0x300, 0x301, 0x600, 0x601, 0xFED])?;
                gpu.hypercall(225, arguments);
            } else {
                gpu.hypercall(number, arguments);
            }
            if u.ratio(1, 4)? {
                let push = packets(u)?;
                gpu.with_memory(|memory| memory.write(GuestAddr::new(XDR, XDR_AT), &push.bytes(true))).unwrap();
                if gpu.lpar(context.control).is_some() {
                    set_lpar_word(&mut gpu, context.control + 0x40, 4 * push.0.len() as u32);
                }
                gpu.run();
                gpu.vblank(u.int_in_range(0..=3)?, u.arbitrary()?);
            }
        }
        check_written(&mut gpu);
        Ok(())
    })
    .budget_ms(4000);
}

#[test]
fn memory_that_comes_and_goes() {
    arbtest::arbtest(|u| {
        let mut gpu = capture_machine(*u.choose(&MODES)?, false);
        for _ in 0..4 {
            let (space, address) = (u.int_in_range(0..=1)?, u.int_in_range(0..=0x40)? << 16);
            let size = 1 + u.int_in_range(0..=0x2_0000)?;
            if u.arbitrary()? {
                gpu.with_memory(|memory| memory.unmap(GuestRange::new(space, address, size)));
            } else {
                let access = Access { read: u.arbitrary()?, write: u.arbitrary()? };
                gpu.map(GuestRange::new(space, address, size), access).unwrap();
            }
            let push = packets(u)?;
            if gpu.write(GuestAddr::new(MAIN, PUSH_AT), &push.bytes(false)).is_ok() {
                gpu.submit(&payload(1, &[(PUSH_AT, 4 * push.0.len() as u64)])).unwrap();
            }
        }
        // Instance memory goes as well.
        gpu.with_memory(|memory| memory.unmap(GuestRange::new(LOCAL, 0x0FF8_0000, 0x8_0000)));
        submit(&mut gpu, &Push::new());
        Ok(())
    })
    .budget_ms(3000);
}
