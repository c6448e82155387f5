//! Does what `docs/internals/add-an-opcode.md` says, in a copy of the three crates: the rows of the page lead to the
//! errors that it promises and to no other, and with the methods of the page everything compiles.

use triglyph_testkit::scratch::{Insertion, Page, Scratch, errors};

const CRATES: [&str; 3] = ["guest", "fallback-interp", "jit"];

fn check(insertions: &[&Insertion]) -> Result<(), String> {
    let scratch = Scratch::new(env!("CARGO_TARGET_TMPDIR"), "add-an-opcode", &CRATES, insertions);
    scratch.check(&["triglyph-interp", "triglyph-jit"])
}

#[test]
fn the_page_leads_to_an_opcode() {
    let page = Page::read("docs/internals/add-an-opcode.md");
    let (rows, methods): (Vec<_>, Vec<_>) = page.insertions.iter().partition(|row| row.file.starts_with("guest/"));
    assert_eq!((rows.len(), methods.len(), page.errors.len()), (3, 6, 6));

    let text = check(&rows).expect_err("methods are missing");
    assert_eq!(errors(&text), page.errors, "{text}");

    if let Err(text) = check(&[rows, methods].concat()) {
        panic!("with the methods of the page the crates do not compile:\n{text}");
    }
}
