//! Does what `docs/internals/add-a-call.md` says, in a copy of the crates up to the C interface: the rows of the page
//! lead to the errors that it promises and to no other, and with the work of the page everything compiles, the
//! functions in C included.

use triglyph_testkit::scratch::{Insertion, Page, Scratch, errors};

const CRATES: [&str; 11] = [
    "",
    "guest",
    "fallback-interp",
    "jit",
    "engine",
    "options",
    "machines/n3ds",
    "machines/rsx",
    "machines/tegra",
    "capture",
    "capi",
];

/// What the copy's C interface has to have: functions of these types, of the rows of the page.
const FUNCTIONS: &str = "
mod added {
    use triglyph::{ChannelId, ContextHandle};

    use crate::error::triglyph_status;
    use crate::n3ds::triglyph_n3ds;
    use crate::pointer::Out;
    use crate::rsx::triglyph_rsx;
    use crate::tegra::{triglyph_tegra, triglyph_tegra_fence};

    type Idle = unsafe extern \"C\" fn(Option<&triglyph_n3ds>, u32, u32, Out<'_, u32>) -> triglyph_status;
    type Idled = unsafe extern \"C\" fn(
        Option<&triglyph_rsx>,
        ContextHandle,
        Out<'_, u64>,
        Out<'_, i64>,
    ) -> triglyph_status;
    type Reached = unsafe extern \"C\" fn(
        Option<&triglyph_tegra>,
        ChannelId,
        Option<&triglyph_tegra_fence>,
        Out<'_, bool>,
        Out<'_, u32>,
    ) -> triglyph_status;
    const _: Idle = crate::n3ds::calls::set_idle;
    const _: Idled = crate::rsx::calls::context_idle;
    const _: Reached = crate::tegra::calls::channel_reached;
}
";

fn check(insertions: &[&Insertion]) -> Result<(), String> {
    let scratch = Scratch::new(env!("CARGO_TARGET_TMPDIR"), "add-a-call", &CRATES, insertions);
    scratch.check(&["triglyph-capi"])
}

#[test]
fn the_page_leads_to_a_call() {
    let page = Page::read("docs/internals/add-a-call.md");
    let (rows, work): (Vec<_>, Vec<_>) = page.insertions.iter().partition(|row| row.file.starts_with("guest/"));
    // One row and its work for each machine.
    assert_eq!((rows.len(), work.len(), page.errors.len()), (3, 3, 3));

    let text = check(&rows).expect_err("work is missing");
    assert_eq!(errors(&text), page.errors, "{text}");

    let functions = Insertion {
        file: "capi/src/lib.rs".to_owned(),
        after: "pub mod worker;".to_owned(),
        code: FUNCTIONS.to_owned(),
    };
    if let Err(text) = check(&[rows, work, vec![&functions]].concat()) {
        panic!("with the work of the page the crates do not compile:\n{text}");
    }
}
