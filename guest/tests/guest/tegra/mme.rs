//! Macros of the Tegra X1: decoding, text and back, random programs.

use std::collections::BTreeSet;

use serde_json::Value;
use triglyph_guest::tegra::mme::isa::*;
use triglyph_guest::tegra::mme::random::{self, Options};
use triglyph_guest::tegra::mme::{assemble_program, disassemble_program};
use triglyph_testkit::data::json;
use triglyph_testkit::random::words;

use crate::assert_errors;

/// The documented programs: names and words.
fn programs() -> Vec<(String, Vec<u32>)> {
    let json = json("tegra/vectors/macro.json");
    let word = |word: &Value| {
        let digits = word.as_str().and_then(|text| text.strip_prefix("0x")).expect("a hexadecimal number");
        u32::from_str_radix(digits, 16).expect("a number")
    };
    let program = |vector: &Value| {
        let code = vector["code"].as_array().expect("a list").iter().map(word).collect();
        (vector["name"].as_str().expect("a name").to_owned(), code)
    };
    json["vectors"].as_array().expect("a list").iter().map(program).collect()
}

#[test]
fn documented_programs_are_known_and_round_trip() {
    let programs = programs();
    assert_eq!(programs.len(), 18);
    for (name, code) in programs {
        assert!(code.iter().all(|&word| decode(word).is_some()), "{name}");
        let listing = disassemble_program(&code);
        assert!(!listing.contains(".word"), "{name}\n{listing}");
        assert_eq!(assemble_program(&listing).as_ref(), Ok(&code), "{name}\n{listing}");
    }
}

#[test]
fn documented_programs_read_as_documented() {
    let listing = |wanted: &str| {
        let (_, code) = programs().into_iter().find(|(name, _)| name == wanted).expect("the program is there");
        disassemble_program(&code).lines().map(|line| line.trim().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(
        listing("loop_exit_branch"),
        [
            "addi.fetch r3, r0, 0x0",
            "addi r2, r0, 0x0",
            "addi.addr r0, r0, 0x1620",
            "L3:",
            "addi r1, r1, -0x1",
            "extract.send r0, r2, r3, 1, 0",
            "bnz.exit r1, L3",
            "addi r2, r2, 0x1",
        ]
    );
    assert_eq!(
        listing("assign_modes"),
        [
            "addi.addr_send_high r0, r0, 0x585",
            "addi.addr_send_high r3, r0, 0x194b2",
            "addi.addr_fetch_send r4, r0, 0x35d",
            "addi.fetch_addr r5, r0, 0x8360",
            "addi.send r0, r5, 0x0",
            "addi.fetch_send r6, r5, 0x1",
            "addi.send.exit r0, r6, 0x0",
            "addi.send r0, r0, 0x0",
        ]
    );
    assert_eq!(
        listing("extract_shift")[2..],
        ["extract.send r0, r1, r2, 8, 4", "deposit.send.exit r0, r1, r2, 4, 8", "xor.send r0, r1, r2"]
    );
    assert_eq!(listing("extract_insert")[2], "insert.send r0, r1, r2, 8, 12, 4");
    assert_eq!(listing("annul_branch")[..4], ["bz.annul r1, L3", "addi r2, r0, 0x7777", "addi r3, r0, 0x1111", "L3:"]);
}

#[test]
fn every_word_decodes_by_operation_and_function() {
    let alu = ["add", "adc", "sub", "sbb", "", "", "", "", "xor", "or", "and", "andn", "nand"];
    let mut rng = words(1);
    for _ in 0..20_000 {
        let word = rng();
        let expected = match word & 7 {
            0 => alu.get((word >> 17 & 0x1F) as usize).copied().unwrap_or(""),
            1 => "addi",
            2 => "insert",
            3 => "extract",
            4 => "deposit",
            5 => "read",
            7 if word & 0x10 == 0 => "bz",
            7 => "bnz",
            _ => "",
        };
        assert_eq!(decode(word).map_or("", |op| op.info().name), expected, "{word:#010x}");
    }
}

#[test]
fn every_row_decodes_to_itself_and_goes_through_text() {
    let mut rng = words(2);
    for op in Op::all() {
        assert!(!op.info().doc.is_empty());
        for _ in 0..500 {
            let word = random_word(op, &mut rng);
            assert_eq!(decode(word), Some(op));
            let canonical = canonical(word).expect("the row is known");
            assert_eq!(word ^ canonical, word & op.info().pattern.ignored() as u32 & !canonical, "{word:#010x}");
            let text = disassemble(word);
            assert_eq!(assemble(&text), Ok(canonical), "{text}");
        }
    }
}

#[test]
fn errors_name_their_line() {
    assert_errors(
        assemble_program,
        &[
            ("addi r1, r0, 1\n frob r1", "line 2, column 2: unknown instruction `frob`"),
            ("a: add r1, r2, r3\na:", "line 2, column 1: label `a` is defined twice"),
            ("bz r1, there", "line 1, column 8: unknown label `there`"),
            ("add r8, r1, r2", "line 1, column 6: a register 8 is beyond 7"),
            (
                "add.bogus r1, r1, r2",
                "line 1, column 5: expected an assignment, annul or exit, found `bogus r1, r1, r2`",
            ),
            ("addi r1, r0, 0x20000", "line 1, column 1: operand value 131072 does not fit field 'i' of 18 bits"),
        ],
    );
    assert_eq!(assemble_program("addi r1, r0, -0x20000"), Ok(vec![0x8000_0111]));
}

#[test]
fn random_programs_round_trip_and_contain_every_row() {
    let mut rng = words(3);
    let mut seen = BTreeSet::new();
    for round in 0..400 {
        let options = Options { length: 1 + round % 150, flow: round % 5 != 0, ragged: round % 3 == 0 };
        let code = random::program(&mut rng, options);
        let listing = disassemble_program(&code);
        assert_eq!(assemble_program(&listing).as_ref(), Ok(&code), "{listing}");
        if !options.ragged {
            seen.extend(code.iter().filter_map(|&word| decode(word)));
        }
    }
    assert_eq!(seen.len(), Op::all().len());
}

/// Control flow alone, with random branch decisions except for the loop counter; panics where a structured program
/// must not get to.
fn assert_ends(code: &[u32], rng: &mut impl FnMut() -> u32) {
    let mut counter = 0;
    let mut at = 0;
    for _ in 0..100_000 {
        let word = code[at];
        let op = decode(word).expect("no unknown words");
        let mut exit = exits(word);
        if is_branch(word) {
            let slot = code[at + 1];
            assert!(!is_branch(slot), "a branch in a delay slot at {at}");
            let taken = match (op, word >> 11 & 7) {
                (Op::bnz, 7) => counter != 0,
                (Op::bz, 7) => counter == 0,
                _ => rng() & 1 != 0,
            };
            if taken {
                at = (at as i64 + i64::from(branch_offset(word))) as usize;
                continue;
            }
        } else if word >> 8 & 7 == 7 {
            assert_eq!(op, Op::addi, "only loops write r7");
            let value = word as i32 >> 14;
            counter = if word >> 11 & 7 == 0 { value } else { counter + value };
        }
        exit &= at + 1 < code.len();
        if exit {
            assert!(!is_branch(code[at + 1]), "a branch in the delay slot of an exit");
            return;
        }
        at += 1;
    }
    panic!("the program does not end\n{}", disassemble_program(code));
}

#[test]
fn structured_programs_end() {
    let mut rng = words(4);
    for round in 0..2000 {
        let options = Options { length: 1 + round % 200, ..Options::default() };
        let code = random::program(&mut rng, options);
        assert!(code.len() < options.length + 64);
        for _ in 0..4 {
            assert_ends(&code, &mut rng);
        }
    }
}
