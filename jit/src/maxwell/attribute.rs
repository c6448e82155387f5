//! Attributes: interpolated ones, those of vertices, output words.

use triglyph_guest::kernel::Unsupported;
use triglyph_guest::num::ops::Ops;
use triglyph_guest::tegra::shader::isa::*;

use super::lane_value::flush;
use super::{Done, LaneValue, Loc, Lower};
use crate::lane::{F32x4, I32x4, Mask};

/// Words of an access.
const fn words(size: AttributeSize) -> u8 {
    size.bits() + 1
}

/// Most words that an access at a computed address selects from, times the words it has.
const MAX_CHOICES: usize = 256;

impl Lower<'_, '_> {
    /// Appends the outputs to the lanes' emitted vertices.
    fn emit_vertex(&mut self, i: &EmitVertex) -> Done {
        let stream = self.operand_int(i.b);
        let lanes = match self.active() {
            Some(lanes) => lanes,
            None => Mask(self.e().i(-1).0),
        };
        let outputs = self.host.outputs();
        for place in 0..outputs as u16 {
            let value = self.int(Loc::Output(place));
            self.host.keep_output(place, value);
        }
        self.emit_call(i.kind.bits(), I32x4(lanes.0), stream);
        Ok(())
    }
}

/// Words of the window position and of the facing.
pub(super) const POSITION: u8 = 0x1C;
pub(super) const FACING: u8 = 0xFF;

impl AttributeVisitor for Lower<'_, '_> {
    type Output = Done;

    fn ipa(&mut self, i: Interpolate) -> Done {
        let indexed = i.address.indexed && !i.address.index.is_zero();
        let number = if indexed { self.interpolated_by_index(&i)? } else { self.interpolated(&i)? };
        self.set_reg(i.dst, number);
        Ok(())
    }

    fn ald(&mut self, i: AttributeAccess) -> Done {
        let vertex = if i.vertex.is_zero() { None } else { Some(self.reg_int(i.vertex)) };
        let values = if i.address.base.is_zero() {
            let all: Result<Vec<_>, _> = fixed_words(&i).map(|word| self.loaded_word(&i, word, vertex)).collect();
            all?
        } else {
            self.loaded_by_register(&i, vertex)?
        };
        for (n, value) in (0..).zip(values) {
            self.set_reg(Self::following(i.data, n), value);
        }
        Ok(())
    }

    fn ast(&mut self, i: AttributeAccess) -> Done {
        if !i.address.base.is_zero() {
            return self.store_by_register(&i);
        }
        for (n, word) in (0..).zip(fixed_words(&i)) {
            self.stored_word(&i, word, Self::following(i.data, n))?;
        }
        Ok(())
    }

    fn al2p(&mut self, i: AttributePhysical) -> Done {
        let base = self.reg_int(i.address.base);
        let e = self.e();
        let offset = e.i(i.address.offset);
        let value = e.iadd(base, offset);
        let inside = Mask(e.i(0).0);
        self.set_int(i.dst, value);
        self.set_predicate(i.pred, inside);
        Ok(())
    }

    fn isberd(&mut self, i: StageBuffer) -> Done {
        let value = self.reg(i.a);
        self.set_reg(i.dst, value);
        Ok(())
    }

    fn out(&mut self, i: EmitVertex) -> Done {
        if self.host.emits() && i.kind != OutKind::Nothing {
            self.emit_vertex(&i)?;
        }
        let handle = self.reg(i.a);
        self.set_reg(i.dst, handle);
        Ok(())
    }

    fn pixld(&mut self, i: PixelInfo) -> Done {
        let base = self.reg_int(i.sample.base);
        let e = self.e();
        let offset = e.i(i.sample.offset);
        let sample = e.iadd(base, offset);
        let value = self.host.pixel_info(i.mode, sample);
        let none = Mask(self.e().i(0).0);
        self.set_int(i.dst, value);
        self.set_predicate(i.pred, none);
        Ok(())
    }
}

/// The words of an access at a fixed address.
fn fixed_words(i: &AttributeAccess) -> impl Iterator<Item = u8> + use<> {
    let (first, most) = (i.address.offset as u32 / 4, if i.patch { 0x7F } else { 0xFF });
    (0..u32::from(words(i.size))).map(move |n| ((first + n) & most) as u8)
}

impl Lower<'_, '_> {
    /// The result of IPA at a fixed address.
    fn interpolated(&mut self, i: &Interpolate) -> Result<LaneValue, Unsupported> {
        let offset = match i.sample {
            IpaSample::Default | IpaSample::Centroid | IpaSample::Unknown(_) => None,
            IpaSample::Offset => Some(self.reg_int(i.c)),
        };
        let value = self.host.interpolate(i, offset)?;
        let mut number = if value.constant { LaneValue::loaded(value.value) } else { LaneValue::float(value.value) };
        if !value.constant && matches!(i.mode, IpaMode::Mul | IpaMode::Sc) {
            number = self.multiplied(value.value, i.b);
        }
        if i.sat {
            let value = self.value_float(number);
            number = LaneValue::loaded(self.e().clamp(value, 0.0, 1.0));
        }
        Ok(number)
    }

    /// An interpolated value times a register.
    fn multiplied(&mut self, value: F32x4, factor: Reg) -> LaneValue {
        if !self.flushes(true) {
            let factor = self.reg_float(factor);
            return LaneValue::float(self.e().mul(value, factor));
        }
        let factor = self.reg_flushed(factor);
        let e = self.e();
        let value = flush(e, value);
        let product = e.mul(value, factor);
        LaneValue::normal(flush(e, product))
    }

    /// IPA of a computed word: interpolates all inputs, and selects the word's value.
    fn interpolated_by_index(&mut self, i: &Interpolate) -> Result<LaneValue, Unsupported> {
        let address = self.reg_int(i.address.index);
        let word = self.word_of(address, i.address.offset.into(), 0xFF);
        let mut result = self.e().i(0);
        for known in self.host.inputs() {
            let mut fixed = *i;
            (fixed.address.indexed, fixed.address.offset) = (false, 4 * u16::from(known));
            let number = self.interpolated(&fixed)?;
            let value = self.value_int(number);
            let own = self.is_word(word, known);
            result = self.e().iselect(own, value, result);
        }
        Ok(LaneValue::int(result))
    }

    /// Index of a word, from an address in a register and an offset.
    fn word_of(&mut self, address: I32x4, offset: i32, most: i32) -> I32x4 {
        let e = self.e();
        let (offset, most) = (e.i(offset), e.i(most));
        let address = e.iadd(address, offset);
        let word = e.ushr(address, 2);
        e.iand(word, most)
    }

    fn is_word(&mut self, word: I32x4, known: u8) -> Mask {
        let e = self.e();
        let known = e.i(known.into());
        e.ieq(word, known)
    }

    /// Whether an output word is a location of the register file.
    fn own_output(&self, i: &AttributeAccess, word: u8) -> bool {
        i.output && !i.patch && self.lanes.are_alone() && !self.host.is_coordinate(word)
    }

    fn loaded_word(&mut self, i: &AttributeAccess, word: u8, vertex: Option<I32x4>) -> Result<LaneValue, Unsupported> {
        if self.own_output(i, word) {
            if self.brought.is_some() {
                return Err(Unsupported("outputs that lanes read which are brought in"));
            }
            return Ok(match self.host.output(word) {
                Some(place) => self.get(Loc::Output(place)),
                None => LaneValue::int(self.e().i(0)),
            });
        }
        self.host.attribute(i, word, vertex).map(LaneValue::int)
    }

    fn stored_word(&mut self, i: &AttributeAccess, word: u8, data: Reg) -> Done {
        if !self.lanes.are_alone() {
            let value = self.reg_int(data);
            let lanes = self.active();
            return self.store_shared(i, word, value, lanes);
        }
        // Only patches have words beside those of vertices.
        if i.patch {
            return Ok(());
        }
        if let Some(place) = self.host.output(word) {
            let number = self.reg(data);
            self.set(Loc::Output(place), number);
        }
        Ok(())
    }

    /// Indices of the words of an access whose address is in a register.
    fn computed_words(&mut self, i: &AttributeAccess) -> Vec<I32x4> {
        let address = self.reg_int(i.address.base);
        let most = if i.patch { 0x7F } else { 0xFF };
        (0..words(i.size)).map(|n| self.word_of(address, i.address.offset + 4 * i32::from(n), most)).collect()
    }

    fn loaded_by_register(
        &mut self,
        i: &AttributeAccess,
        vertex: Option<I32x4>,
    ) -> Result<Vec<LaneValue>, Unsupported> {
        let wanted = self.computed_words(i);
        if i.patch {
            let all = wanted.into_iter().map(|word| LaneValue::int(self.host.patch_word(word)));
            return Ok(all.collect());
        }
        let known: Vec<u8> = (0..=255).filter(|&word| self.own_output(i, word) || self.host.reads(i, word)).collect();
        let known: Vec<u8> =
            known.into_iter().filter(|&word| !self.own_output(i, word) || self.host.output(word).is_some()).collect();
        if known.len() * wanted.len() > MAX_CHOICES {
            return Err(Unsupported("an attribute by a computed address, of too many"));
        }
        let mut values = vec![self.e().i(0); wanted.len()];
        for known in known {
            let number = self.loaded_word(i, known, vertex)?;
            let here = self.value_int(number);
            for (value, &word) in values.iter_mut().zip(&wanted) {
                let own = self.is_word(word, known);
                *value = self.e().iselect(own, here, *value);
            }
        }
        Ok(values.into_iter().map(LaneValue::int).collect())
    }

    fn store_by_register(&mut self, i: &AttributeAccess) -> Done {
        let wanted = self.computed_words(i);
        let data: Vec<I32x4> = (0..wanted.len()).map(|n| self.reg_int(Self::following(i.data, n as u8))).collect();
        let lanes = self.active();
        if i.patch {
            let lanes = lanes.unwrap_or_else(|| Mask(self.e().i(-1).0));
            let words: Vec<_> = wanted.into_iter().zip(data).collect();
            self.one_after_the_other(&[], |lower| {
                lower.host.store_patch(&words, lanes);
                Vec::new()
            });
            return Ok(());
        }
        let known: Vec<u8> = (0..=255).filter(|&word| self.host.output(word).is_some()).collect();
        if known.len() * wanted.len() > MAX_CHOICES {
            return Err(Unsupported("an attribute by a computed address, of too many"));
        }
        // Of two words at one location the later one remains.
        for (word, value) in wanted.into_iter().zip(data) {
            for &known in &known {
                let mut own = self.is_word(word, known);
                let Some(place) = self.host.output(known) else { continue };
                if self.lanes.are_alone() {
                    let old = self.int(Loc::Output(place));
                    let new = self.e().iselect(own, value, old);
                    self.set(Loc::Output(place), LaneValue::int(new));
                    continue;
                }
                if let Some(lanes) = lanes {
                    own = self.e().and(own, lanes);
                }
                self.store_shared(i, known, value, Some(own))?;
            }
        }
        Ok(())
    }

    /// Stores a word of outputs that lanes share: of vertices of their own, or of the patch.
    fn store_shared(&mut self, i: &AttributeAccess, word: u8, value: I32x4, lanes: Option<Mask>) -> Done {
        self.may_restart = false;
        if !i.patch {
            return self.host.store_attribute(i, word, value, lanes);
        }
        let mut done = Ok(());
        self.one_after_the_other(&[], |lower| {
            done = lower.host.store_attribute(i, word, value, lanes);
            Vec::new()
        });
        done
    }
}
