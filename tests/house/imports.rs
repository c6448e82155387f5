//! Circles of imports: files of which each needs names of the next, so that none can be understood without the others.
//!
//! What ties a file to another one, and what does not:
//!
//! * A file is tied to the file that defines a name which it imports, or reaches by a path through a module. Re-exports
//!   are followed to the definition. A `pub use` that only passes a name on ties neither its own file nor those that
//!   use it: the `mod.rs` of a folder may show what its files define.
//! * Names of the modules around a file are no tie. The file of a module has what the files below it share, and these
//!   have parts of it, such as methods of its types: they are one subject in several files. The other direction, names
//!   that a module's file takes from the files below it, counts.
//! * Modules for tests are not read. What methods and macros lead to is not seen: neither needs an import.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};

use super::{CRATES, read, root, sources};

/// Circles that there may be. A change may lower the number, never raise it. In these two a class of Python makes
/// objects of another one, which hold on to their maker.
const MAX_CIRCLES: usize = 2;

/// A module, by its place in [`Sources`].
type ModuleId = usize;

#[derive(Default)]
struct Module {
    file: PathBuf,
    parent: Option<ModuleId>,
    children: BTreeMap<String, ModuleId>,
    imports: Vec<Import>,
    /// Names that are defined somewhere in it.
    defined: BTreeSet<String>,
    /// Paths of two names or more in its code.
    paths: BTreeSet<Vec<String>>,
    /// All words of its code but for imports.
    words: BTreeSet<String>,
}

/// A name of a `use` item.
struct Import {
    /// `None` for all names of a module.
    name: Option<String>,
    path: Vec<String>,
    is_public: bool,
}

/// What a path leads to.
#[derive(Clone, Copy)]
enum Meaning<'s> {
    Module(ModuleId),
    /// A name that this file defines.
    Name(&'s Path),
}

/// For each file the files that it is tied to, with the names.
type Ties = BTreeMap<PathBuf, BTreeMap<PathBuf, BTreeSet<String>>>;

/// The modules of crates.
struct Sources<'f> {
    modules: Vec<Module>,
    text_of: &'f dyn Fn(&Path) -> Option<String>,
}

impl Sources<'_> {
    /// Reads a file as a module whose children are in `folder`.
    fn load(&mut self, file: PathBuf, parent: Option<ModuleId>, folder: &Path) -> Option<ModuleId> {
        let text = (self.text_of)(&file)?;
        let tokens: TokenStream = text.parse().unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        Some(self.module(file, parent, tokens, folder))
    }

    fn module(&mut self, file: PathBuf, parent: Option<ModuleId>, tokens: TokenStream, folder: &Path) -> ModuleId {
        let module = self.modules.len();
        self.modules.push(Module { file, parent, ..Module::default() });
        self.read(module, tokens, folder);
        module
    }

    fn read(&mut self, module: ModuleId, tokens: TokenStream, folder: &Path) {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        let mut at = 0;
        while let Some(token) = tokens.get(at) {
            at += match token {
                TokenTree::Group(group) => {
                    self.read(module, group.stream(), folder);
                    1
                }
                TokenTree::Punct(punct) if punct.as_char() == '#' => attribute(&tokens[at..]),
                TokenTree::Ident(word) => self.word(module, &word.to_string(), &tokens, at, folder),
                _ => 1,
            };
        }
    }

    /// Notes what begins with a word. Returns how many tokens that are.
    fn word(&mut self, module: ModuleId, word: &str, tokens: &[TokenTree], at: usize, folder: &Path) -> usize {
        match (word, &tokens[at + 1..]) {
            ("use", [TokenTree::Ident(_) | TokenTree::Group(_), ..]) => {
                let length = tokens[at..].iter().position(|token| is_punct(token, ';')).unwrap_or(1);
                let is_public = is_public(&tokens[..at]);
                leaves(&tokens[at + 1..at + length], Vec::new(), &mut |name, path| {
                    self.modules[module].imports.push(Import { name, path, is_public });
                });
                length
            }
            ("mod", [TokenTree::Ident(name), TokenTree::Group(body), ..]) => {
                let (name, file) = (name.to_string(), self.modules[module].file.clone());
                let child = self.module(file, Some(module), body.stream(), &folder.join(&name));
                self.modules[module].children.insert(name, child);
                3
            }
            ("mod", [TokenTree::Ident(name), ..]) => {
                let name = name.to_string();
                let below = folder.join(&name);
                let files = [folder.join(format!("{name}.rs")), below.join("mod.rs")];
                if let Some(child) = files.into_iter().find_map(|file| self.load(file, Some(module), &below)) {
                    self.modules[module].children.insert(name, child);
                }
                2
            }
            _ => {
                let path = path_at(tokens, at);
                let module = &mut self.modules[module];
                module.words.insert(word.to_owned());
                if let (true, Some(TokenTree::Ident(name))) = (DEFINING.contains(&word), tokens.get(at + 1)) {
                    module.defined.insert(name.to_string());
                }
                let length = 3 * path.len() - 2;
                if path.len() > 1 && !continues_a_path(&tokens[..at]) {
                    module.paths.insert(path);
                }
                length
            }
        }
    }

    /// What a name means in a module. `seen` are the questions that led here: some go around in circles.
    fn lookup(&self, module: ModuleId, name: &str, seen: &mut BTreeSet<(ModuleId, String)>) -> Option<Meaning<'_>> {
        if !seen.insert((module, name.to_owned())) {
            return None;
        }
        let Module { file, children, imports, defined, .. } = &self.modules[module];
        if let Some(&child) = children.get(name) {
            return Some(Meaning::Module(child));
        }
        let is_named = |import: &&Import| import.name.as_deref() == Some(name) && import.path != [name];
        let imported = imports.iter().filter(is_named).find_map(|import| self.resolve(module, &import.path, seen));
        if imported.is_some() {
            return imported;
        }
        if defined.contains(name) {
            return Some(Meaning::Name(file));
        }
        imports.iter().filter(|import| import.name.is_none()).find_map(|import| {
            match self.resolve(module, &import.path, seen)? {
                Meaning::Module(other) => self.lookup(other, name, seen),
                Meaning::Name(_) => None,
            }
        })
    }

    /// What a path means in a module; `None` for what is not of this crate.
    fn resolve(&self, from: ModuleId, path: &[String], seen: &mut BTreeSet<(ModuleId, String)>) -> Option<Meaning<'_>> {
        let (mut module, mut is_within) = (from, false);
        for name in path {
            match name.as_str() {
                "crate" => module = self.around(module).last()?,
                "super" => module = self.modules[module].parent?,
                "self" => {}
                name => match self.lookup(module, name, seen) {
                    Some(Meaning::Module(found)) => module = found,
                    Some(found) => return Some(found),
                    // What a macro defines.
                    None => return is_within.then(|| Meaning::Name(&self.modules[module].file)),
                },
            }
            is_within = true;
        }
        Some(Meaning::Module(module))
    }

    /// A module and those around it.
    fn around(&self, module: ModuleId) -> impl Iterator<Item = ModuleId> {
        std::iter::successors(Some(module), |&module| self.modules[module].parent)
    }

    fn ties(&self) -> Ties {
        let mut ties = Ties::new();
        for (id, module) in self.modules.iter().enumerate() {
            let is_needed = |import: &&Import| {
                !import.is_public || import.name.as_ref().is_some_and(|name| module.words.contains(name))
            };
            let imported = module.imports.iter().filter(is_needed).map(|import| &import.path);
            for path in imported.chain(&module.paths) {
                let Some(Meaning::Name(file)) = self.resolve(id, path, &mut BTreeSet::new()) else { continue };
                if self.around(id).all(|around| self.modules[around].file != file) {
                    let names = ties.entry(module.file.clone()).or_default().entry(file.to_owned()).or_default();
                    names.extend(path.last().cloned());
                }
            }
        }
        ties
    }
}

/// Words before a name that is defined.
const DEFINING: [&str; 8] = ["fn", "struct", "enum", "trait", "type", "const", "static", "union"];

fn is_punct(token: &TokenTree, character: char) -> bool {
    matches!(token, TokenTree::Punct(punct) if punct.as_char() == character)
}

/// Whether what follows these tokens is public.
fn is_public(before: &[TokenTree]) -> bool {
    match before {
        [.., TokenTree::Ident(word), TokenTree::Group(_)] | [.., TokenTree::Ident(word)] => word == "pub",
        _ => false,
    }
}

/// Whether what follows these tokens is not the first name of a path, or a macro's `$crate`.
fn continues_a_path(before: &[TokenTree]) -> bool {
    match before {
        [.., TokenTree::Punct(first), last] if is_punct(last, ':') => first.as_char() == ':',
        [.., last] => is_punct(last, '$'),
        [] => false,
    }
}

/// The names of the path that begins at a word.
fn path_at(tokens: &[TokenTree], at: usize) -> Vec<String> {
    let mut path = vec![tokens[at].to_string()];
    let mut rest = &tokens[at + 1..];
    while let [first, second, TokenTree::Ident(name), more @ ..] = rest
        && is_punct(first, ':')
        && is_punct(second, ':')
    {
        path.push(name.to_string());
        rest = more;
    }
    path
}

/// How many tokens an attribute has; with the item after it if that is for tests alone.
fn attribute(tokens: &[TokenTree]) -> usize {
    let is_brackets = |group: &Group| group.delimiter() == Delimiter::Bracket;
    match tokens {
        [_, TokenTree::Group(what), rest @ ..] if is_brackets(what) => {
            if what.stream().to_string().replace(' ', "") != "cfg(test)" {
                return 2;
            }
            let ends = |token: &TokenTree| match token {
                TokenTree::Group(group) => group.delimiter() == Delimiter::Brace,
                token => is_punct(token, ';'),
            };
            3 + rest.iter().position(ends).unwrap_or(rest.len())
        }
        [_, _, TokenTree::Group(what), ..] if is_brackets(what) => 3,
        _ => 1,
    }
}

/// Calls `found` with the names of a `use` item and their paths.
fn leaves(tokens: &[TokenTree], mut path: Vec<String>, found: &mut impl FnMut(Option<String>, Vec<String>)) {
    let (mut tokens, mut renamed) = (tokens.iter(), None);
    while let Some(token) = tokens.next() {
        match token {
            TokenTree::Group(group) => {
                let parts: Vec<TokenTree> = group.stream().into_iter().collect();
                let parts = parts.split(|token| is_punct(token, ',')).filter(|part| !part.is_empty());
                return parts.for_each(|part| leaves(part, path.clone(), found));
            }
            TokenTree::Ident(word) if word == "as" => renamed = tokens.next().map(TokenTree::to_string),
            TokenTree::Ident(word) if word == "self" && !path.is_empty() => {}
            TokenTree::Ident(word) => path.push(word.to_string()),
            token if is_punct(token, '*') => return found(None, path),
            _ => {}
        }
    }
    found(renamed.or_else(|| path.last().cloned()), path);
}

/// The files that a file is tied to, directly or through others.
fn reached<'t>(ties: &'t Ties, from: &'t Path) -> BTreeSet<&'t Path> {
    let (mut found, mut open) = (BTreeSet::new(), vec![from]);
    while let Some(file) = open.pop() {
        let targets = ties.get(file).into_iter().flatten().map(|(file, _)| file.as_path());
        open.extend(targets.filter(|file| found.insert(*file)));
    }
    found
}

/// Groups of files each of which is tied to all others of its group, directly or through others.
fn circles(ties: &Ties) -> BTreeSet<BTreeSet<&Path>> {
    let reached: BTreeMap<&Path, BTreeSet<&Path>> =
        ties.keys().map(|file| (file.as_path(), reached(ties, file))).collect();
    let mut circles = BTreeSet::new();
    for (from, files) in &reached {
        let returns = |file: &&Path| reached.get(file).is_some_and(|files| files.contains(from));
        let circle: BTreeSet<&Path> = files.iter().copied().filter(returns).collect();
        if !circle.is_empty() {
            circles.insert(circle);
        }
    }
    circles
}

/// The files of circles, and the names that tie them.
fn listing(ties: &Ties, circles: &BTreeSet<BTreeSet<&Path>>) -> String {
    let mut text = String::new();
    for (number, circle) in circles.iter().enumerate() {
        text += &format!("circle {}, {} files:\n", number + 1, circle.len());
        for file in circle {
            for (other, names) in ties[*file].iter().filter(|(other, _)| circle.contains(other.as_path())) {
                let names: Vec<&str> = names.iter().map(String::as_str).collect();
                text += &format!("  {} -> {}: {}\n", file.display(), other.display(), names.join(", "));
            }
        }
    }
    text
}

/// The first files of all crates of the workspace, benches and tests included, by their paths from the root.
fn first_files() -> Vec<PathBuf> {
    let mut files = Vec::new();
    for folder in CRATES.iter().map(|krate| krate.folder).chain([""]) {
        files.extend(["src/lib.rs", "src/main.rs"].map(|file| Path::new(folder).join(file)));
        for folder in ["benches", "tests"].map(|part| Path::new(folder).join(part)) {
            for file in sources(&root().join(&folder)) {
                let file = file.strip_prefix(root()).unwrap();
                let below = file.strip_prefix(&folder).unwrap();
                if below.components().count() == 1 || below.components().count() == 2 && below.ends_with("main.rs") {
                    files.push(file.to_owned());
                }
            }
        }
    }
    files
}

fn ties_of(files: Vec<PathBuf>, text_of: &dyn Fn(&Path) -> Option<String>) -> Ties {
    let mut sources = Sources { modules: Vec::new(), text_of };
    for file in files {
        let folder = file.parent().unwrap().to_owned();
        sources.load(file, None, &folder);
    }
    sources.ties()
}

#[test]
fn few_files_import_each_other_in_circles() {
    let text_of = |file: &Path| {
        let file = root().join(file);
        file.exists().then(|| read(file))
    };
    let ties = ties_of(first_files(), &text_of);
    let count: usize = ties.values().map(BTreeMap::len).sum();
    assert!(count > 3000, "files import each other in another way: {count} ties");
    let circles = circles(&ties);
    assert!(
        circles.len() <= MAX_CIRCLES,
        "{} circles instead of {MAX_CIRCLES}: move what two files share into one that both import\n{}",
        circles.len(),
        listing(&ties, &circles)
    );
}

/// The listing of the circles of a crate.
fn circles_of(files: &[(&str, &str)]) -> String {
    let text_of = |file: &Path| files.iter().find(|(name, _)| Path::new(name) == file).map(|(_, text)| (*text).into());
    let ties = ties_of(vec!["src/lib.rs".into()], &text_of);
    listing(&ties, &circles(&ties))
}

#[test]
fn circles_are_found_where_re_exports_hide_them() {
    let lib = ("src/lib.rs", "mod shown; mod user;");
    let shown = ("src/shown/mod.rs", "mod one; pub use one::Thing;");
    let one = ("src/shown/one.rs", "pub struct Thing { text: crate::user::Text }");
    let user = ("src/user.rs", "use crate::shown::{self, Thing as Other}; pub struct Text;");
    let found =
        "circle 1, 2 files:\n  src/shown/one.rs -> src/user.rs: Text\n  src/user.rs -> src/shown/one.rs: Thing\n";
    assert_eq!(circles_of(&[lib, shown, one, user]), found);
    let user = ("src/user.rs", "pub struct Text;\n#[cfg(test)]\nmod tests { use crate::shown::Thing; }");
    assert_eq!(circles_of(&[lib, shown, one, user]), "");
}

#[test]
fn names_of_modules_around_a_file_are_no_tie() {
    let lib = ("src/lib.rs", "mod parts; use parts::Part; pub struct Whole(Part);");
    let parts =
        ("src/parts.rs", "use super::Whole; pub struct Part; impl Whole { fn part(&self) -> &Part { &self.0 } }");
    assert_eq!(circles_of(&[lib, parts]), "");
}
