//! Encoding of the sections of a snapshot.

/// Declares a structure of a snapshot: its fields follow each other in this order, as `borsh` encodes them. A change of
/// the fields needs a new version of their section.
#[macro_export]
macro_rules! state {
    ($($(#[$attribute:meta])* $visibility:vis struct $name:ident { $($field:ident: $type:ty),* $(,)? })*) => {$(
        $(#[$attribute])*
        #[derive(Clone, Debug, PartialEq)]
        $visibility struct $name { $($field: $type),* }

        impl $crate::snapshot::borsh::BorshSerialize for $name {
            fn serialize<W: $crate::snapshot::borsh::io::Write>(&self, writer: &mut W) -> $crate::snapshot::borsh::io::Result<()> {
                $($crate::snapshot::borsh::BorshSerialize::serialize(&self.$field, writer)?;)*
                Ok(())
            }
        }

        impl $crate::snapshot::borsh::BorshDeserialize for $name {
            fn deserialize_reader<R: $crate::snapshot::borsh::io::Read>(reader: &mut R) -> $crate::snapshot::borsh::io::Result<Self> {
                Ok($name { $($field: $crate::snapshot::borsh::BorshDeserialize::deserialize_reader(reader)?),* })
            }
        }
    )*};
}

/// The bits of four floats: `borsh` refuses NaN, registers do not.
pub fn bits(value: [f32; 4]) -> [u32; 4] {
    value.map(f32::to_bits)
}

/// The inverse of [`bits`].
pub fn floats(bits: [u32; 4]) -> [f32; 4] {
    bits.map(f32::from_bits)
}

#[cfg(test)]
mod tests {
    state! {
        struct Pair { words: Vec<u32>, table: Box<[[u32; 300]; 2]> }
    }

    #[test]
    fn fields_come_back_and_lengths_that_lie_do_not_allocate() {
        let pair = Pair { words: vec![1, 2, 3], table: Box::new([[7; 300]; 2]) };
        let bytes = borsh::to_vec(&pair).unwrap();
        assert_eq!(bytes.len(), 4 + 12 + 2400);
        assert_eq!(borsh::from_slice::<Pair>(&bytes).unwrap(), pair);
        assert!(borsh::from_slice::<Pair>(&bytes[..bytes.len() - 1]).is_err());
        assert!(borsh::from_slice::<Pair>(&[&bytes[..], &[0]].concat()).is_err());
        let mut lying = bytes;
        lying[..4].fill(0xFF);
        assert!(borsh::from_slice::<Pair>(&lying).is_err());
    }
}
