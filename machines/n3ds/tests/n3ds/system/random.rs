//! Nothing that a guest writes into the shared page, the registers or a command brings GSP down.

use crate::system::support::{Console, GAME};
use arbtest::arbitrary::{self, Unstructured};
use triglyph_n3ds::external::FreezePolicy;
use triglyph_n3ds::gsp::ipc::{ProcessMemory, Request};
use triglyph_n3ds::gsp::{Interrupt, Session};
use triglyph_n3ds::lcd::Screen;

/// What is mapped, with a hole in VRAM.
const RANGES: [(u64, u64); 3] = [(0x1800_0000, 0x2000), (0x1800_3000, 0x1000), (0x2000_0000, 0x3000)];

/// Values that mean something more often than chance.
fn word(u: &mut Unstructured<'_>) -> arbitrary::Result<u32> {
    Ok(match u.int_in_range(0..=6)? {
        0 => u.arbitrary()?,
        1 => 0x1F00_0000 + u.int_in_range(0..=0x5000)?,
        2 => 0x1400_0000 + u.int_in_range(0..=0x4000)?,
        3 => 0x1F00_0000 + u.int_in_range(0..=0xA00)? * 8,
        4 => u.int_in_range(0..=0x200)?,
        5 => u.int_in_range(0..=64)? | u.int_in_range(0..=64)? << 16,
        _ => u.int_in_range(0..=31)? * 0x0101_0101,
    })
}

fn command(u: &mut Unstructured<'_>) -> arbitrary::Result<[u32; 8]> {
    let mut words = [0; 8];
    for word_of in &mut words {
        *word_of = word(u)?;
    }
    if u.ratio(9, 10)? {
        words[0] = u.int_in_range(0..=6)? | u.arbitrary::<u32>()? & 0x0101_0000;
    }
    Ok(words)
}

struct Anything(Vec<u8>);

impl ProcessMemory for Anything {
    fn read(&self, _: u32, out: &mut [u8]) -> bool {
        out.iter_mut().zip(&self.0).for_each(|(to, from)| *to = *from);
        !self.0.is_empty()
    }

    fn write(&mut self, _: u32, _: &[u8]) -> bool {
        !self.0.is_empty()
    }
}

fn step(console: &mut Console, u: &mut Unstructured<'_>) -> arbitrary::Result<()> {
    let session = if u.ratio(3, 4)? { GAME } else { Session(u.int_in_range(0..=5)?) };
    match u.int_in_range(0..=9)? {
        0 => console.gsp.page().store(u.int_in_range(0..=1023)? * 4, u.arbitrary()?),
        1 => {
            let header = u.int_in_range(0..=20)? | u.int_in_range(0..=20)? << 8 | u.arbitrary::<u32>()? & 0x0181_0000;
            console.gsp.page().store(0x800, header);
        }
        2 => {
            let (gsp, mut bus) = console.parts();
            gsp.trigger(&mut bus);
        }
        3 => {
            let words = command(u)?;
            let (gsp, mut bus) = console.parts();
            gsp.execute_for(&mut bus, session, &words);
        }
        4 => {
            let slot = u.int_in_range(0..=14)? * 0x20;
            let words = command(u)?;
            words.iter().zip((0x820 + slot..).step_by(4)).for_each(|(&word, at)| console.gsp.page().store(at, word));
        }
        5 => {
            let (gsp, mut bus) = console.parts();
            gsp.auto_deliver(&mut bus);
        }
        6 => {
            let interrupt = *u.choose(&Interrupt::ALL)?;
            let (gsp, mut bus) = console.parts();
            gsp.deliver(&mut bus, interrupt);
            gsp.vblank(&mut bus, *u.choose(&Screen::ALL)?);
        }
        7 => {
            let mut words = [0; 66];
            for word_of in words.iter_mut().take(10) {
                *word_of = word(u)?;
            }
            words[0] = u.choose(&Request::ALL)?.header();
            if u.arbitrary()? {
                words[1] = 0x40_0000 + u.int_in_range(0..=0x700)? * 4;
                words[2] = u.int_in_range(0..=0x20)? * 4;
            }
            let mut process = Anything((0..u.int_in_range(0..=8)?).map(|_| u.arbitrary()).collect::<Result<_, _>>()?);
            let (gsp, mut bus) = console.parts();
            gsp.ipc(&mut bus, session, &mut words, &mut process);
        }
        8 => {
            let (offset, value) = (u.int_in_range(0..=0x2000)?, word(u)?);
            console.peek(offset);
            console.poke(offset, value);
        }
        _ => {
            let queue = console.gsp.command_queue(u.int_in_range(0..=5)?);
            let _ = queue.submit(&command(u)?);
        }
    }
    Ok(())
}

#[test]
fn random_guests_do_no_harm() {
    arbtest::arbtest(|u| {
        let mut console = Console::with_memory(&RANGES);
        if u.arbitrary()? {
            console.external.set_freeze_policy(FreezePolicy::Hang);
        }
        console.gsp.set_auto_toggle(u.arbitrary()?);
        console.gsp.register_relay_queue(GAME, 0, 0).unwrap();
        console.gsp.acquire_right(GAME);
        for _ in 0..u.int_in_range(1..=40)? {
            step(&mut console, u)?;
        }
        for (address, size) in console.core.bench.written() {
            let inside = |&(start, length): &(u64, u64)| start <= address && address + size <= start + length;
            assert!(RANGES.iter().any(inside), "{address:#x} {size:#x}");
        }
        Ok(())
    })
    .budget_ms(3000);
}

/// A page of nothing but noise, in all four clients' parts.
#[test]
fn random_pages_do_no_harm() {
    arbtest::arbtest(|u| {
        let mut console = Console::with_memory(&RANGES);
        for i in 0..4 {
            console.gsp.register_relay_queue(Session(i), 0, i).unwrap();
        }
        for offset in (0..0x1000).step_by(4) {
            console.gsp.page().store(offset, u.arbitrary()?);
        }
        for i in 0..4 {
            console.gsp.acquire_right(Session(i));
            let (gsp, mut bus) = console.parts();
            for interrupt in Interrupt::ALL {
                gsp.deliver(&mut bus, interrupt);
            }
            gsp.auto_deliver(&mut bus);
            while gsp.relay_queue(i as usize).pop().is_some() {}
            gsp.release_right(Session(i));
        }
        Ok(())
    })
    .size_min(8192)
    .size_max(16384)
    .budget_ms(2000);
}
