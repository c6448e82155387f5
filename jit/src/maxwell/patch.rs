//! Tessellation control: the threads of a patch are a warp. Outputs are stored by word, then by lane, while the program
//! runs, since threads read each other's outputs.

use std::sync::Arc;

use cranelift_codegen::ir::InstBuilder;
use triglyph_guest::kernel::maxwell::LANES;
use triglyph_guest::kernel::program::stage::PATCH_WORDS;
use triglyph_guest::kernel::program::stage::{Patches, ShaderJob, ShaderKernel, ShaderKey, Work};
use triglyph_guest::kernel::{MachineCode, Unsupported};
use triglyph_guest::num::ops::Ops;
use triglyph_guest::tegra::shader::isa::AttributeAccess;

use super::compute::{self, CompiledCompute, ComputeArgs, SliceHost, at, release, threads};
use super::patch_args::PatchArgs;
use super::stage::{POSITION_W, PRIMITIVE};
use super::{Prepared, ResourceKeys};
use crate::code::Compiler;
use crate::lane::{I32x4, Mask};

impl SliceHost<'_, '_> {
    /// Loads a word of a vertex or of the patch.
    pub fn patch_attribute(&mut self, i: &AttributeAccess, word: u8, vertex: Option<I32x4>) -> I32x4 {
        let (key, place) = (self.key, self.place);
        let e = &mut *self.e;
        let args = e.args;
        if i.patch {
            let words = e.load_i64(args, at!(patch.words));
            return e.load_splat_i32(words, 4 * i32::from(word));
        }
        if !i.output && word == PRIMITIVE {
            return e.load_splat_i32(args, at!(patch.primitive));
        }
        let set = if i.output { &key.outputs } else { &key.inputs };
        let (Some(index), Some(place)) = (set.index(word), place) else { return e.i(0) };
        // A lane's index is its vertex's.
        let vertex = vertex.unwrap_or_else(|| self.number(place, 0));
        let e = &mut *self.e;
        let args = e.args;
        let last = e.load_splat_i32(args, if i.output { at!(patch.last_output) } else { at!(patch.last_input) });
        let there = e.umin(vertex, last);
        let exists = e.ieq(there, vertex);
        let value = if i.output {
            let base = e.load_i64(args, at!(patch.outputs));
            let first = e.i((index * LANES) as i32);
            let at = e.iadd(there, first);
            e.gather32_unclamped(base, at)
        } else {
            let base = e.load_i64(args, at!(patch.inputs));
            let (stride, first) = (e.i(set.len() as i32), e.i(index as i32));
            let at = e.imul(there, stride);
            let at = e.iadd(at, first);
            e.gather32_unclamped(base, at)
        };
        let zero = e.i(0);
        e.iselect(exists, value, zero)
    }

    /// Stores words of the patch by their numbers, lane after lane.
    pub fn store_patch_words(&mut self, all: &[(I32x4, I32x4)], lanes: Mask) {
        let e = &mut *self.e;
        let args = e.args;
        let words = e.load_i64(args, at!(patch.words));
        for lane in 0..4 {
            let wanted = e.lane(I32x4(lanes.0), lane);
            for &(word, value) in all {
                let (number, own) = (e.lane(word, lane), e.lane(value, lane));
                let place = e.address(words, number, 2);
                let old = e.load_i32(place, 0);
                let kept = e.b.ins().select(wanted, own, old);
                e.store(kept, place, 0);
            }
        }
    }

    /// Stores a word of the lanes' vertices, or of the patch: there the last lane's value remains.
    pub fn store_patch_attribute(&mut self, i: &AttributeAccess, word: u8, value: I32x4, lanes: Option<Mask>) {
        let (key, place) = (self.key, self.place);
        let e = &mut *self.e;
        let args = e.args;
        let lanes = lanes.unwrap_or_else(|| Mask(e.i(-1).0));
        if i.patch {
            let words = e.load_i64(args, at!(patch.words));
            let mut kept = e.load_i32(words, 4 * i32::from(word));
            for lane in 0..4 {
                let (own, wanted) = (e.lane(value, lane), e.lane(I32x4(lanes.0), lane));
                kept = e.b.ins().select(wanted, own, kept);
            }
            e.store(kept, words, 4 * i32::from(word));
            return;
        }
        let (Some(index), Some(place)) = (key.outputs.index(word), place) else { return };
        let base = e.load_i64(args, at!(patch.outputs));
        let base = e.b.ins().iadd(base, place);
        let offset = (size_of::<[u32; LANES]>() * index) as i32;
        let old = e.load_ints(base, offset);
        let value = e.iselect(lanes, value, old);
        e.store(value.0, base, offset);
    }
}

/// A compiled control program.
struct Control(CompiledCompute);

/// The kernel of `key`, a tessellation control program.
pub fn control(compiler: &Compiler, key: &ShaderKey) -> Result<Arc<dyn ShaderKernel>, Unsupported> {
    Ok(Arc::new(Control(compute::compile(compiler, key)?)))
}

impl Control {
    fn patches(&self, args: &mut ComputeArgs, work: &mut Patches<'_>) -> Result<(), Unsupported> {
        let (inputs, outputs) = (self.0.key.inputs.len(), self.0.key.outputs.len());
        let (vertices, lanes) = (work.vertices as usize, work.threads as usize);
        let count = work.primitives.len();
        let there = work.inputs.len() >= count * vertices * inputs
            && work.outputs.len() >= count * lanes * outputs
            && work.patches.len() >= count * PATCH_WORDS;
        if !there || !(1..=LANES).contains(&lanes) || !(1..=LANES).contains(&vertices) {
            return Err(Unsupported("patches that are not there"));
        }
        let mut warp = self.0.warp();
        let mut columns = vec![[0; LANES]; outputs.max(1)];
        let numbers = threads(0, [LANES as u32, 1, 1]);
        args.threads = &raw const numbers;
        for (n, &primitive) in work.primitives.iter().enumerate() {
            columns.fill([0; LANES]);
            if let Some(w) = self.0.key.outputs.index(POSITION_W) {
                columns[w] = [1f32.to_bits(); LANES];
            }
            args.patch = PatchArgs {
                inputs: work.inputs[n * vertices * inputs..].as_ptr(),
                outputs: columns.as_mut_ptr(),
                words: work.patches[n * PATCH_WORDS..(n + 1) * PATCH_WORDS].as_mut_ptr(),
                last_input: work.vertices - 1,
                last_output: work.threads - 1,
                primitive,
                info: (work.vertices & 0xFF) << 16,
                prim_type: (work.vertices & 0xFF) << 8,
            };
            warp.clear(self.0.first, lanes, &self.0.needs.cleared);
            self.0.run_warp(args, &mut warp);
            while release(std::slice::from_mut(&mut warp), &self.0.needs) {
                self.0.run_warp(args, &mut warp);
            }
            args.context.excess += self.0.excess(&warp);
            let records = &mut work.outputs[n * lanes * outputs..(n + 1) * lanes * outputs];
            for (at, word) in records.iter_mut().enumerate() {
                *word = columns[at % outputs][at / outputs];
            }
        }
        Ok(())
    }
}

impl ShaderKernel for Control {
    fn run(&self, job: &mut ShaderJob<'_>) -> Result<(), Unsupported> {
        let environment = job.environment;
        let Work::Patches(work) = &mut job.work else { return Err(Unsupported("work of another stage")) };
        let mut prepared = Prepared::new(&self.0.needs, ResourceKeys::of(&self.0.key), 0, &environment)?;
        let mut args = self.0.args(&mut prepared, &environment);
        self.patches(&mut args, work)?;
        prepared.finish(&args.context, &environment);
        Ok(())
    }

    fn code(&self) -> MachineCode {
        self.0.code()
    }
}
