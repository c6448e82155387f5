//! Values that C passes by address: outputs, arrays, text, structures that know their size.
//!
//! The safety of everything here rests on what the header asks of callers: a pointer is null or valid for as many bytes
//! as the call says, for the duration of the call, and nothing else writes these bytes meanwhile.

use std::ffi::{CStr, c_char};
use std::mem::MaybeUninit;
use std::path::PathBuf;

use super::error::{Failure, triglyph_status};

/// A single output of a call.
pub(crate) type Out<'a, T> = Option<&'a mut MaybeUninit<T>>;

/// A pointer that may not be null.
pub(crate) fn required<T>(pointer: Option<T>, what: &str) -> Result<T, Failure> {
    pointer.ok_or_else(|| Failure::null(what))
}

/// Stores an output that the caller may not want.
pub(crate) fn put<T>(out: Out<'_, T>, value: T) {
    if let Some(out) = out {
        out.write(value);
    }
}

/// Stores what a call is about: it may not be null.
pub(crate) fn store<T>(out: Out<'_, T>, value: T, what: &str) -> Result<(), Failure> {
    put(Some(required(out, what)?), value);
    Ok(())
}

/// Stores a value, zeros without one, and whether there is one.
pub(crate) fn put_found<T: Default>(value: Option<T>, out: Out<'_, T>, found: Out<'_, bool>) {
    put(found, value.is_some());
    put(out, value.unwrap_or_default());
}

/// Hands a value to the host, who has a call that destroys it.
pub(crate) fn give<T>(value: T, out: &mut MaybeUninit<*mut T>) {
    out.write(Box::into_raw(Box::new(value)));
}

/// Whether `count` values of `T` can be at an address.
fn check<T>(pointer: *const T, count: usize, what: &str) -> Result<(), Failure> {
    if pointer.is_null() {
        return Err(Failure::null(what));
    }
    if !pointer.is_aligned() {
        return Err(Failure::invalid(format!("{what} is not aligned")));
    }
    match count.checked_mul(size_of::<T>()) {
        Some(bytes) if bytes <= isize::MAX as usize => Ok(()),
        _ => Err(Failure::new(triglyph_status::BadSize, format!("{what} has {count} elements"))),
    }
}

/// An array that the caller passes; without elements it may be null.
///
/// # Safety
/// `pointer` is valid for reads of `count` initialised values while the result lives, or null.
pub(crate) unsafe fn slice<'a, T: Copy>(pointer: *const T, count: usize, what: &str) -> Result<&'a [T], Failure> {
    if count == 0 {
        return Ok(&[]);
    }
    check(pointer, count, what)?;
    // SAFETY: not null, aligned, not too large; the caller promises the rest.
    Ok(unsafe { std::slice::from_raw_parts(pointer, count) })
}

/// An array that the call fills; it holds zeros first.
///
/// # Safety
/// `pointer` is valid for writes of `count` values while the result lives, and nothing else uses them; or it is null.
/// Zeros are a value of `T`.
pub(crate) unsafe fn slice_mut<'a, T: Copy>(pointer: *mut T, count: usize, what: &str) -> Result<&'a mut [T], Failure> {
    if count == 0 {
        return Ok(&mut []);
    }
    check(pointer.cast_const(), count, what)?;
    // SAFETY: not null, aligned, not too large; the caller promises the rest. The bytes are initialised first.
    Ok(unsafe {
        std::ptr::write_bytes(pointer, 0, count);
        std::slice::from_raw_parts_mut(pointer, count)
    })
}

/// Bytes of the caller's that a call may change in part.
///
/// # Safety
/// `pointer` is valid for reads and writes of `count` initialised bytes while the result lives, and nothing else uses
/// them; or it is null.
pub(crate) unsafe fn bytes_mut<'a>(pointer: *mut u8, count: usize, what: &str) -> Result<&'a mut [u8], Failure> {
    if count == 0 {
        return Ok(&mut []);
    }
    check(pointer.cast_const(), count, what)?;
    // SAFETY: not null, not too large; the caller promises the rest.
    Ok(unsafe { std::slice::from_raw_parts_mut(pointer, count) })
}

/// An array of a fixed number of values, copied.
///
/// # Safety
/// `pointer` is valid for reads of `N` initialised values, or null.
pub(crate) unsafe fn array<T: Copy, const N: usize>(pointer: *const T, what: &str) -> Result<[T; N], Failure> {
    check(pointer, N, what)?;
    // SAFETY: not null and aligned; the caller promises the rest.
    Ok(unsafe { pointer.cast::<[T; N]>().read() })
}

/// An array that the caller passes, copied: it may be in memory that the call works with.
///
/// # Safety
/// `pointer` is valid for reads of `count` initialised values, or null.
pub(crate) unsafe fn copied<T: Copy>(pointer: *const T, count: usize, what: &str) -> Result<Vec<T>, Failure> {
    // SAFETY: the caller promises the same; the slice is not used after this.
    unsafe { slice(pointer, count, what) }.map(<[T]>::to_vec)
}

/// Moves the oldest of what waits into the caller's array.
///
/// # Safety
/// `pointer` is valid for writes of `capacity` values, or null; a null pointer takes nothing.
pub(crate) unsafe fn drain<T>(
    waiting: &mut std::collections::VecDeque<T>,
    pointer: *mut T,
    capacity: usize,
    what: &str,
) -> Result<usize, Failure> {
    if capacity == 0 {
        return Ok(0);
    }
    check(pointer.cast_const(), capacity, what)?;
    let taken = waiting.len().min(capacity);
    for (at, value) in waiting.drain(..taken).enumerate() {
        // SAFETY: `at` is below the capacity, for which the caller promises that the pointer is valid.
        unsafe { pointer.add(at).write(value) };
    }
    Ok(taken)
}

/// Text that the caller passes; `None` for null.
///
/// # Safety
/// `pointer` points to bytes that end with 0 and stay as they are while the result lives, or is null.
pub(crate) unsafe fn text<'a>(pointer: *const c_char, what: &str) -> Result<Option<&'a str>, Failure> {
    if pointer.is_null() {
        return Ok(None);
    }
    // SAFETY: not null; the caller promises the rest.
    let text = unsafe { CStr::from_ptr(pointer) }.to_str();
    text.map(Some).map_err(|_| Failure::invalid(format!("{what} is not UTF-8")))
}

/// A path that the caller passes.
///
/// # Safety
/// As [`text`].
pub(crate) unsafe fn path(pointer: *const c_char, what: &str) -> Result<PathBuf, Failure> {
    // SAFETY: the caller's promise is the same.
    let text = unsafe { text(pointer, what) }?;
    Ok(PathBuf::from(required(text, what)?))
}

/// A structure of plain numbers and pointers that begins with its size in bytes as a `u32`.
///
/// # Safety
/// It is `repr(C)`, every pattern of bits is a value of it, it has no padding, and its first field is that `u32`.
pub(crate) unsafe trait SizedStruct: Copy {
    /// Bytes of the structure's first version, the smallest `size` that is accepted. While `TRIGLYPH_ABI_VERSION` is 0
    /// this is the whole structure, because layouts may still change. From version 1 on it is constant.
    const FIRST: usize = size_of::<Self>();
}

/// The fields that the caller has filled in, over the values of `fallback`: an older caller's has fewer fields, a
/// newer caller's further ones, which have to be 0.
///
/// # Safety
/// `pointer` is null or valid for reads of as many bytes as the `u32` there says, at least 4.
pub(crate) unsafe fn read_sized<T: SizedStruct>(pointer: *const T, mut fallback: T, what: &str) -> Result<T, Failure> {
    check(pointer, 1, what)?;
    // SAFETY: the caller promises at least these 4 bytes.
    let size = unsafe { pointer.cast::<u32>().read() } as usize;
    let known = check_size::<T>(size, what)?;
    let bytes = pointer.cast::<u8>();
    // SAFETY: the caller promises `size` bytes; `known` is at most that and at most the size of `T`, of which every
    // pattern of bits is a value.
    unsafe { std::ptr::copy_nonoverlapping(bytes, (&raw mut fallback).cast::<u8>(), known) };
    // SAFETY: as above, for the bytes after `known`.
    let rest = unsafe { std::slice::from_raw_parts(bytes.add(known), size - known) };
    match rest.iter().all(|&byte| byte == 0) {
        true => Ok(fallback),
        false => Err(Failure::new(triglyph_status::Unsupported, format!("{what} has fields of a later version"))),
    }
}

/// Stores as much of a structure as the caller has room for; its size stays as the caller has set it.
///
/// # Safety
/// `pointer` is null or valid for reads and writes of as many bytes as the `u32` there says, at least 4.
pub(crate) unsafe fn write_sized<T: SizedStruct>(pointer: *mut T, value: &T, what: &str) -> Result<(), Failure> {
    check(pointer.cast_const(), 1, what)?;
    // SAFETY: the caller promises at least these 4 bytes.
    let size = unsafe { pointer.cast::<u32>().read() } as usize;
    let known = check_size::<T>(size, what)?;
    let header = size_of::<u32>();
    // SAFETY: the caller promises `size` bytes, which `known` does not exceed; fields that this version does not know
    // become 0.
    unsafe {
        let (from, to) = ((&raw const *value).cast::<u8>(), pointer.cast::<u8>());
        std::ptr::copy_nonoverlapping(from.add(header), to.add(header), known - header);
        std::ptr::write_bytes(to.add(known), 0, size - known);
    }
    Ok(())
}

/// As [`write_sized`], for an output that the caller may not want.
///
/// # Safety
/// As there.
pub(crate) unsafe fn put_sized<T: SizedStruct>(pointer: *mut T, value: &T, what: &str) -> Result<(), Failure> {
    if pointer.is_null() {
        return Ok(());
    }
    // SAFETY: the caller promises the same.
    unsafe { write_sized(pointer, value, what) }
}

/// As [`drain`], into an array of structures that begin with their size: the caller has set that of the first, which is
/// the distance from each to the next. All get it.
///
/// # Safety
/// `pointer` is null, which takes nothing, or valid for reads of the first structure's size and for writes of
/// `capacity` structures of that size.
pub(crate) unsafe fn drain_sized<T: SizedStruct>(
    waiting: &mut std::collections::VecDeque<T>,
    pointer: *mut T,
    capacity: usize,
    what: &str,
) -> Result<usize, Failure> {
    if capacity == 0 {
        return Ok(0);
    }
    check(pointer.cast_const(), capacity, what)?;
    // SAFETY: the caller promises at least these 4 bytes.
    let size = unsafe { pointer.cast::<u32>().read() };
    check_size::<T>(size as usize, what)?;
    if !(size as usize).is_multiple_of(align_of::<T>()) {
        return Err(Failure::new(triglyph_status::BadSize, format!("{what} have a size of {size}")));
    }
    let taken = waiting.len().min(capacity);
    for (at, value) in waiting.drain(..taken).enumerate() {
        // SAFETY: `at` is below the capacity, for which the caller promises that the pointer is valid; the size keeps
        // the alignment. The size is there before the structure is written as one of that size.
        unsafe {
            let to = pointer.byte_add(at * size as usize);
            to.cast::<u32>().write(size);
            write_sized(to, &value, what)?;
        }
    }
    Ok(taken)
}

/// The bytes of a structure that both sides know.
fn check_size<T: SizedStruct>(size: usize, what: &str) -> Result<usize, Failure> {
    /// More than any version will have: a size beyond it was never set.
    const LIMIT: usize = 1 << 12;
    if !(T::FIRST..=LIMIT).contains(&size) {
        let what = format!("{what} has a size of {size}: its first field is to be the sizeof of the structure");
        return Err(Failure::new(triglyph_status::BadSize, what));
    }
    Ok(size.min(size_of::<T>()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[repr(C)]
    #[derive(Clone, Copy, Debug, PartialEq)]
    struct Known {
        size: u32,
        first: u32,
        second: u32,
    }

    // SAFETY: three words.
    unsafe impl SizedStruct for Known {
        const FIRST: usize = 8;
    }

    const FALLBACK: Known = Known { size: 0, first: 1, second: 2 };

    fn read(words: &[u32; 5]) -> Result<Known, triglyph_status> {
        // SAFETY: the tests' sizes are at most those of the array, or refused before use.
        unsafe { read_sized(words.as_ptr().cast::<Known>(), FALLBACK, "it") }.map_err(|failure| failure.status)
    }

    #[test]
    fn structures_of_other_versions() {
        assert_eq!(read(&[8, 7, 9, 9, 9]), Ok(Known { size: 8, first: 7, second: 2 }));
        assert_eq!(read(&[12, 7, 9, 9, 9]), Ok(Known { size: 12, first: 7, second: 9 }));
        assert_eq!(read(&[20, 7, 9, 0, 0]), Ok(Known { size: 20, first: 7, second: 9 }));
        assert_eq!(read(&[20, 7, 9, 0, 1]), Err(triglyph_status::Unsupported));
        assert_eq!(read(&[7, 7, 9, 9, 9]), Err(triglyph_status::BadSize));
        assert_eq!(read(&[u32::MAX, 7, 9, 9, 9]), Err(triglyph_status::BadSize));
    }

    #[test]
    fn outputs_keep_to_the_callers_room() {
        for (size, expected) in [(8, [8, 1, 9, 9, 9]), (20, [20, 1, 2, 0, 0])] {
            let mut words = [size, 9, 9, 9, 9];
            // SAFETY: the sizes are at most those of the array.
            unsafe { write_sized(words.as_mut_ptr().cast::<Known>(), &FALLBACK, "it") }.unwrap();
            assert_eq!(words, expected);
        }
    }

    #[test]
    fn arrays_of_other_versions_keep_their_distances() {
        let both = [Known { size: 0, first: 1, second: 2 }, Known { size: 0, first: 3, second: 4 }];
        for (size, expected) in [(8, [8, 1, 8, 3, 9, 9, 9, 9]), (16, [16, 1, 2, 0, 16, 3, 4, 0])] {
            let mut words = [size, 9, 9, 9, 9, 9, 9, 9];
            let mut waiting = both.into();
            // SAFETY: two structures of each size are in the array.
            let taken = unsafe { drain_sized::<Known>(&mut waiting, words.as_mut_ptr().cast(), 2, "them") };
            assert_eq!((taken.ok(), waiting.len(), words), (Some(2), 0, expected));
        }
        let mut words = [10, 9, 9, 9];
        // SAFETY: the size is refused before anything is written.
        let refused = unsafe { drain_sized::<Known>(&mut both.into(), words.as_mut_ptr().cast(), 1, "them") };
        assert_eq!(refused.map_err(|failure| failure.status), Err(triglyph_status::BadSize));
        // SAFETY: null is not used.
        assert_eq!(unsafe { put_sized(std::ptr::null_mut::<Known>(), &FALLBACK, "it") }.ok(), Some(()));
    }

    #[test]
    fn bad_arrays_are_refused() {
        let words = [1_u32, 2];
        // SAFETY: the last is valid, the others are refused before use.
        let results = unsafe {
            [
                slice::<u32>(std::ptr::null(), 1, "it"),
                slice(words.as_ptr().byte_add(1), 1, "it"),
                slice(words.as_ptr(), usize::MAX, "it"),
                slice(std::ptr::null(), 0, "it"),
                slice(words.as_ptr(), 2, "it"),
            ]
        };
        let statuses = results.map(|result| result.map(<[u32]>::len).map_err(|failure| failure.status));
        let [null, misaligned, large] =
            [triglyph_status::NullPointer, triglyph_status::InvalidArgument, triglyph_status::BadSize].map(Err);
        assert_eq!(statuses, [null, misaligned, large, Ok(0), Ok(2)]);
    }
}
