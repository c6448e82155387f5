//! The two contracts of arithmetic.

use borsh::{BorshDeserialize, BorshSerialize};

/// How near to the console numbers and mechanisms are. Interpreter and compiler agree to the bit under both; what
/// differs between the two is said where the contract says how a program computes, and on the machine's page under
/// `docs/`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, BorshSerialize, BorshDeserialize)]
pub enum Accuracy {
    /// The results that the hardware's documentation and tests give, as far as they go.
    Exact,
    /// Results that look the same in pictures, at a fraction of the cost.
    #[default]
    Fast,
}
