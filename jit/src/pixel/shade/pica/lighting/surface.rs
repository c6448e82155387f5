//! The lit surface: normal, tangent, and the direction to the eye.

use triglyph_guest::kernel::lighting::Bump;
use triglyph_guest::num::ops::Ops;

use super::Lighting;
use super::vector::{self, Vector, normalize_quaternion, rotate, rotate_x, rotate_z, scale, shortening};
use crate::lane::F32x4;

impl Lighting<'_, '_, '_> {
    /// The quaternion that turns to the surface, of length 1.
    fn quaternion(&mut self) -> [F32x4; 4] {
        if let Some(quaternion) = self.quaternion {
            return quaternion;
        }
        let varyings = self.key.quaternion_slots.map(|slot| self.quad.varying(slot));
        let quaternion = normalize_quaternion(self.quad.e, varyings);
        *self.quaternion.insert(quaternion)
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
        let quaternion = self.quaternion();
        let normal = match self.key.bump {
            Bump::Normal { unit, recalculate_z } => {
                let bump = self.bump(unit, recalculate_z);
                rotate(self.quad.e, quaternion, bump)
            }
            Bump::Off | Bump::Tangent { .. } => rotate_z(self.quad.e, quaternion),
        };
        *self.normal.insert(normal)
    }

    /// The tangent.
    pub(super) fn tangent(&mut self) -> Vector {
        if let Some(tangent) = self.tangent {
            return tangent;
        }
        let quaternion = self.quaternion();
        let tangent = match self.key.bump {
            Bump::Tangent { unit, recalculate_z } => {
                let bump = self.bump(unit, recalculate_z);
                rotate(self.quad.e, quaternion, bump)
            }
            Bump::Off | Bump::Normal { .. } => rotate_x(self.quad.e, quaternion),
        };
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
        let view = self.view();
        let e = &mut *self.quad.e;
        let length2 = vector::dot(e, view, view);
        let factor = shortening(e, length2);
        *self.eye.insert(scale(e, view, factor))
    }
}
