//! The RSX's 3D class: whatever comes through the push buffer, nothing panics and everything ends.

use crate::class_3d::support::*;
use arbtest::arbitrary::{Result, Unstructured};
use triglyph_guest::rsx::methods::CURIE;
use triglyph_guest::rsx::methods::curie as m;

/// A word that a register may like: one of its named values, small numbers, floats, noise.
fn word(u: &mut Unstructured<'_>, method: u32) -> Result<u32> {
    let named: Vec<(u32, u32)> = CURIE
        .find(method)
        .into_iter()
        .flat_map(|found| found.method.fields)
        .filter(|field| !field.values.is_empty())
        .flat_map(|field| field.values.iter().map(move |&(value, _)| (field.lo, value)))
        .collect();
    Ok(match u.int_in_range(0..=9)? {
        0..=4 if !named.is_empty() => {
            let (shift, value) = *u.choose(&named)?;
            let other = *u.choose(&named)?;
            value << shift | if u.ratio(1, 2)? { other.1 << other.0 } else { 0 }
        }
        0..=4 => u.int_in_range(0..=0x40)? << *u.choose(&[0, 0, 0, 8, 16])?,
        5 => f32::to_bits(*u.choose(&[0.0, 1.0, -1.0, 0.5, 8.0, 1e9, -1e30, f32::NAN, f32::INFINITY])?),
        6 => u.int_in_range(0..=0x3000)? & !63,
        7 => u32::from(u.arbitrary::<u16>()?) << 16 | u32::from(u.arbitrary::<u16>()?),
        _ => u.arbitrary()?,
    })
}

/// Some methods, most of them of the class.
fn noise(console: &mut Console, u: &mut Unstructured<'_>) -> Result<()> {
    let rows = CURIE.rows();
    for _ in 0..u.int_in_range(1..=24)? {
        let row = u.choose(rows)?;
        let index = u.int_in_range(0..=row.count.max(1) - 1)?;
        let method = match u.ratio(1, 20)? {
            true => u.int_in_range(0x40..=0x7FF)? as u32 * 4,
            false => (row.id + index * row.step) as u32,
        };
        // Semaphores that are waited for have their own tests; targets stay where they are most of the time.
        if method < 0x100 || (0x180..0x220).contains(&method) && u.ratio(9, 10)? {
            continue;
        }
        let count = u.int_in_range(1..=8)?.min((0x2000 - method as usize) / 4);
        let mut words = Vec::new();
        for i in 0..count {
            words.push(word(u, method + 4 * i as u32)?);
        }
        if u.ratio(1, 4)? { console.repeated(method as usize, &words) } else { console.method(method as usize, &words) }
    }
    Ok(())
}

#[test]
fn random_methods_between_draws() {
    arbtest::arbtest(|u| {
        let mut console = Console::new();
        console.write_local(TEXTURE, &[0x5A; 4096]);
        console.fragment_program("tex r0, f[TC0], tex0\n add r0, r0, f[COL0]  [end]");
        for _ in 0..3 {
            noise(&mut console, u)?;
            let primitive = u.int_in_range(1..=10)?;
            let mut positions = Vec::new();
            for _ in 0..u.int_in_range(1..=9)? {
                let mut position = [0.0; 4];
                for (i, v) in position.iter_mut().enumerate() {
                    *v = *u.choose(&[-1.0, 1.0, 0.25, -0.5, 3.0, 1e6, -1e20, if i == 3 { 1.0 } else { f32::NAN }])?;
                }
                positions.push(position);
            }
            console.push_draw(primitive, RED, &positions);
            console.set(m::get_report::ID, 1 << 24);
            console.run();
        }
        Ok(())
    })
    .budget_ms(4000);
}

#[test]
fn random_words_in_programs() {
    arbtest::arbtest(|u| {
        let mut console = Console::new();
        console.set(m::set_transform_program_load::ID, 0);
        for _ in 0..u.int_in_range(1..=12)? {
            console.method(m::set_transform_program::ID, &u.arbitrary::<[u32; 4]>()?);
        }
        console.run();
        if u.ratio(1, 2)? {
            console.write_local(PROGRAM, &u.arbitrary::<[u8; 64]>()?);
        }
        console.fill(RED);
        Ok(())
    })
    .budget_ms(2000);
}
