//! A capture and a variant of it, reduced together.

use triglyph::capture::Kind;
use triglyph_fuzz::Document;

/// The words in which a capture differs from another one.
pub struct Variant(Vec<Word>);

/// A word of a record's payload.
struct Word {
    kind: u32,
    /// What the payload begins with: the place of a MEM.
    start: Vec<u8>,
    /// Bytes of the payload.
    length: usize,
    at: usize,
    this: Vec<u8>,
    other: Vec<u8>,
}

/// Bytes by which a record is known again when others have been left out.
const START: usize = 16;

impl Variant {
    /// The words in which `this` differs from `other`; `None` when they differ in more than words of memory and work.
    pub fn new(this: &Document, other: &Document) -> Option<Self> {
        if this.blocks.len() != other.blocks.len() || this.header != other.header {
            return None;
        }
        let mut words = Vec::new();
        for (block, others) in this.blocks.iter().zip(&other.blocks) {
            let (payload, length) = (&block.payload, block.payload.len());
            if block == others || block.kind == Kind::Meta as u32 && others.kind == block.kind {
                continue;
            }
            let changes = [Kind::Mem as u32, Kind::Submit as u32].contains(&block.kind);
            let start = &payload[..length.min(START)];
            let is_alike = (block.kind, length) == (others.kind, others.payload.len())
                && (block.kind != Kind::Mem as u32 || others.payload.starts_with(start));
            if !changes || !is_alike {
                return None;
            }
            for (index, (this, other)) in payload.chunks(4).zip(others.payload.chunks(4)).enumerate() {
                if this != other {
                    let [this, other, start] = [this, other, start].map(<[u8]>::to_vec);
                    words.push(Word { kind: block.kind, start, length, at: 4 * index, this, other });
                }
            }
        }
        Some(Variant(words))
    }

    /// The other capture when this one has become small; `None` when nothing in which they differ is left.
    pub fn other(&self, capture: &[u8]) -> Option<Vec<u8>> {
        let mut document = Document::parse(capture).ok()?;
        let mut changed = false;
        for Word { kind, start, length, at, this, other } in &self.0 {
            let has_it = |block: &&mut triglyph_fuzz::document::Block| {
                (block.kind, block.payload.len()) == (*kind, *length)
                    && (*kind != Kind::Mem as u32 || block.payload.starts_with(start))
                    && block.payload[*at..].starts_with(this)
            };
            if let Some(block) = document.blocks.iter_mut().find(has_it) {
                block.payload[*at..at + other.len()].copy_from_slice(other);
                changed = true;
            }
        }
        changed.then(|| document.to_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use triglyph::Machine;

    #[test]
    fn words_are_found_in_what_is_left() {
        let document = |byte: u8| {
            let mut document = Document::new(Machine::N3ds);
            document.push_map(0, 0x1800_0000, 0x1000, 3);
            document.push_mem(0, 0x1800_0000, &[1; 16]);
            document.push_mem(0, 0x1800_0100, &[2, 2, 2, 2, byte, 2, 2, 2]);
            document
        };
        let (this, other) = (document(7), document(9));
        let variant = Variant::new(&this, &other).expect("words");
        let mut small = this.clone();
        small.blocks.remove(1);
        let mut wanted = other.clone();
        wanted.blocks.remove(1);
        assert_eq!(variant.other(&small.to_bytes()), Some(wanted.to_bytes()));
        small.blocks.pop();
        assert_eq!(variant.other(&small.to_bytes()), None);
        // Records at other places are no variants.
        assert!(Variant::new(&this, &wanted).is_none());
        let mut moved = document(7);
        moved.blocks[1].payload[0] = 0x40;
        assert!(Variant::new(&this, &moved).is_none());
    }
}
