//! Calls as a driver makes them, up to words that the GPU writes.

#![allow(unsafe_code)]

use std::time::Duration;

use bytemuck::{Pod, Zeroable};

use super::abi::*;
use super::argument::{Answer, Argument, Errno};
use super::syncobj::Waited;
use super::{Next, call};
use crate::chip::Chip;
use crate::settings::Settings;
use crate::state::State;

/// A GPU that interprets on one thread.
pub fn gpu(chip: Chip) -> State {
    let settings = Settings::new(|name| match name {
        "TRIGLYPH_GPU_CHIP" => Some(chip.name().into()),
        "TRIGLYPH_GPU_TIER" => Some("interp".into()),
        "TRIGLYPH_GPU_THREADS" => Some("1".into()),
        _ => None,
    });
    State::new(settings.unwrap()).unwrap()
}

/// Makes a call, and waits as the hook of `ioctl` does.
fn make<T: Pod>(state: &mut State, number: u32, value: &mut T) -> Answer {
    make_as(state, 1, number, value)
}

/// Makes a call as a client. Nobody else submits anything meanwhile.
pub fn make_as<T: Pod>(state: &mut State, client: u32, number: u32, value: &mut T) -> Answer {
    // SAFETY: the bytes of a value that no other code accesses.
    let mut argument = unsafe { Argument::new(std::ptr::from_mut(value).cast(), size_of::<T>()) };
    match call(state, client, number, &mut argument)? {
        Next::Wait(waits) => assert!(waits.iter().all(|(board, number)| board.wait(*number, Duration::from_secs(10)))),
        Next::Sync(waiting) => loop {
            match waiting.look(state)? {
                Waited::Over(first) => return waiting.answer(&mut argument, first),
                Waited::For(pause) if pause.wait(waiting.left()) => {}
                Waited::For(_) | Waited::ForSubmission { .. } => return Err(Errno(libc::ETIME)),
            }
        },
        Next::Nothing | Next::Check(_) => {}
    }
    Ok(())
}

pub fn buffer(state: &mut State, domain: u32) -> BufferInfo {
    let info = BufferInfo { domain, size: 4096, ..BufferInfo::zeroed() };
    let mut new = BufferNew { info, channel_hint: 0, align: 0 };
    make(state, 0x80, &mut new).unwrap();
    new.info
}

fn channel(state: &mut State) -> ChannelAlloc {
    let mut channel = ChannelAlloc { vram_object: 0xBEEF_0201, gart_object: 0xBEEF_0202, ..ChannelAlloc::zeroed() };
    make(state, 0x42, &mut channel).unwrap();
    channel
}

/// Submits words that begin a buffer.
fn submit(state: &mut State, channel: &ChannelAlloc, words: &BufferInfo, count: u64, others: &[u32]) -> Answer {
    let named = |handle: u32, write_domains: u32| {
        let (valid_domains, read_domains) = (6, 6);
        PushbufBuffer { handle, valid_domains, read_domains, write_domains, ..PushbufBuffer::zeroed() }
    };
    let mut buffers = vec![named(words.handle, 0)];
    buffers.extend(others.iter().map(|&handle| named(handle, 6)));
    let segments = [Segment { buffer: 0, pad: 0, offset: 0, length: 4 * count }];
    let mut pushbuf = Pushbuf {
        channel: channel.channel as u32,
        buffer_count: buffers.len() as u32,
        buffers: buffers.as_mut_ptr().addr() as u64,
        segment_count: 1,
        segments: segments.as_ptr().addr() as u64,
        ..Pushbuf::zeroed()
    };
    make(state, 0x81, &mut pushbuf)
}

pub fn word(state: &State, offset: u64) -> u32 {
    // SAFETY: inside of the GPU's memory, whose work has been waited for.
    unsafe { state.memory.at(offset).cast::<u32>().read() }
}

/// Words that release a semaphore at the start of a buffer, without a time stamp: SEMAPHOREA to SEMAPHORED.
fn release(state: &State, words: &BufferInfo, target: &BufferInfo, payload: u32) {
    let [upper, lower] = [(target.offset >> 32) as u32, target.offset as u32];
    let pushed = [1 << 29 | 4 << 16 | 0x10 >> 2, upper, lower, payload, 1 << 24 | 2];
    for (at, word) in (0..).zip(pushed) {
        state.memory.write_word(words.map_handle + 4 * at, word);
    }
}

#[test]
fn the_driver_is_nouveau() {
    let mut state = gpu(Chip::Gm20b);
    let mut name = [0u8; 16];
    let mut version = Version::zeroed();
    make(&mut state, 0, &mut version).unwrap();
    assert_eq!((version.major, version.minor, version.patch, version.texts[0][0]), (1, 3, 1, 7));
    version.texts = [[7, name.as_mut_ptr().addr() as u64], [0; 2], [0; 2]];
    make(&mut state, 0, &mut version).unwrap();
    assert_eq!(&name[..8], b"nouveau\0");
    let mut parameter = Parameter { parameter: 11, value: 0 };
    make(&mut state, 0x40, &mut parameter).unwrap();
    assert_eq!(parameter.value, 0x12B);
    assert_eq!(make(&mut state, 0x40, &mut Parameter { parameter: 99, value: 0 }), Err(Errno(libc::EINVAL)));
    assert_eq!(make(&mut state, 0xFF, &mut 0u32), Err(Errno(libc::EINVAL)));
    assert_eq!(make(&mut state, 0x53, &mut [0u32; 12]), Err(Errno(libc::ENOTTY)));
}

/// Asks for the classes of a channel with room for some. Returns how many there are and those in the answer.
fn classes(state: &mut State, token: u64, count: u8, room: usize) -> Result<(u8, Vec<i32>), Errno> {
    let header = Nvif { kind: 1, route: 0xFF, token, ..Nvif::zeroed() };
    let mut message = bytemuck::bytes_of(&header).to_vec();
    message.extend(bytemuck::bytes_of(&NvifClasses { count, ..NvifClasses::zeroed() }));
    message.resize(message.len() + room * size_of::<NvifClass>(), 0);
    // SAFETY: the bytes of a vector that no other code accesses.
    let mut argument = unsafe { Argument::new(message.as_mut_ptr(), message.len()) };
    call(state, 1, 0x47, &mut argument)?;
    let answer: Vec<NvifClass> = message[32..].chunks(8).map(bytemuck::pod_read_unaligned).collect();
    assert!(answer.iter().all(|class| class.class == 0 || (class.smallest, class.largest) == (-1, -1)));
    Ok((message[25], answer.iter().map(|class| class.class).collect()))
}

/// Makes an object of a class in a channel.
fn object(state: &mut State, token: u64, class: i32) -> Answer {
    let header = Nvif { kind: 2, route: 0xFF, token, ..Nvif::zeroed() };
    let mut message = bytemuck::bytes_of(&header).to_vec();
    message.extend(bytemuck::bytes_of(&NvifNew { class, handle: 0xBEEF_0001, ..NvifNew::zeroed() }));
    // SAFETY: the bytes of a vector that no other code accesses.
    let mut argument = unsafe { Argument::new(message.as_mut_ptr(), message.len()) };
    call(state, 1, 0x47, &mut argument).map(|_| ())
}

#[test]
fn a_channel_says_which_classes_it_has() {
    for (chip, expected, other) in [
        (Chip::Gm20b, &[-7, 0x902D, 0xA140, 0xB197, 0xB1C0, 0xB0B5][..], 0x4097),
        (Chip::Nv47, &[-5, 2, 3, 0x3D, 0x30, 0x39, 0x62, 0x3062, 0x3089, 0x309E, 0x4097][..], 0xB197),
    ] {
        let mut state = gpu(chip);
        let channel = channel(&mut state).channel as u64;
        let (count, answer) = classes(&mut state, channel, 16, 16).unwrap();
        assert_eq!((count as usize, &answer[..expected.len()]), (expected.len(), expected));
        assert!(answer[expected.len()..].iter().all(|&class| class == 0));
        // As many as there is room for.
        assert_eq!(classes(&mut state, channel, 2, 2), Ok((count, expected[..2].to_vec())));
        assert_eq!(classes(&mut state, channel, 0, 0), Ok((count, Vec::new())));
        assert_eq!(classes(&mut state, channel, 3, 2), Err(Errno(libc::EINVAL)));
        assert_eq!(classes(&mut state, channel + 1, 2, 2), Err(Errno(libc::EINVAL)));
        expected.iter().for_each(|&class| object(&mut state, channel, class).unwrap());
        assert_eq!(object(&mut state, channel, other), Err(Errno(libc::EINVAL)));
        let refused = state.refusals.to_string();
        assert!(refused.contains(&format!("NVIF NEW of class {other:#06x} (")) && refused.contains("NVIF SCLASS ("));
        state.end();
    }
}

#[test]
fn calls_without_their_channel_are_refused() {
    let mut state = gpu(Chip::Gm20b);
    assert_eq!(make(&mut state, 0x43, &mut 5u32), Err(Errno(libc::ENOENT)));
    assert_eq!(make(&mut state, 0x46, &mut ObjectFree { channel: 5, handle: 1 }), Err(Errno(libc::EINVAL)));
    let old = ObjectAlloc { channel: 5, handle: 1, class: 0x906E };
    assert_eq!(make(&mut state, 0x44, &mut { old }), Err(Errno(libc::ENOENT)));
    let channel = channel(&mut state).channel;
    make(&mut state, 0x44, &mut ObjectAlloc { channel, ..old }).unwrap();
    assert_eq!(make(&mut state, 0x44, &mut ObjectAlloc { channel, class: 0x9097, ..old }), Err(Errno(libc::EINVAL)));
}

#[test]
fn a_semaphore_is_released_in_a_buffer_that_outlives_its_handle() {
    let mut state = gpu(Chip::Gm20b);
    let channel = channel(&mut state);
    let (words, target) = (buffer(&mut state, 4), buffer(&mut state, 2));
    assert_eq!(target.domain, 4, "there is no VRAM");
    release(&state, &words, &target, 0x1234_5678);
    submit(&mut state, &channel, &words, 5, &[target.handle]).unwrap();
    make(&mut state, 0x09, &mut Flink { handle: words.handle, name: 0 }).unwrap();
    make(&mut state, 0x82, &mut CpuPrepare { handle: target.handle, flags: 0 }).unwrap();
    assert_eq!(word(&state, target.map_handle), 0x1234_5678);
    state.end();
}

#[test]
fn channels_end_and_others_begin() {
    let mut state = gpu(Chip::Gm20b);
    let (words, target) = (buffer(&mut state, 4), buffer(&mut state, 2));
    // More than the machine has at once.
    for payload in 1..=600 {
        let channel = channel(&mut state);
        release(&state, &words, &target, payload);
        submit(&mut state, &channel, &words, 5, &[target.handle]).unwrap();
        make(&mut state, 0x82, &mut CpuPrepare { handle: target.handle, flags: 0 }).unwrap();
        assert_eq!(word(&state, target.map_handle), payload);
        make(&mut state, 0x43, &mut channel.channel.clone()).unwrap();
    }
    state.end();
}

#[test]
fn the_first_notifier_of_an_nv47_is_its_fence() {
    let mut state = gpu(Chip::Nv47);
    let channel = channel(&mut state);
    let mut notifier = NotifierAlloc { channel: channel.channel as u32, handle: 0xBEEF_1E00, size: 32, offset: 9 };
    make(&mut state, 0x45, &mut notifier).unwrap();
    assert_eq!(notifier.offset, 0);
    let mut object = ObjectAlloc { channel: channel.channel, handle: 0xBEEF_3097, class: 0x4097 };
    make(&mut state, 0x44, &mut object).unwrap();
    let words = buffer(&mut state, 4);
    // The 3D object on subchannel 7, the DMA object of semaphores, FENCE_OFFSET and FENCE_VALUE.
    let header = |method: u32, count: u32| count << 18 | 7 << 13 | method;
    let pushed = [header(0, 1), 0xBEEF_3097, header(0x1A4, 1), 0xBEEF_1E00, header(0x1D6C, 2), 0, 77];
    for (at, word) in (0..).zip(pushed) {
        state.memory.write_word(words.map_handle + 4 * at, word);
    }
    submit(&mut state, &channel, &words, 7, &[channel.notifier_handle]).unwrap();
    make(&mut state, 0x82, &mut CpuPrepare { handle: channel.notifier_handle, flags: 0 }).unwrap();
    let mut info = BufferInfo { handle: channel.notifier_handle, ..BufferInfo::zeroed() };
    make(&mut state, 0x84, &mut info).unwrap();
    assert_eq!(word(&state, info.map_handle), 77);
    make(&mut state, 0x43, &mut channel.channel.clone()).unwrap();
    assert_eq!(make(&mut state, 0x84, &mut info), Err(Errno(libc::ENOENT)));
}

#[test]
fn bad_submissions_are_refused() {
    let mut state = gpu(Chip::Gm20b);
    let channel = channel(&mut state);
    let words = buffer(&mut state, 4);
    assert_eq!(submit(&mut state, &channel, &words, 1025, &[]), Err(Errno(libc::EINVAL)));
    assert_eq!(submit(&mut state, &channel, &words, 1, &[999]), Err(Errno(libc::ENOENT)));
    let other = ChannelAlloc { channel: 5, ..channel };
    assert_eq!(submit(&mut state, &other, &words, 1, &[]), Err(Errno(libc::ENOENT)));
    let mut many = Pushbuf { channel: channel.channel as u32, segment_count: 513, ..Pushbuf::zeroed() };
    assert_eq!(make(&mut state, 0x81, &mut many), Err(Errno(libc::EINVAL)));
    // A question for memory sizes.
    let mut none = Pushbuf { channel: channel.channel as u32, ..Pushbuf::zeroed() };
    make(&mut state, 0x81, &mut none).unwrap();
    assert_eq!((none.vram_available, none.gart_available), (0, 4 << 30));
}

#[test]
fn a_display_has_one_mode_and_tells_of_flips() {
    let mut state = gpu(Chip::Nv47);
    let mut modes = [Mode::zeroed()];
    let mut connector = Connector { modes: modes.as_mut_ptr().addr() as u64, mode_count: 1, ..Connector::zeroed() };
    make(&mut state, 0xA7, &mut connector).unwrap();
    assert_eq!((connector.connection, modes[0].horizontal[0], modes[0].vertical[0]), (1, 800, 600));
    let (mut properties, mut values) = ([0u32], [9u64]);
    connector.properties = properties.as_mut_ptr().addr() as u64;
    connector.property_values = values.as_mut_ptr().addr() as u64;
    connector.property_count = 1;
    make(&mut state, 0xA7, &mut connector).unwrap();
    let mut names = [PropertyName::zeroed(); 4];
    let mut property = Property { property: properties[0], name_count: 4, ..Property::zeroed() };
    property.names = names.as_mut_ptr().addr() as u64;
    make(&mut state, 0xAA, &mut property).unwrap();
    assert_eq!(
        (values, &property.name[..5], &names[3].name[..4], names[3].value),
        ([0], &b"DPMS\0"[..], &b"Off\0"[..], 3)
    );
    assert_eq!(make(&mut state, 0xAA, &mut Property::zeroed()), Err(Errno(libc::ENOENT)));
    let mut dumb = CreateDumb { height: 2, width: 3, bits_per_pixel: 32, ..CreateDumb::zeroed() };
    make(&mut state, 0xB2, &mut dumb).unwrap();
    assert_eq!(dumb.pitch, 64);
    let mut added = AddFrameBuffer { handle: dumb.handle, width: 3, height: 2, pitch: 64, ..AddFrameBuffer::zeroed() };
    make(&mut state, 0xAE, &mut added).unwrap();
    let mut flip = PageFlip { frame_buffer: added.frame_buffer, flags: 1, user_data: 42, ..PageFlip::zeroed() };
    make(&mut state, 0xB0, &mut flip).unwrap();
    let event = state.display.next_event(1, 3_000_002_000).unwrap();
    assert_eq!((event.user_data, event.seconds, event.microseconds, event.sequence), (42, 3, 2, 1));
    assert!(state.display.next_event(1, 0).is_none());
    flip.frame_buffer += 1;
    assert_eq!(make(&mut state, 0xB0, &mut flip), Err(Errno(libc::ENOENT)));
}
