//! The programs of `docs/reference/assembly.md` assemble, and their listings assemble to the same words.

use triglyph_guest::{pica, rsx, tegra};

/// The words of a text, and the listing of the words.
fn both_ways(section: &str, text: &str) -> (Vec<u64>, String) {
    let wide = |words: &[u32]| words.iter().map(|word| u64::from(*word)).collect::<Vec<_>>();
    match section {
        "PICA" => {
            let program = pica::Program::assemble(text).unwrap_or_else(|error| panic!("{section}: {error}"));
            (wide(&program.code), pica::disassemble_program(&program.code, &program.descriptors))
        }
        "RSX vertex" => {
            let (first, code) =
                rsx::vertex::assemble_program(text).unwrap_or_else(|error| panic!("{section}: {error}"));
            (wide(code.as_flattened()), rsx::vertex::disassemble_program(&code, first))
        }
        "RSX fragment" => {
            let code = rsx::fragment::assemble_program(text).unwrap_or_else(|error| panic!("{section}: {error}"));
            (wide(&code), rsx::fragment::disassemble_program(&code))
        }
        "Maxwell" => {
            let code = tegra::shader::assemble_program(text).unwrap_or_else(|error| panic!("{section}: {error}"));
            let listing = tegra::shader::disassemble_program(&code);
            (code, listing)
        }
        "MME" => {
            let code = tegra::mme::assemble_program(text).unwrap_or_else(|error| panic!("{section}: {error}"));
            (wide(&code), tegra::mme::disassemble_program(&code))
        }
        other => panic!("{other} is no instruction set"),
    }
}

#[test]
fn programs_of_the_page_assemble() {
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/reference/assembly.md");
    let page = std::fs::read_to_string(page).expect("the page");
    let mut sections = 0;
    for section in page.split("\n## ").skip(1) {
        let (name, rest) = section.split_once('\n').expect("a heading");
        let (_, block) = rest.split_once("```text\n").expect("a program");
        let (text, _) = block.split_once("```").expect("the end of the program");
        let (words, listing) = both_ways(name, text);
        assert!(!words.is_empty());
        assert_eq!(both_ways(name, &listing).0, words, "{name}:\n{listing}");
        sections += 1;
    }
    assert_eq!(sections, 5);
}
