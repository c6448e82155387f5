//! Lists the public interface: a line for each item, member and implementation.

use std::collections::{BTreeMap, BTreeSet};

use syn::visit::Visit;
use syn::{Attribute, Fields, ImplItem, Item, Meta, TraitItem, Type, Visibility};

use super::sources::{Def, ModuleId, Sources, attributes, item_name, text};

/// The public interface of a crate.
pub struct Listing<'s> {
    sources: &'s Sources,
    /// What is public, by the path that hosts have for it.
    names: BTreeMap<Def, String>,
    pub lines: BTreeSet<String>,
    /// Types in signatures that hosts have no path for.
    pub unnamed: BTreeSet<String>,
}

impl<'s> Listing<'s> {
    pub fn of(sources: &'s Sources, krate: &str) -> Self {
        let mut listing = Listing { sources, names: BTreeMap::new(), lines: BTreeSet::new(), unnamed: BTreeSet::new() };
        listing.name_items(sources.root(krate), krate);
        let names: Vec<_> = listing.names.iter().map(|(&def, path)| (def, path.clone())).collect();
        for (def, path) in names {
            if let Def::Item(module, index) = def {
                listing.item(&path, module, sources.item(module, index));
            }
        }
        for (id, module) in sources.modules.iter().enumerate() {
            module.items.iter().for_each(|item| listing.implementation(id, item));
        }
        listing
    }

    /// Finds the paths of what a module shows.
    fn name_items(&mut self, module: ModuleId, path: &str) {
        for (index, item) in self.sources.modules[module].items.iter().enumerate() {
            if is_hidden(attributes(item)) || !is_public(item) {
                continue;
            }
            match item {
                Item::Use(item) => {
                    for (name, def) in self.sources.imported(module, &item.tree) {
                        self.name(def, format!("{path}::{name}"));
                    }
                    for glob in self.sources.globs(module, &item.tree) {
                        self.name_items(glob, path);
                    }
                }
                Item::Mod(item) => {
                    let name = item.ident.to_string();
                    let def = self.sources.resolve(module, &["self".to_owned(), name.clone()]);
                    def.into_iter().for_each(|def| self.name(def, format!("{path}::{name}")));
                }
                item => item_name(item)
                    .into_iter()
                    .for_each(|name| self.name(Def::Item(module, index), format!("{path}::{name}"))),
            }
        }
    }

    fn name(&mut self, def: Def, path: String) {
        match def {
            Def::Module(module) => self.name_items(module, &path),
            Def::Item(module, index) if !is_hidden(attributes(self.sources.item(module, index))) => {
                self.names.entry(def).or_insert(path);
            }
            Def::Item(..) => {}
        }
    }

    fn line(&mut self, path: &str, what: impl AsRef<str>) {
        self.lines.insert(format!("{path}: {}", what.as_ref()));
    }

    fn item(&mut self, path: &str, module: ModuleId, item: &Item) {
        match item {
            Item::Struct(item) => {
                self.line(path, format!("{}struct{}", marks(&item.attrs), text(&item.generics)));
                self.derived(path, &item.attrs);
                self.fields(path, module, &item.fields);
            }
            Item::Enum(item) => {
                self.line(path, format!("{}enum{}", marks(&item.attrs), text(&item.generics)));
                self.derived(path, &item.attrs);
                for variant in &item.variants {
                    self.line(&format!("{path}::{}", variant.ident), format!("variant{}", bare(&variant.fields)));
                    self.check(path, module, |visitor| visitor.visit_fields(&variant.fields));
                }
            }
            Item::Trait(item) => {
                let bounds = item.colon_token.map(|_| format!(": {}", text(&item.supertraits))).unwrap_or_default();
                self.line(path, format!("trait{}{bounds}", text(&item.generics)));
                // Nobody is to name a seal.
                let bounds = item.supertraits.iter().filter(|bound| text(bound) != "sealed::Sealed");
                self.check(path, module, |visitor| bounds.for_each(|bound| visitor.visit_type_param_bound(bound)));
                item.items.iter().for_each(|item| self.trait_item(path, module, item));
            }
            Item::Fn(item) => {
                self.line(path, text(&item.sig));
                self.check(path, module, |visitor| visitor.visit_signature(&item.sig));
            }
            Item::Const(item) => {
                self.line(path, format!("const: {}", text(&*item.ty)));
                self.check(path, module, |visitor| visitor.visit_type(&item.ty));
            }
            Item::Type(item) => {
                self.line(path, format!("type{} = {}", text(&item.generics), text(&*item.ty)));
                self.check(path, module, |visitor| visitor.visit_type(&item.ty));
            }
            _ => {}
        }
    }

    fn trait_item(&mut self, path: &str, module: ModuleId, item: &TraitItem) {
        match item {
            TraitItem::Fn(item) if !is_hidden(&item.attrs) => {
                let provided = if item.default.is_some() { " { .. }" } else { "" };
                self.line(&format!("{path}::{}", item.sig.ident), text(&item.sig) + provided);
                self.check(path, module, |visitor| visitor.visit_signature(&item.sig));
            }
            TraitItem::Const(item) if !is_hidden(&item.attrs) => {
                self.line(&format!("{path}::{}", item.ident), format!("const: {}", text(&item.ty)));
            }
            TraitItem::Type(item) if !is_hidden(&item.attrs) => {
                self.line(&format!("{path}::{}", item.ident), "type");
            }
            _ => {}
        }
    }

    fn fields(&mut self, path: &str, module: ModuleId, fields: &Fields) {
        for (index, field) in
            fields.iter().enumerate().filter(|(_, field)| is_visible(&field.vis) && !is_hidden(&field.attrs))
        {
            let name = field.ident.as_ref().map_or(index.to_string(), |name| name.to_string());
            self.line(&format!("{path}::{name}"), format!("field: {}", text(&field.ty)));
            self.check(path, module, |visitor| visitor.visit_type(&field.ty));
        }
    }

    fn derived(&mut self, path: &str, attributes: &[Attribute]) {
        let mut traits = BTreeSet::new();
        for attribute in attributes.iter().filter(|attribute| attribute.path().is_ident("derive")) {
            let derive = attribute.parse_nested_meta(|meta| {
                traits.extend(segments(&meta.path).pop());
                Ok(())
            });
            derive.expect("a list of traits");
        }
        if !traits.is_empty() {
            self.line(path, format!("derive {}", traits.into_iter().collect::<Vec<_>>().join(", ")));
        }
    }

    /// The members of an `impl`, or the trait that it implements.
    fn implementation(&mut self, module: ModuleId, item: &Item) {
        let Item::Impl(item) = item else { return };
        if is_hidden(&item.attrs) {
            return;
        }
        let of = match &*item.self_ty {
            Type::Path(of) => self.sources.resolve(module, &segments(&of.path)),
            _ => None,
        };
        let of = of.map(|def| self.names.get(&def).cloned());
        match (&item.trait_, of) {
            (None, Some(Some(path))) => item.items.iter().for_each(|item| self.member(&path, module, item)),
            (Some((_, name, _)), of) => {
                let known = self.sources.resolve(module, &segments(name)).map(|def| self.names.get(&def).cloned());
                let generics = text(&item.generics);
                match (known, of) {
                    // A trait of others, or one of ours that hosts see.
                    (None | Some(Some(_)), Some(Some(path))) => {
                        self.line(&path, format!("impl{generics} {}", text(name)));
                    }
                    // A trait of ours for types of others.
                    (Some(Some(path)), None) => {
                        self.line(&path, format!("impl{generics} for {}", text(&*item.self_ty)))
                    }
                    _ => {}
                }
            }
            _ => {}
        }
    }

    fn member(&mut self, path: &str, module: ModuleId, item: &ImplItem) {
        match item {
            ImplItem::Fn(item) if is_visible(&item.vis) && !is_hidden(&item.attrs) => {
                self.line(&format!("{path}::{}", item.sig.ident), text(&item.sig));
                self.check(path, module, |visitor| visitor.visit_signature(&item.sig));
            }
            ImplItem::Const(item) if is_visible(&item.vis) && !is_hidden(&item.attrs) => {
                self.line(&format!("{path}::{}", item.ident), format!("const: {}", text(&item.ty)));
                self.check(path, module, |visitor| visitor.visit_type(&item.ty));
            }
            _ => {}
        }
    }

    /// Looks whether hosts can name what a part of an item mentions.
    fn check(&mut self, path: &str, module: ModuleId, visit: impl FnOnce(&mut Paths)) {
        let mut paths = Paths::default();
        visit(&mut paths);
        for name in paths.0 {
            if let Some(def @ Def::Item(..)) = self.sources.resolve(module, &name)
                && !self.names.contains_key(&def)
            {
                self.unnamed.insert(format!("{path} mentions {}", name.join("::")));
            }
        }
    }
}

/// The paths of types and traits.
#[derive(Default)]
struct Paths(Vec<Vec<String>>);

impl<'a> Visit<'a> for Paths {
    fn visit_path(&mut self, path: &'a syn::Path) {
        self.0.push(segments(path));
        syn::visit::visit_path(self, path);
    }
}

fn segments(path: &syn::Path) -> Vec<String> {
    path.segments.iter().map(|segment| segment.ident.to_string()).collect()
}

fn is_visible(visibility: &Visibility) -> bool {
    matches!(visibility, Visibility::Public(_))
}

fn is_public(item: &Item) -> bool {
    match item {
        Item::Const(item) => is_visible(&item.vis),
        Item::Enum(item) => is_visible(&item.vis),
        Item::Fn(item) => is_visible(&item.vis),
        Item::Mod(item) => is_visible(&item.vis),
        Item::Struct(item) => is_visible(&item.vis),
        Item::Trait(item) => is_visible(&item.vis),
        Item::Type(item) => is_visible(&item.vis),
        Item::Use(item) => is_visible(&item.vis),
        _ => false,
    }
}

fn is_hidden(attributes: &[Attribute]) -> bool {
    let hides = |attribute: &Attribute| matches!(&attribute.meta, Meta::List(list) if text(list) == "doc(hidden)");
    attributes.iter().any(hides)
}

fn marks(attributes: &[Attribute]) -> &'static str {
    match attributes.iter().any(|attribute| attribute.path().is_ident("non_exhaustive")) {
        true => "#[non_exhaustive] ",
        false => "",
    }
}

/// Fields without documentation and attributes.
fn bare(fields: &Fields) -> String {
    let field = |field: &syn::Field| match &field.ident {
        Some(name) => format!(" {name}: {}", text(&field.ty)),
        None => format!(" {}", text(&field.ty)),
    };
    fields.iter().map(field).collect::<Vec<_>>().join(",")
}
