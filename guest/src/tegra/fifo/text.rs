//! A push buffer as text: one line a word.

use super::command::{Command, Stepping, SubDevice};
use super::stream::{Event, Stream};

/// A line per word of `words`, decoded from the position of `stream`. `name` gives the name of a method, from
/// subchannel and dword address.
///
/// ```text
/// 20040200 subchannel 0, 4 words from SET_COLOR_TARGET_A[0]
/// 00000005   SET_COLOR_TARGET_A[0] = 0x5
/// ```
pub fn lines(stream: &mut Stream, words: &[u32], name: &dyn Fn(u32, u32) -> String) -> Vec<String> {
    let mut ended = false;
    let mut line = |&word: &u32| {
        let header = stream.pending.is_none();
        let text = match ended {
            true => "ignored".to_owned(),
            false => {
                let event = stream.word(word);
                ended = event == Event::EndSegment;
                match event {
                    _ if header => header_text(Command::decode(word), name),
                    Event::Write(write) => format!("  {} = {:#x}", name(write.subchannel, write.method), write.data),
                    _ => "  for another device".to_owned(),
                }
            }
        };
        format!("{word:08x} {text}")
    };
    words.iter().map(&mut line).collect()
}

fn header_text(command: Command, name: &dyn Fn(u32, u32) -> String) -> String {
    match command {
        Command::Nop => "nop".to_owned(),
        Command::Run(run) | Command::Legacy(run) => {
            let method = name(run.subchannel, run.method);
            let target = match run.stepping {
                Stepping::Each => format!("from {method}"),
                Stepping::Never => format!("to {method}"),
                Stepping::Once => format!("to {method}, then {}", name(run.subchannel, run.step().method)),
            };
            let legacy = if matches!(command, Command::Legacy(_)) { ", legacy" } else { "" };
            format!("subchannel {}, {} words {target}{legacy}", run.subchannel, run.count)
        }
        Command::Immediate { subchannel, method, data } => {
            format!("subchannel {subchannel}, {} = {data:#x}", name(subchannel, method))
        }
        Command::SubDevice(SubDevice::Set(mask)) => format!("sub-device mask {mask:#x}"),
        Command::SubDevice(SubDevice::Store(mask)) => format!("stored sub-device mask {mask:#x}"),
        Command::SubDevice(SubDevice::Use) => "stored sub-device mask in use".to_owned(),
        Command::EndSegment => "end of the segment".to_owned(),
        Command::Malformed => "malformed".to_owned(),
    }
}
