//! The calls of "gsp::Gpu", typed and as words.

use std::collections::BTreeMap;

use crate::system::support::{Console, GAME, VRAM};
use triglyph_n3ds::gsp::ipc::{ProcessMemory, Reply, Request, granted};
use triglyph_n3ds::gsp::{Acquire, FramebufferInfo, Interrupt, ResultCode, Session};
use triglyph_n3ds::lcd::{Eye, Screen};
use triglyph_testkit::random::noise;

/// A process with some bytes.
#[derive(Default)]
struct Process(BTreeMap<u32, u8>);

impl Process {
    fn with(words: &[(u32, u32)]) -> Self {
        let bytes = words.iter().flat_map(|&(at, word)| (at..).zip(word.to_le_bytes()));
        Process(bytes.collect())
    }
}

impl ProcessMemory for Process {
    fn read(&self, address: u32, out: &mut [u8]) -> bool {
        (address..).zip(out).all(|(at, byte)| self.0.get(&at).map(|&found| *byte = found).is_some())
    }

    fn write(&mut self, address: u32, bytes: &[u8]) -> bool {
        self.0.extend((address..).zip(bytes.iter().copied()));
        address != 0
    }
}

fn call(console: &mut Console, session: Session, request: &[u32], process: &mut Process) -> (Reply, [u32; 66]) {
    let mut words = [0; 66];
    words[..request.len()].copy_from_slice(request);
    words[0x41] = 0x9000;
    let (gsp, mut bus) = console.parts();
    let reply = gsp.ipc(&mut bus, session, &mut words, process);
    (reply, words)
}

fn result_of(console: &mut Console, session: Session, request: &[u32], process: &mut Process) -> u32 {
    let (reply, words) = call(console, session, request, process);
    assert_eq!(reply, Reply::Done);
    assert_eq!(words[0], request[0] & 0xFFFF_0000 | 0x40);
    words[1]
}

#[test]
fn registrations() {
    let mut console = Console::new();
    console.gsp.set_shared_memory_handle(0x1234);
    let first = console.gsp.register_relay_queue(Session(0), 1, 55).unwrap();
    assert_eq!((first.result.0, first.client, first.shared_memory), (0x2A07, 0, 0x1234));
    let client = console.gsp.client(0).unwrap();
    assert_eq!((client.session, client.event, client.allows_vram_save), (Session(0), 55, true));
    for i in 1..4 {
        let next = console.gsp.register_relay_queue(Session(i), 0, 0).unwrap();
        assert_eq!((next.result, next.client), (ResultCode::SUCCESS, i as usize));
    }
    assert!(console.gsp.register_relay_queue(Session(4), 0, 0).unwrap_err().is_error());
    // Again: the same place. After another has left: its place.
    assert_eq!(console.gsp.register_relay_queue(Session(2), 0, 0).unwrap().client, 2);
    console.gsp.unregister_relay_queue(Session(1));
    assert_eq!(console.gsp.register_relay_queue(Session(4), 0, 0).unwrap().client, 1);
    // Even when all have left, the console has been switched on.
    (0..5).for_each(|i| console.gsp.close(Session(i)));
    assert_eq!(console.gsp.register_relay_queue(Session(9), 0, 0).unwrap().result, ResultCode::SUCCESS);
}

#[test]
fn the_right_is_for_one() {
    let mut console = Console::new();
    let [a, b, c] = [1, 2, 3].map(Session);
    assert_eq!(console.gsp.try_acquire_right(a), Ok(ResultCode::SUCCESS));
    assert_eq!(console.gsp.try_acquire_right(a), Ok(ResultCode::ALREADY_DONE));
    assert_eq!(console.gsp.try_acquire_right(b), Err(ResultCode(0xC840_2BF0)));
    assert_eq!(console.gsp.acquire_right(a), Acquire::AlreadyHeld);
    assert_eq!(console.gsp.acquire_right(b), Acquire::Waiting);
    assert_eq!(console.gsp.acquire_right(c), Acquire::Waiting);
    console.gsp.release_right(b);
    assert_eq!(console.gsp.holder(), Some(a));
    console.gsp.release_right(a);
    assert_eq!((console.gsp.holder(), console.gsp.take_granted()), (Some(b), vec![b]));
    // A session that goes away takes its place in line with it.
    console.gsp.acquire_right(a);
    console.gsp.close(c);
    console.gsp.close(b);
    assert_eq!((console.gsp.holder(), console.gsp.take_granted()), (Some(a), vec![a]));
}

#[test]
fn register_calls_check_their_arguments() {
    let mut console = Console::with_game();
    for (session, offset, size, expected) in [
        (GAME, 0x40_0004, 0x80, None),
        (GAME, 0x41_FFFC, 4, None),
        (GAME, 0, 0, None),
        (Session(1), 0x40_0004, 4, Some(0xD820_2A06)),
        (Session(1), 1, 0x1001, Some(0xD820_2A06)),
        (GAME, 0x40_0002, 4, Some(0xE0E0_2A01)),
        (GAME, 0x42_0000, 4, Some(0xE0E0_2A01)),
        (GAME, 0x42_0000, 0x84, Some(0xE0E0_2A01)),
        (GAME, 0x40_0004, 0x84, Some(0xE0E0_2BEC)),
        (GAME, 0x40_0004, 0x81, Some(0xE0E0_2BEC)),
        (GAME, 0x40_0004, u32::MAX, Some(0xE0E0_2BEC)),
        (GAME, 0x40_0004, 6, Some(0xE0E0_2BF2)),
    ] {
        assert_eq!(console.gsp.check_registers(session, offset, size).err().map(|e| e.0), expected);
        let mut process = Process((0x9000..0x9100).map(|at| (at, 0)).collect());
        for header in [0x0001_0082, 0x0002_0084, 0x0003_0082, 0x0004_0080] {
            let request = [header, offset, size, size << 14 | 2, 0x9000, size << 14 | 0x402, 0x9000];
            assert_eq!(result_of(&mut console, session, &request, &mut process), expected.unwrap_or(0));
        }
    }
}

#[test]
fn registers_are_written_and_read() {
    let mut console = Console::with_game();
    let (gsp, mut bus) = console.parts();
    let mut read = [0; 3];
    gsp.write_registers(&mut bus, GAME, 0x40_0C20, &[1, 2, 3]).unwrap();
    gsp.read_registers(&mut bus, GAME, 0x40_0C20, &mut read).unwrap();
    assert_eq!(read, [1, 2, 3]);
    gsp.write_registers_with_mask(&mut bus, GAME, 0x40_0C20, &[0xFFFF, 0xFFFF], &[0xF0, 0]).unwrap();
    gsp.write_register_repeat(&mut bus, GAME, 0x40_0C28, &[7, 8, 9]).unwrap();
    gsp.read_registers(&mut bus, GAME, 0x40_0C20, &mut read).unwrap();
    assert_eq!(read, [0xF1, 2, 9]);
    assert_eq!(gsp.write_registers(&mut bus, GAME, 0x40_0000, &[0; 33]), Err(ResultCode::BAD_SIZE));
    // After the block there is nothing.
    gsp.write_registers(&mut bus, GAME, 0x41_FFF8, &[1; 32]).unwrap();
    gsp.read_registers(&mut bus, GAME, 0x41_FFF8, &mut read).unwrap();
    assert_eq!(read, [0; 3]);
}

#[test]
fn writing_registers_starts_units_with_their_own_interrupts() {
    let mut console = Console::with_game();
    let (gsp, mut bus) = console.parts();
    let (start, end) = (VRAM as u32 >> 3, (VRAM as u32 + 0x40) >> 3);
    gsp.write_registers(&mut bus, GAME, 0x40_0010, &[start, end, 1, 0x201, start, end, 2, 0x201]).unwrap();
    assert!(gsp.relay_queue(0).pop().is_none());
    gsp.auto_deliver(&mut bus);
    assert_eq!(console.interrupts(0), [Interrupt::Psc0 as u8, Interrupt::Psc1 as u8]);
    assert_eq!(console.core.bench.read(VRAM, 4), [2, 0, 0, 0]);
    let (gsp, mut bus) = console.parts();
    gsp.write_registers(&mut bus, GAME, 0x40_18F0, &[1]).unwrap();
    gsp.write_registers(&mut bus, GAME, 0x40_0C18, &[1]).unwrap();
    gsp.auto_deliver(&mut bus);
    assert_eq!(console.interrupts(0), [Interrupt::P3d as u8, Interrupt::Ppf as u8]);
}

#[test]
fn register_calls_as_words() {
    let mut console = Console::with_game();
    let mut process = Process::with(&[(0x5000, 0x1111), (0x5004, 0x2222), (0x6000, 0xFF), (0x6004, 0xF000)]);
    let write = [0x0001_0082, 0x40_0C20, 8, 8 << 14 | 2, 0x5000];
    assert_eq!(result_of(&mut console, GAME, &write, &mut process), 0);
    assert_eq!((console.peek(0xC20), console.peek(0xC24)), (0x1111, 0x2222));
    console.poke(0xC20, u32::MAX);
    console.poke(0xC24, 0);
    let masked = [0x0002_0084, 0x40_0C20, 8, 8 << 14 | 2, 0x5000, 8 << 14 | 0x402, 0x6000];
    assert_eq!(result_of(&mut console, GAME, &masked, &mut process), 0);
    assert_eq!((console.peek(0xC20), console.peek(0xC24)), (0xFFFF_FF11, 0x2000));
    let repeat = [0x0003_0082, 0x40_0C28, 8, 8 << 14 | 2, 0x5000];
    assert_eq!(result_of(&mut console, GAME, &repeat, &mut process), 0);
    assert_eq!((console.peek(0xC28), console.peek(0xC2C)), (0x2222, 0));
    assert_eq!(result_of(&mut console, GAME, &[0x0004_0080, 0x40_0C24, 8], &mut process), 0);
    let read: Vec<u8> = (0x9000..0x9008).map(|at| process.0[&at]).collect();
    assert_eq!(read, [0, 0x20, 0, 0, 0x22, 0x22, 0, 0]);
    // Pointers into nothing.
    assert!(
        ResultCode(result_of(&mut console, GAME, &[0x0001_0082, 0x40_0C20, 8, 0, 0x7000], &mut process)).is_error()
    );
}

#[test]
fn rights_as_words() {
    let mut console = Console::new();
    let mut process = Process::default();
    let (other, acquire) = (Session(8), [0x0016_0042, 1, 0, 0x77]);
    let (_, words) = call(&mut console, GAME, &[0x0013_0042, 1, 0, 0x55], &mut process);
    assert_eq!(words[..5], [0x0013_0082, 0x2A07, 0, 0, 0]);
    assert_eq!(console.gsp.client(0).unwrap().event, 0x55);
    assert_eq!(result_of(&mut console, GAME, &acquire, &mut process), 0);
    assert_eq!(result_of(&mut console, GAME, &acquire, &mut process), 0x2BEB);
    assert_eq!(result_of(&mut console, other, &[0x0015_0002, 0, 0x77], &mut process), 0xC840_2BF0);
    let (reply, mut waiting) = call(&mut console, other, &acquire, &mut process);
    assert_eq!((reply, &waiting[..4]), (Reply::Blocked, &acquire[..]));
    assert_eq!(result_of(&mut console, other, &[0x0017_0000], &mut process), 0);
    assert_eq!(console.gsp.holder(), Some(GAME));
    assert_eq!(result_of(&mut console, GAME, &[0x0017_0000], &mut process), 0);
    assert_eq!(console.gsp.take_granted(), [other]);
    granted(&mut waiting);
    assert_eq!(waiting[..2], [0x0016_0040, 0]);
    assert_eq!(result_of(&mut console, GAME, &[0x0014_0000], &mut process), 0);
    assert_eq!(console.gsp.client(0), None);
}

#[test]
fn every_call_answers() {
    for request in Request::ALL {
        let (header, name) = (request.header(), request.name());
        let mut console = Console::with_game();
        // One that may save pictures.
        console.gsp.register_relay_queue(GAME, 1, 1).unwrap();
        let mut process = Process((0..0x40).map(|at| (at, 0)).collect());
        let (reply, words) = call(&mut console, GAME, &[header], &mut process);
        assert_eq!(reply, Reply::Done, "{name}");
        assert_eq!(words[0] >> 16, header >> 16, "{name}");
        assert!(!ResultCode(words[1]).is_error(), "{name}");
    }
    for header in [0, 0x0006_0000, 0x0001_0080, u32::MAX] {
        let (_, words) = call(&mut Console::with_game(), GAME, &[header], &mut Process::default());
        assert_eq!(words[..2], [0x40, 0xD900_182F]);
    }
    // A command buffer that is too short to answer in.
    for length in 0..3 {
        let mut console = Console::with_game();
        let mut words = [0x0018_0000, 0, 0];
        let (gsp, mut bus) = console.parts();
        gsp.ipc(&mut bus, GAME, &mut words[..length], &mut Process::default());
    }
}

#[test]
fn triggering_as_words_runs_the_holders_queue() {
    let mut console = Console::with_game();
    let start = 0x1F00_0000;
    console.queue(&[[2, start, 5, start + 8, 0, 0, 0, 0x201]]);
    // For any caller.
    assert_eq!(result_of(&mut console, Session(3), &[0x000C_0000], &mut Process::default()), 0);
    assert_eq!(console.core.bench.read(VRAM, 4), [5, 0, 0, 0]);
}

#[test]
fn buffer_swaps() {
    let mut console = Console::with_game();
    let words = [0x0005_0200, 1, 1, 0x1F00_2000, 0, 720, 0x8_0301, 1, 0];
    assert_eq!(result_of(&mut console, Session(1), &words, &mut Process::default()), 0xD820_2A06);
    assert_eq!(result_of(&mut console, GAME, &words, &mut Process::default()), 0);
    assert_eq!(console.external.lcd(Screen::Bottom).picture(Eye::Left).unwrap().address, 0x1800_2000);
    assert_eq!(console.peek(0x56C), 0x1800_2000);
    assert_eq!(console.peek(0x568), 0x1848_F000);
}

#[test]
fn capture_info_gives_back_what_the_client_gave() {
    let mut console = Console::with_game();
    let (_, words) = call(&mut console, GAME, &[0x0018_0000], &mut Process::default());
    assert_eq!(words[..6], [0x0018_0240, 0, 0x1F1E_6000, 0x1F27_3000, 0x8_0341, 720]);
    assert_eq!(words[6], 0x1F48_F000);
    let info = FramebufferInfo { left: 0x3000_1000, right: 0x3000_2000, stride: 960, ..Default::default() };
    let (gsp, mut bus) = console.parts();
    gsp.set_buffer_swap(&mut bus, GAME, Screen::Top, &info).unwrap();
    let [top, _] = gsp.display_capture_info(&mut bus);
    assert_eq!((top.left, top.right, top.stride), (0x3000_1000, 0x3000_2000, 960));
}

#[test]
fn capture_info_is_that_of_the_next_picture() {
    let mut console = Console::with_game();
    let next = FramebufferInfo { left: 0x1F00_1000, right: 0x1F00_2000, stride: 480, format: 2, ..Default::default() };
    console.gsp.framebuffer_slot(0, Screen::Top).present(&next);
    let (gsp, mut bus) = console.parts();
    let [top, bottom] = gsp.display_capture_info(&mut bus);
    assert_eq!((top.left, top.right, top.stride, top.format), (0x1F00_1000, 0x1F00_2000, 480, 2));
    assert_eq!(bottom.left, 0x1F48_F000);
    // It is shown from the next VBlank on, as it would have been.
    assert_eq!(console.peek(0x468), 0x181E_6000);
    let (gsp, mut bus) = console.parts();
    gsp.vblank(&mut bus, Screen::Top);
    assert_eq!(gsp.display_capture_info(&mut bus)[0].left, 0x1F00_1000);
    assert_eq!(console.peek(0x468), 0x1800_1000);
    // The call works without a holder of the right. Pictures of clients that do not hold it are not reported.
    console.gsp.framebuffer_slot(0, Screen::Top).present(&FramebufferInfo { left: 0x1F00_3000, ..next });
    console.gsp.release_right(GAME);
    let (gsp, mut bus) = console.parts();
    assert_eq!(gsp.display_capture_info(&mut bus)[0].left, 0x1F00_1000);
}

#[test]
fn screens_can_be_covered() {
    let mut console = Console::with_game();
    assert_eq!(result_of(&mut console, GAME, &[0x000B_0040, 1], &mut Process::default()), 0);
    assert!(Screen::ALL.iter().all(|&screen| console.external.lcd(screen).fill_color() == Some([0, 0, 0])));
    let mut read = [0];
    let (gsp, mut bus) = console.parts();
    gsp.read_registers(&mut bus, GAME, 0x20_2A04, &mut read).unwrap();
    assert_eq!(read, [0x0100_0000]);
    result_of(&mut console, GAME, &[0x000B_0040, 0], &mut Process::default());
    assert!(Screen::ALL.iter().all(|&screen| console.external.lcd(screen).fill_color().is_none()));
}

#[test]
fn pictures_are_saved_and_restored() {
    let mut console = Console::with_game();
    // Who registered without the flag may not.
    for header in [0x0019_0000, 0x001A_0000] {
        assert_eq!(result_of(&mut console, GAME, &[header], &mut Process::default()), ResultCode::NO_RIGHT.0);
    }
    console.gsp.register_relay_queue(GAME, 1, 1).unwrap();
    let picture = noise(720 * 400, 4);
    console.core.bench.write(0x181E_6000, &picture);
    assert_eq!(result_of(&mut console, GAME, &[0x0019_0000], &mut Process::default()), 0);
    assert!(console.core.bench.read(0x1827_3000, picture.len()) == picture);
    console.core.bench.write(0x181E_6000, &vec![0; picture.len()]);
    assert_eq!(result_of(&mut console, GAME, &[0x001A_0000], &mut Process::default()), 0);
    assert!(console.core.bench.read(0x181E_6000, picture.len()) == picture);
}

#[test]
fn flushes_are_hints() {
    let mut console = Console::with_game();
    for header in [0x0008_0082, 0x001F_0082] {
        result_of(&mut console, Session(5), &[header, 0x1400_0040, 0x20], &mut Process::default());
    }
    result_of(&mut console, GAME, &[0x0008_0082, 0x0010_0000, 0x20], &mut Process::default());
    result_of(&mut console, GAME, &[0x0009_0082, 0x1400_0040, 0x20], &mut Process::default());
    assert_eq!(console.core.flushed, [(0x2000_0040, 0x20); 2]);
}
