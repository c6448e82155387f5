//! Files of any bytes as captures: an error, or a capture that both tiers play alike.
#![no_main]

use libfuzzer_sys::fuzz_target;
use triglyph_fuzz::oracle::Allowed;
use triglyph_fuzz::{Oracle, Verdict};

fuzz_target!(|input: &[u8]| {
    if let Verdict::Fails(what) = Oracle::Tiers.check(input, 1, Allowed::default()).verdict {
        eprintln!("{what}");
        std::process::abort()
    }
});
