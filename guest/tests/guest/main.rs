//! Tests of the tables and formats, one binary for all of them.
#![allow(missing_docs, reason = "test code, never published")]

mod assembly_page;
mod block_codecs;
mod calls;
mod image_blocks;
mod pica;
mod rsx;
mod tegra;

/// Checks what an assembler says of texts that are wrong.
fn assert_errors<T: std::fmt::Debug, E: std::fmt::Display>(
    assemble: impl Fn(&str) -> Result<T, E>,
    errors: &[(&str, &str)],
) {
    let found = errors.iter().map(|(text, _)| assemble(text).map_err(|error| error.to_string()).expect_err(text));
    let expected: Vec<&str> = errors.iter().map(|(_, error)| *error).collect();
    assert_eq!(found.collect::<Vec<_>>(), expected);
}
