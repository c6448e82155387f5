//! The shader instruction table of the Tegra X1: encodings and fields against the lists, documented words, text and
//! back.

use std::collections::BTreeMap;

use serde_json::Value;
use triglyph_guest::table::OpInfo;
use triglyph_guest::tegra::shader::isa::{ALL, Op, canonical, decode, form, random_word};
use triglyph_guest::tegra::shader::{assemble, disassemble};
use triglyph_testkit::data::{columns, json, text_of};
use triglyph_testkit::random::words;

use crate::assert_errors;

/// An encoding of the list.
struct Encoding {
    mnemonic: String,
    variant: String,
    mask: u64,
    value: u64,
}

fn hex(text: &str) -> u64 {
    u64::from_str_radix(text.trim_start_matches("0x"), 16).expect("a hexadecimal number")
}

fn encodings() -> Vec<Encoding> {
    let line = |line: &str| {
        let columns = columns(line);
        let [mnemonic, variant, mask, value, ..] = &columns[..] else { panic!("{line}") };
        Encoding { mnemonic: mnemonic.clone(), variant: variant.clone(), mask: hex(mask), value: hex(value) }
    };
    text_of("tegra/shader/isa-opcodes.csv").lines().skip(1).map(line).collect()
}

/// Dot products of bytes came with a later generation.
fn is_later(encoding: &Encoding) -> bool {
    encoding.mnemonic == "IDP"
}

/// What an encoding is called here.
fn our_name(encoding: &Encoding) -> String {
    match (encoding.mnemonic.as_str(), encoding.variant.as_str()) {
        ("LDG (pred)", _) => "ldg_p".to_owned(),
        ("CCTLT", "texture cache, reg") => "cctlt_reg".to_owned(),
        ("TEXS.F16" | "TLDS.F16" | "TLD4S.F16", _) => encoding.mnemonic.replace(".F16", "").to_lowercase(),
        (mnemonic, _) => mnemonic.to_lowercase().replace('.', "_"),
    }
}

fn random_u64(rng: &mut impl FnMut() -> u32) -> u64 {
    u64::from(rng()) << 32 | u64::from(rng())
}

#[test]
fn every_listed_encoding_decodes_to_its_row() {
    let mut rng = words(1);
    let encodings = encodings();
    assert_eq!(encodings.len(), 296);
    for encoding in encodings {
        for _ in 0..300 {
            let word = encoding.value | random_u64(&mut rng) & !encoding.mask;
            let found = form(word).map(|form| form.name.to_owned());
            let expected = (!is_later(&encoding)).then(|| our_name(&encoding));
            assert_eq!(found, expected, "{word:#018x} {} {}", encoding.mnemonic, encoding.variant);
        }
    }
}

#[test]
fn nothing_else_decodes() {
    let mut rng = words(2);
    let encodings = encodings();
    for top in 0..1u64 << 16 {
        let listed = |word: u64| {
            let mut found = encodings.iter().filter(|e| !is_later(e));
            found.any(|encoding| word & encoding.mask == encoding.value)
        };
        for rest in [0, (1 << 48) - 1, random_u64(&mut rng) >> 16] {
            let word = top << 48 | rest;
            assert_eq!(decode(word).is_some(), listed(word), "{word:#018x}");
        }
    }
}

#[test]
fn rows_are_special_cases_of_none() {
    for (i, a) in ALL.iter().enumerate() {
        for b in &ALL[i + 1..] {
            assert!(!a.pattern.overlaps(&b.pattern), "{} and {}", a.name, b.name);
        }
    }
}

/// The forms of an encoding here.
fn forms_of(encoding: &Encoding) -> Vec<&'static OpInfo> {
    let matches = |form: &&OpInfo| {
        let common = form.pattern.mask & encoding.mask;
        (form.pattern.value ^ encoding.value) & common == 0
    };
    let forms: Vec<_> = ALL.iter().filter(matches).collect();
    assert!(forms.iter().all(|form| form.name == our_name(encoding)), "{}", encoding.mnemonic);
    forms
}

/// Fields that are no operands here: choices that are forms of their own, and what the lists disagree on.
fn is_no_operand(mnemonic: &str, field: &str) -> bool {
    match field {
        "b_is_reg" | "cbuf" | "imm_index" | "imm_mask" | "id_is_imm" | "count_is_imm" => true,
        "Ra" => mnemonic == "JMP",
        "op" => mnemonic == "SUATOM.D.CAS",
        "handle_index" => mnemonic == "CCTLT",
        _ => false,
    }
}

#[test]
fn every_listed_field_has_its_letter() {
    let encodings = encodings();
    let mut letters: BTreeMap<(String, String), u8> = BTreeMap::new();
    let mut count = 0;
    for line in text_of("tegra/shader/isa-fields.csv").lines().skip(1) {
        let columns = columns(line);
        let [mnemonic, variant, field, lo, hi] = &columns[..] else { panic!("{line}") };
        let encoding = encodings.iter().find(|e| e.mnemonic == *mnemonic && e.variant == *variant);
        let encoding = encoding.unwrap_or_else(|| panic!("{mnemonic} {variant}"));
        if is_later(encoding) || is_no_operand(mnemonic, field) {
            continue;
        }
        let (lo, hi): (u32, u32) = (lo.parse().expect("a bit"), hi.parse().expect("a bit"));
        let bits = u64::MAX >> (63 - hi + lo) << lo;
        let letter = |form: &&OpInfo| (b'a'..=b'z').find(|&letter| form.pattern.field(letter) & bits == bits);
        let found = forms_of(encoding).iter().find_map(letter);
        let found = found.unwrap_or_else(|| panic!("{mnemonic} {variant} {field}"));
        count += 1;
        // The form decides about the position of an operand, but not about the name of a modifier.
        if field.starts_with("cb_") || field.starts_with("R") || field.starts_with("imm") || field.starts_with("swz") {
            continue;
        }
        let name = forms_of(encoding)[0].name.to_owned();
        assert_eq!(*letters.entry((name, field.clone())).or_insert(found), found, "{mnemonic} {variant} {field}");
    }
    assert!(count > 2800);
}

#[test]
fn guards_are_where_the_list_has_them() {
    let guarded = |line: &str| {
        let columns = columns(line);
        (hex(&columns[2]), hex(&columns[3]), columns[6] == "yes", columns[0].clone())
    };
    for (mask, value, guard, name) in text_of("tegra/shader/isa-opcodes.csv").lines().skip(1).map(guarded) {
        if name == "IDP" {
            continue;
        }
        let form = form(value | 0xF << 16 & !mask).unwrap_or_else(|| panic!("{name}"));
        assert_eq!(form.pattern.field(b'g'), if guard { 0xF << 16 } else { 0 }, "{name}");
    }
}

fn vectors() -> Vec<(u64, Value)> {
    let json = json("tegra/vectors/isa.json");
    let list = json["vectors"].as_array().expect("a list").clone();
    list.into_iter().map(|vector| (hex(vector["word"].as_str().expect("a word")), vector)).collect()
}

#[test]
fn documented_words_read_and_write_as_listed() {
    let listing = text_of("tegra/shader/listing.txt");
    let vectors = vectors();
    assert_eq!((vectors.len(), listing.lines().count()), (252, 252));
    for ((word, vector), line) in vectors.iter().zip(listing.lines()) {
        let (listed, text) = line.split_once(' ').expect("a word and its text");
        assert_eq!(hex(listed), *word);
        assert_eq!(disassemble(*word), text, "{}", vector["text"]);
        let again = assemble(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!(Some(again & !0xF_0000), canonical(*word).map(|word| word & !0xF_0000), "{text}");
        assert_eq!(disassemble(again), text);
    }
}

#[test]
fn documented_words_have_the_documented_operation() {
    for (word, vector) in vectors() {
        let (mnemonic, variant) = (vector["mnemonic"].as_str().unwrap(), vector["variant"].as_str().unwrap());
        let encodings = encodings();
        let encoding = encodings.iter().find(|e| e.mnemonic == mnemonic && e.variant == variant).expect("it is listed");
        assert_eq!(form(word).map(|form| form.name), Some(our_name(encoding).as_str()), "{}", vector["text"]);
    }
}

#[test]
fn every_operation_goes_through_text() {
    let mut rng = words(3);
    assert_eq!(Op::all().len(), 152);
    for op in Op::all() {
        assert!(!op.info().doc.trim().is_empty());
        assert_eq!(Op::named(op.info().name), Some(op));
        for _ in 0..400 {
            let word = random_word(op, &mut rng);
            assert_eq!(decode(word), Some(op));
            let canonical = canonical(word).unwrap_or_else(|| panic!("{word:#018x}"));
            let form = form(word).expect("the row is known");
            assert_eq!(word ^ canonical, word & form.pattern.ignored(), "{word:#018x} {}", form.name);
            let text = disassemble(word);
            let again = assemble(&text).unwrap_or_else(|error| panic!("{text}: {error}"));
            assert_eq!(again, canonical, "{text}");
        }
    }
}

#[test]
fn errors_say_what_is_wrong() {
    assert_errors(
        assemble,
        &[
            ("frob r0", "unknown instruction `frob`"),
            ("fadd r0, r1", "expected ,, found ``"),
            ("fadd r255, r1, r2", "expected a register, r0 to r254 or rz, found `r255, r1, r2`"),
            ("fadd r0, r1, 0x3f800001", "operand value 1065353217 does not fit field 'i' of 20 bits"),
            ("ffma32i r0, r1, 0x3f800001, r2", "operand value 2 does not fit field 'c' of 0 bits"),
            ("@p0 ssy +0x8", "this instruction has no guard"),
            ("@p8 exit", "expected a predicate, p0 to p6 or pt, found `p8 exit`"),
            ("isetp.and p0, pt, r0, r1, pt", "expected a modifier: IntCompare, found `.and p0, pt, r0, r1, pt`"),
            ("bra there", "unknown label `there`"),
            ("shl r0, r1, c[0][0x2]", "operand value 2 does not fit field 'w' of 14 bits"),
            ("tex.d2 r0, r0, rz, bindless, 0xf, pt", "operand value 0 does not fit field 'h' of 13 bits"),
        ],
    );
}

/// Codes of the types of image atomics, in which S64 comes last: at bit 20 of SURED, bit 36 of SUATOM. SURED has its
/// operation at bit 24.
#[test]
fn image_atomics_have_their_types() {
    let (sured, suatom) = (0xEB48_0006_0007_0102, 0xEA78_0006_0007_0102u64);
    for (code, name) in (0u64..).zip(["u32", "s32", "u64", "f32", "f16x2", "s64"]) {
        let text = disassemble(sured | code << 20 | 2 << 24);
        assert!(text.starts_with(&format!("sured_p.d2.{name}.max")), "{code}: {text}");
        let text = disassemble(suatom | code << 36);
        assert!(text.starts_with("suatom") && text.contains(&format!(".{name}.")), "{code}: {text}");
    }
}

#[test]
fn immediates_are_what_the_unit_sees() {
    assert_eq!(disassemble(0x3958_003F_8007_0100), "fadd r0, r1, 0xbf800000");
    assert_eq!(assemble("iadd r0, r1, 0xfff80000").map(disassemble).as_deref(), Ok("iadd r0, r1, 0xfff80000"));
    assert!(assemble("iadd r0, r1, 0x80000").is_err());
    assert_eq!(assemble("hadd2 r0, r1, 0xbc003c00").map(disassemble).as_deref(), Ok("hadd2 r0, r1, 0xbc003c00"));
    // Constants are f32 to halves, which needs no field.
    assert_eq!(assemble("hadd2 r0, r1, c[0][0x4]").map(disassemble).as_deref(), Ok("hadd2 r0, r1, c[0][0x4]"));
}
