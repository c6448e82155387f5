//! The pictures of the PS3's heads.

use super::triglyph_rsx;
use crate::error::triglyph_status;
use crate::handle::with_machine;
use crate::pointer::{Out, put};
use crate::present::{presenting, triglyph_presented, triglyph_rows, triglyph_shown};

/// Presents what a head (0 or 1) of the PS3 shows, as `triglyph_present_picture`: the display buffer that was flipped
/// last. `triglyph_rsx_head_size` tells its size before.
///
/// Errors: as there.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn triglyph_rsx_present_head(
    rsx: Option<&triglyph_rsx>,
    head: u32,
    rows: *const triglyph_rows,
    presented: *mut triglyph_presented,
    shown: *mut triglyph_shown,
) -> triglyph_status {
    with_machine(rsx, |rsx| {
        // SAFETY: the header asks callers for structures that begin with their size, rows of that size, and a handle
        // that no other call uses.
        unsafe { presenting(rows, presented, shown, |rows, presented| rsx.present_head(head, rows, presented)) }
    })
}

/// The size of what a head (0 or 1) of the PS3 shows: that of the display buffer that was flipped last, 0 if it shows
/// no buffer of a context.
#[unsafe(no_mangle)]
pub extern "C" fn triglyph_rsx_head_size(
    rsx: Option<&triglyph_rsx>,
    head: u32,
    width: Out<'_, u32>,
    height: Out<'_, u32>,
) -> triglyph_status {
    with_machine(rsx, |rsx| {
        let size = rsx.scan_out(head).map_or((0, 0), |scan| (scan.width, scan.height));
        put(width, size.0);
        put(height, size.1);
    })
}
