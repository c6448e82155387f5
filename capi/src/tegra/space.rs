//! Address spaces: `/dev/nvhost-as-gpu`. `result` is a `triglyph_tegra_result`.

use triglyph::tegra::{Layout, MapBuffer, Remap, map_flags, space_flags};

use super::{answer, triglyph_tegra, with_tegra};
use crate::error::{Failure, triglyph_status};
use crate::pointer::{Out, put, required, slice};

/// How an address space is divided.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct triglyph_tegra_layout {
    /// Bytes of a big page, 0x10000 or 0x20000; 0 takes the latter.
    pub big_page: u64,
    /// First address; this and the two that follow all 0 take what the driver takes.
    pub start: u64,
    /// Where big pages begin.
    pub split: u64,
    /// The end, exclusive.
    pub end: u64,
}

/// One answer of GET_VA_REGIONS.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct triglyph_tegra_region {
    /// First address.
    pub offset: u64,
    /// Bytes of a page.
    pub page_size: u64,
    /// Pages.
    pub pages: u64,
}

/// What MAP_BUFFER_EX is told.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct triglyph_tegra_map_buffer {
    /// `TRIGLYPH_TEGRA_MAP_*`.
    pub flags: u32,
    /// Page kind; `TRIGLYPH_TEGRA_DEFAULT_KIND` is that of the handle.
    pub kind: u32,
    /// The handle; not used with `TRIGLYPH_TEGRA_MAP_MODIFY`.
    pub handle: u32,
    /// 0.
    pub reserved: u32,
    /// First byte of the handle that is shown, or of the mapping that changes.
    pub buffer_offset: u64,
    /// Bytes; 0 for all.
    pub size: u64,
    /// The GPU address, with `TRIGLYPH_TEGRA_MAP_FIXED` or `TRIGLYPH_TEGRA_MAP_MODIFY`.
    pub offset: u64,
}

/// One entry of the REMAP call, in pages of 64 KiB.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct triglyph_tegra_remap {
    /// Page kind; 0xFF and above say that of the handle.
    pub kind: u32,
    /// The handle; 0 shows nothing any more.
    pub handle: u32,
    /// First page of the handle.
    pub handle_page: u32,
    /// First page of the address space.
    pub space_page: u32,
    /// Pages.
    pub pages: u32,
}

/// The caller names the address, which is in allocated space.
pub const TRIGLYPH_TEGRA_MAP_FIXED: u32 = 1;
/// Caches; without visible effect.
pub const TRIGLYPH_TEGRA_MAP_CACHEABLE: u32 = 4;
/// Changes the kind of what is mapped.
pub const TRIGLYPH_TEGRA_MAP_MODIFY: u32 = 256;
/// The kind that says: that of the handle.
pub const TRIGLYPH_TEGRA_DEFAULT_KIND: u32 = 0xFFFFFFFF;
/// The caller names the address of the space to allocate.
pub const TRIGLYPH_TEGRA_SPACE_FIXED: u32 = 1;
/// All of the space reads 0 and swallows writes until something is mapped there.
pub const TRIGLYPH_TEGRA_SPACE_SPARSE: u32 = 2;

const _: () = {
    assert!(TRIGLYPH_TEGRA_MAP_FIXED == map_flags::FIXED && TRIGLYPH_TEGRA_MAP_CACHEABLE == map_flags::CACHEABLE);
    assert!(TRIGLYPH_TEGRA_MAP_MODIFY == map_flags::MODIFY);
    assert!(TRIGLYPH_TEGRA_DEFAULT_KIND == map_flags::DEFAULT_KIND);
    assert!(TRIGLYPH_TEGRA_SPACE_FIXED == space_flags::FIXED && TRIGLYPH_TEGRA_SPACE_SPARSE == space_flags::SPARSE);
};

/// Opens an address space. Its number is what ranges, reads and faults name.
#[unsafe(no_mangle)]
pub extern "C" fn triglyph_tegra_space_open(
    tegra: Option<&triglyph_tegra>,
    space: Out<'_, u32>,
    result: Out<'_, u32>,
) -> triglyph_status {
    with_tegra(tegra, |tegra| {
        put(space, answer(tegra.space_open(), result).unwrap_or(0));
        Ok(())
    })
}

/// Closes an address space: nothing is mapped in it any more.
#[unsafe(no_mangle)]
pub extern "C" fn triglyph_tegra_space_close(
    tegra: Option<&triglyph_tegra>,
    space: u32,
    result: Out<'_, u32>,
) -> triglyph_status {
    with_tegra(tegra, |tegra| {
        answer(tegra.space_close(space), result);
        Ok(())
    })
}

/// INITIALIZE and INITIALIZE_EX. A null layout takes what the driver takes.
#[unsafe(no_mangle)]
pub extern "C" fn triglyph_tegra_space_initialize(
    tegra: Option<&triglyph_tegra>,
    space: u32,
    layout: Option<&triglyph_tegra_layout>,
    result: Out<'_, u32>,
) -> triglyph_status {
    with_tegra(tegra, |tegra| {
        let layout = layout.map_or(Layout::default(), |layout| Layout {
            big_page: layout.big_page,
            start: layout.start,
            split: layout.split,
            end: layout.end,
        });
        answer(tegra.space_initialize(space, layout), result);
        Ok(())
    })
}

/// GET_VA_REGIONS: small pages, big pages.
#[unsafe(no_mangle)]
pub extern "C" fn triglyph_tegra_space_regions(
    tegra: Option<&triglyph_tegra>,
    space: u32,
    small: Out<'_, triglyph_tegra_region>,
    big: Out<'_, triglyph_tegra_region>,
    result: Out<'_, u32>,
) -> triglyph_status {
    with_tegra(tegra, |tegra| {
        let regions = answer(tegra.space_regions(space), result).map(|regions| {
            regions.map(|region| triglyph_tegra_region {
                offset: region.offset,
                page_size: region.page_size,
                pages: region.pages,
            })
        });
        let [small_pages, big_pages] = regions.unwrap_or_default();
        put(small, small_pages);
        put(big, big_pages);
        Ok(())
    })
}

/// ALLOC_SPACE: `pages` pages of `page_size` bytes of address space for fixed mappings. `flags`:
/// `TRIGLYPH_TEGRA_SPACE_*`. `at` is the address with `TRIGLYPH_TEGRA_SPACE_FIXED`, else an alignment or 0.
#[unsafe(no_mangle)]
pub extern "C" fn triglyph_tegra_space_allocate(
    tegra: Option<&triglyph_tegra>,
    space: u32,
    pages: u32,
    page_size: u64,
    flags: u32,
    at: u64,
    offset: Out<'_, u64>,
    result: Out<'_, u32>,
) -> triglyph_status {
    with_tegra(tegra, |tegra| {
        let start = answer(tegra.space_allocate(space, pages, page_size, flags, at), result);
        put(offset, start.unwrap_or(0));
        Ok(())
    })
}

/// FREE_SPACE, with everything that is mapped there.
#[unsafe(no_mangle)]
pub extern "C" fn triglyph_tegra_space_free(
    tegra: Option<&triglyph_tegra>,
    space: u32,
    offset: u64,
    pages: u32,
    page_size: u64,
    result: Out<'_, u32>,
) -> triglyph_status {
    with_tegra(tegra, |tegra| {
        answer(tegra.space_free(space, offset, pages, page_size), result);
        Ok(())
    })
}

/// MAP_BUFFER_EX: shows a handle's memory to the GPU, or changes the kind of what is shown. `offset` is the GPU
/// address, `page_size` the bytes of its pages; either may be null.
#[unsafe(no_mangle)]
pub extern "C" fn triglyph_tegra_space_map_buffer(
    tegra: Option<&triglyph_tegra>,
    space: u32,
    call: Option<&triglyph_tegra_map_buffer>,
    offset: Out<'_, u64>,
    page_size: Out<'_, u64>,
    result: Out<'_, u32>,
) -> triglyph_status {
    with_tegra(tegra, |tegra| {
        let &triglyph_tegra_map_buffer { flags, kind, handle, buffer_offset, size, offset: at, .. } =
            required(call, "call")?;
        let call = MapBuffer { flags, kind, handle, buffer_offset, size, offset: at };
        let buffer = answer(tegra.space_map_buffer(space, call), result);
        put(offset, buffer.map_or(0, |buffer| buffer.offset));
        put(page_size, buffer.map_or(0, |buffer| buffer.page_size));
        Ok(())
    })
}

/// UNMAP_BUFFER. What is not mapped counts as unmapped.
#[unsafe(no_mangle)]
pub extern "C" fn triglyph_tegra_space_unmap_buffer(
    tegra: Option<&triglyph_tegra>,
    space: u32,
    offset: u64,
    result: Out<'_, u32>,
) -> triglyph_status {
    with_tegra(tegra, |tegra| {
        answer(tegra.space_unmap_buffer(space, offset), result);
        Ok(())
    })
}

/// REMAP: entry by entry, up to the first that cannot be.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn triglyph_tegra_space_remap(
    tegra: Option<&triglyph_tegra>,
    space: u32,
    entries: *const triglyph_tegra_remap,
    count: usize,
    result: Out<'_, u32>,
) -> triglyph_status {
    with_tegra(tegra, |tegra| {
        // SAFETY: the header asks callers for that many entries.
        let entries = unsafe { slice(entries, count, "entries") }?;
        let entry = |entry: &triglyph_tegra_remap| {
            let &triglyph_tegra_remap { kind, handle, handle_page, space_page, pages } = entry;
            let kind = u16::try_from(kind).map_err(|_| Failure::invalid(format!("page kind {kind:#x}")))?;
            Ok(Remap { kind, handle, handle_page, space_page, pages })
        };
        let entries: Vec<Remap> = entries.iter().map(entry).collect::<Result<_, Failure>>()?;
        answer(tegra.space_remap(space, &entries), result);
        Ok(())
    })
}
