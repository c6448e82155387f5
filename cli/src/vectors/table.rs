//! Tables of text: printing and reading.

use std::fmt;

/// Bits of four components; `None` is any NaN.
pub type Words = [Option<u32>; 4];

/// A table of an instruction set.
#[derive(Debug, Default)]
pub struct Table {
    /// The name of the set.
    pub set: String,
    /// Its programs.
    pub blocks: Vec<Block>,
}

/// A program and what it gives.
#[derive(Debug, Default)]
pub struct Block {
    /// The program, on one line; names it.
    pub text: String,
    /// Its words as the console takes them.
    pub code: Vec<u32>,
    /// Operands and results.
    pub rows: Vec<Row>,
}

/// A row.
#[derive(Debug)]
pub struct Row {
    /// Registers that the program reads.
    pub operands: Vec<Words>,
    /// The register that it writes.
    pub result: Words,
}

/// The first line.
const HEADER: &str = "triglyph vectors 1";

impl Table {
    /// Reads a table. Empty lines, and what follows a `#`, count for nothing.
    pub fn parse(text: &str) -> Result<Table, String> {
        let mut lines = text.lines().enumerate().filter_map(|(i, line)| {
            let line = line.split('#').next().unwrap_or_default().trim();
            (!line.is_empty()).then_some((i + 1, line))
        });
        match lines.next() {
            Some((_, HEADER)) => {}
            _ => return Err(format!("does not begin with `{HEADER}`")),
        }
        let mut table = Table::default();
        for (number, line) in lines {
            let fail = |what: &str| format!("line {number}: {what}: {line}");
            let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
            match (word, table.blocks.last_mut()) {
                ("set", None) => table.set = rest.trim().to_owned(),
                ("program", _) => table.blocks.push(Block { text: rest.trim().to_owned(), ..Block::default() }),
                ("code", Some(block)) => {
                    let words = rest.split_whitespace().map(|word| u32::from_str_radix(word, 16));
                    block.code = words.collect::<Result<_, _>>().map_err(|_| fail("words of 8 digits"))?;
                }
                (_, Some(block)) => block.rows.push(Row::parse(line).ok_or_else(|| fail("`OPERANDS = RESULT`"))?),
                (_, None) => return Err(fail("a row before its program")),
            }
        }
        Ok(table)
    }

    /// The row of a program with these operands.
    pub fn find(&self, text: &str, operands: &[Words]) -> Option<&Row> {
        let block = self.blocks.iter().find(|block| block.text == text)?;
        block.rows.iter().find(|row| row.operands == operands)
    }

    /// Number of rows.
    pub fn rows(&self) -> u64 {
        self.blocks.iter().map(|block| block.rows.len() as u64).sum()
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{HEADER}\nset {}", self.set)?;
        for block in &self.blocks {
            write!(f, "\nprogram {}\ncode", block.text)?;
            block.code.iter().try_for_each(|word| write!(f, " {word:08x}"))?;
            writeln!(f)?;
            for row in &block.rows {
                writeln!(f, "{} = {}", row.shown_operands(), row.shown_result())?;
            }
        }
        Ok(())
    }
}

impl Row {
    fn parse(line: &str) -> Option<Row> {
        let (operands, result) = line.split_once('=')?;
        let operands = operands.trim();
        let operands = match operands.is_empty() {
            true => Vec::new(),
            false => operands.split('/').map(words).collect::<Option<_>>()?,
        };
        Some(Row { operands, result: words(result)? })
    }

    /// The operands as they are printed.
    pub fn shown_operands(&self) -> String {
        self.operands.iter().map(|words| shown(*words)).collect::<Vec<_>>().join(" / ")
    }

    /// The result as it is printed.
    pub fn shown_result(&self) -> String {
        shown(self.result)
    }

    /// Whether a row of a log has the same result: to the bit, but where `nan` is written.
    pub fn same_result(&self, log: &Row) -> bool {
        let is_nan = |bits: Option<u32>| bits.is_none_or(|bits| f32::from_bits(bits).is_nan());
        self.result.iter().zip(&log.result).all(|(ours, log)| match (ours, log) {
            (Some(ours), Some(log)) => ours == log,
            (ours, log) => is_nan(*ours) && is_nan(*log),
        })
    }
}

fn words(text: &str) -> Option<Words> {
    let words = text.split_whitespace().map(|word| match word {
        "nan" => Some(None),
        word if word.len() == 8 => u32::from_str_radix(word, 16).ok().map(Some),
        _ => None,
    });
    words.collect::<Option<Vec<_>>>()?.try_into().ok()
}

/// The first four floats of a record; which NaN it holds is not said.
pub fn words_of(record: &[f32]) -> Words {
    [0, 1, 2, 3].map(|i| (!record[i].is_nan()).then(|| record[i].to_bits()))
}

fn shown(words: Words) -> String {
    words.map(|word| word.map_or_else(|| "nan".to_owned(), |word| format!("{word:08x}"))).join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_come_back_from_their_text() {
        let row = Row { operands: vec![[Some(1); 4], [Some(0x7F80_0000); 4]], result: [None, Some(2), None, Some(3)] };
        let block = Block { text: "add r0, r1, r2".to_owned(), code: vec![1, 0xFFFF_FFFF], rows: vec![row] };
        let text = Table { set: "some".to_owned(), blocks: vec![block] }.to_string();
        let again = Table::parse(&text).expect("a table");
        assert_eq!(again.to_string(), text);
        assert!(Table::parse("set some").is_err());
        assert!(Table::parse(&format!("{HEADER}\n0 = 1")).is_err());
        assert!(Table::parse(&format!("{HEADER}\nprogram a\n0 = 1")).is_err());
    }

    #[test]
    fn any_nan_is_nan_but_bits_are_bits() {
        let row = |result| Row { operands: Vec::new(), result };
        let same = |a, b| row([a; 4]).same_result(&row([b; 4]));
        assert!(same(None, Some(0x7FC0_0000)) && same(Some(0xFFFF_FFFF), None) && same(Some(1), Some(1)));
        assert!(!same(None, Some(0x7F80_0000)) && !same(Some(0x7FC0_0000), Some(0x7FFF_FFFF)));
    }
}
