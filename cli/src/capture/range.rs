//! Ranges of numbers as the command line writes them.

use std::ops::Range;
use std::str::FromStr;

/// `A..B`, `A..`, `..B` or `..`: from A, or the beginning, up to and without B, or the end.
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
        const NEEDED: &str = "a range like 10..20, 10.. or ..20 is needed, the first number below the second";
        let (start, end) = text.split_once("..").ok_or(NEEDED)?;
        let number = |text: &str| match text {
            "" => Ok(None),
            digits => digits.parse().map(Some).map_err(|_| NEEDED),
        };
        let (start, end) = (number(start)?.unwrap_or(0), number(end)?);
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
        for bad in ["", "5", "5..5", "6..5", "a..b", "1..-2"] {
            assert!(within(bad).is_err(), "{bad}");
        }
    }
}
