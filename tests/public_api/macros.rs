//! Items inside of the calls of macros.

use proc_macro2::TokenTree;
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
    if call.mac.path.segments.last().is_none_or(|name| name.ident != "listed") {
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
