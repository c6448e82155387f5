//! What writes to methods do: which groups they make dirty, which have to be looked at one by one.

use triglyph_guest::rsx::fifo::METHODS;
use triglyph_guest::rsx::methods::{CURIE, Effect, curie};
use triglyph_guest::table::FieldInfo;

use crate::front_end::registers::WriteEffects;
use triglyph_engine::frontend::TRIGGER;

/// What writes do. Registers that do not take every value are triggers here, as are methods without a row.
pub(crate) static WRITES: WriteEffects = WriteEffects::new(entries());

/// The effects of the rows of the table.
pub(crate) static METHOD_EFFECTS: [Effect; METHODS] = CURIE.effects();

/// Whether a method has no row in the table.
pub(crate) fn is_unknown(method: u32) -> bool {
    CURIE.find(method).is_none()
}

const fn entries() -> [u32; METHODS] {
    let of_method = CURIE.effects();
    // Methods without a row have to be reported, but for some of which only the address is known (GCM and Mesa
    // initialise them).
    let mut entries = [TRIGGER; METHODS];
    let mut i = 0x224 / 4;
    while i < 0x250 / 4 {
        entries[i] = 0;
        i += 1;
    }
    let rows = CURIE.rows();
    let mut row = 0;
    while row < rows.len() {
        let words = match rows[row].effect {
            Effect::Trigger(trigger) => trigger.words(),
            _ => 1,
        };
        // Values of whole registers; the fields of texture units fall back to a value when they are looked at.
        let checked = rows[row].count == 1 && is_checked(rows[row].id, rows[row].fields);
        let mut i = 0;
        while i < rows[row].count * words {
            let method = (rows[row].id + (i / words) * rows[row].step) / 4 + i % words;
            let stops = checked || of_method[method].is_trigger();
            entries[method] = of_method[method].groups() | if stops { TRIGGER } else { 0 };
            i += 1;
        }
        row += 1;
    }
    entries
}

/// Registers that take no word with other bits than these.
const STRICT: [(usize, u32); 2] = [(curie::set_color_mask::ID, 0x0101_0101), (curie::set_index_array_dma::ID, 0x11)];

/// The bits that words for a register may have, if it takes no others.
const fn strict_bits(id: usize) -> Option<u32> {
    let mut i = 0;
    while i < STRICT.len() {
        if STRICT[i].0 == id {
            return Some(STRICT[i].1);
        }
        i += 1;
    }
    None
}

/// Registers that take every word, though some of their fields have names for their values.
const LENIENT: [usize; 3] =
    [curie::set_surface_format::ID, curie::set_shader_program::ID, curie::set_user_clip_plane_control::ID];

/// Whether a register keeps its value when something is written that it does not take.
const fn is_checked(id: usize, fields: &[FieldInfo]) -> bool {
    if strict_bits(id).is_some() {
        return true;
    }
    let mut i = 0;
    while i < LENIENT.len() {
        if LENIENT[i] == id {
            return false;
        }
        i += 1;
    }
    i = 0;
    while i < fields.len() {
        if !fields[i].values.is_empty() && fields[i].hi > fields[i].lo {
            return true;
        }
        i += 1;
    }
    false
}

/// Whether `word` is one that the register at `method` takes: enumerated fields hold one of their values, [strict
/// ones](STRICT) have no other bits. Hardware keeps the old value otherwise.
pub(crate) fn takes(method: u32, word: u32) -> bool {
    if let Some(bits) = strict_bits(method as usize) {
        return word & !bits == 0;
    }
    let Some(found) = CURIE.find(method) else { return true };
    let named = found.method.fields.iter().filter(|field| !field.values.is_empty() && field.hi > field.lo);
    named.into_iter().all(|field| field.values.iter().any(|&(value, _)| i64::from(value) == field.get(word)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stops_a_run() {
        let stops = |id: usize| WRITES.is_trigger(id / 4);
        assert!(
            stops(curie::set_begin_end::ID) && stops(curie::set_color_mask::ID) && stops(curie::set_depth_func::ID)
        );
        assert!(stops(0x0114) && !stops(0x0240) && !stops(curie::set_surface_format::ID));
        assert!(!stops(curie::set_texture_address::id(3)) && !stops(curie::set_viewport_scale::id(3)));
    }

    #[test]
    fn registers_that_do_not_take_every_value_have_an_effect() {
        for row in CURIE.rows().iter().filter(|row| row.count == 1 && is_checked(row.id, row.fields)) {
            assert_ne!(row.effect, Effect::None, "{}", row.name);
        }
    }

    #[test]
    fn registers_take_what_has_a_meaning() {
        let at = |id: usize| id as u32;
        assert!(takes(at(curie::set_depth_func::ID), 0x203) && !takes(at(curie::set_depth_func::ID), 3));
        assert!(takes(at(curie::set_blend_equation::ID), 0x800A_8006));
        assert!(!takes(at(curie::set_blend_equation::ID), 0x8006));
        assert!(takes(at(curie::set_color_mask::ID), 0x0100_0001) && !takes(at(curie::set_color_mask::ID), 0x10));
        assert!(takes(at(curie::set_viewport_scale::id(0)), 12345));
        assert!(takes(at(curie::set_index_array_dma::ID), 0x11) && !takes(at(curie::set_index_array_dma::ID), 0x21));
    }
}
