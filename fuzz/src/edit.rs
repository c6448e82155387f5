//! Edits of a capture.

use serde::{Deserialize, Serialize};

use super::document::{Block, Document};
use super::seal;

/// One change. Records are numbered as they are before any change, bytes of payloads as well: an edit means the same
/// whichever others are made. One that means nothing, because its record or its bytes are gone, does nothing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Edit {
    /// Bytes of a record's payload become others.
    Bytes {
        /// The record.
        record: usize,
        /// The first byte.
        at: usize,
        /// The new content.
        bytes: Vec<u8>,
        /// Its description for people: a register, an instruction.
        what: String,
    },
    /// A payload is cut off, or goes on with zeros.
    Resize {
        /// The record.
        record: usize,
        /// Bytes afterwards.
        length: usize,
    },
    /// A record becomes one of another kind.
    Kind {
        /// The record.
        record: usize,
        /// The kind.
        kind: u32,
    },
    /// A record is left out.
    Remove {
        /// The record.
        record: usize,
    },
    /// A record comes again.
    Repeat {
        /// The record, as it is before any change.
        record: usize,
        /// Before which record; past the last one for the end.
        before: usize,
    },
    /// A new record.
    Insert {
        /// Before which record; past the last one for the end.
        before: usize,
        /// Its kind.
        kind: u32,
        /// Its payload.
        payload: Vec<u8>,
    },
    /// The checksums of a snapshot or of a file of keys are made right again, after all other changes.
    Seal {
        /// The record.
        record: usize,
    },
    /// Whether words of guest memory are big-endian is changed.
    ByteOrder,
    /// Bytes of the file become others, after all changes of records.
    File {
        /// The first byte.
        at: usize,
        /// The new content.
        bytes: Vec<u8>,
    },
    /// The file ends early, after all other changes.
    Cut {
        /// Bytes that are left.
        length: usize,
    },
}

/// Largest payload that an edit makes longer.
const MAX_PAYLOAD: usize = 64 << 20;

impl Document {
    /// The document with the changes of its records.
    pub fn edited(&self, edits: &[Edit]) -> Document {
        let mut header = self.header;
        let mut blocks: Vec<Option<Block>> = self.blocks.iter().cloned().map(Some).collect();
        let mut new: Vec<Vec<Block>> = vec![Vec::new(); blocks.len() + 1];
        let last = self.blocks.len();
        for edit in edits {
            match edit {
                Edit::Repeat { record, before } => {
                    new[(*before).min(last)].extend(self.blocks.get(*record).cloned());
                }
                Edit::Insert { before, kind, payload } => {
                    new[(*before).min(last)].push(Block { kind: *kind, payload: payload.clone() });
                }
                Edit::Remove { record } => {
                    if let Some(block) = blocks.get_mut(*record) {
                        *block = None;
                    }
                }
                Edit::ByteOrder => header.big_endian ^= true,
                Edit::Bytes { record, .. } | Edit::Resize { record, .. } | Edit::Kind { record, .. } => {
                    if let Some(Some(block)) = blocks.get_mut(*record) {
                        change(block, edit);
                    }
                }
                Edit::Seal { .. } | Edit::File { .. } | Edit::Cut { .. } => {}
            }
        }
        for edit in edits {
            if let Edit::Seal { record } = edit
                && let Some(Some(block)) = blocks.get_mut(*record)
            {
                seal::seal(&mut block.payload);
            }
        }
        let mut document = Document { header, blocks: Vec::with_capacity(blocks.len()) };
        for (at, inserted) in new.into_iter().enumerate() {
            document.blocks.extend(inserted);
            document.blocks.extend(blocks.get_mut(at).and_then(Option::take));
        }
        document
    }

    /// The bytes of the file with all changes.
    pub fn mutant(&self, edits: &[Edit]) -> Vec<u8> {
        let mut file = self.edited(edits).to_bytes();
        for edit in edits {
            if let Edit::File { at, bytes } = edit {
                overwrite(&mut file, *at, bytes);
            }
        }
        for edit in edits {
            if let Edit::Cut { length } = edit {
                file.truncate(*length);
            }
        }
        file
    }
}

/// Changes a record.
fn change(block: &mut Block, edit: &Edit) {
    match edit {
        Edit::Bytes { at, bytes, .. } => overwrite(&mut block.payload, *at, bytes),
        Edit::Resize { length, .. } => block.payload.resize((*length).min(MAX_PAYLOAD), 0),
        Edit::Kind { kind, .. } => block.kind = *kind,
        _ => {}
    }
}

/// Overwrites what of `bytes` has room.
fn overwrite(into: &mut [u8], at: usize, bytes: &[u8]) {
    if let Some(rest) = into.get_mut(at..) {
        rest.iter_mut().zip(bytes).for_each(|(to, from)| *to = *from);
    }
}

impl Edit {
    /// Whether it makes the container one that the writer would not write.
    pub fn is_of_file(&self) -> bool {
        matches!(self, Edit::File { .. } | Edit::Cut { .. })
    }
}

impl std::fmt::Display for Edit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let hex = |bytes: &[u8]| bytes.iter().take(16).map(|byte| format!("{byte:02x}")).collect::<String>();
        match self {
            Edit::Bytes { record, at, bytes, what } => {
                write!(f, "record {record}, byte {at:#x}: {} ({what})", hex(bytes))
            }
            Edit::Resize { record, length } => write!(f, "record {record} has {length:#x} bytes"),
            Edit::Kind { record, kind } => write!(f, "record {record} is of kind {kind:#x}"),
            Edit::Remove { record } => write!(f, "no record {record}"),
            Edit::Repeat { record, before } => write!(f, "record {record} again before {before}"),
            Edit::Insert { before, kind, payload } => {
                write!(f, "a record of kind {kind:#x} before {before}: {}", hex(payload))
            }
            Edit::Seal { record } => write!(f, "record {record} has sound checksums"),
            Edit::ByteOrder => f.write_str("the other byte order"),
            Edit::File { at, bytes } => write!(f, "byte {at:#x} of the file: {}", hex(bytes)),
            Edit::Cut { length } => write!(f, "the file ends at {length:#x}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use triglyph::Machine;

    #[test]
    fn edits_mean_the_same_whichever_others_are_made() {
        let mut document = Document::new(Machine::N3ds);
        (0..4).for_each(|n| document.push(n, vec![n as u8; 4]));
        let edits = [
            Edit::Remove { record: 0 },
            Edit::Bytes { record: 2, at: 1, bytes: vec![9; 9], what: String::new() },
            Edit::Insert { before: 2, kind: 7, payload: vec![] },
            Edit::Repeat { record: 3, before: 99 },
            Edit::Resize { record: 3, length: 1 },
        ];
        let kinds = |edits: &[Edit]| document.edited(edits).blocks.iter().map(|block| block.kind).collect::<Vec<_>>();
        assert_eq!(kinds(&edits), [1, 7, 2, 3, 3]);
        assert_eq!(kinds(&edits[1..]), [0, 1, 7, 2, 3, 3]);
        let edited = document.edited(&edits);
        assert_eq!((&edited.blocks[2].payload[..], edited.blocks[3].payload.len()), (&[2, 9, 9, 9][..], 1));
        assert_eq!(document.mutant(&[Edit::Cut { length: 3 }]).len(), 3);
    }
}
