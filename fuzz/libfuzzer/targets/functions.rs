//! Random functions for the code generators, which have to agree: four bytes of libFuzzer's input are one choice.
#![no_main]

use libfuzzer_sys::arbitrary::Unstructured;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    let mut input = Unstructured::new(input);
    // After the last byte come zeros, for which a function ends as soon as it can.
    if let Err(what) = triglyph_jit::check_random_function(|| input.arbitrary().unwrap_or(0)) {
        eprintln!("{what}");
        std::process::abort()
    }
});
