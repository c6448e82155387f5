//! The length of push buffer packets.

use triglyph_guest::tegra::fifo::Command;

/// Words of a packet by its header; 1 for a word that is no header of a run.
pub(crate) fn packet_words(header: u32) -> usize {
    match Command::decode(header) {
        Command::Run(run) | Command::Legacy(run) => 1 + run.count as usize,
        _ => 1,
    }
}
