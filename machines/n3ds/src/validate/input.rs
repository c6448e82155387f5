//! Vertices: counts, arrays, attributes, the outputs of the vertex program.

use triglyph_engine::validate::{Draw, Found};
use triglyph_guest::pica::regs::{self, AttributeType, CombinerSource, OutputSemantic};

/// Whether the draw reads arrays.
fn is_from_arrays(draw: &Draw<'_>) -> bool {
    [regs::draw_arrays::ID, regs::draw_elements::ID].contains(&(draw.command.method as usize))
}

fn geometry_program(draw: &Draw<'_>) -> bool {
    let mode = regs::geostage_config::mode(draw.get(regs::geostage_config::ID));
    mode == Some(regs::GeometryStage::Shader)
}

pub(super) fn no_vertices(draw: &Draw<'_>) -> Option<Found> {
    (is_from_arrays(draw) && draw.get(regs::num_vertices::ID) == 0).then_some(())?;
    let what = "The draw has no vertices";
    Some(draw.found(regs::num_vertices::ID, what, "Write the number of vertices or indices, 3 for a triangle."))
}

pub(super) fn incomplete_primitive(draw: &Draw<'_>) -> Option<Found> {
    let count = draw.get(regs::num_vertices::ID);
    let facts = draw.facts;
    let is_short = is_from_arrays(draw) && (1..3).contains(&count) && !geometry_program(draw);
    (is_short && facts.primitives == 0 && facts.dropped.total() == 0).then_some(())?;
    let what = format!("{count} vertices are no triangle");
    Some(draw.found(
        regs::num_vertices::ID,
        what,
        "Write 3 or more; vertices that are left over wait for the next draw.",
    ))
}

/// Components of the attributes of a buffer, in order; codes from 12 on are padding.
fn components(draw: &Draw<'_>, buffer: usize) -> impl Iterator<Item = u32> {
    let config2 = draw.get(regs::attrbuf_config2::id(buffer));
    let codes = u64::from(config2) << 32 | u64::from(draw.get(regs::attrbuf_config1::id(buffer)));
    (0..regs::attrbuf_config2::count(config2).min(12)).map(move |at| (codes >> (4 * at) & 15) as u32)
}

/// Buffers that have attributes.
fn buffers<'d>(draw: &'d Draw<'_>) -> impl Iterator<Item = usize> + 'd {
    let is_used = |buffer: &usize| regs::attrbuf_config2::count(draw.get(regs::attrbuf_config2::id(*buffer))) > 0;
    (0..12).filter(is_used)
}

fn address(draw: &Draw<'_>, buffer: usize) -> u64 {
    let base = regs::attr_base::address(draw.get(regs::attr_base::ID));
    base + u64::from(regs::attrbuf_offset::offset(draw.get(regs::attrbuf_offset::id(buffer))))
}

pub(super) fn unmapped_array(draw: &Draw<'_>) -> Option<Found> {
    is_from_arrays(draw).then_some(())?;
    let buffer = buffers(draw).find(|&buffer| !draw.is_readable(address(draw, buffer)))?;
    let what = format!(
        "Vertex buffer {buffer} begins at {:#010x}, where nothing is mapped: {}, {}.",
        address(draw, buffer),
        draw.show(regs::attr_base::ID),
        draw.show(regs::attrbuf_offset::id(buffer))
    );
    let advice = "Write the physical address divided by 8 to attr_base, and the distance from there to attrbuf_offset.";
    Some(Found::at(regs::attr_base::ID, what, advice))
}

/// Output registers of the program, compacted, with their words of the output map.
fn outputs<'d>(draw: &'d Draw<'_>) -> impl Iterator<Item = (u32, u32)> + 'd {
    let mask = regs::vsh_outmap_mask::mask(draw.get(regs::vsh_outmap_mask::ID));
    let total = regs::outmap_total::count(draw.get(regs::outmap_total::ID)) as usize;
    let selected = (0..16).filter(move |register| mask & 1 << register != 0);
    selected.zip(regs::outmap::IDS).take(total).map(|(register, id)| (register, draw.get(id)))
}

/// How many components of outputs have a semantic.
fn givers(draw: &Draw<'_>, semantic: OutputSemantic) -> usize {
    let has = |word: u32| (0..4).filter(move |at| word >> (8 * at) & 31 == semantic.bits()).count();
    outputs(draw).map(|(_, word)| has(word)).sum()
}

const POSITION: [(OutputSemantic, &str); 4] = [
    (OutputSemantic::PositionX, "x"),
    (OutputSemantic::PositionY, "y"),
    (OutputSemantic::PositionZ, "z"),
    (OutputSemantic::PositionW, "w"),
];

pub(super) fn no_position(draw: &Draw<'_>) -> Option<Found> {
    // With a geometry program its own outputs go to the map.
    (!geometry_program(draw)).then_some(())?;
    let missing: Vec<&str> =
        POSITION.iter().filter(|(semantic, _)| givers(draw, *semantic) == 0).map(|(_, name)| *name).collect();
    (!missing.is_empty()).then_some(())?;
    let register = match outputs(draw).next() {
        None if draw.get(regs::vsh_outmap_mask::ID) & 0xFFFF == 0 => regs::vsh_outmap_mask::ID,
        None => regs::outmap_total::ID,
        Some(_) => regs::outmap::IDS[0],
    };
    let what = format!("No output of the vertex program is {} of the position", missing.join(", "));
    let advice = match register {
        regs::vsh_outmap_mask::ID => "Write a bit for each output register that the program writes, 3 for o0 and o1.",
        regs::outmap_total::ID => "Write how many outputs there are.",
        _ => "Write 0x03020100 to the outmap register of the output that is the position: x, y, z, w.",
    };
    Some(draw.found(register, what, advice))
}

/// Whether a combiner stage reads the primary colour for something that a later stage does not replace.
fn reads_primary(draw: &Draw<'_>) -> bool {
    regs::tev_source::IDS.iter().any(|&id| {
        let word = draw.get(id);
        [0, 16].iter().any(|shift| CombinerSource::from_register(word >> shift & 15) == Some(CombinerSource::Primary))
    })
}

pub(super) fn unlinked(draw: &Draw<'_>) -> Option<Found> {
    taken_twice(draw).or_else(|| given_twice(draw)).or_else(|| not_taken(draw)).or_else(|| no_color(draw))
}

/// Two attributes go to one input register.
fn taken_twice(draw: &Draw<'_>) -> Option<Found> {
    let count = inputs(draw);
    let permutation = u64::from(draw.get(regs::vsh_perm_hi::ID)) << 32 | u64::from(draw.get(regs::vsh_perm_lo::ID));
    let input = |attribute: u32| permutation >> (4 * attribute) & 15;
    let second = (1..count).find(|&second| (0..second).any(|first| input(first) == input(second)))?;
    let what =
        format!("Attribute {second} goes to input v{} of the vertex program, as one before it does", input(second));
    Some(draw.found(regs::vsh_perm_lo::ID, what, "Write 0x76543210, so that attribute n is input n."))
}

/// Two outputs are the same component of the position.
fn given_twice(draw: &Draw<'_>) -> Option<Found> {
    let is_twice = |(semantic, _): &&(OutputSemantic, &str)| givers(draw, *semantic) > 1;
    let (_, name) = POSITION.iter().find(is_twice).filter(|_| !geometry_program(draw))?;
    let of_no_use = |(at, _): &(usize, (u32, u32))| *at > 0;
    let (at, _) = outputs(draw).enumerate().find(of_no_use)?;
    let register = regs::outmap::IDS[at];
    let what = format!("Two outputs are {name} of the position; the last one counts");
    Some(draw.found(register, what, "Write 0x0B0A0908 for an output that is the colour, 0x1F1F1F1F for one of no use."))
}

/// Inputs of the vertex program.
fn inputs(draw: &Draw<'_>) -> u32 {
    regs::vsh_input_config::inputs_minus_1(draw.get(regs::vsh_input_config::ID)) + 1
}

/// Attributes that are set up.
fn total(draw: &Draw<'_>) -> u32 {
    regs::attr_format_hi::total_minus_1(draw.get(regs::attr_format_hi::ID)) + 1
}

/// Attributes that arrays give, and the program, or the list of attributes, leaves out.
fn not_taken(draw: &Draw<'_>) -> Option<Found> {
    is_from_arrays(draw).then_some(())?;
    let given = buffers(draw).flat_map(|buffer| components(draw, buffer)).filter(|code| *code < 12).max()?;
    if given >= total(draw) {
        let what = format!("A buffer has attribute {given}, and there are {} attributes", total(draw));
        return Some(draw.found(
            regs::attr_format_hi::ID,
            what,
            "Write the number of attributes less 1 to bits 28:31.",
        ));
    }
    (given >= inputs(draw)).then_some(())?;
    let what = format!("Attribute {given} has an array, and the vertex program takes {} attributes", inputs(draw));
    Some(draw.found(regs::vsh_input_config::ID, what, "Write 0xA0000000 and the number of inputs less 1."))
}

/// The combiners read a colour of the vertices that no output gives.
fn no_color(draw: &Draw<'_>) -> Option<Found> {
    let has_color = givers(draw, OutputSemantic::ColorR) > 0 || geometry_program(draw);
    (!has_color && reads_primary(draw)).then_some(())?;
    let register = regs::outmap::IDS[outputs(draw).count().saturating_sub(1)];
    let what = "The combiners read the primary colour, and no output of the vertex program is a colour";
    Some(draw.found(register, what, "Write 0x0B0A0908 to the outmap register of the output that is the colour."))
}

pub(super) fn attribute_without_source(draw: &Draw<'_>) -> Option<Found> {
    is_from_arrays(draw).then_some(())?;
    let fixed = regs::attr_format_hi::fixed_mask(draw.get(regs::attr_format_hi::ID));
    let has_array = |attribute: u32| buffers(draw).any(|buffer| components(draw, buffer).any(|code| code == attribute));
    let is_missing = |attribute: &u32| !has_array(*attribute) && fixed & 1 << attribute == 0;
    let attribute = (0..total(draw).min(inputs(draw)).min(12)).find(is_missing)?;
    let register = match buffers(draw).next() {
        None => regs::attrbuf_config2::id(0),
        Some(buffer) => regs::attrbuf_config1::id(buffer),
    };
    let what = format!("No buffer has attribute {attribute}, and it is not fixed, so it is (0, 0, 0, 1)");
    let advice = "Write the attributes of a buffer to attrbuf_config1, four bits each, their number to bits 28:31 of \
                  attrbuf_config2, and the bytes of a vertex to bits 16:23.";
    Some(draw.found(register, what, advice))
}

/// Bytes of an attribute.
fn bytes(draw: &Draw<'_>, attribute: u32) -> u32 {
    let formats = u64::from(draw.get(regs::attr_format_hi::ID)) << 32 | u64::from(draw.get(regs::attr_format_lo::ID));
    let code = (formats >> (4 * attribute)) as u32 & 15;
    let size = match AttributeType::from_register(code & 3) {
        Some(AttributeType::I8 | AttributeType::U8) => 1,
        Some(AttributeType::I16) => 2,
        _ => 4,
    };
    size * ((code >> 2) + 1)
}

pub(super) fn unusual_arrays(draw: &Draw<'_>) -> Option<Found> {
    is_from_arrays(draw).then_some(())?;
    for buffer in buffers(draw) {
        let stride = regs::attrbuf_config2::stride(draw.get(regs::attrbuf_config2::id(buffer)));
        let size = |code: u32| if code >= 12 { 4 * (code - 11) } else { bytes(draw, code) };
        let used: u32 = components(draw, buffer).map(size).sum();
        if stride >= 2 * used + 8 {
            let what =
                format!("Vertices of buffer {buffer} have {stride} bytes, and its attributes take {used} of them");
            let advice = "Write four bits for each attribute: the type, and the number of components less 1 above it; \
                          15 is four floats.";
            return Some(draw.found(regs::attr_format_lo::ID, what, advice));
        }
        if stride < used {
            let what = match stride {
                0 => format!("All vertices of buffer {buffer} are the same"),
                _ => format!("Vertices of buffer {buffer} have {stride} bytes, and the attributes of one take {used}"),
            };
            let advice = "Write the bytes of a vertex to bits 16:23.";
            return Some(draw.found(regs::attrbuf_config2::id(buffer), what, advice));
        }
    }
    None
}
