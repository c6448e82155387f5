//! Replaces instructions by other ones.

use triglyph_guest::rsx::{fragment, vertex};
use triglyph_guest::tegra::{mme, shader};
use triglyph_guest::{pica, rsx};

use crate::choices::Choices;
use crate::document::{Document, long, word};
use crate::edit::Edit;
use crate::sites::{Isa, Order, Site, Sites, What};

/// Another instruction at a site, or a run of new ones from there on.
pub fn edit(document: &Document, sites: &Sites, site: &Site, choices: &mut Choices) -> Option<Edit> {
    let What::Instruction(isa) = site.what else { return None };
    let payload = &document.blocks[site.record].payload;
    let size = isa.size();
    let old = payload.get(site.at..site.at + size)?;
    let bytes = match choices.below(6) {
        0 | 1 => {
            let mut bytes = old.to_vec();
            let bit = choices.below(8 * size);
            bytes[bit / 8] ^= 1 << (bit % 8);
            bytes
        }
        // One from somewhere else, in place of this.
        2 => {
            let other = choices.pick(&sites.instructions)?;
            document.blocks[other.record].payload.get(other.at..other.at + size)?.to_vec()
        }
        _ => random(isa, old, site.order, choices),
    };
    Some(Edit::Bytes { record: site.record, at: site.at, bytes, what: site.name.to_owned() })
}

/// An instruction by the table: half of them of the same operation.
fn random(isa: Isa, old: &[u8], order: Order, choices: &mut Choices) -> Vec<u8> {
    let same = choices.one_in(2);
    let pick = |choices: &mut Choices, count: usize| choices.below(count);
    match isa {
        Isa::Pica => {
            let any = pick(choices, pica::isa::Op::all().len());
            let op = pica::isa::decode(word(old, 0)).filter(|_| same).or_else(|| pica::isa::Op::all().nth(any));
            let new = op.map(|op| pica::isa::random_word(op, &mut || choices.word()));
            new.unwrap_or_default().to_le_bytes().to_vec()
        }
        Isa::Macro => {
            let any = pick(choices, mme::isa::Op::all().len());
            let op = mme::isa::decode(word(old, 0)).filter(|_| same).or_else(|| mme::isa::Op::all().nth(any));
            let new = op.map(|op| mme::isa::random_word(op, &mut || choices.word()));
            new.unwrap_or_default().to_le_bytes().to_vec()
        }
        Isa::Maxwell => {
            let any = pick(choices, shader::isa::Op::all().len());
            let op = shader::isa::decode(long(old, 0)).filter(|_| same).or_else(|| shader::isa::Op::all().nth(any));
            let mut words = || choices.word();
            let new = op.map(|op| match same {
                true => shader::isa::random_word(op, &mut words),
                false => shader::random::instruction(op, &mut words, &shader::random::Options::default()),
            });
            new.unwrap_or_default().to_le_bytes().to_vec()
        }
        Isa::RsxVertex => {
            let options = vertex::random::Options { textures: true, ..Default::default() };
            let words = vertex::random::instruction(&mut || choices.word(), options);
            words.into_iter().flat_map(|word| order.bytes(word)).collect()
        }
        Isa::RsxFragment => {
            let words = fragment::random::instruction(&mut || choices.word(), Default::default());
            let order = match order {
                Order::Little => rsx::fragment::memory::Order::Little,
                Order::Big => rsx::fragment::memory::Order::Big,
            };
            let slots = words.as_chunks::<4>().0.iter();
            slots.flat_map(|slot| fragment::memory::bytes(*slot, order)).collect()
        }
    }
}
