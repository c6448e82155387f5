//! How scenes are drawn, whatever draws them.

use std::fmt::{self, Display};
use std::str::FromStr;

/// A picture's size in pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    pub width: u32,
    pub height: u32,
}

impl FromStr for Size {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let edge = |text: &str| text.parse().ok().filter(|edge| (1..=4096).contains(edge));
        let edges = text.split_once('x').and_then(|(width, height)| Some((edge(width)?, edge(height)?)));
        let (width, height) = edges.ok_or("width and height from 1 to 4096, as in 320x240")?;
        Ok(Self { width, height })
    }
}

/// How scenes are drawn, whatever draws them.
#[derive(Clone, Copy, Debug)]
pub struct Configuration {
    pub size: Size,
    pub threads: usize,
}

impl Configuration {
    pub fn threads_in_words(&self) -> String {
        match self.threads {
            1 => "one thread".into(),
            2 => "two threads".into(),
            threads => format!("{threads} threads"),
        }
    }
}

impl Display for Configuration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Size { width, height } = self.size;
        write!(f, "{width}x{height}, {}", self.threads_in_words())
    }
}
