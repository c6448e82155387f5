//! Choices that generators of random programs make.

/// A source of 32 random bits a call, and choices from them.
pub(crate) trait Dice {
    /// A number below `limit`; 0 if that is 0.
    fn below(&mut self, limit: usize) -> usize;

    /// True in one of `one_in` calls.
    fn chance(&mut self, one_in: usize) -> bool {
        self.below(one_in) == 0
    }
}

impl<R: FnMut() -> u32> Dice for R {
    fn below(&mut self, limit: usize) -> usize {
        self() as usize % limit.max(1)
    }
}
