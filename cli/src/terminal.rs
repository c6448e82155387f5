//! Text on terminals.
//!
//! Output contains strings of files: labels, names, faults, paths. A terminal executes control characters, and
//! shows text in another order where a character says so. Everything that is printed goes through here.

use std::borrow::Cow;
use std::fmt::Write;

/// Whether a terminal may do something else than showing the character: C0 and C1 controls but the tabulator, line and
/// paragraph separators, what changes the direction of text, and what has no width.
fn is_control(c: char) -> bool {
    let turns = matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    c != '\t' && c.is_control() || turns || is_invisible(c) || matches!(c, '\u{2028}' | '\u{2029}')
}

/// Whether a character has no width: names that look alike may differ by it, and tags hide whole texts.
fn is_invisible(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{34f}' | '\u{180e}' | '\u{200b}'..='\u{200d}' | '\u{2060}'..='\u{2064}' | '\u{feff}')
        || matches!(c, '\u{206a}'..='\u{206f}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}')
}

/// A line with all control characters escaped as in Rust: `\n`, `\u{1b}`.
pub fn line(text: &str) -> Cow<'_, str> {
    escaped(text, |line, c| line.extend(c.escape_default()))
}

/// JSON with the control characters that JSON allows in strings escaped as it wants them.
pub fn json(text: &str) -> Cow<'_, str> {
    escaped(text, |line, c| {
        for unit in c.encode_utf16(&mut [0; 2]) {
            // Strings take any text.
            let _ = write!(line, "\\u{unit:04x}");
        }
    })
}

fn escaped(text: &str, escape: impl Fn(&mut String, char)) -> Cow<'_, str> {
    if !text.contains(is_control) {
        return text.into();
    }
    let mut line = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if is_control(c) { escape(&mut line, c) } else { line.push(c) }
    }
    line.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_shown() {
        assert_eq!(line("plain\ttext, größer \u{1f600}"), "plain\ttext, größer \u{1f600}");
        assert_eq!(line("a\u{200b}b\u{feff}c\u{e0041}\u{2060}d"), r"a\u{200b}b\u{feff}c\u{e0041}\u{2060}d");
        assert_eq!(line("a\x1b[2Jb\r\nc\x7f\u{9b}31m\u{202e}"), r"a\u{1b}[2Jb\r\nc\u{7f}\u{9b}31m\u{202e}");
    }

    #[test]
    fn json_stays_what_it_was() {
        let text = "\x1b[31m\u{9b}2J\u{7f}\u{202e}\u{2028}\u{200d}\u{e0041}";
        let made = serde_json::to_string(text).unwrap();
        let escaped = json(&made);
        assert!(!escaped.contains(is_control), "{escaped}");
        assert_eq!(serde_json::from_str::<String>(&escaped).unwrap(), text);
    }
}
