//! A device that takes a snapshot over goes on as the one that gave it.

use crate::support::*;
use triglyph_capture::{CaptureFile, Checks, Compression, Event, Player, Prepared, Reader};
use triglyph_capture::{RecordingDevice, meta::Meta};
use triglyph_engine::device::{Access, Device};
use triglyph_engine::mem::{GuestAddr, GuestRange};
use triglyph_engine::snapshot;
use triglyph_engine::snapshot::SnapshotOptions;
use triglyph_guest::pica::{Program, regs};
use triglyph_n3ds::N3ds;
use triglyph_n3ds::gsp::{Interrupt, Session};
use triglyph_n3ds::lcd::{Screen, offset};
use triglyph_testkit::data::captures;

/// A fresh device in the state of another, whose memory comes along in the snapshot or beside it.
fn moved(gpu: &mut N3ds, memory: bool) -> N3ds {
    let options = SnapshotOptions::default().with_memory(memory).with_compression(false);
    let snapshot = gpu.snapshot(options).unwrap();
    let mut other = machine();
    if !memory {
        for mapping in gpu.memory().mappings() {
            other.map(mapping.range, mapping.access).unwrap();
            let mut bytes = vec![0; mapping.range.size as usize];
            gpu.memory().read(mapping.range.start, &mut bytes).unwrap();
            other.write(mapping.range.start, &bytes).unwrap();
        }
    }
    other.restore(&snapshot).unwrap();
    assert!(other.snapshot(options).unwrap() == snapshot, "a snapshot of what was restored is another");
    other
}

fn memory_of(gpu: &mut N3ds) -> Vec<(u64, u64)> {
    gpu.finish();
    let mappings: Vec<_> = gpu.memory().mappings().collect();
    let hash = |m: &snapshot::Mapping, gpu: &mut N3ds| triglyph_capture::player::hash_memory(gpu, m.range).unwrap();
    mappings.iter().map(|mapping| (mapping.range.start.address, hash(mapping, gpu))).collect()
}

#[test]
fn captures_go_on_from_every_submit() {
    for path in captures("3ds") {
        let file = CaptureFile::open(&path).unwrap();
        let prepared = Prepared::new(&Reader::new(&file).unwrap()).unwrap();
        let mut straight = machine();
        Player::prepared(&prepared, Checks::NONE).run(&mut straight).unwrap();

        let mut gpu = machine();
        let mut player = Player::prepared(&prepared, Checks::NONE);
        let mut submits = 0;
        while let Some(event) = player.next(&mut gpu).unwrap() {
            if matches!(event, Event::Submitted { .. }) {
                gpu = moved(&mut gpu, submits % 16 != 5);
                submits += 1;
            }
        }
        assert!(submits > 2);
        assert_eq!(memory_of(&mut gpu), memory_of(&mut straight), "{}", path.display());
        assert_eq!(gpu.faults().total(), 0, "{}", path.display());
    }
}

/// Runs lists one after the other, straight and with a new device before each but the first.
fn interrupted(lists: &[Vec<u32>]) {
    let mut straight = Console::new();
    let mut stepping = Console::new();
    for (i, list) in lists.iter().enumerate() {
        straight.run(list);
        if i > 0 {
            stepping.gpu = moved(&mut stepping.gpu, i % 2 == 1);
        }
        stepping.run(list);
    }
    assert!(straight.memory() == stepping.memory());
    assert!(straight.memory()[..0x400].iter().any(|&byte| byte != 0), "nothing was drawn");
    assert_eq!(
        straight.gpu.snapshot(SnapshotOptions::default()).unwrap(),
        stepping.gpu.snapshot(SnapshotOptions::default()).unwrap()
    );
}

#[test]
fn half_sent_uniforms_are_completed() {
    let mut first = plain();
    first.assemble("mov o0, v0\nmov o1, c3\nmov o2, v2\nend").set(regs::vsh_float_index::ID, 0x8000_0003);
    first.feed(regs::vsh_float_data::ID, &[1.0f32.to_bits(), 0.25f32.to_bits()]);
    let mut second = List::default();
    second.feed(regs::vsh_float_data::ID, &[0.5f32.to_bits(), 0.75f32.to_bits()]);
    let mut draw = List::default();
    draw.set(regs::num_vertices::ID, 3).set(regs::draw_arrays::ID, 1);
    let floats = triangle(-1.0, [0.0; 4]).concat().concat();
    let mut console = Console::new();
    console.write_floats(VERTICES, &floats);
    for list in [first.end(), second.end(), draw.end()] {
        console.gpu = moved(&mut console.gpu, true);
        console.run(list);
    }
    assert_eq!(console.pixel(0, 0), [191, 128, 64, 255]);
}

#[test]
fn half_built_immediate_vertices_are_completed() {
    let [a, b, c] = triangle(-1.0, [1.0, 0.5, 0.25, 1.0]);
    let mut first = plain();
    first.set(regs::fixed_attr_index::ID, 15).vertex(&a);
    first.feed(regs::fixed_attr_data::IDS[0], &List::packed(b[0]));
    // A word of the second attribute is under way.
    first.feed(regs::fixed_attr_data::IDS[0], &List::packed(b[1])[..1]);
    let mut second = List::default();
    second.feed(regs::fixed_attr_data::IDS[0], &List::packed(b[1])[1..]);
    second.feed(regs::fixed_attr_data::IDS[0], &List::packed(b[2]));
    let mut third = List::default();
    third.vertex(&c);
    interrupted(&[first.0, second.0, third.0]);
}

#[test]
fn unfinished_primitives_are_completed() {
    for topology in 0..4 {
        let points: Vec<Vertex> =
            [-1.0, -0.4, 0.1].iter().flat_map(|&x| triangle(x, [1.0, x.abs(), 0.5, 1.0])).collect();
        let mut lists = vec![plain().with(regs::primitive_config::ID, topology << 8 | 2).0];
        for vertex in &points {
            let mut list = List::default();
            list.set(regs::fixed_attr_index::ID, 15).vertex(vertex);
            lists.push(list.0);
        }
        interrupted(&lists);
    }
}

#[test]
fn half_fed_geometry_programs_go_on() {
    // Two vertices to a primitive. The first primitive stores three vertices, those after it only the third anew; r5
    // counts primitives, which shows in the green of their colour.
    let text = "add r5, r5, v5\nmov r6, v4\nmov r6.y, r5.xxxx\nmul r6.y, c1.y, r6\nmov o1, r6\nmov o2, v2\n\
                ifu b15, later..last\nnop\nnop\nlater:\nmov o0, v0\nsetemit 0\nemit\nadd r0, v0, v2\nmov o0, r0\n\
                mov o1, r6\nmov o2, v2\nsetemit 1\nemit\nnop\nlast:\nadd r0, v0, v2.yxzw\nmov o0, r0\nmov o1, r6\n\
                mov o2, v2\nsetemit 2, prim\nemit\nend";
    let program = Program::assemble(text).expect("a program");
    let mut first = plain().with(regs::primitive_config::ID, 3 << 8 | 2).with(regs::vsh_com_mode::ID, 1);
    first.set(regs::geostage_config::ID, 2).set(regs::gsh_input_config::ID, 0x0800_0005);
    first.set(regs::gsh_perm_lo::ID, 0x7654_3210).set(regs::gsh_outmap_mask::ID, 7);
    first.set(regs::gsh_entry::ID, 0x7FFF_0000).set(regs::gsh_bool::ID, 0x7FFF_0000);
    first.set(regs::gsh_code_index::ID, 0).feed(regs::gsh_code_data::ID, &program.code);
    first.set(regs::gsh_opdesc_index::ID, 0).feed(regs::gsh_opdesc_data::ID, &program.descriptors);
    first.set(regs::gsh_float_index::ID, 1).feed(regs::gsh_float_data::ID, &List::packed([0.125; 4]));
    first.set(regs::fixed_attr_index::ID, 15);
    let mut lists = vec![first.0];
    for i in 0..9u8 {
        let at = f32::from(i) / 8.0 - 1.0;
        let mut list = List::default();
        list.vertex(&[[at, at, -0.5, 1.0], [1.0, 0.0, f32::from(i) / 9.0, 1.0], [1.0, 0.0, 0.0, 0.0]]);
        lists.push(list.0);
    }
    interrupted(&lists);
}

#[test]
fn vertices_sent_by_register_calls_wait() {
    let console = |steps: bool| {
        let mut console = Console::new();
        console.run(&plain().with(regs::fixed_attr_index::ID, 15).0);
        let words: Vec<u32> =
            triangle(-1.0, [1.0; 4]).iter().flatten().flat_map(|attribute| List::packed(*attribute)).collect();
        for word in words {
            let register = 0x40_0000 + 0x1000 + 4 * regs::fixed_attr_data::IDS[0] as u32;
            console.gpu.with_gsp(|_, hardware| hardware.write_register(register, word));
            if steps {
                console.gpu = moved(&mut console.gpu, true);
            }
        }
        // Any other register makes those that wait visible.
        console.gpu.with_gsp(|_, hardware| hardware.write_register(0x40_1000 + 4 * 0x110, 1));
        console
    };
    let (mut straight, mut stepping) = (console(false), console(true));
    assert_eq!(straight.pixel(0, 0), [255; 4]);
    assert!(straight.memory() == stepping.memory());
}

#[test]
fn tables_and_ports_come_back() {
    let mut list = List::default();
    list.set(regs::fog_lut_index::ID, 5).feed(regs::fog_lut_data::IDS[0], &[0x0012_3456, 0x00AB_CDEF]);
    list.set(regs::lighting_lut_index::ID, 0x0310).feed(regs::lighting_lut_data::IDS[0], &[1, 2, 3]);
    list.set(regs::proctex_lut_index::ID, 0x0405).feed(regs::proctex_lut_data::IDS[0], &[4, 5, 6]);
    list.set(regs::gas_lut_index::ID, 14).feed(regs::gas_lut_data::ID, &[7, 8, 9]);
    list.set(regs::fixed_attr_index::ID, 3).feed(regs::fixed_attr_data::IDS[0], &List::packed([1.0, -2.0, 3.0, 0.5]));
    list.set(regs::gsh_code_index::ID, 4000).feed(regs::gsh_code_data::ID, &[10, 11]);
    list.set(regs::vsh_bool::ID, 0x1234).set(regs::gsh_int::ID, 0x0403_0201);
    // Not a number is a uniform like any other.
    list.set(regs::vsh_float_index::ID, 0x8000_005F).feed(regs::vsh_float_data::ID, &[0x7FC0_0001, 0, 0, 1]);
    let mut console = Console::new();
    console.run(list.end());
    let before = console.gpu.snapshot(SnapshotOptions::REGISTERS).unwrap();
    let mut other = moved(&mut console.gpu, true);
    assert!(other.snapshot(SnapshotOptions::REGISTERS).unwrap() == before);
    // Each of the writes is part of the state: none leaves the snapshot as it was.
    for (id, value) in
        [(regs::fog_lut_data::IDS[0], 1), (regs::lighting_lut_data::IDS[0], 1), (regs::gas_lut_data::ID, 1)]
    {
        let mut changed = moved(&mut console.gpu, true);
        let mut list = List::default();
        list.set(id, value);
        let mut console = Console { gpu: changed };
        console.run(&list.0);
        changed = console.gpu;
        assert!(changed.snapshot(SnapshotOptions::REGISTERS).unwrap() != before, "{id:#x}");
    }
}

#[test]
fn gsp_goes_on_where_it_was() {
    let ends = [false, true].map(|restored| {
        let mut console = busy();
        if restored {
            console.gpu = moved(&mut console.gpu, true);
        }
        console.gpu.with_gsp(|gsp, hardware| {
            gsp.command_queue(0).resume();
            let signalled: Vec<usize> = gsp.auto_deliver(hardware).iter().collect();
            gsp.release_right(Session(1));
            gsp.vblank(hardware, Screen::Bottom);
            let queues: Vec<Vec<u8>> =
                (0..2).map(|client| std::iter::from_fn(|| gsp.relay_queue(client).pop()).collect()).collect();
            let again = gsp.register_relay_queue(Session(9), 0, 0).unwrap();
            let select = hardware.read_register(0x40_0400 + offset::SELECT);
            (signalled, gsp.take_granted(), queues, again, select, gsp.holder(), gsp.client(0))
        })
    });
    assert_eq!(ends[0], ends[1]);
    let (signalled, granted, queues, again, ..) = &ends[0];
    let psc0 = Interrupt::Psc0 as u8;
    let pdc = [Interrupt::Pdc0 as u8, Interrupt::Pdc1 as u8];
    assert_eq!((signalled.as_slice(), granted.as_slice()), (&[0][..], &[Session(2)][..]));
    assert_eq!(*queues, [vec![pdc[0], psc0, psc0, psc0, psc0, pdc[1]], pdc.to_vec()]);
    assert_eq!((again.client, again.shared_memory), (2, 0x55));
}

#[test]
fn without_memory_the_hosts_stays() {
    let mut console = busy();
    let snapshot = console.gpu.snapshot(SnapshotOptions::REGISTERS).unwrap();
    assert_eq!(snapshot::mappings(&snapshot).unwrap(), None);
    let mut other = Console::new();
    other.write(VRAM, &[0x77; 64]);
    other.gpu.restore(&snapshot).unwrap();
    assert_eq!(other.read(VRAM, 64), [0x77; 64]);
    assert_eq!(other.gpu.gsp().holder(), Some(Session(1)));
}

#[test]
fn devices_behind_the_trait_have_snapshots() {
    let mut first: Box<dyn Device> = Box::new(busy().gpu);
    let snapshot = first.snapshot(SnapshotOptions::default()).unwrap();
    let mut second: Box<dyn Device> = Box::new(machine());
    second.restore(&snapshot).unwrap();
    assert!(second.snapshot(SnapshotOptions::default()).unwrap() == snapshot);
}

/// A recording that begins in the middle carries the state.
#[test]
fn recordings_that_begin_mid_run_replay() {
    let mut device = RecordingDevice::new(machine());
    for start in [VRAM, HEAP] {
        device.map(GuestRange::new(0, start.into(), SIZE.into()), Access::READ_WRITE).unwrap();
    }
    let run = |device: &mut RecordingDevice<N3ds, Vec<u8>>, list: &[u32]| {
        let bytes = list_bytes(list);
        device.write(GuestAddr::new(0, LISTS.into()), &bytes).unwrap();
        let command = [1, LISTS - HEAP + 0x3000_0000, bytes.len() as u32, 0, 0, 0, 0, 0];
        device.submit(&command.map(u32::to_le_bytes).concat()).unwrap();
    };
    let vertices = triangle(-1.0, [0.5, 1.0, 0.25, 1.0]);
    let (mut before, mut after) = (plain(), List::default());
    before.set(regs::fixed_attr_index::ID, 15).vertex(&vertices[0]).vertex(&vertices[1]);
    after.vertex(&vertices[2]);
    run(&mut device, before.end());
    device.start(Vec::new(), Compression::default(), Meta::new()).unwrap();
    run(&mut device, after.end());
    device.hash(GuestRange::new(0, VRAM.into(), SIZE.into())).unwrap();
    let file = device.stop().unwrap().unwrap();

    let reader = Reader::new(&file).unwrap();
    let kinds: Vec<u32> = reader.raw_records().map(|raw| raw.unwrap().kind).collect();
    assert_eq!(kinds.iter().filter(|&&kind| kind == 0x8000_0001).count(), 1);
    let mut replayed = machine();
    let mut player = Player::new(&reader, Checks::ALL);
    let mut hashes = 0;
    while let Some(event) = player.next(&mut replayed).unwrap() {
        if let Event::Hash(hashed) = event {
            assert!(hashed.ok());
            hashes += 1;
        }
    }
    assert_eq!(hashes, 1);
    let mut replayed = Console { gpu: replayed };
    assert_eq!(replayed.pixel(0, 0), [128, 255, 64, 255]);
    // One that begins with a new device carries none.
    let mut fresh = RecordingDevice::new(machine());
    fresh.start(Vec::new(), Compression::default(), Meta::new()).unwrap();
    let file = fresh.stop().unwrap().unwrap();
    assert_eq!(Reader::new(&file).unwrap().raw_records().count(), 1);
}

/// A snapshot that is taken over during a recording goes into it, memory and all.
#[test]
fn recordings_follow_a_restored_snapshot() {
    let snapshot = busy().gpu.snapshot(SnapshotOptions::default()).unwrap();
    let mut device = RecordingDevice::new(machine());
    device.start(Vec::new(), Compression::default(), Meta::new()).unwrap();
    device.restore(&snapshot).unwrap();
    device.hash(GuestRange::new(0, VRAM.into(), SIZE.into())).unwrap();
    let file = device.stop().unwrap().unwrap();
    let reader = Reader::new(&file).unwrap();
    let mut player = Player::new(&reader, Checks::ALL);
    let mut replayed = machine();
    let Some(Event::Hash(hashed)) = player.next(&mut replayed).unwrap() else { panic!() };
    assert!(hashed.ok());
    assert_eq!(player.maps().len(), 2);
}
