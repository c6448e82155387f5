//! Image instructions: coordinates and components of texels. Addresses and memory accesses are functions, see
//! [`image`].
//!
//! Formats are known at compile time: texels are decoded and encoded here, in vectors. Where the image is known only at
//! run time, that is emitted for every format of the key's images.

use triglyph_guest::kernel::Unsupported;
use triglyph_guest::kernel::maxwell::Unit;
use triglyph_guest::kernel::program::environment::ImageKey;
use triglyph_guest::kernel::program::output::{Channel, ColorFormat};
use triglyph_guest::num::half;
use triglyph_guest::num::ops::Ops;
use triglyph_guest::tegra::shader::isa::*;

use super::direct::Loaded;
use super::image::{self, Action, Counting, ImageAccess};
use super::image_direct::bytes_accessed;
use super::{Done, Lower};
use crate::lane::{Emit, I32x4, Mask};
use crate::pixel::target::channel;

/// The images of the lanes.
struct Found {
    /// Their indices in the key; negative where there is no image.
    index: I32x4,
    /// The one image of all lanes, if it is known: its index in the key, and its key.
    known: Option<(u8, ImageKey)>,
    /// Their possible formats, with the lanes whose images have it; `None` for all.
    formats: Vec<(Option<Mask>, ColorFormat)>,
}

/// The operands that address a texel.
#[derive(Clone, Copy)]
struct ImageOperands {
    handle: SurfaceHandle,
    dim: SurfaceDim,
    /// The coordinates.
    a: Reg,
}

const fn counting(bytes: bool, raw: bool) -> Counting {
    match (bytes, raw) {
        (true, _) => Counting::Bytes,
        (false, true) => Counting::Elements,
        (false, false) => Counting::Texels,
    }
}

/// The type of an atomic. Floats are exchanged as words.
fn atomic_type(ty: AtomicType, op: AtomicOp) -> u8 {
    if ty == AtomicType::F32 && op == AtomicOp::Exchange { AtomicType::U32.bits() } else { ty.bits() }
}

const fn atomic_bytes(ty: AtomicType) -> u8 {
    if matches!(ty, AtomicType::U64 | AtomicType::S64) { 8 } else { 4 }
}

/// The value of a channel, as the bits of a float or an integer.
fn decoded(e: &mut Emit<'_>, at: Channel, words: &[I32x4], alpha: bool) -> I32x4 {
    let bits = match at {
        Channel::Uint(bits) | Channel::Sint(bits) | Channel::Float(bits) | Channel::FloatCut(bits) => bits,
        _ => {
            let value = channel::decode(e, at, words, alpha);
            return e.bits(value);
        }
    };
    let (spare, shift) = (32 - u32::from(bits.bits), u32::from(bits.shift % 32));
    let word = words[usize::from(bits.shift / 32)];
    let (up, signed) = (spare.saturating_sub(shift), matches!(at, Channel::Sint(_)));
    let raised = if up == 0 { word } else { e.ishl(word, up) };
    let value = match (spare, signed) {
        (0, _) => raised,
        (_, true) => e.ishr(raised, spare),
        (_, false) => e.ushr(raised, spare),
    };
    if !matches!(at, Channel::Float(_) | Channel::FloatCut(_)) || bits.bits == 32 {
        return value;
    }
    // Smaller floats are halves without sign and with fewer bits of mantissa.
    let half = if bits.bits < 16 { e.ishl(value, 15 - u32::from(bits.bits)) } else { value };
    let value = half::value(e, half);
    e.bits(value)
}

/// The words of a texel whose components of a mask are these.
fn encoded(e: &mut Emit<'_>, format: &ColorFormat, components: &[I32x4; 4], mask: u8) -> [I32x4; 4] {
    let mut words = [None; 4];
    for (n, &at) in format.channels.iter().enumerate().filter(|(n, _)| mask >> n & 1 != 0) {
        let Some(bits) = channel::bits_of(at) else { continue };
        let mut value = e.float_of_bits(components[n]);
        if matches!(at, Channel::Float(_)) {
            value = e.canonical(value);
        }
        let value = channel::encode(e, at, value);
        channel::insert(e, &mut words, bits, value);
    }
    words.map(|word| word.unwrap_or_else(|| e.i(0)))
}

impl Lower<'_, '_> {
    /// The image of an instruction; `None` if nothing is bound.
    fn image(&mut self, operands: ImageOperands) -> Result<Option<Found>, Unsupported> {
        let resources = self.resources;
        Ok(match self.code.unit(self.at) {
            None | Some(Unit::Texture(_)) => None,
            Some(Unit::Image(index)) => resources.images.get(usize::from(index)).and_then(Option::as_ref).map(|key| {
                Found { index: self.e().i(index.into()), known: Some((index, *key)), formats: vec![(None, key.format)] }
            }),
            Some(Unit::Dynamic) => {
                let handle = match operands.handle {
                    SurfaceHandle::Reg(reg) => self.reg_int(reg),
                    SurfaceHandle::Bound(word) => {
                        let slot = self.code.handle_buffer;
                        let number = self.constant(Constant { slot, offset: word << 2 });
                        self.value_int(number)
                    }
                };
                let formats = image::formats(resources.images);
                if formats.len() > image::MAX_KINDS {
                    return Err(Unsupported("images of too many formats"));
                }
                self.needs.any_image = true;
                let [index, kind] = self.find_image(handle);
                let e = self.e();
                let formats = (0..).zip(formats).map(|(n, format)| {
                    let number = e.i(n);
                    (Some(e.ieq(kind, number)), format)
                });
                Some(Found { index, known: None, formats: formats.collect() })
            }
        })
    }

    /// Column, row, slice, layer.
    fn image_place(&mut self, operands: ImageOperands) -> [I32x4; 4] {
        let zero = self.e().i(0);
        let mut word = |n| self.reg_int(Self::following(operands.a, n));
        let [column, row, slice, layer] = match operands.dim {
            SurfaceDim::D1 | SurfaceDim::Buffer | SurfaceDim::Unknown(_) => [word(0), zero, zero, zero],
            SurfaceDim::D1Array => [word(0), zero, zero, word(1)],
            SurfaceDim::D2 => [word(0), word(1), zero, zero],
            SurfaceDim::D2Array => [word(0), word(1), zero, word(2)],
            SurfaceDim::D3 => [word(0), word(1), word(2), zero],
        };
        if layer == zero {
            return [column, row, slice, layer];
        }
        let e = self.e();
        let low = e.i(0xFFFF);
        [column, row, slice, e.iand(layer, low)]
    }

    /// Performs an access. Returns of a load or an atomic the lanes that are inside their image, and the data read.
    fn image_access(
        &mut self,
        found: &Found,
        operands: ImageOperands,
        access: ImageAccess,
        data: &[I32x4],
    ) -> (Mask, [I32x4; 4]) {
        let [loads, stores] = self.access_masks();
        let place = self.image_place(operands);
        let mut sources = vec![loads, stores, found.index];
        sources.extend(place);
        sources.extend(data);
        let is_load = access.action == Action::Load;
        // In a masked block not all lanes store.
        let direct = found.known.as_ref().filter(|_| is_load || self.exec.is_none());
        let Some((index, key, bytes)) =
            direct.and_then(|(index, key)| bytes_accessed(access, key).map(|bytes| (*index, key, bytes)))
        else {
            return self.image_call(access, &sources);
        };
        let direct = self.direct_image((index, key), (access, bytes), place);
        let zero = self.e().i(0);
        if is_load {
            // Quads may store what later ones load.
            let load = Loaded { bytes, signed: false, at_once: self.is_grid(), inside: true };
            let found = self.load_or_call(load, &direct, loads, |lower| {
                let (inside, words) = lower.image_call(access, &sources);
                std::iter::once(I32x4(inside.0)).chain(words).collect()
            });
            let word = |n: usize| found.get(1 + n).copied().unwrap_or(zero);
            (Mask(found[0].0), std::array::from_fn(word))
        } else {
            let data = &data[..usize::from(bytes).div_ceil(4)];
            self.store_or_call(bytes, &direct, stores, data, |lower| {
                lower.image_call(access, &sources);
            });
            (Mask(zero.0), [zero; 4])
        }
    }

    /// Consecutive registers.
    fn registers_from<const N: usize>(&mut self, reg: Reg) -> [I32x4; N] {
        std::array::from_fn(|n| self.reg_int(Self::following(reg, n as u8)))
    }

    fn image_atomic(&mut self, operands: ImageOperands, access: ImageAccess, dst: Reg, data: &[I32x4]) -> Done {
        let old = match self.image(operands)? {
            None => [self.e().i(0); 2],
            Some(found) => {
                let (inside, words) = self.image_access(&found, operands, access, data);
                let e = self.e();
                [0, 1].map(|n| e.iand(words[n], I32x4(inside.0)))
            }
        };
        self.set_int(dst, old[0]);
        if access.bytes == 8 {
            self.set_int(Self::following(dst, 1), old[1]);
        }
        Ok(())
    }

    fn image_reduce(&mut self, i: &SurfaceReduce, raw: bool) -> Done {
        let operands = ImageOperands { handle: i.handle, dim: i.dim, a: i.a };
        let access = ImageAccess {
            counting: counting(i.bytes, raw),
            ty: atomic_type(i.ty, i.op),
            op: i.op.bits(),
            ..ImageAccess::new(Action::Atomic, atomic_bytes(i.ty))
        };
        let data: [I32x4; 2] = self.registers_from(i.data);
        self.image_atomic(operands, access, Reg::RZ, &data)
    }
}

impl SurfaceVisitor for Lower<'_, '_> {
    type Output = Done;

    fn suld_p(&mut self, i: SurfaceLoad) -> Done {
        let operands = ImageOperands { handle: i.handle, dim: i.dim, a: i.a };
        let components: Vec<usize> = (0..4).filter(|n| i.mask >> n & 1 != 0).collect();
        let values = match self.image(operands)? {
            None => vec![self.e().i(0); components.len()],
            Some(found) => {
                let access = ImageAccess::new(Action::Load, 16);
                let (inside, words) = self.image_access(&found, operands, access, &[]);
                let e = self.e();
                let values = components.iter().map(|&n| {
                    let mut value = e.i(0);
                    for (lanes, format) in &found.formats {
                        let own = decoded(e, format.channels[n], &words, n == 3);
                        value = lanes.map_or(own, |lanes| e.iselect(lanes, own, value));
                    }
                    e.iand(value, I32x4(inside.0))
                });
                values.collect()
            }
        };
        for (n, value) in (0..).zip(values) {
            self.set_int(Self::following(i.dst, n), value);
        }
        Ok(())
    }

    fn suld_d(&mut self, i: SurfaceLoadRaw) -> Done {
        let operands = ImageOperands { handle: i.handle, dim: i.dim, a: i.a };
        let bytes = i.size.bytes();
        let words = match self.image(operands)? {
            None => [self.e().i(0); 4],
            Some(found) => {
                let counting = counting(i.bytes, true);
                let access = ImageAccess { counting, ..ImageAccess::new(Action::Load, bytes) };
                let (inside, words) = self.image_access(&found, operands, access, &[]);
                let e = self.e();
                words.map(|word| e.iand(word, I32x4(inside.0)))
            }
        };
        let e = self.e();
        let spare = 32 - 8 * u32::from(bytes.min(4));
        let first = match (spare, i.size) {
            (0, _) => words[0],
            (_, MemorySize::S8 | MemorySize::S16) => {
                let up = e.ishl(words[0], spare);
                e.ishr(up, spare)
            }
            _ => {
                let up = e.ishl(words[0], spare);
                e.ushr(up, spare)
            }
        };
        self.set_int(i.dst, first);
        for n in 1..bytes.div_ceil(4) {
            self.set_int(Self::following(i.dst, n), words[usize::from(n)]);
        }
        Ok(())
    }

    fn sust_p(&mut self, i: SurfaceStore) -> Done {
        let operands = ImageOperands { handle: i.handle, dim: i.dim, a: i.a };
        let Some(found) = self.image(operands)? else { return Ok(()) };
        let mut components = [self.e().i(0); 4];
        for (at, n) in (0..4).filter(|n| i.mask >> n & 1 != 0).enumerate() {
            components[n] = self.reg_int(Self::following(i.data, at as u8));
        }
        let e = self.e();
        let mut words = [e.i(0); 4];
        for (lanes, format) in &found.formats {
            let own = encoded(e, format, &components, i.mask);
            words = match lanes {
                None => own,
                Some(lanes) => std::array::from_fn(|n| e.iselect(*lanes, own[n], words[n])),
            };
        }
        let access = ImageAccess { mask: i.mask & 15, ..ImageAccess::new(Action::StoreComponents, 16) };
        self.image_access(&found, operands, access, &words);
        Ok(())
    }

    fn sust_d(&mut self, i: SurfaceStoreRaw) -> Done {
        let operands = ImageOperands { handle: i.handle, dim: i.dim, a: i.a };
        let Some(found) = self.image(operands)? else { return Ok(()) };
        let words: [I32x4; 4] = self.registers_from(i.data);
        // A code of all ones means whole texels.
        let access = match i.size {
            MemorySize::UB128 => ImageAccess::new(Action::StoreTexel, 16),
            size => {
                let counting = counting(i.bytes, true);
                ImageAccess { counting, ..ImageAccess::new(Action::Store, size.bytes()) }
            }
        };
        self.image_access(&found, operands, access, &words);
        Ok(())
    }

    fn sured_p(&mut self, i: SurfaceReduce) -> Done {
        self.image_reduce(&i, false)
    }

    fn sured_d(&mut self, i: SurfaceReduce) -> Done {
        self.image_reduce(&i, true)
    }

    fn suatom(&mut self, i: SurfaceAtomic) -> Done {
        let operands = ImageOperands { handle: i.handle, dim: i.dim, a: i.a };
        let access = ImageAccess {
            counting: counting(i.bytes, i.raw),
            ty: atomic_type(i.ty, i.op),
            op: i.op.bits(),
            ..ImageAccess::new(Action::Atomic, atomic_bytes(i.ty))
        };
        let data: [I32x4; 2] = self.registers_from(i.b);
        self.image_atomic(operands, access, i.dst, &data)
    }

    fn suatom_cas(&mut self, i: SurfaceCas) -> Done {
        let operands = ImageOperands { handle: i.handle, dim: i.dim, a: i.a };
        let counting = counting(i.bytes, i.raw);
        let access = ImageAccess { counting, ..ImageAccess::new(Action::Cas, atomic_bytes(i.ty)) };
        let data: [I32x4; 4] = self.registers_from(i.b);
        self.image_atomic(operands, access, i.dst, &data)?;
        Ok(())
    }
}
