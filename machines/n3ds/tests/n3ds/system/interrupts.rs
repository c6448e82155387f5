//! GSP's interrupts and framebuffer information.

use crate::system::support::commands::{P3D, PDC0, PPF, VRAM_VA, display_transfer, list};
use crate::system::support::{Console, GAME};
use triglyph_n3ds::gsp::interrupt::RelayHeader;
use triglyph_n3ds::gsp::rights::Session;
use triglyph_n3ds::gsp::{FramebufferInfo, Interrupt, RelayQueue, SharedPage};
use triglyph_n3ds::lcd::{Eye, Screen};
use triglyph_testkit::data::json;

fn info(left: u32, active: u32) -> FramebufferInfo {
    FramebufferInfo { active, left, right: left, stride: 720, format: 0x8_0341, select: active, attribute: 0 }
}

fn shown(console: &Console, screen: Screen) -> u32 {
    console.external.lcd(screen).picture(Eye::Left).unwrap().address
}

#[test]
fn relay_queue_vector() {
    let page = SharedPage::default();
    let queue = RelayQueue::new(&page, 2);
    let file = json("3ds/vectors/gsp_queue.json");
    for step in file["sequence"].as_array().unwrap() {
        match step["steps"].as_str().unwrap() {
            "33 x PDC0 into an empty queue" => assert_eq!((0..33).filter(|_| queue.push(Interrupt::Pdc0)).count(), 32),
            "then 21 x PPF" => assert_eq!((0..21).filter(|_| queue.push(Interrupt::Ppf)).count(), 20),
            "then PDC1" => assert!(!queue.push(Interrupt::Pdc1)),
            "then the client pops one" => assert_eq!(queue.pop(), Some(PDC0)),
            "then P3D" => assert!(queue.push(Interrupt::P3d)),
            other => panic!("{other}"),
        }
        let state = |key: &str| step["state"][key].as_u64().unwrap();
        let header = queue.header();
        assert_eq!(u64::from(header.first), state("first"));
        assert_eq!(u64::from(header.count), state("count"));
        assert_eq!(u64::from(header.missed_other), state("missed_other"));
        assert_eq!(u64::from(queue.missed_vblanks(0)), state("missed_pdc0"));
        assert_eq!(u64::from(queue.missed_vblanks(1)), state("missed_pdc1"));
        if let Some(slot) = step["slot_written"].as_u64() {
            assert_eq!(u64::from(page.load_byte(0x80 + 0xC + slot as usize)), step["value"].as_u64().unwrap());
        }
    }
}

#[test]
fn relay_queues_wrap_behind_the_last_slot() {
    let page = SharedPage::default();
    let queue = RelayQueue::new(&page, 0);
    for i in 0..200_usize {
        let interrupt = Interrupt::ALL[i % 7];
        assert!(queue.push(interrupt));
        assert_eq!(queue.header().first, (i % 0x34) as u8);
        assert_eq!(queue.pop(), Some(interrupt as u8));
    }
    assert_eq!(queue.pop(), None);
    // Headers that GSP would never write do no harm.
    page.store(0, RelayHeader { first: 0xFF, count: 0x20, missed_other: 0, flags: 0 }.word());
    assert!(queue.push(Interrupt::Ppf));
    assert!(queue.pop().is_some());
    assert!(queue.header().first < 0x34);
    page.store(0, RelayHeader { first: 3, count: 0xFF, missed_other: 0, flags: 0 }.word());
    assert!(!queue.push(Interrupt::Ppf));
    assert_eq!(queue.header(), RelayHeader { first: 3, count: 0xFF, missed_other: 1, flags: 0 });
}

#[test]
fn clients_may_skip_vblanks() {
    let page = SharedPage::default();
    let queue = RelayQueue::new(&page, 0);
    queue.skip_vblanks(true);
    (0..50).for_each(|_| assert!(!queue.push(Interrupt::Pdc1)));
    assert_eq!((queue.header().count, queue.missed_vblanks(1)), (0, 0));
    assert!(queue.push(Interrupt::Psc0));
    queue.skip_vblanks(false);
    assert!(queue.push(Interrupt::Pdc1));
    assert_eq!(queue.header().flags, 0);
}

#[test]
fn producer_and_consumer_share_the_queue() {
    let page = SharedPage::default();
    let queue = RelayQueue::new(&page, 1);
    let (mut pushed, mut popped) = (0_u64, 0_u64);
    std::thread::scope(|scope| {
        let consumer = scope.spawn(|| {
            let mut taken = 0;
            let mut idle = 0;
            while idle < 1_000_000 {
                match queue.pop() {
                    Some(id) => {
                        assert_eq!(id, PPF);
                        (taken, idle) = (taken + 1, 0);
                    }
                    None => idle += 1,
                }
            }
            taken
        });
        for _ in 0..20_000 {
            pushed += u64::from(queue.push(Interrupt::Ppf));
        }
        popped += consumer.join().unwrap();
    });
    popped += std::iter::from_fn(|| queue.pop()).count() as u64;
    assert_eq!(pushed, popped);
}

#[test]
fn interrupts_go_to_the_holder_and_vblanks_to_all() {
    let mut console = Console::with_game();
    for i in 1..4 {
        let registration = console.gsp.register_relay_queue(Session(100 + i), 0, i).unwrap();
        assert_eq!(registration.client, i as usize);
    }
    let (gsp, mut bus) = console.parts();
    let signalled = gsp.vblank(&mut bus, Screen::Top);
    assert_eq!(signalled.iter().collect::<Vec<_>>(), [0, 1, 2, 3]);
    let signalled = gsp.deliver(&mut bus, Interrupt::Ppf);
    assert_eq!(signalled.iter().collect::<Vec<_>>(), [0]);
    console.gsp.release_right(GAME);
    let (gsp, mut bus) = console.parts();
    assert!(gsp.deliver(&mut bus, Interrupt::Ppf).is_empty());
    gsp.acquire_right(Session(102));
    assert!(gsp.deliver(&mut bus, Interrupt::P3d).contains(2));
    assert_eq!(console.interrupts(0), [PDC0, PPF]);
    assert_eq!(console.interrupts(1), [PDC0]);
    assert_eq!(console.interrupts(2), [PDC0, P3D]);
    // A client that has left gets nothing more.
    console.gsp.close(Session(102));
    let (gsp, mut bus) = console.parts();
    assert!(!gsp.vblank(&mut bus, Screen::Bottom).contains(2));
}

#[test]
fn a_full_queue_is_not_signalled() {
    let mut console = Console::with_game();
    for i in 0..40 {
        let (gsp, mut bus) = console.parts();
        assert_eq!(gsp.vblank(&mut bus, Screen::Top).contains(0), i < 0x20);
    }
    assert_eq!(console.gsp.relay_queue(0).missed_vblanks(0), 8);
}

#[test]
fn framebuffer_information_is_loaded_at_vblank() {
    let mut console = Console::with_game();
    for screen in Screen::ALL {
        console.gsp.framebuffer_slot(0, screen).present(&info(VRAM_VA + 0x1000, 1));
    }
    let (gsp, mut bus) = console.parts();
    gsp.vblank(&mut bus, Screen::Top);
    assert_eq!(shown(&console, Screen::Top), 0x1800_1000);
    assert_eq!(shown(&console, Screen::Bottom), 0x1848_F000);
    assert!(!console.gsp.framebuffer_slot(0, Screen::Top).is_new());
    assert!(console.gsp.framebuffer_slot(0, Screen::Bottom).is_new());
    // The pair that is not active keeps its address.
    assert_eq!(console.peek(0x468), 0x181E_6000);
    assert_eq!(console.peek(0x46C), 0x1800_1000);
    assert_eq!(console.peek(0x498), 0x1800_1000);
}

#[test]
fn framebuffer_information_is_loaded_although_vblanks_are_skipped() {
    let mut console = Console::with_game();
    console.gsp.relay_queue(0).skip_vblanks(true);
    console.gsp.framebuffer_slot(0, Screen::Top).present(&info(VRAM_VA + 0x1000, 1));
    let (gsp, mut bus) = console.parts();
    assert!(!gsp.vblank(&mut bus, Screen::Top).contains(0));
    assert_eq!(shown(&console, Screen::Top), 0x1800_1000);
}

#[test]
fn framebuffer_information_is_loaded_at_the_end_of_transfers() {
    let mut console = Console::with_game();
    for screen in Screen::ALL {
        console.gsp.framebuffer_slot(0, screen).present(&info(VRAM_VA + 0x1000, 0));
    }
    console.submit(&[list()]);
    console.deliver();
    assert!(console.gsp.framebuffer_slot(0, Screen::Top).is_new());
    console.submit(&[display_transfer()]);
    console.deliver();
    assert_eq!(shown(&console, Screen::Top), 0x1800_1000);
    assert_eq!(shown(&console, Screen::Bottom), 0x1800_1000);
    // Nothing new: nothing changes, unless that is asked for.
    console.submit(&[display_transfer()]);
    console.deliver();
    assert_eq!(console.peek(0x478) & 1, 0);
    console.gsp.set_auto_toggle(true);
    console.submit(&[display_transfer()]);
    console.deliver();
    assert_eq!(console.peek(0x478) & 1, 1);
    console.submit(&[display_transfer()]);
    console.deliver();
    assert_eq!(console.peek(0x478) & 1, 0);
}

#[test]
fn framebuffer_information_of_others_waits() {
    let mut console = Console::with_game();
    let other = console.gsp.register_relay_queue(Session(8), 0, 2).unwrap().client;
    console.gsp.framebuffer_slot(other, Screen::Top).present(&info(VRAM_VA, 0));
    let (gsp, mut bus) = console.parts();
    gsp.vblank(&mut bus, Screen::Top);
    assert!(console.gsp.framebuffer_slot(other, Screen::Top).is_new());
}
