//! A pool of reference-counted values, so that steady frames allocate nothing for the states of draws.
//!
//! Scenes hold the states of their draws until they are drawn. The pool holds a reference to each of them as well. When
//! the pool's is the last one, the next state is written over the old one. Until then the old state, and what it refers
//! to, stays alive.

use std::collections::VecDeque;
use std::sync::Arc;

/// A pool of values.
#[derive(Debug)]
pub struct Recycled<T: ?Sized> {
    /// The oldest one first.
    values: VecDeque<Arc<T>>,
    /// Calls that still allocate without a search, and how many followed the last search that failed: in a scene with
    /// many states all values are in use.
    wait: u32,
    last_wait: u32,
}

/// Values in a pool at most; fewer if they are large, or lists, which may be long.
const MAX_VALUES: usize = 1024;
const MAX_LARGE: usize = 64;

/// Maximum number of values that a search inspects.
const LOOKED_AT: usize = 4;

/// Largest number of calls without a search.
const MAX_WAIT: u32 = 15;

impl<T: ?Sized> Default for Recycled<T> {
    fn default() -> Self {
        Recycled { values: VecDeque::new(), wait: 0, last_wait: 0 }
    }
}

impl<T: ?Sized> Recycled<T> {
    /// Writes over an unused value that `fits`, with `fill`, or allocates one with `make`.
    fn share_as<I>(
        &mut self,
        most: usize,
        from: I,
        fits: impl Fn(&T) -> bool,
        fill: impl FnOnce(&mut T, I),
        make: impl FnOnce(I) -> Arc<T>,
    ) -> Arc<T> {
        if self.bring_unused(fits)
            && let Some(last) = self.values.back_mut()
            && let Some(value) = Arc::get_mut(last)
        {
            fill(value, from);
            return last.clone();
        }
        let value = make(from);
        if self.values.len() < most {
            self.values.push_back(value.clone());
        }
        value
    }

    /// Searches the oldest values for one that fits and whose last reference is the pool's. If it returns true, that
    /// one is the last of the list.
    fn bring_unused(&mut self, fits: impl Fn(&T) -> bool) -> bool {
        if self.wait > 0 {
            self.wait -= 1;
            return false;
        }
        let is_found = (0..LOOKED_AT.min(self.values.len())).any(|_| {
            self.values.rotate_left(1);
            self.values.back_mut().and_then(Arc::get_mut).is_some_and(|value| fits(value))
        });
        self.last_wait = if is_found { 0 } else { (2 * self.last_wait + 1).min(MAX_WAIT) };
        self.wait = self.last_wait;
        is_found
    }
}

impl<T> Recycled<T> {
    /// Shares a value.
    pub fn share(&mut self, value: T) -> Arc<T> {
        self.share_as(MAX_VALUES, value, |_| true, |place, value| *place = value, Arc::new)
    }

    /// Shares a copy of a large value.
    pub fn share_copy(&mut self, value: &T) -> Arc<T>
    where
        T: Clone,
    {
        self.share_as(MAX_LARGE, value, |_| true, T::clone_from, |value| Arc::new(value.clone()))
    }
}

impl<T> Recycled<[T]> {
    /// Shares a list.
    pub fn share_list(&mut self, items: impl ExactSizeIterator<Item = T>) -> Arc<[T]> {
        let length = items.len();
        self.share_as(
            MAX_LARGE,
            items,
            |list| list.len() == length,
            |list, items| list.iter_mut().zip(items).for_each(|(place, item)| *place = item),
            Iterator::collect,
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_values_that_nobody_holds_are_written_over() {
        let mut recycled = Recycled::default();
        let held = recycled.share(1);
        let place = Arc::as_ptr(&recycled.share(2));
        let again = recycled.share(3);
        assert_eq!((*held, *again, Arc::as_ptr(&again) == place), (1, 3, true));
        let other = recycled.share_copy(&4);
        assert_eq!((*held, *again, *other), (1, 3, 4));
    }

    #[test]
    fn lists_are_written_over_by_lists_of_the_same_length() {
        let mut recycled = Recycled::default();
        let mut place = |values: &[u8]| {
            let list = recycled.share_list(values.iter().copied());
            assert_eq!(*list, *values);
            Arc::as_ptr(&list)
        };
        let (two, three) = (place(&[1, 2]), place(&[3, 4, 5]));
        assert_eq!([place(&[6, 7]), place(&[8, 9, 10]), place(&[11, 12])], [two, three, two]);
    }

    #[test]
    fn no_more_values_are_kept_than_that() {
        let mut recycled = Recycled::default();
        let held: Vec<_> = (0..MAX_VALUES + 1).map(|value| recycled.share(value)).collect();
        assert!(held.iter().enumerate().all(|(i, value)| **value == i));
        assert_eq!(recycled.values.len(), MAX_VALUES);
    }
}
