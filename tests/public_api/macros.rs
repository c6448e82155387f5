//! Items inside of the calls of macros.
//!
//! Registers and methods, which `regs!` makes, are not listed here: the headers of registers have them all, see
//! `capi/tests/capi/registers.rs`.

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use syn::Item;

use super::calls;

/// An item, or those that are written inside of a macro's call, with what `listed!` and tables of calls add.
pub fn written(item: Item) -> Vec<Item> {
    let Item::Macro(call) = &item else { return vec![item] };
    if call.ident.is_some() {
        return vec![item];
    }
    if let Some(methods) = calls::methods(call) {
        return vec![methods];
    }
    let name = call.mac.path.segments.last().map(|name| name.ident.to_string()).unwrap_or_default();
    match name.as_str() {
        "values" => return values(call.mac.tokens.clone()),
        "formats" => return formats(call.mac.tokens.clone()),
        _ => {}
    }
    if name != "listed" {
        return syn::parse2::<syn::File>(call.mac.tokens.clone()).map_or_else(|_| vec![item], |file| file.items);
    }
    // `enum Name: u32 { … }` is no Rust.
    let (mut tokens, mut number) = (Vec::new(), None);
    for token in call.mac.tokens.clone() {
        match (&token, tokens.last()) {
            (TokenTree::Ident(name), Some(TokenTree::Punct(colon))) if colon.as_char() == ':' => {
                number = Some(name.to_string());
                tokens.pop();
            }
            _ => tokens.push(token),
        }
    }
    let mut listed: syn::ItemEnum = syn::parse2(tokens.into_iter().collect()).expect("an enum");
    listed.attrs.push(syn::parse_quote!(#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]));
    let (name, count) = (&listed.ident, listed.variants.len());
    let from_number =
        number.map(|number| format!("pub const fn from_number(number: {number}) -> Option<Self> {{ None }}"));
    let added = format!("impl {name} {{ pub const ALL: [{name}; {count}] = []; {} }}", from_number.unwrap_or_default());
    let added = syn::parse_str(&added).expect("an impl");
    vec![Item::Enum(listed), added]
}

/// The enums of `values!`: `Name => Type { Variant = 0 "NAME"; }`, one after the other.
fn values(tokens: TokenStream) -> Vec<Item> {
    let (mut enums, mut name) = (Vec::new(), None::<String>);
    for token in without_attributes(tokens) {
        match token {
            TokenTree::Group(group) if group.delimiter() == Delimiter::Brace => {
                enums.push(named_values(&name.take().expect("a name"), group.stream()));
            }
            TokenTree::Ident(ident) => {
                name.get_or_insert_with(|| ident.to_string());
            }
            _ => {}
        }
    }
    enums
}

/// The enum of `formats!`: `Name: Row; Variant = 0x00 "NAME" row;`.
fn formats(tokens: TokenStream) -> Vec<Item> {
    let mut tokens = without_attributes(tokens).into_iter();
    let Some(TokenTree::Ident(name)) = tokens.next() else { panic!("a name") };
    let rows = tokens.skip_while(|token| token.to_string() != ";").skip(1);
    vec![named_values(&name.to_string(), rows.collect())]
}

/// The enum of rows that begin with its variants.
fn named_values(name: &str, rows: TokenStream) -> Item {
    let rows: Vec<TokenTree> = without_attributes(rows);
    let rows = rows.split(|token| token.to_string() == ";");
    let variants: Vec<String> = rows.filter_map(|row| row.first().map(|variant| variant.to_string())).collect();
    let derive = "#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]";
    syn::parse_str(&format!("{derive} pub enum {name} {{ {} }}", variants.join(", "))).expect("an enum")
}

/// Tokens without attributes and comments for documentation.
fn without_attributes(tokens: TokenStream) -> Vec<TokenTree> {
    let mut kept = Vec::new();
    let mut tokens = tokens.into_iter();
    while let Some(token) = tokens.next() {
        match token.to_string() == "#" {
            true => drop(tokens.next()),
            false => kept.push(token),
        }
    }
    kept
}
