//! Images that are loaded and stored texel by texel.

use triglyph_guest::kernel::maxwell::Unit as ResourceKind;
use triglyph_guest::kernel::program::environment::{GlobalMemory, Image, ImageKey};
use triglyph_guest::layout::{Blocks, SurfaceLayout};
use triglyph_guest::tegra::shader::isa::*;

use crate::maxwell::atomic::{Kind, compare_exchange, result};
use crate::maxwell::context::Context;
use crate::maxwell::lane::Lane;
use crate::maxwell::program::{Decoder, Op};
use crate::maxwell::warp::lanes_of;
use crate::program::output::channel;

/// An image's binding: known statically, or by handle.
#[derive(Clone, Copy)]
struct Binding {
    unit: Option<ResourceKind>,
    buffer: u8,
    handle: SurfaceHandle,
    dim: SurfaceDim,
    /// The coordinates.
    a: Reg,
}

/// The unit of the first coordinate.
#[derive(Clone, Copy)]
enum Counting {
    /// Texels.
    Texels,
    /// Elements of as many bytes.
    Elements(u32),
    /// Bytes.
    Bytes,
}

/// Bytes of an image.
struct ImageAddress<'c> {
    key: &'c ImageKey,
    image: &'c Image<'c>,
    offset: usize,
    /// The image's number.
    index: usize,
    /// Where they would be if rows came one after the other.
    position: u64,
    memory: &'c dyn GlobalMemory,
}

impl Binding {
    fn find(&self, lane: &Lane, context: &Context<'_>) -> Option<usize> {
        match self.unit? {
            ResourceKind::Image(index) => Some(index.into()),
            ResourceKind::Texture(_) => None,
            ResourceKind::Dynamic => {
                let handle = match self.handle {
                    SurfaceHandle::Reg(reg) => lane.read(reg),
                    SurfaceHandle::Bound(index) => context.constant(Constant { slot: self.buffer, offset: index << 2 }),
                };
                let images = context.environment.handles.get(context.textures.len()..)?;
                images.iter().position(|&known| known == handle)
            }
        }
    }

    /// Column, row, slice, layer.
    fn coordinates(&self, lane: &Lane) -> [u32; 4] {
        let word = |at| lane.read_at(self.a, at);
        match self.dim {
            SurfaceDim::D1 | SurfaceDim::Buffer | SurfaceDim::Unknown(_) => [word(0), 0, 0, 0],
            SurfaceDim::D1Array => [word(0), 0, 0, word(1) & 0xFFFF],
            SurfaceDim::D2 => [word(0), word(1), 0, 0],
            SurfaceDim::D2Array => [word(0), word(1), 0, word(2) & 0xFFFF],
            SurfaceDim::D3 => [word(0), word(1), word(2), 0],
        }
    }

    /// The address of `bytes` bytes, if they are inside of the image.
    fn place<'c>(&self, lane: &Lane, counting: Counting, context: &'c Context<'_>) -> Option<ImageAddress<'c>> {
        let index = self.find(lane, context)?;
        let (key, image) = context.image(index)?;
        let [x, y, z, layer] = self.coordinates(lane);
        let texel = u32::from(key.format.bytes);
        let column = u64::from(x)
            * match counting {
                Counting::Texels => u64::from(texel),
                Counting::Elements(bytes) => bytes.into(),
                Counting::Bytes => 1,
            };
        let inside = column < u64::from(image.width) * u64::from(texel) && y < image.height && z < image.depth;
        if !inside || layer >= image.layers {
            return None;
        }
        let (column, width) = (column as u32, image.width);
        let within = match key.layout {
            SurfaceLayout::BlockLinear { log2_gobs } | SurfaceLayout::BlockSlice { log2_gobs, .. } => Blocks {
                gobs_across: image.pitch,
                rows: image.height,
                slices: image.depth,
                log2_gobs,
                log2_slices: image.log2_depth.min(5),
            }
            .offset(column, y, z),
            SurfaceLayout::Pitch => {
                (u64::from(z) * u64::from(image.height) + u64::from(y)) * u64::from(image.pitch) + u64::from(column)
            }
            // Whole texels in their order.
            layout @ SurfaceLayout::Swizzled { .. } => {
                let slice = u64::from(z) * u64::from(image.height) * u64::from(width) * u64::from(texel);
                slice + layout.offset(column / texel.max(1), y, texel, image.pitch) + u64::from(column % texel.max(1))
            }
        };
        let offset = u64::from(layer).checked_mul(image.layer_bytes)?.checked_add(within)?;
        let row = (u64::from(layer) * u64::from(image.depth) + u64::from(z)) * u64::from(image.height) + u64::from(y);
        let position = row.wrapping_mul(u64::from(width) * u64::from(texel)).wrapping_add(column.into());
        let memory = context.environment.memory;
        Some(ImageAddress { key, image, offset: usize::try_from(offset).ok()?, index, position, memory })
    }
}

impl ImageAddress<'_> {
    fn bytes(&self) -> u128 {
        u128::from_le_bytes(self.image.window.read(self.offset))
    }

    fn note(&self, bytes: u32, stores: bool) {
        self.memory.note_image(self.index, self.position..self.position.saturating_add(bytes.into()), stores);
    }

    /// Loads so many bytes, and perhaps more.
    fn read(&self, bytes: u32) -> u128 {
        self.note(bytes, false);
        self.bytes()
    }

    fn write(&self, value: u128, bytes: u32) {
        self.note(bytes, true);
        self.image.window.write(self.offset, &value.to_le_bytes()[..bytes.min(16) as usize]);
    }

    /// The components of a texel.
    fn decode(&self) -> [u32; 4] {
        let value = self.read(self.key.format.bytes.into());
        let channels = self.key.format.channels;
        [0, 1, 2, 3].map(|i| channel::decode(channels[i], value, i == 3).to_bits())
    }

    /// Stores components of a texel, those of a mask. The others stay as they are, which does not count as a load.
    fn encode(&self, components: [u32; 4], mask: u8) {
        let mut value = self.bytes();
        for (i, &channel) in self.key.format.channels.iter().enumerate() {
            let Some(bits) = channel::bits(channel) else { continue };
            if mask >> i & 1 != 0 {
                value = channel::insert(value, bits, channel::encode(channel, f32::from_bits(components[i])));
            }
        }
        self.write(value, self.key.format.bytes.into());
    }
}

fn counting(bytes: bool, raw: Option<u32>) -> Counting {
    match (bytes, raw) {
        (true, _) => Counting::Bytes,
        (false, Some(size)) => Counting::Elements(size),
        (false, None) => Counting::Texels,
    }
}

/// Words of a value.
fn words(value: u128) -> [u32; 4] {
    [0, 1, 2, 3].map(|i| (value >> (32 * i)) as u32)
}

fn kind_bytes(kind: Kind) -> u32 {
    if kind.is_wide() { 8 } else { 4 }
}

impl Decoder<'_> {
    fn image(&self, handle: SurfaceHandle, dim: SurfaceDim, a: Reg) -> Binding {
        Binding { unit: self.unit(), buffer: self.code.handle_buffer, handle, dim, a }
    }

    /// Reads, writes what `act` makes of it, and gives what was read.
    fn image_atomic(
        &self,
        guard: Guard,
        binding: Binding,
        counting: Counting,
        kind: Kind,
        dst: Reg,
        act: impl Fn(u64, &Lane) -> Option<u64> + Send + Sync + 'static,
    ) -> Op {
        self.lane(guard, move |lane, context| {
            let old = binding.place(lane, counting, context).map_or(0, |place| {
                let old = place.read(kind_bytes(kind)) as u64;
                let old = if kind.is_wide() { old } else { old & 0xFFFF_FFFF };
                if let Some(new) = act(old, lane).filter(|_| !lane.helper) {
                    place.write(new.into(), kind_bytes(kind));
                }
                old
            });
            if kind.is_wide() { lane.write_pair(dst, old) } else { lane.write(dst, old as u32) }
        })
    }
}

/// One or two registers.
fn value(lane: &Lane, reg: Reg, kind: Kind) -> u64 {
    if kind.is_wide() { lane.read_pair(reg) } else { lane.read(reg).into() }
}

impl SurfaceVisitor for Decoder<'_> {
    type Output = Op;

    fn suld_p(&mut self, i: SurfaceLoad) -> Op {
        let binding = self.image(i.handle, i.dim, i.a);
        self.lane(i.guard, move |lane, context| {
            let place = binding.place(lane, Counting::Texels, context);
            let components = place.map_or([0; 4], |place| place.decode());
            for (at, component) in lanes_of(u32::from(i.mask & 15)).enumerate() {
                lane.write_at(i.dst, at as u8, components[component]);
            }
        })
    }

    fn suld_d(&mut self, i: SurfaceLoadRaw) -> Op {
        let binding = self.image(i.handle, i.dim, i.a);
        let bytes = u32::from(i.size.bytes());
        self.lane(i.guard, move |lane, context| {
            let place = binding.place(lane, counting(i.bytes, Some(bytes)), context);
            let words = words(place.map_or(0, |place| place.read(bytes)));
            match i.size {
                MemorySize::U8 => lane.write(i.dst, words[0] & 0xFF),
                MemorySize::S8 => lane.write(i.dst, words[0] as i8 as u32),
                MemorySize::U16 => lane.write(i.dst, words[0] & 0xFFFF),
                MemorySize::S16 => lane.write(i.dst, words[0] as i16 as u32),
                _ => (0..bytes / 4).for_each(|at| lane.write_at(i.dst, at as u8, words[at as usize])),
            }
        })
    }

    fn sust_p(&mut self, i: SurfaceStore) -> Op {
        let binding = self.image(i.handle, i.dim, i.a);
        self.lane(i.guard, move |lane, context| {
            let mut components = [0; 4];
            for (at, component) in lanes_of(u32::from(i.mask & 15)).enumerate() {
                components[component] = lane.read_at(i.data, at as u8);
            }
            if let Some(place) = binding.place(lane, Counting::Texels, context).filter(|_| !lane.helper) {
                place.encode(components, i.mask);
            }
        })
    }

    fn sust_d(&mut self, i: SurfaceStoreRaw) -> Op {
        let binding = self.image(i.handle, i.dim, i.a);
        // The code of all ones means texels, as they are.
        let whole = i.size == MemorySize::UB128;
        let size = u32::from(i.size.bytes());
        self.lane(i.guard, move |lane, context| {
            let counting = if whole { Counting::Texels } else { counting(i.bytes, Some(size)) };
            let Some(place) = binding.place(lane, counting, context).filter(|_| !lane.helper) else { return };
            let word = |at: u8| u128::from(lane.read_at(i.data, at)) << (32 * at);
            let bytes = if whole { place.key.format.bytes.into() } else { size };
            place.write(word(0) | word(1) | word(2) | word(3), bytes);
        })
    }

    fn sured_p(&mut self, i: SurfaceReduce) -> Op {
        let kind = Kind::of_image(i.ty, i.op);
        let act = move |old, lane: &Lane| result(kind, i.op, old, value(lane, i.data, kind));
        let binding = self.image(i.handle, i.dim, i.a);
        self.image_atomic(i.guard, binding, counting(i.bytes, None), kind, Reg::RZ, act)
    }

    fn sured_d(&mut self, i: SurfaceReduce) -> Op {
        let kind = Kind::of_image(i.ty, i.op);
        let act = move |old, lane: &Lane| result(kind, i.op, old, value(lane, i.data, kind));
        let binding = self.image(i.handle, i.dim, i.a);
        self.image_atomic(i.guard, binding, counting(i.bytes, Some(kind_bytes(kind))), kind, Reg::RZ, act)
    }

    fn suatom(&mut self, i: SurfaceAtomic) -> Op {
        let kind = Kind::of_image(i.ty, i.op);
        let act = move |old, lane: &Lane| result(kind, i.op, old, value(lane, i.b, kind));
        let binding = self.image(i.handle, i.dim, i.a);
        let raw = i.raw.then_some(kind_bytes(kind));
        self.image_atomic(i.guard, binding, counting(i.bytes, raw), kind, i.dst, act)
    }

    fn suatom_cas(&mut self, i: SurfaceCas) -> Op {
        let kind = Kind::of(i.ty);
        let act = move |old, lane: &Lane| {
            let word = |at: u8| u64::from(lane.read_at(i.b, at));
            let pair = match kind.is_wide() {
                true => (word(0) | word(1) << 32, word(2) | word(3) << 32),
                false => (word(0), word(1)),
            };
            compare_exchange(old, pair)
        };
        let binding = self.image(i.handle, i.dim, i.a);
        let raw = i.raw.then_some(kind_bytes(kind));
        self.image_atomic(i.guard, binding, counting(i.bytes, raw), kind, i.dst, act)
    }
}
