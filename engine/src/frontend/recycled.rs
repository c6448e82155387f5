//! Values that draws share, in memory that is used again.
//!
//! A draw keeps its state until its scene is drawn. Whoever derives states keeps a reference to each as well: once that
//! is the only one left, a later state takes its place, so that steady frames allocate nothing for them.

use std::collections::VecDeque;
use std::sync::Arc;

/// Values that were shared, the last one at the end.
#[derive(Debug)]
pub struct Recycled<T: ?Sized>(VecDeque<Arc<T>>);

/// Values that are kept, and lists, which may be long.
const MOST: usize = 512;
const MOST_LISTS: usize = 64;

/// Values that are looked at for one that nobody else holds.
const LOOKED_AT: usize = 4;

impl<T: ?Sized> Default for Recycled<T> {
    fn default() -> Self {
        Recycled(VecDeque::new())
    }
}

impl<T: ?Sized> Recycled<T> {
    /// Brings a value to the end that fits and that nobody else holds, if one of the oldest does.
    fn unused(&mut self, fits: impl Fn(&T) -> bool) -> Option<&mut T> {
        let is_found = (0..LOOKED_AT.min(self.0.len())).any(|_| {
            self.0.rotate_left(1);
            self.0.back_mut().and_then(Arc::get_mut).is_some_and(|value| fits(value))
        });
        self.0.back_mut().filter(|_| is_found).and_then(Arc::get_mut)
    }

    /// Puts a value at the end, of so many at most.
    fn push(&mut self, most: usize, value: Arc<T>) {
        if self.0.len() == most {
            self.0.pop_front();
        }
        self.0.push_back(value);
    }

    /// The value at the end.
    fn last(&self) -> Arc<T> {
        self.0[self.0.len() - 1].clone()
    }
}

impl<T> Recycled<T> {
    /// Shares a value.
    pub fn share(&mut self, value: T) -> Arc<T> {
        match self.unused(|_| true) {
            Some(place) => *place = value,
            None => self.push(MOST, Arc::new(value)),
        }
        self.last()
    }

    /// Shares a copy of a large value.
    pub fn share_copy(&mut self, value: &T) -> Arc<T>
    where
        T: Clone,
    {
        match self.unused(|_| true) {
            Some(place) => place.clone_from(value),
            None => self.push(MOST, Arc::new(value.clone())),
        }
        self.last()
    }
}

impl<T> Recycled<[T]> {
    /// Shares a list.
    pub fn share_list(&mut self, items: impl ExactSizeIterator<Item = T>) -> Arc<[T]> {
        let length = items.len();
        match self.unused(|list| list.len() == length) {
            Some(list) => list.iter_mut().zip(items).for_each(|(place, item)| *place = item),
            None => self.push(MOST_LISTS, items.collect()),
        }
        self.last()
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
        let held: Vec<_> = (0..MOST + 1).map(|value| recycled.share(value)).collect();
        assert!(held.iter().enumerate().all(|(i, value)| **value == i));
        assert_eq!(recycled.0.len(), MOST);
    }
}
