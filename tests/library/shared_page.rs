//! GSP's shared page: mapped by the host at any time, at any address.
#![allow(unsafe_code)]

use triglyph::n3ds::gsp::{Session, SharedPage};
use triglyph::n3ds::{BadAddress, Outcome};
use triglyph::{Access, Device, Error, GuestAddr, GuestRange, Memory, N3ds, Options, Tier};

const VRAM: u64 = 0x1800_0000;
const FCRAM: u64 = 0x2000_0000;

fn fill(value: u32) -> [u32; 8] {
    [2, 0x1F00_0000, value, 0x1F00_0040, 0, 0, 0, 0x201]
}

fn word(gpu: &mut N3ds, address: u64) -> u32 {
    let mut bytes = [0; 4];
    gpu.read(GuestAddr::new(0, address), &mut bytes).expect("mapped");
    u32::from_le_bytes(bytes)
}

fn trigger(gpu: &mut N3ds) -> usize {
    gpu.with_gsp(|gsp, hardware| {
        gsp.trigger(hardware);
        gsp.take_completions().len()
    })
}

/// A kernel maps the page after the first client has registered, in main memory that the GPU has as well, and moves it
/// later: nothing is lost, and guest processors use it by its address.
#[test]
fn the_page_moves_with_its_clients_into_mapped_memory() {
    let mut fcram = vec![0_u64; 0x1_0000 / 8];
    let pointer: *mut u8 = fcram.as_mut_ptr().cast();
    let mut gpu = N3ds::new(&Options::new(Tier::InterpreterOnly, 1)).expect("a 3DS");
    gpu.map(GuestRange::new(0, VRAM, 0x1000), Access::READ_WRITE).expect("memory");
    // SAFETY: the memory is dropped after the device, and only pointers lead to it until then.
    let map = |memory: &mut Memory| unsafe {
        memory.map_host(GuestRange::new(0, FCRAM, 0x1_0000), pointer, Access::READ_WRITE)
    };
    gpu.with_memory(map).expect("memory");
    gpu.with_gsp(|gsp, _| {
        gsp.set_bad_address(BadAddress::Fail);
        gsp.set_shared_memory_handle(0x77);
        gsp.register_relay_queue(Session(1), 0, 0x10).expect("room");
        gsp.acquire_right(Session(1));
        gsp.command_queue(0).submit(&fill(0x1111)).expect("room");
    });
    for (offset, value) in [(0x3000_usize, 0x2222), (0x5000, 0x3333)] {
        // SAFETY: 4096 bytes of the memory from above, which also outlives the page.
        let page = unsafe { SharedPage::from_host(pointer.add(offset)) }.expect("an aligned page");
        gpu.set_shared_page(page);
        let page = FCRAM + offset as u64;
        // What waited in the queue is in the new page, and is executed there.
        assert_eq!(word(&mut gpu, page + 0x800) >> 8 & 0xFF, 1);
        assert_eq!(trigger(&mut gpu), 1);
        assert_eq!(word(&mut gpu, page + 0x800) >> 8 & 0xFF, 0);
        // A guest processor queues the next by itself: slot `current`, then the count.
        let header = word(&mut gpu, page + 0x800);
        let slot = page + 0x820 + 0x20 * u64::from(header & 0xFF);
        gpu.write(GuestAddr::new(0, slot), fill(value).map(u32::to_le_bytes).as_flattened()).expect("mapped");
        gpu.write(GuestAddr::new(0, page + 0x800), &(header | 1 << 8).to_le_bytes()).expect("mapped");
        assert_eq!(trigger(&mut gpu), 1);
        assert_eq!(word(&mut gpu, VRAM), value);
        gpu.with_gsp(|gsp, _| gsp.command_queue(0).submit(&fill(value)).expect("room"));
    }
    // The same page once more loses nothing.
    // SAFETY: as above.
    gpu.set_shared_page(unsafe { SharedPage::from_host(pointer.add(0x5000)) }.expect("an aligned page"));
    assert_eq!((trigger(&mut gpu), gpu.gsp().holder()), (1, Some(Session(1))));
    assert_eq!(gpu.gsp().bad_address(), BadAddress::Fail);
    // Only an explicit call resets GSP.
    gpu.reset_gsp();
    assert_eq!((gpu.gsp().holder(), gpu.gsp().client(0)), (None, None));
    assert_eq!((word(&mut gpu, FCRAM + 0x5800), gpu.gsp().bad_address()), (0, BadAddress::Fail));
    let registered = gpu.with_gsp(|gsp, _| gsp.register_relay_queue(Session(2), 0, 0x20)).expect("room");
    assert_eq!((registered.result.0, registered.client, registered.shared_memory), (0x2A07, 0, 0x77));
    drop(gpu);
    drop(fcram);
}

#[test]
fn commands_are_executed_where_they_are() {
    let mut gpu = N3ds::new(&Options::new(Tier::InterpreterOnly, 1)).expect("a 3DS");
    gpu.map(GuestRange::new(0, VRAM, 0x1000), Access::READ_WRITE).expect("memory");
    gpu.map(GuestRange::new(triglyph::n3ds::PROCESS, 0x1000_2000, 0x1000), Access::READ_WRITE).expect("memory");
    let at = GuestAddr::new(triglyph::n3ds::PROCESS, 0x1000_2820);
    gpu.write(at, fill(0xABCD).map(u32::to_le_bytes).as_flattened()).expect("mapped");
    let executed = gpu.execute_at(at).expect("a command");
    assert!(matches!(executed.outcome(), Outcome::Done(_)));
    assert_eq!(word(&mut gpu, VRAM), 0xABCD);
    let nowhere = GuestAddr::new(triglyph::n3ds::PROCESS, 0x1000_2FF0);
    assert!(matches!(gpu.execute_at(nowhere), Err(Error::Unmapped(_))));
}
