//! Methods that machines generate from a table of calls (`triglyph_guest::table::calls`).

use std::path::Path;

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use syn::{Item, ItemMacro};

/// Tables: the macro's name, its file, and the type that has the methods.
const TABLES: [(&str, &str, &str); 4] = [
    ("gsp_calls", "guest/src/gsp/ipc.rs", "Gsp"),
    ("n3ds_calls", "guest/src/gsp/calls.rs", "N3ds"),
    ("rsx_calls", "guest/src/rsx/lv1/calls.rs", "Rsx"),
    ("tegra_calls", "guest/src/tegra/driver/calls.rs", "TegraX1"),
];

/// The methods of `table!(methods)`; `None` for other calls of macros.
pub fn methods(call: &ItemMacro) -> Option<Item> {
    let name = call.mac.path.segments.last()?.ident.to_string();
    let &(_, file, machine) = TABLES.iter().find(|(table, ..)| *table == name)?;
    if call.mac.tokens.to_string() != "methods" {
        return None;
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(file);
    let file = syn::parse_file(&std::fs::read_to_string(path).expect("a table")).expect("Rust");
    let table = file.items.into_iter().find_map(|item| match item {
        Item::Macro(table) if table.ident.as_ref().is_some_and(|ident| *ident == name) => Some(table.mac.tokens),
        _ => None,
    });
    let signatures = rows(table.expect("the macro"));
    Some(syn::parse_str(&format!("impl {machine} {{ {} }}", signatures.join("\n"))).expect("methods"))
}

/// The methods of rows: `kind number name(arguments) -> answer;`, which attributes and ioctls are between.
fn rows(table: TokenStream) -> Vec<String> {
    let mut tokens = innermost(table).into_iter().peekable();
    let mut signatures = Vec::new();
    while let Some(token) = tokens.next() {
        let TokenTree::Ident(kind) = token else {
            // An attribute is a sign and brackets; an ioctl goes to its semicolon.
            if token.to_string() == "@" {
                tokens.by_ref().find(|token| token.to_string() == ";");
            }
            continue;
        };
        let row: Vec<TokenTree> = tokens.by_ref().take_while(|token| token.to_string() != ";").collect();
        if ["call", "work", "guest", "ask", "inner"].contains(&kind.to_string().as_str()) {
            signatures.push(method(&row[1..]));
        }
    }
    signatures
}

/// The rows: `table` is the arm `(…) => { $then! { rows } }`, of which they are in the second braces.
fn innermost(table: TokenStream) -> TokenStream {
    let mut tokens = table;
    for _ in 0..2 {
        let last = tokens.into_iter().filter_map(|token| match token {
            TokenTree::Group(group) if group.delimiter() == Delimiter::Brace => Some(group.stream()),
            _ => None,
        });
        tokens = last.last().expect("a group");
    }
    tokens
}

/// The method of a name, arguments in parentheses, and an answer.
fn method(row: &[TokenTree]) -> String {
    let [name, TokenTree::Group(arguments), answer @ ..] = row else { panic!("a row: {row:?}") };
    let mut parameters = String::new();
    for token in arguments.stream() {
        match token {
            // A list is a slice.
            TokenTree::Group(group) if group.delimiter() == Delimiter::Bracket => parameters += &format!("&{group}"),
            TokenTree::Group(group) => parameters += &group.stream().to_string(),
            token => parameters += &token.to_string(),
        }
    }
    // What follows is the answer's name in C.
    let answer: TokenStream = answer.iter().take_while(|token| token.to_string() != "as").cloned().collect();
    format!("pub fn {name}(&mut self, {parameters}) {answer} {{}}")
}
