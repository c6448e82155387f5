//! Generates the methods of `include/triglyph.hpp`, one for each call of the tables, by the same rules as the
//! functions: between two marker lines in each machine's class.

use std::fmt::Write;

use crate::calls::{Function, MACHINES, Parameter, functions, tables, wrap_at};
use crate::{check_file, folder};

const BEGIN: &str = "    // The calls of its tables, generated from their rows; do not edit.\n";
const END: &str = "    // Calls without a row:\n";

/// A number's type in C++.
fn number(ty: &str) -> String {
    match ty {
        "bool" => ty.to_owned(),
        _ if ty.starts_with('u') && ty.len() <= 3 => format!("std::uint{}_t", &ty[1..]),
        _ if ty.starts_with('i') && ty.len() <= 3 => format!("std::int{}_t", &ty[1..]),
        _ => ty.to_owned(),
    }
}

/// What a type of the library's has inside of a pointer, an option or an output.
fn inside(ty: &str) -> String {
    let mut ty = ty.trim_start_matches("*const ").trim_start_matches("*mut ");
    for wrapper in ["Option<&", "Out<'_, "] {
        ty = ty.strip_prefix(wrapper).map_or(ty, |ty| ty.trim_end_matches('>'));
    }
    number(ty)
}

/// What the method takes, and what it hands to the function.
fn argument(parameter: &Parameter, is_last: bool) -> Option<(String, String)> {
    let Parameter { role, name, ty } = parameter;
    let of = inside(ty);
    Some(match *role {
        "value" | "negative" | "timeout" => (format!("{of} {name}"), (*name).to_string()),
        "list" => (format!("view<const {of}> {name}"), format!("{name}.data()")),
        "room" => (format!("view<{of}> {name}"), format!("{name}.data()")),
        "required" => (format!("const {of} &{name}"), format!("&{name}")),
        "optional" if is_last => (format!("const {of} *{name} = nullptr"), (*name).to_string()),
        "optional" => (format!("const {of} &{name}"), format!("&{name}")),
        count if count.parse::<usize>().is_ok() => {
            (format!("const std::array<{of}, {count}> &{name}"), format!("{name}.data()"))
        }
        _ => return None,
    })
}

/// The elements that lists side by side have in common.
fn length(lists: &[&Parameter]) -> String {
    match lists {
        [one] => format!("{}.size()", one.name),
        [one, other] => format!("std::min({0}.size(), {1}.size())", one.name, other.name),
        _ => unreachable!("one list, or two"),
    }
}

/// A line of code after so many spaces, or several lines.
pub fn code(indent: usize, line: &str) -> String {
    const COLUMNS: usize = 120;
    let lines = wrap_at(line, ", ", ",", COLUMNS - indent - 4);
    let mut text = String::new();
    for (at, line) in lines.lines().enumerate() {
        let indent = if at == 0 { indent } else { indent + 4 };
        writeln!(text, "{:indent$}{line}", "").unwrap();
    }
    text
}

/// The method of a function.
fn method(function: &Function) -> String {
    let Function { method, parameters, .. } = function;
    let of_role = |roles: &[&str]| parameters.iter().filter(|p| roles.contains(&p.role)).collect::<Vec<_>>();
    let (lists, outs) = (of_role(&["list", "room"]), of_role(&["out", "registers"]));
    let result = of_role(&["result"]).first().map(|result| inside(&result.ty));
    let last = parameters.iter().rposition(|p| !["out", "registers", "result"].contains(&p.role));
    let mut takes = Vec::new();
    let mut hands = vec!["get()".to_owned()];
    for (at, parameter) in parameters.iter().enumerate() {
        match argument(parameter, Some(at) == last) {
            Some((take, hand)) => {
                takes.push(take);
                hands.push(hand);
            }
            None if parameter.role == "count" => hands.push(length(&lists)),
            None => {}
        }
    }
    let mut text = String::new();
    // What the function answers beside its result, and where its parts are in it.
    let (value, parts) = match outs[..] {
        [] => (None, vec![]),
        [out] if out.role == "registers" => {
            (Some("std::array<std::uint64_t, 5>".to_owned()), vec![".data()".to_owned()])
        }
        [out] => (Some(inside(&out.ty)), vec![String::new()]),
        _ => {
            let values = format!("{method}_values");
            let fields: String =
                outs.iter().map(|out| format!("        {} {};\n", inside(&out.ty), out.name)).collect();
            write!(text, "    struct {values} {{\n{fields}    }};\n").unwrap();
            (Some(values), outs.iter().map(|out| format!(".{}", out.name)).collect())
        }
    };
    let place = |at: &str, part: &str| if part == ".data()" { format!("{at}{part}") } else { format!("&{at}{part}") };
    let got = match (&value, &result) {
        (Some(_), Some(_)) => "got.value",
        _ => "got",
    };
    hands.extend(parts.iter().map(|part| place(got, part)));
    let answer = match (&value, &result) {
        (Some(value), Some(result)) => format!("answer<{result}, {value}>"),
        (Some(one), None) | (None, Some(one)) => one.clone(),
        (None, None) => "void".to_owned(),
    };
    match (&value, &result) {
        (Some(_), Some(_)) => hands.push("&got.result".to_owned()),
        (None, Some(_)) => hands.push("&got".to_owned()),
        _ => {}
    }
    for line in function.doc(112).lines() {
        writeln!(text, "    ///{}{line}", if line.is_empty() { "" } else { " " }).unwrap();
    }
    text += &code(4, &format!("{answer} {method}({}) const {{", takes.join(", ")));
    let call = code(8, &format!("check({}({}));", function.name(), hands.join(", ")));
    if answer == "void" {
        text += &call;
    } else {
        text += &format!("        {answer} got{{}};\n{call}        return got;\n");
    }
    text + "    }\n"
}

/// The header with its methods of rows.
fn expected(header: &str) -> String {
    let functions = functions();
    let mut text = header.to_owned();
    for machine in MACHINES {
        let class = text.find(&format!("\nclass {machine} :")).expect("the machine's class");
        let begin = class + text[class..].find(BEGIN).expect("where its calls begin") + BEGIN.len();
        let end = begin + text[begin..].find(END).expect("where they end");
        let methods: String = functions.iter().filter(|f| f.machine == machine).map(method).collect();
        text.replace_range(begin..end, &methods);
    }
    text
}

#[test]
fn methods_are_those_of_the_rows() {
    let path = folder().join("include/triglyph.hpp");
    check_file(&path, &expected(&std::fs::read_to_string(&path).unwrap()));
}

#[test]
fn every_call_is_a_method_in_cpp() {
    let header = std::fs::read_to_string(folder().join("include/triglyph.hpp")).unwrap();
    for machine in MACHINES {
        let (_, class) = header.split_once(&format!("\nclass {machine} :")).expect("the machine's class");
        let (class, _) = class.split_once("\n};\n").expect("its end");
        for call in tables(machine).iter().filter(|call| call.kind.is_method()) {
            assert!(class.contains(&format!(" {}(", call.name)), "{machine} has no {}", call.name);
            assert!(class.contains(&format!("check(triglyph_{machine}_{}(", call.name)), "{machine}: {}", call.name);
        }
    }
}
