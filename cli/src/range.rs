//! Ranges of numbers as the command line writes them.

use std::ops::Range;
use std::str::FromStr;

/// What the help of each option with a range says.
const RULE: &str = "A..B is A up to but not including B, A..=B includes B; without A it begins with the first, \
                    without B, or with one past the end, it ends with the last. The first is 0.";

/// The help of an option with a range: what the numbers count, and how ranges are written.
pub fn help(what: &str) -> String {
    format!("{what}. {RULE}")
}

/// `A..B`, `A..=B`, `A..`, `..B`, `..=B` or `..`: from A, or the beginning, up to B, or the end. B is in the range
/// after `=` only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NumberRange {
    start: usize,
    end: Option<usize>,
}

impl NumberRange {
    /// The numbers of this range below `length`. `None` where there are none.
    pub fn within(self, length: usize) -> Option<Range<usize>> {
        let range = self.start..self.end.unwrap_or(length).min(length);
        (!range.is_empty()).then_some(range)
    }
}

impl FromStr for NumberRange {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        const NEEDED: &str = "a range like 10..20, 10..=19, 10.. or ..20 is needed, with at least one number in it";
        let (start, end) = text.split_once("..").ok_or(NEEDED)?;
        let (end, is_inclusive) = end.strip_prefix('=').map_or((end, false), |end| (end, true));
        let number = |text: &str| match text {
            "" => Ok(None),
            digits => digits.parse::<usize>().map(Some).map_err(|_| NEEDED),
        };
        let (start, last) = (number(start)?.unwrap_or(0), number(end)?);
        let end = match (last, is_inclusive) {
            (None, true) => return Err(NEEDED),
            (Some(last), true) => Some(last.checked_add(1).ok_or(NEEDED)?),
            (end, false) => end,
        };
        match end.is_some_and(|end| end <= start) {
            true => Err(NEEDED),
            false => Ok(NumberRange { start, end }),
        }
    }
}

impl std::fmt::Display for NumberRange {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let end = self.end.map_or(String::new(), |end| end.to_string());
        write!(f, "{}..{end}", self.start)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_read_and_clipped() {
        let within = |text: &str| text.parse::<NumberRange>().map(|range| range.within(10));
        assert_eq!(within("2..5"), Ok(Some(2..5)));
        assert_eq!(within("8..20"), Ok(Some(8..10)));
        assert_eq!(within(".."), Ok(Some(0..10)));
        assert_eq!(within("10.."), Ok(None));
        assert_eq!(within("2..=5"), Ok(Some(2..6)));
        assert_eq!(within("..=0"), Ok(Some(0..1)));
        assert_eq!(within("5..=5"), Ok(Some(5..6)));
        let too_large = format!("0..={}", usize::MAX);
        for bad in ["", "5", "5..5", "6..5", "6..=5", "5..=", "..=", "a..b", "1..-2", &too_large] {
            assert!(within(bad).is_err(), "{bad}");
        }
    }
}
