//! The functions of the tables of calls as data, by the rules that the library makes them with, and their documentation
//! in C's words.

use std::cell::RefCell;

use triglyph_guest::table::calls::CallInfo;
use triglyph_guest::{gsp, gsp_calls, n3ds_calls, rsx, rsx_calls, tegra, tegra_calls};

#[path = "../../src/calls.rs"]
mod rules;
use rules::c_calls;

/// The machines, as C names them.
pub const MACHINES: [&str; 3] = ["n3ds", "rsx", "tegra"];

/// A function of a row.
pub struct Function {
    /// The machine, which names the handle.
    pub machine: &'static str,
    /// The method's name.
    pub method: &'static str,
    /// The row's documentation.
    doc: String,
    /// What it has beside the handle.
    pub parameters: Vec<Parameter>,
}

/// A parameter of a function.
pub struct Parameter {
    /// What it is for: see `c_calls`.
    pub role: &'static str,
    pub name: &'static str,
    /// Its type in the library.
    pub ty: String,
}

thread_local! {
    static FOUND: RefCell<Vec<Function>> = RefCell::default();
}

macro_rules! describe {
    ($handle:ident: $Handle:ty, $enter:ident, $method:ident [$($doc:literal)*]
        [$({$role:tt $name:ident: $ty:ty})*] $($does:tt)+
    ) => {
        FOUND.with_borrow_mut(|found| found.push(Function {
            machine: stringify!($handle),
            method: stringify!($method),
            doc: concat!($($doc, "\n"),*).to_owned(),
            parameters: vec![$(Parameter {
                role: stringify!($role),
                name: stringify!($name),
                ty: tidy(stringify!($ty)),
            }),*],
        }));
    };
}

/// Types of the library that are a number of 32 bits in C.
const IDS: [&str; 7] =
    ["ChannelId", "ContextHandle", "EventSlot", "MemoryHandle", "NvmapHandle", "SpaceId", "SyncpointId"];

/// A type as C has it, without the compiler's spaces.
fn tidy(ty: &str) -> String {
    let ty: String = ty.split_whitespace().collect();
    let ty = IDS.iter().fold(ty, |ty, id| ty.replace(id, "u32"));
    ty.replace("*const", "*const ").replace("*mut", "*mut ").replace("'_,", "'_, ")
}

macro_rules! of_3ds {
    ($($rows:tt)+) => { c_calls!(describe [n3ds: triglyph_n3ds, with_machine, u32] $($rows)+); };
}
macro_rules! of_ps3 {
    ($($rows:tt)+) => { c_calls!(describe [rsx: triglyph_rsx, with_machine, i64] $($rows)+); };
}
macro_rules! of_tegra_x1 {
    ($($rows:tt)+) => { c_calls!(describe [tegra: triglyph_tegra, with_machine, u32] $($rows)+); };
}

/// All functions of the tables, by machine.
pub fn functions() -> Vec<Function> {
    gsp_calls!(of_3ds);
    n3ds_calls!(of_3ds);
    rsx_calls!(of_ps3);
    tegra_calls!(of_tegra_x1);
    FOUND.take()
}

/// The tables of a machine.
pub fn tables(machine: &str) -> Vec<&'static CallInfo> {
    let tables: &[&[CallInfo]] = match machine {
        "n3ds" => &[gsp::ipc::CALLS, gsp::calls::CALLS],
        "rsx" => &[rsx::lv1::calls::CALLS],
        _ => &[tegra::driver::calls::CALLS],
    };
    tables.iter().flat_map(|table| table.iter()).collect()
}

impl Function {
    pub fn name(&self) -> String {
        format!("triglyph_{}_{}", self.machine, self.method)
    }

    /// Its declaration for cbindgen.
    pub fn declaration(&self) -> String {
        let doc: String =
            self.doc(C_COLUMNS).lines().map(|line| format!("/// {line}\n").replace(" \n", "\n")).collect();
        let parameters: String =
            self.parameters.iter().map(|Parameter { name, ty, .. }| format!(", {name}: {ty}")).collect();
        let (name, machine) = (self.name(), self.machine);
        let handle = format!("{machine}: Option<&triglyph_{machine}>");
        format!(
            "{doc}#[unsafe(no_mangle)]\npub extern \"C\" fn {name}({handle}{parameters}) -> triglyph_status {{}}\n\n"
        )
    }

    /// What C's documentation says, in lines of so many columns: the row's with C's names, and what null is.
    pub fn doc(&self, columns: usize) -> String {
        let mut paragraphs: Vec<String> = self
            .doc
            .split("\n\n")
            .map(|paragraph| {
                let words: Vec<&str> = paragraph.split_whitespace().collect();
                match words.strip_prefix(&["#", "Errors"]) {
                    Some(results) => format!("Results: {}", in_sentence(&results.join(" "))),
                    None => words.join(" "),
                }
            })
            .collect();
        let notes = self.parameters.iter().filter_map(|Parameter { role, name, .. }| {
            let values = role.parse::<usize>();
            match *role {
                "optional" => Some(format!(" A null `{name}` is the default.")),
                "timeout" => Some(format!(" `{name}` is in microseconds; a negative one is none.")),
                "negative" => Some(format!(" A negative `{name}` is none.")),
                "registers" => Some(format!(" `{name}` has room for five values, r4 to r8, or is null.")),
                _ => values.ok().map(|count| format!(" `{name}` has {count} values.")),
            }
        });
        let notes: String = notes.collect();
        paragraphs.first_mut().expect("documentation").push_str(&notes);
        let lines = paragraphs.iter().map(|paragraph| wrap(&in_c(paragraph, self.machine), columns));
        lines.collect::<Vec<_>>().join("\n\n")
    }
}

/// A sentence as what follows a colon.
fn in_sentence(text: &str) -> String {
    let mut characters = text.chars();
    characters.next().into_iter().flat_map(char::to_lowercase).chain(characters).collect()
}

/// Text with Rust's links as names of C.
fn in_c(text: &str, machine: &str) -> String {
    let mut pieces = text.split("[`");
    let mut done = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let (item, rest) = piece.split_once("`]").expect("a link ends");
        // The target of a link says no more.
        let rest = match rest.strip_prefix('(').and_then(|target| target.split_once(')')) {
            Some((_, rest)) => rest,
            None => rest,
        };
        done += &format!("`{}`{rest}", c_name(item, machine));
    }
    done
}

/// What C calls an item of Rust's.
fn c_name(item: &str, machine: &str) -> String {
    let upper = machine.to_uppercase();
    match (item, item.rsplit_once("::")) {
        ("map_param", _) => "TRIGLYPH_TEGRA_PARAM_*".to_owned(),
        ("space_flags", _) => "TRIGLYPH_TEGRA_SPACE_*".to_owned(),
        ("submit_flags", _) => "TRIGLYPH_TEGRA_SUBMIT_*".to_owned(),
        ("flags", _) => "TRIGLYPH_RSX_CONTEXT_*".to_owned(),
        ("PROCESS", _) => "TRIGLYPH_TEGRA_SPACE_PROCESS".to_owned(),
        ("GuestRange", _) => "triglyph_range".to_owned(),
        ("Options::fuel", _) => "triglyph_options".to_owned(),
        (_, Some(("Self", method))) => format!("triglyph_{machine}_{method}"),
        (_, Some(("Device", method))) => format!("triglyph_{method}"),
        (_, Some(("Event", name))) => format!("TRIGLYPH_EVENT_KIND_{}", screaming(name)),
        (_, Some(("Status", name))) => format!("TRIGLYPH_{upper}_RESULT_{}", screaming(name)),
        (_, Some((_, name))) => name.to_owned(),
        _ => item.to_owned(),
    }
}

/// `NotInitialized` as `NOT_INITIALIZED`.
fn screaming(name: &str) -> String {
    let mut done = String::new();
    for c in name.chars() {
        if c.is_uppercase() && !done.is_empty() {
            done.push('_');
        }
        done.extend(c.to_uppercase());
    }
    done
}

/// Columns of documentation in C, after the three slashes.
const C_COLUMNS: usize = 116;

/// A text in lines of so many columns, which end at `gap`s; all but that of the last line have `end` after them.
pub fn wrap_at(text: &str, gap: &str, end: &str, columns: usize) -> String {
    let mut lines: Vec<String> = Vec::new();
    for piece in text.split(gap) {
        match lines.last_mut() {
            Some(line) if line.chars().count() + gap.len() + piece.chars().count() + end.len() <= columns => {
                *line += gap;
                *line += piece;
            }
            _ => lines.push(piece.to_owned()),
        }
    }
    lines.join(&format!("{end}\n"))
}

/// A text in lines of so many columns.
pub fn wrap(text: &str, columns: usize) -> String {
    wrap_at(text, " ", "", columns)
}

#[test]
fn every_method_of_the_tables_is_a_function() {
    let functions = functions();
    for machine in MACHINES {
        let made: Vec<&str> = functions.iter().filter(|f| f.machine == machine).map(|f| f.method).collect();
        let methods: Vec<&str> =
            tables(machine).iter().filter(|call| call.kind.is_method()).map(|call| call.name).collect();
        assert_eq!(made, methods, "{machine}");
    }
}
