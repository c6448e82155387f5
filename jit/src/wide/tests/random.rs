//! Random functions: see [`random`](crate::wide::random).

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use cranelift_codegen::Context;
use cranelift_codegen::control::ControlPlane;
use cranelift_codegen::settings::{self, Flags};
use triglyph_testkit::number::setting;

use crate::wide::random::rows::{example, rows};
use crate::wide::random::{check_seed, is_possible, opcodes};

#[test]
fn random_functions_do_what_cranelift_does() {
    if !is_possible() {
        return;
    }
    let (first, count) = (setting("TRIGLYPH_SEED", 1), setting("TRIGLYPH_CASES", 2000));
    let mut refused: [BTreeMap<String, u64>; 2] = Default::default();
    let start = std::time::Instant::now();
    for seed in first..first + count {
        let outcome = check_seed(seed).unwrap_or_else(|what| panic!("seed {seed}: {what}"));
        for (why, refused) in [outcome.single, outcome.several].into_iter().zip(&mut refused) {
            if let Some(why) = why {
                *refused.entry(why).or_default() += 1;
            }
        }
    }
    println!("{count} functions in {:?}", start.elapsed());
    let refusals = refused.each_ref().map(|refused| refused.values().sum::<u64>());
    println!("one at a time: {} refused: {:#?}", refusals[0], refused[0]);
    println!("several at once: {} refused: {:#?}", refusals[1], refused[1]);
    // One that refuses everything does not pass.
    assert!(count < 100 || refusals[0] <= count / 50 && refusals[1] <= count / 4, "{refusals:?} of {count}");
}

#[test]
#[cfg_attr(not(target_arch = "x86_64"), ignore = "Cranelift lacks code for some comparisons of vectors")]
fn cranelift_has_code_for_what_is_known() {
    let isa = cranelift_native::builder().unwrap().finish(Flags::new(settings::builder())).unwrap();
    let mut without = Vec::new();
    for row in rows() {
        let mut context = Context::for_function(example(row).unwrap());
        if context.compile(&*isa, &mut ControlPlane::default()).is_err() {
            without.push(row);
        }
    }
    assert!(without.is_empty(), "{} of {}: {without:#?}", without.len(), rows().len());
}

/// The opcodes that the sources of the code generator name.
fn named_opcodes() -> BTreeSet<String> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/wide/select");
    let mut files: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.push(Path::new(folder).with_extension("rs"));
    let letters = |text: &str| text.chars().take_while(|c| c.is_alphanumeric()).collect::<String>();
    let mut named = BTreeSet::new();
    for file in files {
        for part in fs::read_to_string(file).unwrap().split("Opcode::").skip(1) {
            match part.strip_prefix('{').and_then(|list| list.split('}').next()) {
                Some(list) => named.extend(list.split(',').map(|name| letters(name.trim()))),
                None => named.extend([letters(part)]),
            }
        }
    }
    named
}

#[test]
fn every_opcode_that_is_known_is_generated() {
    let generated: BTreeSet<String> = (1..500).flat_map(opcodes).map(|opcode| format!("{opcode:?}")).collect();
    let named = named_opcodes();
    assert!(named.len() > 70 && named.contains("Imul") && named.contains("CallIndirect"), "{named:?}");
    let missing: Vec<&String> = named.difference(&generated).filter(|name| !name.is_empty()).collect();
    assert!(missing.is_empty(), "never generated: {missing:?}");
}
