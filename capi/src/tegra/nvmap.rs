//! Handles of the process's memory: `/dev/nvmap`. `result` is a `triglyph_tegra_result`.

use triglyph::tegra::{MapMemory, map_param};

use super::{answer, triglyph_tegra, with_tegra};
use crate::error::{Failure, triglyph_status};
use crate::pointer::{Out, put, required};

/// What the ALLOC call attaches to a handle.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct triglyph_tegra_memory {
    /// Address in the process; 0 leaves the handle without memory.
    pub address: u64,
    /// Alignment in bytes, a power of two; below 4 KiB it is 4 KiB.
    pub align: u32,
    /// Mask of heaps; only told.
    pub heap: u32,
    /// Bit 0: the processor's caches.
    pub flags: u32,
    /// Page kind, up to 255; 0xFF says none.
    pub kind: u32,
}

/// What the FREE call tells the last owner of a handle.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct triglyph_tegra_freed {
    /// Address of the memory in the process, 0 for none.
    pub address: u64,
    /// Bytes, as it was created.
    pub size: u32,
    /// Whether others still have the handle: 1 or 0.
    pub in_use: u32,
}

/// A parameter of a handle: bytes.
pub const TRIGLYPH_TEGRA_PARAM_SIZE: u32 = 1;
/// Alignment.
pub const TRIGLYPH_TEGRA_PARAM_ALIGNMENT: u32 = 2;
/// Base.
pub const TRIGLYPH_TEGRA_PARAM_BASE: u32 = 3;
/// Heap mask.
pub const TRIGLYPH_TEGRA_PARAM_HEAP: u32 = 4;
/// Page kind.
pub const TRIGLYPH_TEGRA_PARAM_KIND: u32 = 5;
/// Compression.
pub const TRIGLYPH_TEGRA_PARAM_COMPRESSION: u32 = 6;

const _: () = {
    assert!(TRIGLYPH_TEGRA_PARAM_SIZE == map_param::SIZE && TRIGLYPH_TEGRA_PARAM_ALIGNMENT == map_param::ALIGNMENT);
    assert!(TRIGLYPH_TEGRA_PARAM_BASE == map_param::BASE && TRIGLYPH_TEGRA_PARAM_HEAP == map_param::HEAP);
    assert!(TRIGLYPH_TEGRA_PARAM_KIND == map_param::KIND);
    assert!(TRIGLYPH_TEGRA_PARAM_COMPRESSION == map_param::COMPRESSION);
};

/// CREATE: a handle of `size` bytes, without memory yet.
#[unsafe(no_mangle)]
pub extern "C" fn triglyph_tegra_nvmap_create(
    tegra: Option<&triglyph_tegra>,
    size: u32,
    handle: Out<'_, u32>,
    result: Out<'_, u32>,
) -> triglyph_status {
    with_tegra(tegra, |tegra| {
        put(handle, answer(tegra.nvmap_create(size), result).unwrap_or(0));
        Ok(())
    })
}

/// FROM_ID: another owner of a handle; ids are the handles.
#[unsafe(no_mangle)]
pub extern "C" fn triglyph_tegra_nvmap_from_id(
    tegra: Option<&triglyph_tegra>,
    id: u32,
    handle: Out<'_, u32>,
    result: Out<'_, u32>,
) -> triglyph_status {
    with_tegra(tegra, |tegra| {
        put(handle, answer(tegra.nvmap_from_id(id), result).unwrap_or(0));
        Ok(())
    })
}

/// ALLOC: attaches memory of the process, which the host maps in `TRIGLYPH_TEGRA_SPACE_PROCESS` before it is shown to
/// the GPU.
#[unsafe(no_mangle)]
pub extern "C" fn triglyph_tegra_nvmap_alloc(
    tegra: Option<&triglyph_tegra>,
    handle: u32,
    memory: Option<&triglyph_tegra_memory>,
    result: Out<'_, u32>,
) -> triglyph_status {
    with_tegra(tegra, |tegra| {
        let &triglyph_tegra_memory { address, align, heap, flags, kind } = required(memory, "memory")?;
        let kind = u8::try_from(kind).map_err(|_| Failure::invalid(format!("page kind {kind:#x}")))?;
        answer(tegra.nvmap_alloc(handle, MapMemory { address, align, heap, flags, kind }), result);
        Ok(())
    })
}

/// PARAM: one of `TRIGLYPH_TEGRA_PARAM_*`.
#[unsafe(no_mangle)]
pub extern "C" fn triglyph_tegra_nvmap_param(
    tegra: Option<&triglyph_tegra>,
    handle: u32,
    parameter: u32,
    value: Out<'_, u32>,
    result: Out<'_, u32>,
) -> triglyph_status {
    with_tegra(tegra, |tegra| {
        put(value, answer(tegra.nvmap_param(handle, parameter), result).unwrap_or(0));
        Ok(())
    })
}

/// FREE: one owner less. What address spaces show of it stays.
#[unsafe(no_mangle)]
pub extern "C" fn triglyph_tegra_nvmap_free(
    tegra: Option<&triglyph_tegra>,
    handle: u32,
    freed: Out<'_, triglyph_tegra_freed>,
    result: Out<'_, u32>,
) -> triglyph_status {
    with_tegra(tegra, |tegra| {
        let told = answer(tegra.nvmap_free(handle), result).map(|freed| triglyph_tegra_freed {
            address: freed.address,
            size: freed.size,
            in_use: freed.in_use.into(),
        });
        put(freed, told.unwrap_or_default());
        Ok(())
    })
}
