//! Draws of the 3DS: three vertices outside of the clip volume, a program that passes the position on, no texture.

use criterion::Criterion;
use triglyph_guest::pica::regs;

use crate::support::list::List;
use crate::support::n3ds::{Console, SEEN, uniforms};
use crate::{DRAWS, measure};

pub fn bench(criterion: &mut Criterion) {
    draws(criterion, "unchanged", |_, _| {});
    draws(criterion, "16 uniforms", |list, i| {
        uniforms(list, i);
    });
    draws(criterion, "a combiner constant", |list, i| {
        list.write(regs::tev_color::IDS[0], i);
    });
    draws(criterion, "another vertex array", |list, i| {
        list.write(regs::attrbuf_offset::id(0), i % 2 * 16);
    });
}

fn draw(list: &mut List) {
    list.write(regs::num_vertices::ID, 3).write(regs::draw_arrays::ID, 1);
}

/// Draws with `change` before each, hidden by an earlier one.
fn draws(criterion: &mut Criterion, name: &str, change: impl Fn(&mut List, u32)) {
    measure(criterion, "3ds", name, || {
        let mut list = List::default();
        list.write(regs::vertex_offset::ID, SEEN);
        draw(&mut list);
        list.write(regs::vertex_offset::ID, 0);
        for i in 0..DRAWS {
            change(&mut list, i);
            draw(&mut list);
        }
        let Console { device, command } = Console::new(list);
        (device, command)
    });
}
