//! The texture of an instruction: known at compile time, or by a handle that is known only at run time.

use cranelift_codegen::ir::InstBuilder;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::{I32X4, I64};
use triglyph_guest::kernel::Unsupported;
use triglyph_guest::kernel::maxwell::Unit as ResourceKind;
use triglyph_guest::num::ops::Ops;
use triglyph_guest::tegra::shader::isa::{Constant, Handle, Reg};

use super::args::texture_at;
use super::flow::least;
use super::image::MAX_KINDS;
use super::{Context, LaneValue, Lower};
use crate::lane::{I32x4, Mask};
use crate::pixel::sample::programs::TextureUnit;

/// Source of a texture's handle, if it is known only at run time.
#[derive(Clone, Copy)]
pub(super) enum HandleSource {
    /// Word of the buffer of handles.
    Bound(u16),
    Reg(Reg),
}

impl HandleSource {
    /// The register that `first` takes, if the handle is in one.
    pub fn take(handle: Handle, first: impl FnOnce() -> Reg) -> HandleSource {
        match handle {
            Handle::Bindless => HandleSource::Reg(first()),
            Handle::Bound(index) => HandleSource::Bound(index),
        }
    }
}

/// Emits a lookup in a unit.
pub(super) type EmitLookup<'f, 'l, 'a> =
    &'f mut dyn FnMut(&mut Lower<'l, 'a>, TextureUnit<'l>) -> Result<[LaneValue; 4], Unsupported>;

impl<'l, 'a> Lower<'l, 'a> {
    /// Performs a lookup in the instruction's unit. Without one all components are 0.
    pub(super) fn lookup(
        &mut self,
        handle: HandleSource,
        look: EmitLookup<'_, 'l, 'a>,
    ) -> Result<[LaneValue; 4], Unsupported> {
        let index = match self.code.unit(self.at) {
            None | Some(ResourceKind::Image(_)) => return Ok(self.nothing()),
            Some(ResourceKind::Texture(index)) => index,
            Some(ResourceKind::Dynamic) => return self.lookup_by_handle(handle, look),
        };
        let resources = self.resources;
        let Some(key) = resources.texture(index) else { return Ok(self.nothing()) };
        let place = self.texture_place(index.into());
        let context = self.host.context();
        let scratch = self.host.scratch();
        let e = self.host.e();
        let all = e.load_i64(context, std::mem::offset_of!(Context, textures) as i32);
        let args = match texture_at(place) {
            0 => all,
            offset => e.b.ins().iadd_imm_u(all, i64::from(offset)),
        };
        look(self, TextureUnit { key, args, scratch })
    }

    /// Index of a texture among those that are read.
    fn texture_place(&mut self, index: usize) -> usize {
        let known = self.needs.textures.iter().position(|&known| known == index);
        known.unwrap_or_else(|| {
            self.needs.textures.push(index);
            self.needs.textures.len() - 1
        })
    }

    /// Performs a lookup in units that are known only at run time: a loop over the units that lanes select, with code
    /// for each of the key's texture kinds. Mostly all lanes select one.
    fn lookup_by_handle(
        &mut self,
        handle: HandleSource,
        look: EmitLookup<'_, 'l, 'a>,
    ) -> Result<[LaneValue; 4], Unsupported> {
        let resources = self.resources;
        let kinds = resources.texture_kinds();
        if kinds.len() > MAX_KINDS {
            return Err(Unsupported("textures of too many kinds"));
        }
        for index in (0..resources.textures.len()).filter(|&index| resources.textures[index].is_some()) {
            self.texture_place(index);
        }
        self.needs.any_texture = true;
        let handle = match handle {
            HandleSource::Reg(reg) => self.reg_int(reg),
            HandleSource::Bound(word) => {
                let slot = self.code.handle_buffer;
                let number = self.constant(Constant { slot, offset: word << 2 });
                self.value_int(number)
            }
        };
        let [place, kind] = self.find_texture(handle);
        let active = self.active();
        let context = self.host.context();
        let scratch = self.host.scratch();
        let e = self.host.e();
        let all = e.load_i64(context, std::mem::offset_of!(Context, textures) as i32);
        let none = e.ishr(place, 31);
        let mut left = e.not(Mask(none.0));
        if let Some(active) = active {
            left = e.and(left, active);
        }
        let types = [I32X4; 5];
        let (head, pick, done) = (e.block(&types), e.block(&[]), e.block(&types[1..]));
        let cases: Vec<_> = kinds.iter().map(|_| e.block(&[])).collect();
        let never = e.cold_block(&[]);
        let zero = e.i(0).0;
        e.jump(head, &[left.0, zero, zero, zero, zero]);

        e.switch_to(head);
        let left = Mask(e.parameter(head, 0));
        let before: [I32x4; 4] = std::array::from_fn(|n| I32x4(e.parameter(head, n + 1)));
        let values = before.map(|value| value.0);
        let any = e.any(left);
        // Iterations that go together look at one unit after the other, where some select none of their lanes.
        e.branch_if_any(any, (pick, &[]), (done, &values));

        e.switch_to(pick);
        let most = e.i(i32::MAX);
        let candidates = e.iselect(left, place, most);
        let chosen = least(e, candidates);
        let chosen = e.lane(chosen, 0);
        e.use_minimum();
        let all_chosen = e.splat_i32(chosen);
        let same = e.ieq(candidates, all_chosen);
        let kinds_here = e.iselect(same, kind, most);
        let kind = least(e, kinds_here);
        let kind = e.lane(kind, 0);
        e.use_minimum();
        let chosen = e.b.ins().uextend(I64, chosen);
        let offset = e.b.ins().imul_imm_u(chosen, i64::from(texture_at(1)));
        let args = e.b.ins().iadd(all, offset);
        for (n, &case) in (0..).zip(&cases) {
            let other = if n + 1 == cases.len() as i64 { never } else { e.block(&[]) };
            let is_it = e.b.ins().icmp_imm_u(IntCC::Equal, kind, n);
            e.branch_together(is_it, (case, &[]), (other, &[]));
            e.switch_to(other);
        }
        if cases.is_empty() {
            e.jump(never, &[]);
            e.switch_to(never);
        }
        e.jump(done, &values);
        // Values of one case do not dominate the code after it.
        let (file, constants) = (self.file.snapshot(), self.constants.clone());
        for (case, key) in cases.into_iter().zip(kinds) {
            self.e().switch_to(case);
            let found = look(self, TextureUnit { key, args, scratch })?;
            let found = found.map(|number| self.value_int(number));
            let e = self.e();
            let mut next = vec![e.and_not(left, same).0];
            next.extend((0..4).map(|n| e.iselect(same, found[n], before[n]).0));
            e.jump(head, &next);
            self.file.restore(file.clone());
            self.constants.clone_from(&constants);
        }
        let e = self.e();
        e.switch_to(done);
        Ok(std::array::from_fn(|n| LaneValue::int(I32x4(e.parameter(done, n)))))
    }
}

/// The handle of the short forms.
pub(super) const fn bound(handle: Handle) -> HandleSource {
    match handle {
        Handle::Bound(index) => HandleSource::Bound(index),
        Handle::Bindless => HandleSource::Reg(Reg::RZ),
    }
}
