//! Attributes: interpolated ones, those of vertices, output words.

use triglyph_guest::kernel::Refused;
use triglyph_guest::num::ops::Ops;
use triglyph_guest::tegra::shader::isa::*;

use super::file::flush;
use super::{Done, Lanes, Loc, Lower, Number};
use crate::lane::{I32x4, Mask};

/// Words of an access.
const fn words(size: AttributeSize) -> u8 {
    size.bits() + 1
}

/// The first word of an access at a fixed address.
fn first_word(address: Address) -> Result<u32, Refused> {
    match address.base.is_zero() {
        true => Ok(address.offset as u32 / 4),
        false => Err(Refused("an attribute by a computed address")),
    }
}

impl Lower<'_, '_> {
    /// Appends the outputs to what the lanes have emitted.
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

/// Words of the window position and of the side that is shown.
pub(super) const POSITION: u8 = 0x1C;
pub(super) const FACING: u8 = 0xFF;

impl AttributeVisitor for Lower<'_, '_> {
    type Output = Done;

    fn ipa(&mut self, i: Interpolate) -> Done {
        if i.address.indexed && !i.address.index.is_zero() {
            return Err(Refused("an input by a computed address"));
        }
        let offset = match i.sample {
            IpaSample::Default | IpaSample::Centroid => None,
            IpaSample::Offset => Some(self.reg_int(i.c)),
            IpaSample::Unknown(_) => return Err(Refused("a place in a pixel without a name")),
        };
        let value = self.host.interpolate(&i, offset)?;
        let mut number = Number::loaded(value.value);
        if !value.constant && matches!(i.mode, IpaMode::Mul | IpaMode::Sc) {
            let factor = self.reg_flushed(i.b);
            let e = self.e();
            let interpolated = flush(e, value.value);
            let product = e.mul(interpolated, factor);
            number = Number::normal(flush(e, product));
        }
        if i.sat {
            let value = self.number_float(number);
            number = Number::loaded(self.e().clamp(value, 0.0, 1.0));
        }
        self.set_reg(i.dst, number);
        Ok(())
    }

    fn ald(&mut self, i: AttributeAccess) -> Done {
        let first = first_word(i.address)?;
        let vertex = if i.vertex.is_zero() { None } else { Some(self.reg_int(i.vertex)) };
        for n in 0..words(i.size) {
            let word = ((first + u32::from(n)) & if i.patch { 0x7F } else { 0xFF }) as u8;
            let own = i.output && !i.patch && self.lanes == Lanes::Alone && !self.host.is_coordinate(word);
            let number = match own {
                true => match self.host.output(word) {
                    Some(place) => self.get(Loc::Output(place)),
                    None => Number::int(self.e().i(0)),
                },
                false => {
                    let value = self.host.attribute(&i, word, vertex)?;
                    Number::int(value)
                }
            };
            self.set_reg(Self::behind(i.data, n), number);
        }
        Ok(())
    }

    fn ast(&mut self, i: AttributeAccess) -> Done {
        let first = first_word(i.address)?;
        for n in 0..words(i.size) {
            let word = ((first + u32::from(n)) & if i.patch { 0x7F } else { 0xFF }) as u8;
            if self.lanes != Lanes::Alone {
                let value = self.reg_int(Self::behind(i.data, n));
                let lanes = self.active();
                self.host.store_attribute(&i, word, value, lanes)?;
                continue;
            }
            // Only patches have words of their own that are stored.
            if i.patch {
                continue;
            }
            if let Some(place) = self.host.output(word) {
                let number = self.reg(Self::behind(i.data, n));
                self.set(Loc::Output(place), number);
            }
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

    fn pixld(&mut self, _: PixelInfo) -> Done {
        Err(Refused("what a pixel knows of its samples"))
    }
}
