//! The headers of registers and methods, `triglyph_n3ds_registers.h` and so on: numbers, fields and their values, made
//! from the tables by which the machines decode words. They need no library, and no other header.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use triglyph_guest::table::field::FLAG;
use triglyph_guest::table::{FieldInfo, RegInfo};
use triglyph_guest::tegra::fifo::host;
use triglyph_guest::tegra::methods::{compute, copy, inline, threed, twod};
use triglyph_guest::{pica, rsx};

use crate::{check_file, folder};

/// A row of a table, whatever its effects are.
struct Row {
    id: usize,
    count: usize,
    step: usize,
    name: &'static str,
    doc: &'static str,
    fields: &'static [FieldInfo],
}

fn rows<E>(table: &'static [RegInfo<E>]) -> Vec<Row> {
    let row = |row: &'static RegInfo<E>| {
        let &RegInfo { id, count, step, name, doc, fields, .. } = row;
        Row { id, count, step, name, doc, fields }
    };
    table.iter().map(row).collect()
}

/// A table and the prefix of its names.
struct Table {
    prefix: &'static str,
    about: &'static str,
    rows: Vec<Row>,
}

fn table<E>(prefix: &'static str, about: &'static str, registers: &'static [RegInfo<E>]) -> Table {
    Table { prefix, about, rows: rows(registers) }
}

/// The machines: the header's name, what numbers are, the tables.
fn headers() -> [(&'static str, &'static str, Vec<Table>); 3] {
    [
        (
            "n3ds",
            "register numbers; of external registers byte offsets from physical address 0x10400000",
            vec![
                table("PICA", "Registers of the PICA200, which command lists write.", pica::regs::REGISTERS),
                table("EXTERNAL", "External registers of the GPU.", pica::external::REGISTERS),
            ],
        ),
        (
            "rsx",
            "byte addresses",
            vec![
                table("CURIE", "Methods of the 3D class, 0x4097.", rsx::methods::curie::REGISTERS),
                table("PULLER", "Methods of the puller, on every subchannel.", rsx::methods::puller::REGISTERS),
                table("M2MF", "Methods of the class 0x0039.", rsx::two_d::memory_to_memory::REGISTERS),
                table("SURFACES_2D", "Methods of the class 0x3062.", rsx::two_d::surfaces_2d::REGISTERS),
                table("SURFACE_SWIZZLED", "Methods of the class 0x309E.", rsx::two_d::surface_swizzled::REGISTERS),
                table("IMAGE_FROM_CPU", "Methods of the class 0x308A.", rsx::two_d::image_from_cpu::REGISTERS),
                table("SCALED_IMAGE", "Methods of the class 0x3089.", rsx::two_d::scaled_image::REGISTERS),
            ],
        ),
        (
            "tegra",
            "dword addresses",
            vec![
                table("HOST", "Methods of the host, below 0x40, on every subchannel.", host::METHODS.rows()),
                table("THREED", "Methods of the 3D class, 0xB197.", threed::METHODS.rows()),
                table("COMPUTE", "Methods of the compute class, 0xB1C0.", compute::METHODS.rows()),
                table("INLINE", "Methods of the inline class, 0xA140.", inline::METHODS.rows()),
                table("TWOD", "Methods of the 2D class, 0x902D.", twod::METHODS.rows()),
                table("COPY", "Methods of the copy class, 0xB0B5.", copy::METHODS.rows()),
            ],
        ),
    ]
}

/// A name as C has it.
fn identifier(name: &str) -> String {
    name.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_uppercase() } else { '_' }).collect()
}

/// Macros of a header, each once: equal ones may be asked for again.
#[derive(Default)]
struct Macros {
    text: String,
    values: BTreeMap<String, String>,
}

impl Macros {
    fn define(&mut self, name: String, value: String) {
        match self.values.get(&name) {
            Some(known) => assert_eq!(*known, value, "two meanings of {name}"),
            None => {
                let _ = writeln!(self.text, "#define {name} {value}");
                self.values.insert(name, value);
            }
        }
    }

    fn comment(&mut self, doc: &str) {
        let words: Vec<&str> = doc.split_whitespace().collect();
        let mut line = String::from("//");
        for word in words {
            if line.len() + 1 + word.len() > 120 {
                let _ = writeln!(self.text, "{line}");
                line = String::from("//");
            }
            line.push(' ');
            line.push_str(word);
        }
        let _ = writeln!(self.text, "{line}");
    }

    fn row(&mut self, prefix: &str, row: &Row) {
        self.text.push('\n');
        self.comment(row.doc);
        let name = format!("{prefix}_{}", identifier(row.name));
        match (row.count, row.step) {
            (1, _) => self.define(name.clone(), format!("{:#05x}u", row.id)),
            (count, step) => {
                self.define(format!("{name}(index)"), format!("({:#05x}u + {step}u * (index))", row.id));
                self.define(format!("{name}_COUNT"), format!("{count}u"));
            }
        }
        let alone = |field: &FieldInfo| field.hi - field.lo == 31;
        for field in row.fields {
            let field_name = format!("{name}_{}", identifier(field.name));
            if !alone(field) {
                self.define(format!("{field_name}_SHIFT"), format!("{}u", field.lo));
                self.define(format!("{field_name}_MASK"), format!("{:#010x}u", field.mask()));
            }
            if field.values != FLAG {
                for (value, text) in field.values {
                    self.define(format!("{field_name}_{}", identifier(text)), format!("{value:#x}u"));
                }
            }
        }
    }
}

/// What GCM sets in a new context, as the words of a push buffer: `gcm_defaults` of the builder.
fn gcm_defaults() -> String {
    let mut push = rsx::PushBuffer::new();
    push.gcm_defaults();
    let words = push.finish().expect("defaults fit their fields");
    let mut text = String::from(
        "\n// The words of a push buffer that gives subchannel 0 the 3D class and sets what GCM, the console's \
         library, sets\n// in a new context: an initializer of an array.\n\
         #define TRIGLYPH_RSX_GCM_DEFAULTS \\\n    { \\\n",
    );
    for words in words.chunks(8) {
        let words: Vec<String> = words.iter().map(|word| format!("{word:#010x}u,")).collect();
        let _ = writeln!(text, "        {} \\", words.join(" "));
    }
    text + "    }\n"
}

fn header(machine: &str, numbers: &str, tables: &[Table]) -> String {
    let upper = machine.to_ascii_uppercase();
    let mut macros = Macros::default();
    for Table { prefix, about, rows } in tables {
        let _ = writeln!(macros.text, "\n// ---- {about} ----");
        for row in rows {
            macros.row(&format!("TRIGLYPH_{upper}_{prefix}"), row);
        }
    }
    if machine == "rsx" {
        macros.text += &gcm_defaults();
    }
    format!(
        "// Registers and methods: {numbers}.\n\
         //\n\
         // Made from the tables of the library; do not edit. A field has the position of its lowest bit, _SHIFT,\n\
         // and its bits in the word, _MASK; a field that is the whole word has neither. Values are not shifted.\n\
         \n\
         #ifndef TRIGLYPH_{upper}_REGISTERS_H\n\
         #define TRIGLYPH_{upper}_REGISTERS_H\n\
         \n\
         // A value in its field: TRIGLYPH_FIELD(NAME, value) for the NAME before _SHIFT.\n\
         #ifndef TRIGLYPH_FIELD\n\
         #define TRIGLYPH_FIELD(name, value) ((uint32_t)(value) << name##_SHIFT & name##_MASK)\n\
         #endif\n\
         \n\
         #include <stdint.h>\n\
         {}\n\
         #endif // TRIGLYPH_{upper}_REGISTERS_H\n",
        macros.text
    )
}

#[test]
fn register_headers_are_those_of_the_tables() {
    for (machine, numbers, tables) in headers() {
        let path = folder().join("include").join(format!("triglyph_{machine}_registers.h"));
        check_file(&path, &header(machine, numbers, &tables));
    }
}

/// Every register, field and value of the tables is in its header, read back from the file.
#[test]
fn register_headers_have_every_row() {
    for (machine, _, tables) in headers() {
        let path = folder().join("include").join(format!("triglyph_{machine}_registers.h"));
        let text = std::fs::read_to_string(path).unwrap();
        let mut macros = BTreeMap::new();
        for line in text.lines().filter_map(|line| line.strip_prefix("#define TRIGLYPH_")) {
            let Some((name, value)) = line.split_once(' ') else { continue };
            assert!(macros.insert(name.to_owned(), value.to_owned()).is_none(), "{name} is defined twice");
        }
        let number = |name: &str| {
            let value = macros.get(name).unwrap_or_else(|| panic!("{name} is in no header")).trim_end_matches('u');
            match value.strip_prefix("0x") {
                Some(digits) => u32::from_str_radix(digits, 16).unwrap(),
                None => value.parse().unwrap(),
            }
        };
        let mut checked = BTreeSet::new();
        for Table { prefix, rows, .. } in &tables {
            for row in rows {
                let name = format!("{}_{prefix}_{}", machine.to_ascii_uppercase(), row.name);
                if row.count == 1 {
                    assert_eq!(number(&name) as usize, row.id);
                } else {
                    assert_eq!(number(&format!("{name}_COUNT")) as usize, row.count);
                }
                for field in row.fields.iter().filter(|field| field.hi - field.lo < 31) {
                    let field_name = format!("{name}_{}", identifier(field.name));
                    assert_eq!(number(&format!("{field_name}_SHIFT")), field.lo);
                    assert_eq!(number(&format!("{field_name}_MASK")), field.mask());
                }
                checked.insert(name);
            }
        }
        assert!(checked.len() > 100, "{machine}: {}", checked.len());
    }
}
