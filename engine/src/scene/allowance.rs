//! Limit of the cost of a draw's primitives, in units of fuel ([`cost`]).

use super::Rect;
use crate::cost;

/// Fuel for the primitives that follow. Each one takes its price when it is set up, before it is known which of its
/// pixels are hidden, so that the same primitives are drawn on every tier and any number of threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Allowance {
    left: u64,
    pixel: u64,
}

impl Allowance {
    /// Fuel without end.
    pub const UNBOUNDED: Allowance = Allowance { left: u64::MAX, pixel: 0 };

    /// So much fuel, for primitives whose pixels cost `pixel` units each ([`cost::pixel`]).
    pub fn new(fuel: u64, pixel: u64) -> Self {
        Allowance { left: fuel, pixel }
    }

    /// The remaining fuel.
    pub fn left(&self) -> u64 {
        self.left
    }

    /// Takes the price that several primitives have taken of as much fuel or more, if each of them would have got its
    /// own here.
    pub fn take_price(&mut self, price: u64) -> bool {
        let is_enough = price <= self.left;
        self.left -= if is_enough { price } else { 0 };
        is_enough
    }

    /// Takes the price of some work. False if nothing is left: it is not done then. The last one may cost more than
    /// there is.
    pub fn take_work(&mut self, price: u64) -> bool {
        let is_left = self.left > 0;
        self.left = self.left.saturating_sub(price);
        is_left
    }

    /// Takes the price of a triangle of so many pixels' area, with its bounding box. `None` if nothing is left: it is
    /// not drawn then. The last one may cost more than there is.
    pub fn take(&mut self, area: u64, bounds: Rect) -> Option<u64> {
        let (width, height) = (u64::from(bounds.width()), u64::from(bounds.height()));
        // No more pixels than the area has beside those that edges pass through.
        let covered = area.saturating_add(2 * (width + height)).min(width * height);
        let price = cost::PRIMITIVE + width * height / cost::UNCOVERED_PIXELS + covered.saturating_mul(self.pixel);
        self.take_work(price).then_some(price)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn square(side: u32) -> Rect {
        Rect { x0: 8, y0: 8, x1: 7 + side, y1: 7 + side }
    }

    #[test]
    fn primitives_pay_for_what_they_cover() {
        let mut fuel = Allowance::new(u64::MAX, 3);
        let outside = 100 * 100 / cost::UNCOVERED_PIXELS;
        assert_eq!(fuel.take(5000, square(100)), Some(cost::PRIMITIVE + outside + 3 * 5400));
        // A sliver through the box, and a triangle that is clipped to it.
        assert_eq!(fuel.take(0, square(100)), Some(cost::PRIMITIVE + outside + 3 * 400));
        assert_eq!(fuel.take(1 << 40, square(100)), Some(cost::PRIMITIVE + outside + 3 * 10_000));
    }

    #[test]
    fn nothing_is_drawn_without_fuel() {
        let mut fuel = Allowance::new(cost::PRIMITIVE + 2, 1);
        assert_eq!(fuel.take(1, square(1)), Some(cost::PRIMITIVE + 1));
        assert_eq!(fuel.take(1, square(1)), Some(cost::PRIMITIVE + 1));
        assert_eq!(fuel.take(1, square(1)), None);
        assert_eq!(Allowance::new(0, 1).take(1, square(1)), None);
        let mut fuel = Allowance::new(10, 1);
        assert!(fuel.take_work(9) && fuel.take_work(9) && !fuel.take_work(0));
        let mut unbounded = Allowance::UNBOUNDED;
        assert!((0..100).all(|_| unbounded.take(1 << 24, square(4096)).is_some()));
    }
}
