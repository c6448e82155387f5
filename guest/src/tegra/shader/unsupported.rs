//! Instructions whose meaning is unknown: no tier does anything for them.

use super::isa::Op;

/// The operation, and what is missing. The list only gets shorter.
pub const UNSUPPORTED: &[(Op, &str)] = &[
    (Op::stp, "what it stops"),
    (Op::txa, "an address of a texture, in no known program"),
    (Op::vabsdiff4, "the codes of its selectors"),
    (Op::r2b, "what barrier state a program could set"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_does_not_grow() {
        assert!(UNSUPPORTED.len() <= 4);
        let mut ops: Vec<Op> = UNSUPPORTED.iter().map(|(op, _)| *op).collect();
        ops.sort_unstable();
        ops.dedup();
        assert_eq!(ops.len(), UNSUPPORTED.len());
    }
}
