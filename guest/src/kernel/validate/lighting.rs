//! Validates fragment lighting of the 3DS.

use super::pixel::{UNITS, slots};
use super::{InvalidKey, Validate, check, each};
use crate::kernel::light_keys::LIGHTS;
use crate::kernel::lighting::{Bump, LightKey, LightingKey, TableKey};

impl Validate for LightingKey {
    fn validate(&self) -> Result<(), InvalidKey> {
        slots(&self.quaternion_slots)?;
        slots(&self.view_slots)?;
        check(!self.lights.is_empty(), "no light is computed")?;
        each(&*self.lights)?;
        each(self.tables.iter().flatten())?;
        let bump = match self.bump {
            Bump::Off => None,
            Bump::Normal { unit, .. } | Bump::Tangent { unit, .. } => Some(unit),
        };
        let mut units = bump.into_iter().chain(self.shadow.map(|shadow| shadow.unit));
        check(units.all(|unit| unit < UNITS), "lighting reads a texture unit that does not exist")
    }
}

impl Validate for LightKey {
    fn validate(&self) -> Result<(), InvalidKey> {
        check(usize::from(self.index) < LIGHTS, "a light does not exist")
    }
}

impl Validate for TableKey {
    fn validate(&self) -> Result<(), InvalidKey> {
        check((-2..=3).contains(&self.scale), "a light table is scaled by 1/4 to 8")
    }
}
