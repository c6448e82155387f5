//! What heads of the PS3 show.

use super::{triglyph_rsx, with_rsx};
use crate::error::triglyph_status;
use crate::pointer::{Out, put};
use crate::present::{presenting, triglyph_presented, triglyph_rows};

/// Presents what a head (0 or 1) of the PS3 shows, as `triglyph_present_picture`: the display buffer that was flipped
/// last. `width` and `height` are its size, 0 if it shows no buffer of a context; both may be null.
///
/// Errors: as there.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn triglyph_rsx_present_head(
    rsx: Option<&triglyph_rsx>,
    head: u32,
    rows: Option<&triglyph_rows>,
    presented: *mut triglyph_presented,
    changed: Out<'_, bool>,
    width: Out<'_, u32>,
    height: Out<'_, u32>,
) -> triglyph_status {
    with_rsx(rsx, |rsx| {
        let scan = rsx.scan_out(head);
        // SAFETY: the header asks callers for rows of that size, and for a handle that no other call uses.
        let presents = unsafe {
            presenting(rows, presented, |rows, presented| match &scan {
                Some(scan) => Ok(triglyph::Device::present(rsx, scan, rows, presented)?),
                None => Ok(false),
            })
        };
        put(changed, presents?);
        put(width, scan.map_or(0, |scan| scan.width));
        put(height, scan.map_or(0, |scan| scan.height));
        Ok(())
    })
}
