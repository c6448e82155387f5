//! Register file of a fragment program during emission: the SSA values of its words.
//!
//! R and H registers share storage. A word of it is kept as what was written last, one f32 or two halves (as f32 that
//! are halves), and converted only when it is read as the other. In programs of several blocks words go from block to
//! block through variables of the builder; how the program uses a word decides what its variables hold.

use std::collections::{HashMap, HashSet};

use cranelift_codegen::ir::types::{F32X4, I32, I32X4};
use cranelift_frontend::Variable;
use triglyph_guest::kernel::Accuracy;
use triglyph_guest::num::half;
use triglyph_guest::num::ops::Ops;
use triglyph_guest::rsx::fragment::{Storage, Temp, Word, word_of};

use super::Lower;
use crate::lane::{Emit, F32x4, I32x4, Mask};

/// A component of a register in four lanes.
#[derive(Clone, Copy, Debug)]
pub struct Number {
    pub value: F32x4,
    /// If it is a NaN, then with the right bits; else those of the host's arithmetic, which represent 0x7FFFFFFF.
    pub exact: bool,
    /// It is a half, infinity or NaN.
    pub half: bool,
    /// Its magnitude is not above this, unless it is NaN.
    pub bound: f32,
}

impl Number {
    /// A result of arithmetic.
    pub fn new(value: F32x4) -> Number {
        Number { value, exact: false, half: false, bound: f32::INFINITY }
    }

    /// With a magnitude of at most `bound`.
    pub fn within(self, bound: f32) -> Number {
        // A NaN bound says nothing.
        let bound = if bound < self.bound { bound } else { self.bound };
        Number { bound, ..self }
    }

    /// A small whole number or a simple fraction that is the same in all lanes.
    pub fn simple(value: F32x4, bound: f32) -> Number {
        Number { value, exact: true, half: true, bound }
    }
}

/// A word of register storage.
#[derive(Clone, Copy, Debug)]
enum Content {
    Full(Number),
    /// Low and high half.
    Halves([Half; 2]),
}

/// Half a word.
#[derive(Clone, Copy, Debug)]
enum Half {
    /// A number that was written.
    Value(Number),
    /// Bits of something else, which may be those of any NaN.
    Bits(I32x4),
}

/// What is known at a place.
#[derive(Clone)]
pub struct File {
    words: HashMap<Word, Content>,
    conditions: HashMap<(u8, u8), F32x4>,
    killed: Option<Mask>,
    /// What is newer here than in its variable.
    dirty: HashSet<Word>,
    dirty_conditions: HashSet<(u8, u8)>,
    /// The program's start: what was not written is zero. Elsewhere it is in its variable.
    start: bool,
}

impl File {
    /// Nothing is known; with `start` because nothing has been written.
    pub fn new(start: bool) -> File {
        File {
            words: HashMap::new(),
            conditions: HashMap::new(),
            killed: None,
            dirty: HashSet::new(),
            dirty_conditions: HashSet::new(),
            start,
        }
    }
}

/// Variables for everything that lives across blocks.
pub struct Variables {
    words: HashMap<Word, Kept>,
    conditions: [[Variable; 4]; 2],
    killed: Variable,
    /// Passes left, of each loop that can be open.
    pub passes: Vec<Variable>,
    /// Instructions executed.
    pub count: Variable,
}

/// How a word is kept in variables.
#[derive(Clone, Copy)]
enum Kept {
    /// As f32, also where halves of it are used.
    Full(Variable),
    Halves([Variable; 2]),
}

impl Variables {
    pub fn new(e: &mut Emit<'_>, storage: &Storage, loops: usize) -> Variables {
        let words = storage.words().map(|word| match storage.is_full(word) {
            true => (word, Kept::Full(e.b.declare_var(F32X4))),
            false => (word, Kept::Halves([0, 1].map(|_| e.b.declare_var(F32X4)))),
        });
        let words = words.collect();
        let conditions = [0, 1].map(|_| [0, 1, 2, 3].map(|_| e.b.declare_var(F32X4)));
        let passes = (0..loops).map(|_| e.b.declare_var(I32)).collect();
        Variables { words, conditions, killed: e.b.declare_var(I32X4), passes, count: e.b.declare_var(I32) }
    }

    /// Everything is zero.
    pub fn start(&self, e: &mut Emit<'_>) {
        let (float, int, scalar) = (e.f(0.0).0, e.i(0).0, e.i32(0));
        for kept in self.words.values() {
            match kept {
                Kept::Full(variable) => e.b.def_var(*variable, float),
                Kept::Halves(both) => both.iter().for_each(|variable| e.b.def_var(*variable, float)),
            }
        }
        self.conditions.iter().flatten().for_each(|variable| e.b.def_var(*variable, float));
        self.passes.iter().for_each(|variable| e.b.def_var(*variable, scalar));
        e.b.def_var(self.killed, int);
        e.b.def_var(self.count, scalar);
    }
}

impl Lower<'_, '_, '_> {
    /// A component of a register.
    pub fn temp(&mut self, temp: Temp, c: usize) -> Number {
        let (word, half) = word_of(temp, c);
        match (self.word(word), half) {
            (Content::Full(number), None) => number,
            (Content::Halves(halves), None) => self.joined(halves),
            (content, Some(which)) => match self.halves(content)[which] {
                Half::Value(number) => number,
                Half::Bits(bits) => Number { half: true, ..Number::new(self.quad.e.float_of_half(bits)) },
            },
        }
    }

    /// A word, from its variable if nothing else is known.
    fn word(&mut self, word: Word) -> Content {
        if let Some(&content) = self.file.words.get(&word) {
            return content;
        }
        let rounded = self.code.accuracy == Accuracy::Exact;
        let e = &mut *self.quad.e;
        let kept = self.variables.as_ref().filter(|_| !self.file.start).and_then(|v| v.words.get(&word));
        let content = match kept {
            Some(Kept::Full(variable)) => {
                let value = F32x4(e.b.use_var(*variable));
                Content::Full(Number { exact: self.bits_matter, ..Number::new(value) })
            }
            Some(Kept::Halves(both)) => Content::Halves(both.map(|variable| {
                let value = F32x4(e.b.use_var(variable));
                Half::Value(Number { half: rounded, ..Number::new(value) })
            })),
            // Nothing has been written: zero is zero as f32 and as halves.
            None => {
                let zero = Number::simple(e.f(0.0), 0.0);
                return Content::Halves([Half::Value(zero); 2]);
            }
        };
        self.file.words.insert(word, content);
        content
    }

    /// A word as f32 from its halves.
    fn joined(&mut self, halves: [Half; 2]) -> Number {
        // +0 is all zeros in either form; a bound of 0 would not do, as -0 has it too.
        let zero = self.quad.e.f(0.0);
        if let [Half::Value(low), Half::Value(high)] = halves
            && low.value == zero
            && high.value == zero
        {
            return low;
        }
        let [low, high] = halves.map(|half| self.bits_of_half(half));
        let e = &mut *self.quad.e;
        let high = e.ishl(high, 16);
        let bits = e.ior(low, high);
        Number { exact: true, ..Number::new(e.float_of_bits(bits)) }
    }

    fn bits_of_half(&mut self, half: Half) -> I32x4 {
        match half {
            Half::Value(number) => self.quad.e.half_of(number.value),
            Half::Bits(bits) => bits,
        }
    }

    /// The halves of a word, whatever is known of it.
    fn halves(&mut self, content: Content) -> [Half; 2] {
        let number = match content {
            Content::Halves(halves) => return halves,
            Content::Full(number) => self.exact(number),
        };
        let e = &mut *self.quad.e;
        let (bits, low) = (e.bits(number.value), e.i(0xFFFF));
        [Half::Bits(e.iand(bits, low)), Half::Bits(e.ushr(bits, 16))]
    }

    /// A number whose NaN has the right bits.
    pub fn exact(&mut self, number: Number) -> Number {
        if number.exact {
            return number;
        }
        let e = &mut *self.quad.e;
        let (nan, made) = (e.unordered(number.value, number.value), e.f(f32::from_bits(0x7FFF_FFFF)));
        Number { value: e.select(nan, made, number.value), exact: true, ..number }
    }

    /// A number as component `c` of an H register holds it.
    pub fn half(&mut self, temp: Temp, c: usize, number: Number) -> Number {
        let in_full = self.storage.is_full(word_of(temp, c).0);
        if self.code.accuracy == Accuracy::Exact || in_full { self.cut(number) } else { self.cut_mantissa(number) }
    }

    /// A number with the precision of a half, if that is not more than is asked for. No NaN keeps its bits.
    pub fn at_most_half(&mut self, number: Number) -> Number {
        match self.code.accuracy {
            Accuracy::Exact => self.cut(number),
            Accuracy::Fast => Number { exact: false, ..number },
        }
    }

    /// The half next to a number towards zero.
    fn cut(&mut self, number: Number) -> Number {
        if number.half {
            return number;
        }
        let bound = if number.bound < 65536.0 { number.bound } else { f32::INFINITY };
        Number { value: half::cut(self.quad.e, number.value), exact: false, half: true, bound }
    }

    /// A number with the mantissa of a half.
    fn cut_mantissa(&mut self, number: Number) -> Number {
        if number.half {
            return Number { exact: false, ..number };
        }
        let e = &mut *self.quad.e;
        // NaNs of arithmetic have the upper bit of the mantissa, others may have lower ones alone.
        let value = match number.exact {
            true => {
                let (nan, quiet) = (e.unordered(number.value, number.value), e.f(f32::NAN));
                e.select(nan, quiet, number.value)
            }
            false => number.value,
        };
        let bits = e.bits(value);
        let bits = half::cut_mantissa(e, bits);
        Number { value: e.float_of_bits(bits), exact: false, ..number }
    }

    /// `lanes ? new : old`
    fn merged(&mut self, lanes: Mask, mut new: Number, mut old: Number) -> Number {
        if self.bits_matter && new.exact != old.exact {
            (new, old) = (self.exact(new), self.exact(old));
        }
        let bound = if new.bound > old.bound { new.bound } else { old.bound };
        Number {
            value: self.quad.e.select(lanes, new.value, old.value),
            exact: new.exact && old.exact,
            half: new.half && old.half,
            bound,
        }
    }

    /// Gives a component of a register another value, which an H register can hold, in some lanes or in all.
    pub fn write(&mut self, temp: Temp, c: usize, number: Number, lanes: Option<Mask>) {
        let (word, half) = word_of(temp, c);
        let content = match (half, lanes) {
            (None, None) => Content::Full(number),
            (None, Some(lanes)) => {
                let old = self.temp(temp, c);
                Content::Full(self.merged(lanes, number, old))
            }
            (Some(which), lanes) => {
                let content = self.word(word);
                let mut halves = self.halves(content);
                halves[which] = match (lanes, halves[which]) {
                    (None, _) => Half::Value(number),
                    (Some(lanes), Half::Value(old)) => Half::Value(self.merged(lanes, number, old)),
                    (Some(lanes), Half::Bits(old)) => {
                        let new = self.quad.e.half_of(number.value);
                        Half::Bits(self.quad.e.iselect(lanes, new, old))
                    }
                };
                Content::Halves(halves)
            }
        };
        self.file.words.insert(word, content);
        self.file.dirty.insert(word);
    }

    /// A component of a condition register.
    pub fn condition_value(&mut self, register: u8, c: u8) -> F32x4 {
        let at = (register & 1, c & 3);
        if let Some(&value) = self.file.conditions.get(&at) {
            return value;
        }
        let e = &mut *self.quad.e;
        let value = match self.variables.as_ref().filter(|_| !self.file.start) {
            Some(variables) => F32x4(e.b.use_var(variables.conditions[usize::from(at.0)][usize::from(at.1)])),
            None => e.f(0.0),
        };
        self.file.conditions.insert(at, value);
        value
    }

    pub fn write_condition(&mut self, register: u8, c: u8, value: F32x4) {
        self.file.conditions.insert((register & 1, c & 3), value);
        self.file.dirty_conditions.insert((register & 1, c & 3));
    }

    /// Lanes that are discarded; `None` where none can be.
    pub fn killed(&mut self) -> Option<Mask> {
        let earlier = match self.variables.as_ref().filter(|_| !self.file.start && self.program_kills()) {
            Some(variables) => Some(Mask(self.quad.e.b.use_var(variables.killed))),
            None => None,
        };
        match (earlier, self.file.killed) {
            (Some(a), Some(b)) => Some(self.quad.e.or(a, b)),
            (a, b) => a.or(b),
        }
    }

    fn program_kills(&self) -> bool {
        self.program.summary.kills || self.quad.plan.textures.iter().any(|(_, key)| key.alpha_kill)
    }

    /// Discards lanes.
    pub fn kill(&mut self, lanes: Mask) {
        self.file.killed = Some(match self.file.killed {
            Some(killed) => self.quad.e.or(killed, lanes),
            None => lanes,
        });
    }

    /// Brings the variables up to date.
    pub fn flush(&mut self) {
        let dirty = std::mem::take(&mut self.file.dirty);
        let mut dirty: Vec<Word> = dirty.into_iter().collect();
        dirty.sort_unstable();
        for word in dirty {
            let content = self.word(word);
            let Some(&kept) = self.variables.as_ref().and_then(|v| v.words.get(&word)) else { continue };
            match (kept, content) {
                (Kept::Full(variable), content) => {
                    let mut number = match content {
                        Content::Full(number) => number,
                        Content::Halves(halves) => self.joined(halves),
                    };
                    if self.bits_matter {
                        number = self.exact(number);
                    }
                    self.quad.e.b.def_var(variable, number.value.0);
                }
                (Kept::Halves(variables), Content::Halves(halves)) => {
                    for (variable, half) in variables.into_iter().zip(halves) {
                        // Bits come from words that are used as f32 as well.
                        if let Half::Value(number) = half {
                            self.quad.e.b.def_var(variable, number.value.0);
                        }
                    }
                }
                // A word that is never used as f32 never becomes one.
                (Kept::Halves(_), Content::Full(_)) => {}
            }
        }
        let killed = self.file.killed.and_then(|_| self.killed());
        let Some(variables) = &self.variables else { return };
        for (register, c) in self.file.dirty_conditions.drain() {
            if let Some(value) = self.file.conditions.get(&(register, c)) {
                self.quad.e.b.def_var(variables.conditions[usize::from(register)][usize::from(c)], value.0);
            }
        }
        if let Some(killed) = killed {
            self.quad.e.b.def_var(variables.killed, killed.0);
            self.file.killed = None;
        }
    }
}
