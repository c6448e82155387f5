//! Vertices that geometry programs emit.

use triglyph_guest::kernel::program::stage::Emit as Emission;
use triglyph_guest::tegra::shader::isa::OutKind;

/// Lanes of a group.
pub const GROUP: usize = 4;

/// Words of the longest record.
pub const MAX_RECORD_WORDS: usize = 256;

/// Vertices that one invocation has emitted.
#[derive(Default)]
pub struct List {
    pub records: Vec<u32>,
    pub emits: Vec<Emission>,
    pub count: u32,
}

/// Vertices that the invocations of a group emit.
pub struct Emitted {
    /// Output words of all lanes, as they are when a vertex is emitted.
    pub current: [[u32; GROUP]; MAX_RECORD_WORDS],
    pub words: usize,
    /// Vertices that an invocation may emit.
    pub max_vertices: u32,
    pub lists: [List; GROUP],
}

impl Emitted {
    /// Executes OUT in the lanes of a mask.
    pub fn emit(&mut self, kind: u8, lanes: [u32; GROUP], streams: [u32; GROUP]) {
        let kind = OutKind::from_bits(kind);
        for (lane, list) in self.lists.iter_mut().enumerate().filter(|(lane, _)| lanes[*lane] != 0) {
            let stream = (streams[lane] & 3) as u8;
            if matches!(kind, OutKind::Emit | OutKind::EmitThenCut) && list.count < self.max_vertices {
                list.count += 1;
                list.records.extend(self.current[..self.words].iter().map(|word| word[lane]));
                list.emits.push(Emission::Vertex { stream });
            }
            if matches!(kind, OutKind::Cut | OutKind::EmitThenCut) {
                list.emits.push(Emission::Cut { stream });
            }
        }
    }
}
