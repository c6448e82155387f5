//! A short list of lights without a heap allocation, since one is built for the state of each draw.

use std::fmt;
use std::io;
use std::ops::{Deref, DerefMut};

use borsh::{BorshDeserialize, BorshSerialize};

/// Lights of the 3DS.
pub const LIGHTS: usize = 8;

/// One light.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, BorshSerialize, BorshDeserialize)]
pub struct LightKey {
    /// Its number, 0 to 7: which constants and tables it has.
    pub index: u8,
    /// The position is a direction.
    pub directional: bool,
    /// Both sides of a surface are lit.
    pub two_sided: bool,
    /// The geometric factor applies to specular 0.
    pub geometric0: bool,
    /// The geometric factor applies to specular 1.
    pub geometric1: bool,
    /// The spot light table applies.
    pub spot: bool,
    /// The distance attenuation table applies.
    pub distance: bool,
    /// The shadow applies.
    pub shadow: bool,
}

/// The part of a key for some lights, in the order in which they are computed; at most [`LIGHTS`].
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct LightKeys {
    count: usize,
    /// Those beyond are all the same.
    keys: [LightKey; LIGHTS],
}

impl Deref for LightKeys {
    type Target = [LightKey];

    fn deref(&self) -> &[LightKey] {
        &self.keys[..self.count]
    }
}

impl DerefMut for LightKeys {
    fn deref_mut(&mut self) -> &mut [LightKey] {
        &mut self.keys[..self.count]
    }
}

/// Lights beyond those that there can be are left out.
impl FromIterator<LightKey> for LightKeys {
    fn from_iter<I: IntoIterator<Item = LightKey>>(lights: I) -> Self {
        let mut keys = LightKeys::default();
        for (place, light) in keys.keys.iter_mut().zip(lights) {
            *place = light;
            keys.count += 1;
        }
        keys
    }
}

impl fmt::Debug for LightKeys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

impl BorshSerialize for LightKeys {
    fn serialize<W: io::Write>(&self, writer: &mut W) -> io::Result<()> {
        (**self).serialize(writer)
    }
}

impl BorshDeserialize for LightKeys {
    fn deserialize_reader<R: io::Read>(reader: &mut R) -> io::Result<Self> {
        let lights = Vec::<LightKey>::deserialize_reader(reader)?;
        match lights.len() {
            0..=LIGHTS => Ok(lights.into_iter().collect()),
            count => Err(io::Error::new(io::ErrorKind::InvalidData, format!("{count} lights"))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lights_are_stored_and_read_as_a_list() {
        let light = |index: usize| LightKey { index: index as u8, ..LightKey::default() };
        for count in [0, 1, LIGHTS] {
            let keys: LightKeys = (0..count).map(light).collect();
            let bytes = borsh::to_vec(&keys).unwrap();
            assert_eq!(bytes, borsh::to_vec(&(0..count).map(light).collect::<Vec<_>>()).unwrap());
            assert_eq!(borsh::from_slice::<LightKeys>(&bytes).unwrap(), keys);
        }
        let bytes = borsh::to_vec(&vec![light(0); LIGHTS + 1]).unwrap();
        assert!(borsh::from_slice::<LightKeys>(&bytes).is_err());
    }
}
