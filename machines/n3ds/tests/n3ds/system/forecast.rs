//! What is known of commands before they are executed, against what they do.

use crate::system::support::commands::*;
use crate::system::support::{Console, FCRAM, VRAM};
use triglyph_engine::device::Access;
use triglyph_engine::mem::GuestRange;
use triglyph_n3ds::Forecast;
use triglyph_n3ds::external::PROCESS;
use triglyph_n3ds::gsp::command::{FillUnit, Header};
use triglyph_n3ds::gsp::{Command, Interrupt, ResultCode};
use triglyph_n3ds::gx::{BadAddress, Outcome};
use triglyph_testkit::random::Random;

/// A command as programs give them, with numbers that are mostly sensible.
fn command(random: &mut Random) -> [u32; 8] {
    let mut address = || match random.below(8) {
        0 => 0x0800_0000 + random.below(0x8000),
        1 => random.word(),
        2..=4 => HEAP_VA + (random.below(0x8_0000) & !7),
        _ => VRAM_VA + (random.below(0x20_0000) & !7),
    };
    let (source, target) = (address(), address());
    let edge = |random: &mut Random| random.pick(&[8, 16, 24, 64, 100, 240, 256, 0]);
    let dim = |random: &mut Random| edge(random) | edge(random) << 16;
    match random.below(5) {
        0 => plain(Command::RequestDma { source, target, size: random.below(0x3000), flush: false }),
        1 => {
            let unit = |start: u32, random: &mut Random| FillUnit {
                start: if random.below(4) == 0 { 0 } else { start },
                value: random.word(),
                end: start.wrapping_add(random.below(0x4000) & !7),
                control: random.pick(&[0x001, 0x101, 0x201, 0x200]),
            };
            fill([unit(source, random), unit(target, random)])
        }
        2 => {
            let (source_size, target_size) = (dim(random), dim(random));
            // Flip, linear to tiles, cropped, no conversion, formats, blocks of 32, scale.
            let flags = random.word() & 0x0301_7727;
            plain(Command::DisplayTransfer { source, target, source_size, target_size, flags })
        }
        3 => {
            let size = random.below(0x4000);
            let lines = |random: &mut Random| match random.below(3) {
                0 => 0,
                _ => random.below(0x40) | random.below(0x40) << 16,
            };
            let (source_lines, target_lines) = (lines(random), lines(random));
            plain(Command::TextureCopy { source, target, size, source_lines, target_lines, flags: 8 })
        }
        _ => random.pick(&[
            list(),
            bad_fill(),
            [9, 0, 0, 0, 0, 0, 0, 0],
            Command::FlushCacheRegions { regions: [(HEAP_VA, 8); 3] }.to_words(Header::default()),
        ]),
    }
}

/// Whether some ranges together have all of another.
fn is_within(range: GuestRange, ranges: &[GuestRange]) -> bool {
    let mut at = range.start;
    while at.address < range.end() {
        let holds = |range: &&GuestRange| range.overlaps(at.range(1));
        let Some(next) = ranges.iter().find(holds) else { return false };
        at.address = next.end();
    }
    true
}

/// The same outcome, the same time but for lists, and nothing is written elsewhere.
#[test]
fn forecasts_are_what_commands_come_to() {
    let mut random = Random::new(19);
    let mut console = Console::with_game();
    console.core.bench.memory.map(GuestRange::new(PROCESS, 0x0800_0000, 0x1_0000), Access::READ_WRITE).unwrap();
    let mut kinds = [0; 4];
    for bad_address in [BadAddress::Zero, BadAddress::Fail] {
        console.gsp.set_bad_address(bad_address);
        for _ in 0..4000 {
            let words = command(&mut random);
            let forecast = Forecast::of(&words, bad_address);
            console.core.bench.memory.take_written();
            let (gsp, mut bus) = console.parts();
            let outcome = gsp.execute(&mut bus, &words).outcome();
            match (outcome, &forecast.outcome) {
                (Outcome::Done(event), Outcome::Done(expected)) if event.interrupt == Interrupt::P3d => {
                    assert_eq!(expected.interrupt, Interrupt::P3d);
                    kinds[0] += 1;
                }
                (Outcome::HostCopy(copy), Outcome::Done(event)) => {
                    assert_eq!((event.interrupt, copy.source, copy.target), (Interrupt::Dma, words[1], words[2]));
                    kinds[1] += 1;
                }
                (outcome, expected) => {
                    assert_eq!(outcome, *expected, "{words:x?}");
                    kinds[2 + usize::from(outcome == Outcome::Failed(ResultCode::BAD_ADDRESS))] += 1;
                }
            }
            for written in console.core.bench.memory.take_written() {
                let known = forecast.anywhere || is_within(written, &forecast.touched);
                assert!(known, "{words:x?} writes {written}, of {:x?}", forecast.touched);
            }
        }
    }
    assert!(kinds.iter().all(|&count| count > 100), "{kinds:?}");
}

#[test]
fn forecasts_name_what_is_touched() {
    let of = |words: &[u32; 8]| Forecast::of(words, BadAddress::Zero);
    let copy = of(&dma());
    assert_eq!(copy.touched, [GuestRange::new(0, FCRAM, 33), GuestRange::new(0, VRAM, 33)]);
    let image = of(&plain(Command::RequestDma { source: 0x10_0204, target: VRAM_VA, size: 16, flush: true }));
    assert_eq!(image.touched[0], GuestRange::new(PROCESS, 0x10_0204, 16));
    assert_eq!(of(&good_fill()).touched, [GuestRange::new(0, VRAM, 0x40)]);
    assert!(of(&list()).anywhere && !copy.anywhere);
    assert!(matches!(of(&list()).outcome, Outcome::Done(event) if event.ticks != 0));
}
