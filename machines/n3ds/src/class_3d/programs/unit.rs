//! What a shader unit holds: code, operand descriptors, uniforms, and the ports they come through.

use std::sync::Arc;

use triglyph_guest::kernel::vertex::{Numbers, PicaProgram, Uniforms};
use triglyph_guest::num::F24;
use triglyph_guest::pica::isa::Op;
use triglyph_guest::table::Fields;

use super::worst_case_steps::worst_case_steps;
use triglyph_engine::snapshot::{bits, floats, state};

/// A shader unit's program and uniforms.
#[derive(Clone, Debug)]
pub(crate) struct ShaderUnit {
    code: Vec<u32>,
    descriptors: Vec<u32>,
    pub(crate) uniforms: Uniforms,
    pub(crate) bools: u16,
    pub(crate) port: FloatPort,
    /// The program and the boolean uniforms that it tests.
    program: Option<(Arc<PicaProgram>, u16)>,
    numbers: Numbers,
    /// The worst case of the program that ran last.
    worst_case: Option<WorstCase>,
}

/// The worst case of a program with its integer uniforms.
#[derive(Clone, Debug)]
struct WorstCase {
    program: Arc<PicaProgram>,
    ints: [[u8; 4]; 4],
    instructions: u32,
}

/// Float uniforms arrive in three or four words.
#[derive(Clone, Debug, Default)]
pub(crate) struct FloatPort {
    words: [u32; 4],
    count: usize,
}

impl FloatPort {
    pub(crate) fn clear(&mut self) {
        self.count = 0;
    }

    /// Takes a word; the fourth (f32) or third (packed f24) gives the value.
    pub(crate) fn push(&mut self, word: u32, f32_mode: bool) -> Option<[f32; 4]> {
        self.words[self.count] = word;
        self.count += 1;
        if self.count < if f32_mode { 4 } else { 3 } {
            return None;
        }
        self.count = 0;
        let [a, b, c, d] = self.words;
        Some(if f32_mode { [d, c, b, a].map(f32::from_bits) } else { unpack_f24(a, b, c) })
    }
}

/// The 96-bit string W:Z:Y:X, most significant first, cut into three words (3dbrew: fixed vertex attributes).
pub(crate) fn unpack_f24(a: u32, b: u32, c: u32) -> [f32; 4] {
    let x = c & 0xFF_FFFF;
    let y = (b & 0xFFFF) << 8 | c >> 24;
    let z = (a & 0xFF) << 16 | b >> 16;
    [x, y, z, a >> 8].map(F24::decode)
}

impl ShaderUnit {
    /// An empty unit with room for `words` instructions.
    pub(crate) fn new(words: usize) -> Self {
        ShaderUnit {
            code: vec![0; words],
            descriptors: vec![0; 128],
            uniforms: Uniforms::default(),
            bools: 0,
            port: FloatPort::default(),
            program: None,
            numbers: Numbers::default(),
            worst_case: None,
        }
    }

    /// Stores an instruction; false beyond the end.
    pub(crate) fn store_code(&mut self, index: u32, word: u32) -> bool {
        store(&mut self.code, index, word, &mut self.program)
    }

    /// Stores an operand descriptor; false beyond the end.
    pub(crate) fn store_descriptor(&mut self, index: u32, word: u32) -> bool {
        store(&mut self.descriptors, index, word, &mut self.program)
    }

    /// Stores a float uniform; false beyond c95.
    pub(crate) fn store_uniform(&mut self, index: u32, value: [f32; 4]) -> bool {
        let stored = index < 96;
        if stored {
            self.uniforms.floats[index as usize] = value;
        }
        stored
    }

    pub(crate) fn store_int(&mut self, index: usize, value: u32) {
        self.uniforms.ints[index & 3] = value.to_le_bytes();
    }

    /// What its programs compute in.
    pub(crate) fn numbers(&self) -> Numbers {
        self.numbers
    }

    pub(crate) fn set_numbers(&mut self, numbers: Numbers) {
        self.numbers = numbers;
        self.program = None;
    }

    /// Has the program put together anew when it is asked for.
    pub(crate) fn forget(&mut self) {
        self.program = None;
    }

    /// Instructions that one run of the program at `entry` executes at most.
    pub(crate) fn worst_case_steps(&mut self, entry: u16) -> u32 {
        let (program, ints) = (self.program(entry), self.uniforms.ints);
        let known =
            self.worst_case.as_ref().filter(|known| Arc::ptr_eq(&known.program, &program) && known.ints == ints);
        if let Some(known) = known {
            return known.instructions;
        }
        let instructions = worst_case_steps(&self.code, &ints, entry);
        self.worst_case = Some(WorstCase { program, ints, instructions });
        instructions
    }

    /// The program that starts at `entry`. The same allocation as long as nothing has changed. Boolean uniforms that no
    /// instruction tests are false in it, so that they make no other program: b15 of a geometry unit changes by itself.
    pub(crate) fn program(&mut self, entry: u16) -> Arc<PicaProgram> {
        match &self.program {
            Some((program, tested)) if program.entry == entry && program.bools == self.bools & tested => {
                program.clone()
            }
            _ => {
                let tested = self.code.iter().fold(0, |set, &word| set | tested(word));
                let program = Arc::new(PicaProgram {
                    code: trimmed(&self.code),
                    descriptors: trimmed(&self.descriptors),
                    entry,
                    bools: self.bools & tested,
                    numbers: self.numbers,
                });
                self.program = Some((program.clone(), tested));
                program
            }
        }
    }
}

state! {
    /// A shader unit in a snapshot.
    pub(crate) struct SavedUnit {
        code: Vec<u32>,
        descriptors: Vec<u32>,
        uniforms: Box<[[u32; 4]; 96]>,
        ints: [[u8; 4]; 4],
        bools: u16,
        port: SavedPort,
    }
    /// Words that wait for the rest of their value.
    pub(crate) struct SavedPort { words: [u32; 4], count: u8 }
}

impl FloatPort {
    pub(crate) fn save(&self) -> SavedPort {
        SavedPort { words: self.words, count: self.count as u8 }
    }

    /// `None` when more words wait than ever do.
    pub(crate) fn restore(saved: &SavedPort) -> Option<Self> {
        (saved.count < 4).then_some(FloatPort { words: saved.words, count: saved.count.into() })
    }
}

impl ShaderUnit {
    pub(crate) fn save(&self) -> SavedUnit {
        let ShaderUnit { code, descriptors, uniforms, bools, port, program: _, numbers: _, worst_case: _ } = self;
        SavedUnit {
            code: code.clone(),
            descriptors: descriptors.clone(),
            uniforms: Box::new(std::array::from_fn(|i| bits(uniforms.floats[i]))),
            ints: uniforms.ints,
            bools: *bools,
            port: port.save(),
        }
    }

    /// The unit that was saved, with room for `words` instructions; `None` when it has another size.
    pub(crate) fn restore(saved: SavedUnit, words: usize) -> Option<Self> {
        let mut unit = ShaderUnit::new(words);
        if saved.code.len() != unit.code.len() || saved.descriptors.len() != unit.descriptors.len() {
            return None;
        }
        for (uniform, &saved) in unit.uniforms.floats.iter_mut().zip(saved.uniforms.iter()) {
            *uniform = floats(saved);
        }
        unit.uniforms.ints = saved.ints;
        let SavedUnit { code, descriptors, bools, .. } = saved;
        Some(ShaderUnit { code, descriptors, bools, port: FloatPort::restore(&saved.port)?, ..unit })
    }
}

/// The boolean uniform that an instruction tests, as a bit.
fn tested(word: u32) -> u16 {
    let tests = [Op::callu, Op::ifu, Op::jmpu].into_iter().find(|op| op.info().pattern.matches(word.into()));
    tests.map_or(0, |op| 1 << Fields::new(word.into(), &op.info().pattern).byte(b'i'))
}

fn store<T>(words: &mut [u32], index: u32, word: u32, program: &mut Option<T>) -> bool {
    let Some(place) = words.get_mut(index as usize) else { return false };
    if *place != word {
        *place = word;
        *program = None;
    }
    true
}

/// Without the zero words at the end.
fn trimmed(words: &[u32]) -> Vec<u32> {
    let length = words.iter().rposition(|&word| word != 0).map_or(0, |last| last + 1);
    words[..length].to_vec()
}

#[cfg(test)]
mod tests {
    use triglyph_guest::pica::Program;

    use super::*;

    #[test]
    fn packed_uniforms_come_w_first() {
        let (x, y, z, w) = (0x3F_0000u32, 0x40_0000u32, 0xBF_0000u32, 0x3E_0000u32);
        let mut port = FloatPort::default();
        assert_eq!(port.push(w << 8 | z >> 16, false), None);
        assert_eq!(port.push(z << 16 | y >> 8, false), None);
        assert_eq!(port.push(y << 24 | x, false), Some([1.0, 2.0, -1.0, 0.5]));
        for value in [4.0f32, 3.0, 2.0] {
            assert_eq!(port.push(value.to_bits(), true), None);
        }
        assert_eq!(port.push(1.0f32.to_bits(), true), Some([1.0, 2.0, 3.0, 4.0]));
    }

    #[test]
    fn memory_ends_where_the_unit_does() {
        let mut unit = ShaderUnit::new(512);
        assert!(unit.store_code(511, 1));
        assert!(!unit.store_code(512, 1));
        assert!(!unit.store_descriptor(128, 1));
        assert!(!unit.store_uniform(96, [1.0; 4]));
    }

    #[test]
    fn boolean_uniforms_that_nothing_tests_make_no_other_program() {
        let mut unit = ShaderUnit::new(512);
        let text =
            "ifu b3, there..there\nnop\nthere:\njmpu !b7, end\ncallu b15, end..end\nloop i1, end\nnop\nend:\nend";
        for (i, word) in Program::assemble(text).unwrap().code.into_iter().enumerate() {
            unit.store_code(i as u32, word);
        }
        for (bools, kept) in [(0x8000, 0x8000), (0xFFFF, 0x8088), (0x7F7F, 0x0008), (0x80, 0x80), (0, 0)] {
            unit.bools = bools;
            assert_eq!(unit.program(0).bools, kept);
        }
        let program = unit.program(0);
        unit.bools = 0x7777 & !0x88;
        assert!(Arc::ptr_eq(&program, &unit.program(0)));
    }

    #[test]
    fn programs_are_made_anew_only_when_something_changed() {
        let mut unit = ShaderUnit::new(512);
        unit.store_code(3, 7);
        let first = unit.program(0);
        assert_eq!(first.code, [0, 0, 0, 7]);
        unit.store_code(3, 7);
        assert!(Arc::ptr_eq(&first, &unit.program(0)));
        unit.store_code(3, 8);
        assert!(!Arc::ptr_eq(&first, &unit.program(0)));
        assert_eq!(unit.program(5).entry, 5);
    }
}
