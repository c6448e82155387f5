//! Address spaces: `/dev/nvhost-as-gpu`.

use triglyph::tegra::{Buffer, Layout, MapBuffer, Region, Remap, map_flags, space_flags};

use crate::error::Failure;
use crate::forward::{Take, Tell};

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

/// The arguments of MAP_BUFFER_EX.
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
pub const TRIGLYPH_TEGRA_MAP_FIXED: u32 = 0x1;
/// Caches; without visible effect.
pub const TRIGLYPH_TEGRA_MAP_CACHEABLE: u32 = 0x4;
/// Changes the kind of what is mapped.
pub const TRIGLYPH_TEGRA_MAP_MODIFY: u32 = 0x100;
/// The kind that says: that of the handle.
pub const TRIGLYPH_TEGRA_DEFAULT_KIND: u32 = 0xFFFFFFFF;
/// The caller names the address of the space to allocate.
pub const TRIGLYPH_TEGRA_SPACE_FIXED: u32 = 0x1;
/// All of the space reads 0 and swallows writes until something is mapped there.
pub const TRIGLYPH_TEGRA_SPACE_SPARSE: u32 = 0x2;

const _: () = {
    assert!(TRIGLYPH_TEGRA_MAP_FIXED == map_flags::FIXED && TRIGLYPH_TEGRA_MAP_CACHEABLE == map_flags::CACHEABLE);
    assert!(TRIGLYPH_TEGRA_MAP_MODIFY == map_flags::MODIFY);
    assert!(TRIGLYPH_TEGRA_DEFAULT_KIND == map_flags::DEFAULT_KIND);
    assert!(TRIGLYPH_TEGRA_SPACE_FIXED == space_flags::FIXED && TRIGLYPH_TEGRA_SPACE_SPARSE == space_flags::SPARSE);
};

impl From<triglyph_tegra_layout> for Layout {
    fn from(layout: triglyph_tegra_layout) -> Self {
        let triglyph_tegra_layout { big_page, start, split, end } = layout;
        Layout { big_page, start, split, end }
    }
}

impl From<triglyph_tegra_map_buffer> for MapBuffer {
    fn from(call: triglyph_tegra_map_buffer) -> Self {
        let triglyph_tegra_map_buffer { flags, kind, handle, buffer_offset, size, offset, .. } = call;
        MapBuffer { flags, kind, handle: handle.into(), buffer_offset, size, offset }
    }
}

impl Take<triglyph_tegra_remap> for Remap {
    fn take(entry: triglyph_tegra_remap) -> Result<Self, Failure> {
        let triglyph_tegra_remap { kind, handle, handle_page, space_page, pages } = entry;
        let kind = u16::try_from(kind).map_err(|_| Failure::invalid(format!("page kind {kind:#x}")))?;
        Ok(Remap { kind, handle: handle.into(), handle_page, space_page, pages })
    }
}

impl Tell<(u64, u64)> for Buffer {
    fn tell(self) -> (u64, u64) {
        (self.offset, self.page_size)
    }
}

impl Tell<(triglyph_tegra_region, triglyph_tegra_region)> for [Region; 2] {
    fn tell(self) -> (triglyph_tegra_region, triglyph_tegra_region) {
        let region = |Region { offset, page_size, pages }| triglyph_tegra_region { offset, page_size, pages };
        self.map(region).into()
    }
}
