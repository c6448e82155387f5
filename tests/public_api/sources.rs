//! The sources of the workspace as syntax trees, and what names in them mean.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use proc_macro2::Span;
use syn::spanned::Spanned;
use syn::{Item, UseTree};

use super::macros::written;

/// A module, by its place in [`Sources`].
pub type ModuleId = usize;

/// What a name means.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Def {
    Module(ModuleId),
    /// An item of a module, by its place there.
    Item(ModuleId, usize),
}

pub struct Module {
    pub items: Vec<Item>,
    children: BTreeMap<String, ModuleId>,
    parent: Option<ModuleId>,
}

/// All modules of all crates.
#[derive(Default)]
pub struct Sources {
    pub modules: Vec<Module>,
    /// By the names that `use` has for them.
    crates: BTreeMap<String, ModuleId>,
}

/// A name that a `use` brings in, or every name of a module.
struct Import {
    path: Vec<String>,
    /// `None` for a glob.
    name: Option<String>,
}

/// Paths longer than this lead in a circle.
const MAX_STEPS: u32 = 32;

impl Sources {
    /// Parses the crates that the workspace's manifest names.
    pub fn load(root: &Path) -> Self {
        let mut sources = Sources::default();
        let manifest = fs::read_to_string(root.join("Cargo.toml")).expect("a manifest");
        for line in manifest.lines() {
            let Some((name, rest)) = line.split_once(" = { path = \"") else { continue };
            let Some((folder, _)) = rest.split_once('"') else { continue };
            let folder = root.join(folder).join("src");
            let items = parse(&folder.join("lib.rs"));
            let id = sources.add(items, &folder, None);
            sources.crates.insert(name.replace('-', "_"), id);
        }
        sources
    }

    fn add(&mut self, items: Vec<Item>, folder: &Path, parent: Option<ModuleId>) -> ModuleId {
        let id = self.modules.len();
        let items: Vec<Item> = items.into_iter().flat_map(written).filter(|item| !is_for_tests(item)).collect();
        let modules: Vec<_> = items.iter().filter_map(|item| module(item, folder)).collect();
        self.modules.push(Module { items, children: BTreeMap::new(), parent });
        for (name, items, folder) in modules {
            let child = self.add(items, &folder, Some(id));
            self.modules[id].children.insert(name, child);
        }
        id
    }

    /// The root of a crate.
    pub fn root(&self, name: &str) -> ModuleId {
        self.crates[name]
    }

    pub fn item(&self, module: ModuleId, index: usize) -> &Item {
        &self.modules[module].items[index]
    }

    /// What a path means in a module; `None` for what is not of this workspace, and for parts of items.
    pub fn resolve(&self, module: ModuleId, path: &[String]) -> Option<Def> {
        self.resolve_within(module, path, MAX_STEPS)
    }

    fn resolve_within(&self, module: ModuleId, path: &[String], steps: u32) -> Option<Def> {
        let steps = steps.checked_sub(1)?;
        let (last, modules) = path.split_last()?;
        let mut at = module;
        for (index, name) in modules.iter().enumerate() {
            at = match (index, self.step(at, name, index == 0)) {
                (_, Some(module)) => module,
                _ => match self.find(at, name, steps).into_iter().find(|def| matches!(def, Def::Module(_)))? {
                    Def::Module(module) => module,
                    Def::Item(..) => return None,
                },
            };
        }
        match self.step(at, last, modules.is_empty()) {
            Some(module) => Some(Def::Module(module)),
            // A module and a function may have the same name: items come first.
            None => self.find(at, last, steps).into_iter().max(),
        }
    }

    /// `crate`, `self`, `super`, and at the beginning of a path the names of crates.
    fn step(&self, module: ModuleId, name: &str, first: bool) -> Option<ModuleId> {
        let parent = |module: ModuleId| self.modules[module].parent;
        match name {
            "crate" => std::iter::successors(Some(module), |&module| parent(module)).last(),
            "self" => Some(module),
            "super" => parent(module),
            _ if first => self.crates.get(name).copied(),
            _ => None,
        }
    }

    /// Everything of a name in a module: its own items and modules, else what it imports.
    fn find(&self, module: ModuleId, name: &str, steps: u32) -> Vec<Def> {
        let Module { items, children, .. } = &self.modules[module];
        let own = items.iter().enumerate().filter(|(_, item)| item_name(item).is_some_and(|own| own == name));
        let mut found: Vec<Def> = own.map(|(index, _)| Def::Item(module, index)).collect();
        found.extend(children.get(name).map(|&child| Def::Module(child)));
        let (globs, named): (Vec<_>, Vec<_>) = self.imports(module).partition(|import| import.name.is_none());
        let mut with = |path: &[String]| found.extend(self.resolve_within(module, path, steps));
        named.iter().filter(|import| import.name.as_deref() == Some(name)).for_each(|import| with(&import.path));
        if found.is_empty() {
            let inside = |glob: &Import| [&glob.path[..], &[name.to_owned()]].concat();
            globs.iter().for_each(|glob| found.extend(self.resolve_within(module, &inside(glob), steps)));
        }
        found
    }

    fn imports(&self, module: ModuleId) -> impl Iterator<Item = Import> {
        let uses = self.modules[module].items.iter().filter_map(|item| match item {
            Item::Use(item) => Some(item),
            _ => None,
        });
        uses.flat_map(|item| imports(&item.tree))
    }

    /// The names that a `use` of a module brings in, and what they mean; globs aside.
    pub fn imported(&self, module: ModuleId, tree: &UseTree) -> Vec<(String, Def)> {
        let named = |import: Import| Some((import.name?, self.resolve(module, &import.path)?));
        imports(tree).into_iter().filter_map(named).collect()
    }

    /// The modules of which a `use` brings in everything.
    pub fn globs(&self, module: ModuleId, tree: &UseTree) -> Vec<ModuleId> {
        let globs = imports(tree).into_iter().filter(|import| import.name.is_none());
        let module = |import: Import| match self.resolve(module, &import.path) {
            Some(Def::Module(of)) => Some(of),
            _ => None,
        };
        globs.filter_map(module).collect()
    }
}

fn parse(path: &Path) -> Vec<Item> {
    let text = fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    syn::parse_file(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display())).items
}

/// The name and items of a module, and the folder of its own modules.
fn module(item: &Item, folder: &Path) -> Option<(String, Vec<Item>, PathBuf)> {
    let Item::Mod(item) = item else { return None };
    let name = item.ident.to_string();
    let inside = folder.join(&name);
    let items = match &item.content {
        Some((_, items)) => items.clone(),
        None => {
            parse(&[folder.join(format!("{name}.rs")), inside.join("mod.rs")].into_iter().find(|path| path.exists())?)
        }
    };
    Some((name, items, inside))
}

fn is_for_tests(item: &Item) -> bool {
    attributes(item).iter().any(|attribute| {
        let text = text(attribute);
        attribute.path().is_ident("cfg") && ["(test)", "(doctest)"].iter().any(|test| text.contains(test))
    })
}

pub fn attributes(item: &Item) -> &[syn::Attribute] {
    match item {
        Item::Const(item) => &item.attrs,
        Item::Enum(item) => &item.attrs,
        Item::Fn(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        Item::Mod(item) => &item.attrs,
        Item::Static(item) => &item.attrs,
        Item::Struct(item) => &item.attrs,
        Item::Trait(item) => &item.attrs,
        Item::Type(item) => &item.attrs,
        Item::Union(item) => &item.attrs,
        Item::Use(item) => &item.attrs,
        _ => &[],
    }
}

/// The name of an item that is no module.
pub fn item_name(item: &Item) -> Option<&syn::Ident> {
    match item {
        Item::Const(item) => Some(&item.ident),
        Item::Enum(item) => Some(&item.ident),
        Item::Fn(item) => Some(&item.sig.ident),
        Item::Static(item) => Some(&item.ident),
        Item::Struct(item) => Some(&item.ident),
        Item::Trait(item) => Some(&item.ident),
        Item::Type(item) => Some(&item.ident),
        Item::Union(item) => Some(&item.ident),
        _ => None,
    }
}

fn imports(tree: &UseTree) -> Vec<Import> {
    fn walk(tree: &UseTree, mut path: Vec<String>, found: &mut Vec<Import>) {
        let mut leaf = |name: Option<String>, path: Vec<String>| found.push(Import { path, name });
        match tree {
            UseTree::Path(tree) => {
                path.push(tree.ident.to_string());
                walk(&tree.tree, path, found);
            }
            // `use a::{self}` names `a`.
            UseTree::Name(tree) if tree.ident == "self" => leaf(path.last().cloned(), path),
            UseTree::Name(tree) => {
                path.push(tree.ident.to_string());
                leaf(path.last().cloned(), path);
            }
            UseTree::Rename(tree) => {
                path.push(tree.ident.to_string());
                leaf(Some(tree.rename.to_string()), path);
            }
            UseTree::Glob(_) => leaf(None, path),
            UseTree::Group(tree) => tree.items.iter().for_each(|tree| walk(tree, path.clone(), found)),
        }
    }
    let mut found = Vec::new();
    walk(tree, Vec::new(), &mut found);
    found
}

/// A part of a source as it is written, on one line.
pub fn text(part: &impl Spanned) -> String {
    let span: Span = part.span();
    let text = span.source_text().unwrap_or_default();
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ").replace("( ", "(").replace(", )", ")").replace("< ", "<").replace(", >", ">")
}
