//! The inputs of the draws of an event: vertices, textures, constants; and the resulting mesh.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use triglyph::probe::{
    BoundTexture, Constants, DecodedImage, Fetch, Input, Mesh, TextureBinding, TextureForm, TextureSource,
};
use triglyph::probe::{MAX_VERTICES, Vertices};
use triglyph::{Error, GuestRange};
use triglyph_guest::kernel::program::sampler::TextureKey;
use triglyph_guest::tegra::header::{sampler, texture};
use triglyph_guest::tegra::methods::threed::{SamplerBinding, regs as r};

use crate::replay::Session;
use crate::tour::{Ask, Moment, Seen, Tour};

/// Parts of a draw whose vertices and meshes are kept: instances beyond are left out.
pub const MAX_PARTS: usize = 64;

/// Bytes of a texture that are kept as they are in memory.
pub const MAX_BYTES: u64 = 32 << 20;

/// Bytes of all textures of an event whose texels are kept, as they are in memory and decoded.
const MAX_TEXELS: u64 = 256 << 20;

/// Bytes of the vertices of all parts, and of their meshes.
const MAX_VERTEX_BYTES: usize = 64 << 20;

/// What goes into the draws of an event.
#[derive(Clone, Debug, Default)]
pub struct Inputs {
    /// Vertices before the vertex stage, of each part of the draw.
    pub vertices: Vec<Vertices>,
    /// Vertices after the last stage before rasterization.
    pub meshes: Vec<Mesh>,
    /// How many parts there are: the first ones are in the lists, at most [`MAX_PARTS`] and 64 MiB.
    pub parts: usize,
    /// Textures, each once.
    pub textures: Vec<Texture>,
    /// Constants, each once, as the last part of the draw has them.
    pub constants: Vec<Constants>,
    /// Registers of the class at the event.
    pub registers: Vec<u32>,
    /// Bytes of vertices and meshes, and of texels.
    vertex_bytes: usize,
    texel_bytes: u64,
}

/// A texture that a stage of a draw may read.
#[derive(Clone, Debug)]
pub struct Texture {
    /// The stage.
    pub stage: String,
    /// The unit, or which one of the program's it is.
    pub unit: u32,
    /// The handle that the program names it by, if it has one.
    pub handle: Option<u32>,
    /// The memory that it is in: of cubes of the 3DS a range for each face.
    pub ranges: Vec<GuestRange>,
    /// What it is.
    pub form: Form,
    /// On the Tegra X1 the words of its header and its sampler.
    pub descriptors: Option<(texture::Words, sampler::Words)>,
    /// The bytes of each range, at most 32 MiB of all, if they were asked for: of all textures those of the 3DS, whose
    /// pictures need them. With images they are at most 256 MiB.
    pub bytes: Vec<Vec<u8>>,
    /// The image as kernels see it, if it was asked for and there is room for it.
    pub image: Option<Arc<DecodedImage>>,
}

/// What a texture is.
#[derive(Clone, Debug)]
pub enum Form {
    /// One of the 3DS.
    Tiled(TextureSource),
    /// One of shader pipelines.
    Image(TextureKey, TextureBinding),
}

/// Which textures are wanted with their texels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Texels {
    /// None.
    None,
    /// The one of this number.
    Of(usize),
    /// All of them.
    All,
}

impl Session<'_> {
    /// What goes into the draws of an event; nothing for other events. `texture`: which one of the textures is wanted
    /// with its texels.
    ///
    /// # Errors
    /// As [`Self::tour`].
    pub fn inputs(&mut self, event: usize, texture: Option<usize>) -> Result<Inputs, Error> {
        let found = Arc::new(Mutex::new(Inputs::default()));
        let kept = found.clone();
        let wanted = BTreeMap::from([(event, texture.map_or(Texels::None, Texels::Of))]);
        self.inputs_of(&wanted, move |_, inputs| {
            *kept.lock().unwrap_or_else(PoisonError::into_inner) = inputs;
            true
        })?;
        let mut found = found.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(std::mem::take(&mut *found))
    }

    /// What goes into the draws of several events, in one replay: `each` is called with each of them, in order, until
    /// it says that it has enough.
    ///
    /// # Errors
    /// As [`Self::tour`].
    pub(super) fn inputs_of(
        &mut self,
        wanted: &BTreeMap<usize, Texels>,
        each: impl FnMut(usize, Inputs) -> bool + Send + 'static,
    ) -> Result<(), Error> {
        let none = |event: usize| Error::InvalidArgument(format!("event {event} of {}", self.events().len()));
        let order = |(&event, &texels): (&usize, &Texels)| {
            let order = self.events().get(event).ok_or_else(|| none(event))?.order;
            Ok((order, (event, texels)))
        };
        let orders = wanted.iter().map(order).collect::<Result<_, Error>>()?;
        let (Some(&first), Some(&last)) = (wanted.keys().next(), wanted.keys().next_back()) else { return Ok(()) };
        let count = |&event: &usize| (event, self.events()[event].draws().count());
        let parts = wanted.keys().map(count).collect();
        let inputs = Inputs::default();
        let collector = Collector { orders, parts, texels: Texels::None, inputs, is_over: false, each };
        self.tour(first, last, Box::new(collector))
    }
}

struct Collector<F> {
    /// Events by the order of their commands.
    orders: BTreeMap<u64, (usize, Texels)>,
    /// How many parts the draws of events have.
    parts: BTreeMap<usize, usize>,
    /// What is wanted of the event in progress, and what there is of it so far.
    texels: Texels,
    inputs: Inputs,
    is_over: bool,
    each: F,
}

impl<F: FnMut(usize, Inputs) -> bool + Send> Tour for Collector<F> {
    fn ask(&mut self, order: u64, moment: Moment) -> Option<Ask> {
        let registers = moment == Moment::Before;
        self.orders.contains_key(&order).then(|| Ask { registers, ranges: Vec::new() })
    }

    fn seen(&mut self, seen: Seen) {
        let Some(&(event, texels)) = self.orders.get(&seen.order) else { return };
        match seen.moment {
            Moment::Before => {
                self.texels = texels;
                self.inputs = Inputs { registers: seen.registers, ..Inputs::default() };
            }
            Moment::After => {
                let mut inputs = std::mem::take(&mut self.inputs);
                inputs.parts = inputs.parts.max(self.parts.remove(&event).unwrap_or(0));
                if !(self.each)(event, inputs) {
                    self.is_over = true;
                }
            }
        }
    }

    fn is_over(&mut self) -> bool {
        self.is_over
    }

    fn wants_inputs(&mut self, order: u64) -> bool {
        self.inputs.has_room() && self.orders.contains_key(&order)
    }

    fn input(&mut self, _: u64, input: &Input<'_>) {
        let found = &mut self.inputs;
        match input {
            Input::Vertices(vertices) => {
                if found.has_room() {
                    found.vertex_bytes += vertex_bytes(vertices);
                    found.vertices.push((*vertices).clone());
                }
            }
            Input::Mesh(mesh) => {
                found.parts += 1;
                let kept: usize = found.meshes.iter().map(|mesh| mesh.positions.len()).sum();
                if found.meshes.len() < MAX_PARTS && kept < MAX_PARTS.min(4) * MAX_VERTICES {
                    found.vertex_bytes += size_of_val(&*mesh.positions) + size_of_val(&*mesh.edges);
                    found.meshes.push((*mesh).clone());
                }
            }
            Input::Texture(texture) => found.note_texture(texture, self.texels),
            Input::Constants(constants) => {
                match found.constants.iter_mut().find(|known| known.name == constants.name) {
                    Some(known) => known.clone_from(constants),
                    None => found.constants.push((*constants).clone()),
                }
            }
        }
    }
}

fn vertex_bytes(vertices: &Vertices) -> usize {
    let attributes = vertices.attributes.iter().map(|attribute| match &attribute.fetch {
        Fetch::Words(_, words, _) => attribute.raw.len() + size_of_val(&**words),
        _ => attribute.raw.len(),
    });
    size_of_val(&*vertices.elements) + attributes.sum::<usize>()
}

impl Inputs {
    /// Whether another part is kept.
    fn has_room(&self) -> bool {
        self.vertices.len().max(self.meshes.len()) < MAX_PARTS && self.vertex_bytes < MAX_VERTEX_BYTES
    }

    fn note_texture(&mut self, bound: &BoundTexture<'_>, wanted: Texels) {
        let ranges = bound.ranges();
        let same = |known: &Texture| {
            (&*known.stage, known.unit, &known.ranges, known.handle) == (bound.stage, bound.unit, &ranges, bound.handle)
        };
        if self.textures.iter().any(same) {
            return;
        }
        let mut texture = Texture {
            stage: bound.stage.to_owned(),
            unit: bound.unit,
            handle: bound.handle,
            form: match bound.form {
                TextureForm::Tiled(source) => Form::Tiled(*source),
                TextureForm::Image(key, binding) => Form::Image(*key, binding.clone()),
            },
            descriptors: bound.handle.map(|handle| self.descriptors(bound, handle)),
            ranges,
            bytes: Vec::new(),
            image: None,
        };
        if wanted == Texels::All || wanted == Texels::Of(self.textures.len()) {
            let decoded = bound.decoded_bytes();
            if self.texel_bytes + decoded <= MAX_TEXELS {
                self.texel_bytes += decoded;
                texture.image = bound.decode();
            }
            if wanted != Texels::All || matches!(texture.form, Form::Tiled(_)) {
                self.read_bytes(bound, &mut texture);
            }
        }
        self.textures.push(texture);
    }

    /// Reads a texture's bytes, as far as there is room for them.
    fn read_bytes(&mut self, bound: &BoundTexture<'_>, texture: &mut Texture) {
        let mut left = MAX_BYTES.min(MAX_TEXELS - self.texel_bytes);
        for range in &texture.ranges {
            let mut bytes = vec![0; range.size.min(left) as usize];
            left -= bytes.len() as u64;
            self.texel_bytes += bytes.len() as u64;
            bound.memory().read_pieces(range.start, &mut bytes);
            texture.bytes.push(bytes);
        }
    }

    /// The words of the header and of the sampler that a handle names.
    fn descriptors(&self, bound: &BoundTexture<'_>, handle: u32) -> (texture::Words, sampler::Words) {
        let get = |id: usize| self.registers.get(id).copied().unwrap_or(0);
        let pool = |id: usize| u64::from(get(id) & 0xFF) << 32 | u64::from(get(id + 1));
        let handle = texture::TextureHandle(handle);
        let by_header = r::set_sampler_binding::v(get(r::set_sampler_binding::ID));
        let index = match by_header == Some(SamplerBinding::ViaHeaderBinding) {
            true => handle.header(),
            false => handle.sampler(),
        };
        let read = |pool: u64, index: u32| {
            let mut bytes = [0; 32];
            let Some(range) = bound.ranges().first().copied() else { return [0; 8] };
            let mut start = range.start;
            start.address = pool + 32 * u64::from(index);
            bound.memory().read_pieces(start, &mut bytes);
            let mut words = bytes.as_chunks().0.iter().map(|&word| u32::from_le_bytes(word));
            std::array::from_fn(|_| words.next().unwrap_or(0))
        };
        let header = read(pool(r::set_tex_header_pool_a::ID), handle.header());
        (header, read(pool(r::set_tex_sampler_pool_a::ID), index))
    }
}

#[cfg(test)]
mod tests {
    use triglyph_testkit::data::capture;

    use super::*;
    use crate::options::SessionOptions;

    /// What is kept of the textures of a capture's draws, where there is room for so many bytes.
    struct Textures {
        room: u64,
        found: Arc<Mutex<Vec<Texture>>>,
    }

    impl Tour for Textures {
        fn ask(&mut self, _: u64, _: Moment) -> Option<Ask> {
            Some(Ask::default())
        }

        fn seen(&mut self, _: Seen) {}

        fn wants_inputs(&mut self, _: u64) -> bool {
            true
        }

        fn input(&mut self, _: u64, input: &Input<'_>) {
            let Input::Texture(bound) = input else { return };
            let mut inputs = Inputs { texel_bytes: MAX_TEXELS - self.room, ..Inputs::default() };
            inputs.note_texture(bound, Texels::All);
            assert!(inputs.texel_bytes <= MAX_TEXELS);
            self.found.lock().unwrap().append(&mut inputs.textures);
        }
    }

    fn textures(name: &str, room: u64) -> Vec<Texture> {
        let capture = capture(name);
        let mut session = Session::open(&capture, &SessionOptions::default()).unwrap();
        let found = Arc::new(Mutex::new(Vec::new()));
        let last = session.events().len() - 1;
        session.tour(0, last, Box::new(Textures { room, found: found.clone() })).unwrap();
        let mut found = found.lock().unwrap();
        std::mem::take(&mut *found)
    }

    #[test]
    fn texels_have_a_room() {
        for (name, is_tiled) in [("3ds/18-texture-formats", true), ("rsx/06-mipmap", false), ("tegra/06-mipmap", false)]
        {
            let whole = textures(name, MAX_TEXELS);
            assert!(!whole.is_empty(), "{name}");
            for texture in &whole {
                assert_eq!((texture.bytes.is_empty(), texture.image.is_none()), (!is_tiled, is_tiled), "{name}");
                assert!(texture.picture(0, 0, 0).is_some(), "{name}");
            }
            // What does not fit has no picture, not one of zeros.
            for texture in textures(name, 10) {
                assert!(texture.bytes.iter().map(Vec::len).sum::<usize>() <= 10, "{name}");
                assert!(texture.image.is_none() && texture.picture(0, 0, 0).is_none(), "{name}");
            }
        }
    }
}
