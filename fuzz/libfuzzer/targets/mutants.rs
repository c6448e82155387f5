//! Mutants whose edits libFuzzer chooses: four bytes of its input are one choice.
#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::{Corpus, fuzz_target};
use triglyph_fuzz::mutate::Base;
use triglyph_fuzz::oracle::Allowed;
use triglyph_fuzz::{Case, Choices, Verdict, corpus};

static BASES: LazyLock<Vec<Base>> = LazyLock::new(|| corpus::bundled().expect("all machines"));

fuzz_target!(|input: &[u8]| -> Corpus {
    let mut choices = Choices::of_bytes(input);
    let Some(case) = Case::chosen(&BASES, 1, None, &mut choices) else { return Corpus::Reject };
    match case.check(Allowed::default()).verdict {
        Verdict::Holds => Corpus::Keep,
        Verdict::Skipped(_) => Corpus::Reject,
        Verdict::Fails(what) => {
            eprintln!("{} of {}: {what}", case.oracle.name(), case.base.name);
            case.edits.iter().for_each(|edit| eprintln!("  {edit}"));
            std::process::abort()
        }
    }
});
