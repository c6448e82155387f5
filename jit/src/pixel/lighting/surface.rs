//! The lit surface: normal, tangent, and the direction to the eye.

use cranelift_codegen::ir::Value;
use triglyph_guest::kernel::lighting::{Bump, LightingKey, Table, TableInput};
use triglyph_guest::num::ops::Ops;

use super::vector::{self, Vector, normalize_quaternion, rotate, rotate_x, rotate_z, scale, shortening};
use super::{Lighting, Need};
use crate::lane::F32x4;
use crate::pixel::record::saved;

/// The vectors that lights read.
#[derive(Clone, Copy, Default)]
struct Uses {
    normal: bool,
    tangent: bool,
    eye: bool,
}

impl Uses {
    fn new(key: &LightingKey, need: [Need; 2]) -> Uses {
        let mut uses = Uses::default();
        let [primary, secondary] = [need[0].color, need[1].color];
        let any_light = |of: fn(&triglyph_guest::kernel::lighting::LightKey) -> bool| key.lights.iter().any(of);
        if primary || secondary && key.clamp_highlights {
            uses.normal = true;
        }
        if secondary && any_light(|light| light.geometric0 || light.geometric1) {
            (uses.normal, uses.eye) = (true, true);
        }
        let fresnel = key.fresnel_primary && need[0].alpha || key.fresnel_secondary && need[1].alpha;
        let spot = (primary || secondary) && any_light(|light| light.spot);
        for role in [Table::D0, Table::D1, Table::Rr, Table::Rg, Table::Rb, Table::Sp, Table::Fr] {
            let used = match role {
                Table::Sp => spot,
                Table::Fr => fresnel,
                _ => secondary,
            };
            match key.tables[role as usize].filter(|_| used).map(|table| table.input) {
                Some(TableInput::NormalHalf | TableInput::NormalView) => (uses.normal, uses.eye) = (true, true),
                Some(TableInput::ViewHalf) => uses.eye = true,
                Some(TableInput::LightNormal) => uses.normal = true,
                Some(TableInput::CosPhi) => uses = Uses { normal: true, tangent: true, eye: true },
                Some(TableInput::LightSpot | TableInput::Zero) | None => {}
            }
        }
        uses
    }
}

impl Lighting<'_, '_, '_> {
    /// The phase of the surface.
    pub(super) fn surface(mut self, record: Value) {
        let uses = Uses::new(self.key, self.need);
        let quaternion = (uses.normal || uses.tangent).then(|| self.quaternion());
        if let Some(quaternion) = quaternion.filter(|_| uses.normal) {
            let normal = match self.key.bump {
                Bump::Normal { unit, recalculate_z } => {
                    let bump = self.bump(unit, recalculate_z);
                    rotate(self.quad.e, quaternion, bump)
                }
                Bump::Off | Bump::Tangent { .. } => rotate_z(self.quad.e, quaternion),
            };
            self.keep_vector(normal, record, saved!(surface.normal));
        }
        if let Some(quaternion) = quaternion.filter(|_| uses.tangent) {
            let tangent = match self.key.bump {
                Bump::Tangent { unit, recalculate_z } => {
                    let bump = self.bump(unit, recalculate_z);
                    rotate(self.quad.e, quaternion, bump)
                }
                Bump::Off | Bump::Normal { .. } => rotate_x(self.quad.e, quaternion),
            };
            self.keep_vector(tangent, record, saved!(surface.tangent));
        }
        if uses.eye {
            let view = self.view();
            let e = &mut *self.quad.e;
            let length2 = vector::dot(e, view, view);
            let factor = shortening(e, length2);
            let eye = scale(e, view, factor);
            self.keep_vector(eye, record, saved!(surface.eye));
        }
    }

    fn keep_vector(&mut self, vector: Vector, record: Value, at: i32) {
        for (k, component) in vector.into_iter().enumerate() {
            self.quad.e.store(component.0, record, at + 16 * k as i32);
        }
    }

    fn kept_vector(&mut self, at: i32) -> Vector {
        match self.quad.known.record() {
            Some(record) => [0, 16, 32].map(|k| self.quad.e.load_floats(record, at + k)),
            // Lights have a record.
            None => [self.quad.e.f(0.0); 3],
        }
    }

    fn quaternion(&mut self) -> [F32x4; 4] {
        let varyings = self.key.quaternion_slots.map(|slot| self.quad.varying(slot));
        normalize_quaternion(self.quad.e, varyings)
    }

    /// The vector that a texture's colour encodes: c/127.5 - 1.
    fn bump(&mut self, unit: u8, recalculate_z: bool) -> Vector {
        let texture = self.quad.unit(usize::from(unit & 3));
        let e = &mut *self.quad.e;
        let channels = [e.odd_ints(texture.br), e.odd_ints(texture.ag), e.even_ints(texture.br)];
        let [x, y, z] = channels.map(|c| {
            let value = e.to_float(c);
            let middle = e.f(127.5);
            let quotient = e.div(value, middle);
            let one = e.f(1.0);
            e.sub(quotient, one)
        });
        if !recalculate_z {
            return [x, y, z];
        }
        let (one, zero) = (e.f(1.0), e.f(0.0));
        let (xx, yy) = (e.mul(x, x), e.mul(y, y));
        let rest = e.sub(one, xx);
        let rest = e.sub(rest, yy);
        let rest = e.max(rest, zero);
        [x, y, e.sqrt(rest)]
    }

    /// The normal.
    pub(super) fn normal(&mut self) -> Vector {
        if let Some(normal) = self.normal {
            return normal;
        }
        let normal = self.kept_vector(saved!(surface.normal));
        *self.normal.insert(normal)
    }

    /// The tangent.
    pub(super) fn tangent(&mut self) -> Vector {
        if let Some(tangent) = self.tangent {
            return tangent;
        }
        let tangent = self.kept_vector(saved!(surface.tangent));
        *self.tangent.insert(tangent)
    }

    /// From the surface to the eye, as interpolated.
    pub(super) fn view(&mut self) -> Vector {
        self.key.view_slots.map(|slot| self.quad.varying(slot))
    }

    /// The same, of length 1.
    pub(super) fn eye(&mut self) -> Vector {
        if let Some(eye) = self.eye {
            return eye;
        }
        let eye = self.kept_vector(saved!(surface.eye));
        *self.eye.insert(eye)
    }
}
