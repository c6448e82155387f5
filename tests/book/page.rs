//! A page of the book, taken apart: prose, headings, links, quoted names, fenced blocks.

/// A page in Markdown.
#[derive(Debug, Default)]
pub struct Page {
    /// Paragraphs and items of lists, without tables, headings and fenced blocks.
    pub paragraphs: Vec<String>,
    /// The lines outside of fenced blocks.
    pub lines: Vec<String>,
    /// Anchors of headings.
    pub anchors: Vec<String>,
    /// Targets of links and pictures.
    pub links: Vec<String>,
    /// What is between backticks.
    pub quoted: Vec<String>,
    /// Lines of fenced blocks.
    pub fenced: Vec<String>,
}

impl Page {
    /// Takes the text of a page apart.
    pub fn of(text: &str) -> Page {
        let mut page = Page::default();
        let mut paragraph = String::new();
        let mut in_fence = false;
        for line in text.lines() {
            let trimmed = line.trim();
            if trimmed.starts_with("```") {
                in_fence = !in_fence;
                page.end(&mut paragraph);
                continue;
            }
            if in_fence {
                page.fenced.push(line.to_owned());
                continue;
            }
            page.lines.push(line.to_owned());
            if let Some(heading) = trimmed.strip_prefix('#') {
                let anchor = anchor(heading.trim_start_matches('#').trim());
                let same = page.anchors.iter().filter(|known| **known == anchor).count();
                page.anchors.push(if same == 0 { anchor } else { format!("{anchor}-{same}") });
            }
            let item = item(trimmed);
            if trimmed.is_empty() || trimmed.starts_with(['#', '|']) || item.is_some() {
                page.end(&mut paragraph);
            }
            if !trimmed.starts_with(['#', '|']) {
                paragraph += item.unwrap_or(trimmed);
                paragraph.push(' ');
            }
        }
        page.end(&mut paragraph);
        let prose = page.lines.join("\n");
        page.links = links(&prose);
        page.quoted = prose.split('`').skip(1).step_by(2).map(|name| name.replace('\n', " ")).collect();
        page
    }

    fn end(&mut self, paragraph: &mut String) {
        let text = std::mem::take(paragraph);
        if !text.trim().is_empty() {
            self.paragraphs.push(text.trim().to_owned());
        }
    }

    /// Words of an average sentence; 0 without any.
    pub fn words_of_a_sentence(&self) -> f64 {
        let sentences: Vec<usize> = self.paragraphs.iter().flat_map(|text| sentences(text)).collect();
        if sentences.is_empty() { 0.0 } else { sentences.iter().sum::<usize>() as f64 / sentences.len() as f64 }
    }
}

/// The text of an item of a list.
fn item(line: &str) -> Option<&str> {
    let bullet = line.strip_prefix("* ").or_else(|| line.strip_prefix("- "));
    bullet.or_else(|| line.split_once(". ").filter(|(number, _)| number.parse::<u32>().is_ok()).map(|(_, text)| text))
}

/// Words of each sentence. A sentence ends with a full stop, a question or an exclamation mark before a space.
fn sentences(paragraph: &str) -> Vec<usize> {
    let (mut found, mut words) = (Vec::new(), 0);
    for word in paragraph.split_whitespace() {
        words += usize::from(word.contains(char::is_alphanumeric));
        let end = word.trim_end_matches([')', '*', '"', '`']);
        if end.ends_with(['.', '!', '?']) && words > 0 {
            found.push(words);
            words = 0;
        }
    }
    found.extend((words > 0).then_some(words));
    found
}

/// The anchor of a heading, as mdBook and forges make it.
fn anchor(heading: &str) -> String {
    let kept = heading.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.map(|c| if c == ' ' { '-' } else { c.to_ascii_lowercase() }).collect()
}

/// Targets of `[text](target)` outside of backticks.
fn links(prose: &str) -> Vec<String> {
    let plain: String = prose.split('`').enumerate().map(|(n, part)| if n % 2 == 0 { part } else { "`" }).collect();
    let targets = plain.split("](").skip(1).filter_map(|rest| rest.split_once(')'));
    targets.map(|(target, _)| target.trim().to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_taken_apart() {
        let page = Page::of(
            "# A title: of `it`\n\nOne sentence. Another\none, with [a link](b.md#c).\n\n* An item `x_y`.\n\n\
             | a | [row](d.md) |\n\n```sh\n$ not [a link](e)\n```\n## Twice\n## Twice\n",
        );
        assert_eq!(page.anchors, ["a-title-of-it", "twice", "twice-1"]);
        assert_eq!(page.links, ["b.md#c", "d.md"]);
        assert_eq!(page.quoted, ["it", "x_y"]);
        assert_eq!(page.paragraphs, ["One sentence. Another one, with [a link](b.md#c).", "An item `x_y`."]);
        assert_eq!(page.fenced, ["$ not [a link](e)"]);
    }

    #[test]
    fn sentences_are_counted() {
        assert_eq!(sentences("One two three. Four (five.) Six `a.b` seven"), [3, 2, 3]);
        assert_eq!(Page::of("One two. Three four five six.\n").words_of_a_sentence(), 3.0);
        assert_eq!(Page::of("").words_of_a_sentence(), 0.0);
    }
}
