//! Comparisons of tests and samplers.

use triglyph_guest::kernel::pixel::Compare;

use super::*;

impl Emit<'_> {
    /// A comparison of floats; `None` is always true. With NaN only [`Compare::NotEqual`] and `Always` hold.
    pub fn compare_floats(&mut self, how: Compare, a: F32x4, b: F32x4) -> Option<Mask> {
        Some(match how {
            Compare::Always => return None,
            Compare::Never => Mask(self.i(0).0),
            Compare::Equal => self.feq(a, b),
            Compare::NotEqual => {
                let equal = self.feq(a, b);
                self.not(equal)
            }
            Compare::Less => self.lt(a, b),
            Compare::LessEqual => self.le(a, b),
            Compare::Greater => self.lt(b, a),
            Compare::GreaterEqual => self.le(b, a),
        })
    }

    /// A comparison of integers from 0 to 2^31 - 1; `None` is always true.
    pub fn compare_ints(&mut self, how: Compare, a: I32x4, b: I32x4) -> Option<Mask> {
        Some(match how {
            Compare::Always => return None,
            Compare::Never => Mask(self.i(0).0),
            Compare::Equal => self.ieq(a, b),
            Compare::NotEqual => {
                let equal = self.ieq(a, b);
                self.not(equal)
            }
            Compare::Less => self.ilt(a, b),
            Compare::LessEqual => {
                let greater = self.ilt(b, a);
                self.not(greater)
            }
            Compare::Greater => self.ilt(b, a),
            Compare::GreaterEqual => {
                let less = self.ilt(a, b);
                self.not(less)
            }
        })
    }
}
