//! The interface as data: constants, enumerations, structures, callbacks and functions, read from the sources from
//! which the headers are made.

use syn::{Expr, Fields, FnArg, Item, ItemFn, Lit, Pat, ReturnType, Type, UnOp};

use crate::header::interface;

/// The parts of the interface, in the order of the headers.
pub const PARTS: [&str; 4] = ["common", "n3ds", "rsx", "tegra"];

/// All of the interface.
#[derive(Default)]
pub struct Interface {
    pub constants: Vec<Constant>,
    pub enumerations: Vec<Enumeration>,
    pub structures: Vec<Structure>,
    /// Handles: structures of which only the library knows the fields.
    pub handles: Vec<Named>,
    pub callbacks: Vec<Function>,
    pub functions: Vec<Function>,
}

/// A name with its documentation.
pub struct Named {
    pub name: String,
    pub doc: String,
}

/// A constant.
pub struct Constant {
    pub named: Named,
    pub ty: Kind,
    /// As the source has it.
    pub value: String,
}

/// An enumeration with its numbers.
pub struct Enumeration {
    pub named: Named,
    pub ty: Kind,
    pub values: Vec<(Named, i64)>,
}

/// A structure that C sees.
pub struct Structure {
    pub named: Named,
    pub fields: Vec<(Named, Kind)>,
}

impl Structure {
    /// Whether it begins with its size.
    pub fn is_sized(&self) -> bool {
        matches!(&self.fields[..], [(first, Kind::Number("u32")), ..] if first.name == "size")
    }
}

/// A function, or a type of functions.
pub struct Function {
    pub named: Named,
    pub parameters: Vec<(String, Kind)>,
    pub result: Option<Kind>,
}

/// A type.
#[derive(Clone, Debug, PartialEq)]
pub enum Kind {
    /// By its name in Rust.
    Number(&'static str),
    Bool,
    /// A character of text.
    Char,
    /// What a pointer to anything points to.
    Void,
    Pointer(Box<Kind>),
    Array(Box<Kind>, usize),
    /// A function without a name.
    Function,
    /// A structure, an enumeration, a handle or a callback.
    Named(String),
}

const NUMBERS: [&str; 10] = ["u8", "u16", "u32", "u64", "usize", "i8", "i16", "i32", "i64", "isize"];

impl Interface {
    pub fn read() -> Self {
        let mut all = Interface::default();
        for text in PARTS.iter().flat_map(|part| interface(part)) {
            let file = syn::parse_file(&text).unwrap_or_else(|error| panic!("{error} in\n{text}"));
            file.items.into_iter().for_each(|item| all.add(item));
        }
        all
    }

    fn add(&mut self, item: Item) {
        match item {
            Item::Const(item) if is_public(&item.vis) => {
                let Expr::Lit(syn::ExprLit { lit: Lit::Int(value), .. }) = &*item.expr else {
                    panic!("{} is no plain number", item.ident);
                };
                let value = value.to_string().replace('_', "");
                self.constants.push(Constant { named: named(&item.ident, &item.attrs), ty: kind(&item.ty), value });
            }
            Item::Enum(item) if is_public(&item.vis) => {
                let values = item.variants.iter().map(|variant| {
                    let (_, number) = variant.discriminant.as_ref().expect("a number");
                    (named(&variant.ident, &variant.attrs), integer(number))
                });
                let repr = attribute(&item.attrs, "repr").expect("the type of its numbers");
                let ty = NUMBERS.into_iter().find(|number| repr.contains(number)).expect("a number");
                let (named, values) = (named(&item.ident, &item.attrs), values.collect());
                self.enumerations.push(Enumeration { named, ty: Kind::Number(ty), values });
            }
            Item::Struct(item) if is_public(&item.vis) => {
                let named_ = named(&item.ident, &item.attrs);
                match (&item.fields, attribute(&item.attrs, "repr")) {
                    (Fields::Named(fields), Some(_)) => {
                        let fields = fields.named.iter().map(|field| {
                            let name = field.ident.as_ref().expect("a name");
                            (named(name, &field.attrs), kind(&field.ty))
                        });
                        self.structures.push(Structure { named: named_, fields: fields.collect() });
                    }
                    _ => self.handles.push(named_),
                }
            }
            Item::Type(item) if is_public(&item.vis) => {
                let (parameters, result) = callback(&item.ty);
                self.callbacks.push(Function { named: named(&item.ident, &item.attrs), parameters, result });
            }
            Item::Fn(item) if attribute(&item.attrs, "unsafe").is_some_and(|what| what.contains("no_mangle")) => {
                self.functions.push(function(&item));
            }
            _ => {}
        }
    }

    /// The structure of a name.
    pub fn structure(&self, name: &str) -> Option<&Structure> {
        self.structures.iter().find(|structure| structure.named.name == name)
    }

    /// Bytes and alignment of a type on a host with pointers of 64 bits.
    pub fn layout(&self, kind: &Kind) -> (usize, usize) {
        match kind {
            Kind::Number(number) => {
                let bytes = number[1..].parse::<usize>().map_or(8, |bits| bits / 8);
                (bytes, bytes)
            }
            Kind::Bool | Kind::Char | Kind::Void => (1, 1),
            Kind::Pointer(_) | Kind::Function => (8, 8),
            Kind::Array(of, count) => {
                let (size, align) = self.layout(of);
                (size * count, align)
            }
            Kind::Named(name) => match self.structure(name) {
                None => (8, 8),
                Some(structure) => {
                    let (mut size, mut most) = (0, 1);
                    for (_, field) in &structure.fields {
                        let (bytes, align) = self.layout(field);
                        (size, most) = (usize::next_multiple_of(size, align) + bytes, most.max(align));
                    }
                    (size.next_multiple_of(most), most)
                }
            },
        }
    }

    /// Where each field of a structure begins.
    pub fn offsets(&self, structure: &Structure) -> Vec<usize> {
        let mut end = 0;
        let offsets = structure.fields.iter().map(|(_, field)| {
            let (bytes, align) = self.layout(field);
            let offset = usize::next_multiple_of(end, align);
            end = offset + bytes;
            offset
        });
        offsets.collect()
    }
}

fn is_public(visibility: &syn::Visibility) -> bool {
    matches!(visibility, syn::Visibility::Public(_))
}

fn named(name: &syn::Ident, attributes: &[syn::Attribute]) -> Named {
    let lines = attributes.iter().filter_map(|attribute| match &attribute.meta {
        syn::Meta::NameValue(pair) if pair.path.is_ident("doc") => match &pair.value {
            Expr::Lit(text) => match &text.lit {
                Lit::Str(text) => Some(text.value().trim().to_owned()),
                _ => None,
            },
            _ => None,
        },
        _ => None,
    });
    Named { name: name.to_string(), doc: lines.collect::<Vec<_>>().join("\n") }
}

/// What is in the parentheses of an attribute.
fn attribute(attributes: &[syn::Attribute], name: &str) -> Option<String> {
    let found = attributes.iter().find(|attribute| attribute.path().is_ident(name))?;
    Some(found.meta.require_list().ok()?.tokens.to_string())
}

fn integer(expression: &Expr) -> i64 {
    match expression {
        Expr::Lit(number) => match &number.lit {
            Lit::Int(number) => number.base10_parse().expect("a number"),
            _ => panic!("a number"),
        },
        Expr::Unary(negative) if matches!(negative.op, UnOp::Neg(_)) => -integer(&negative.expr),
        _ => panic!("a number"),
    }
}

fn kind(ty: &Type) -> Kind {
    match ty {
        Type::Ptr(pointer) => Kind::Pointer(Box::new(kind(&pointer.elem))),
        Type::Reference(reference) => Kind::Pointer(Box::new(kind(&reference.elem))),
        Type::Array(array) => Kind::Array(Box::new(kind(&array.elem)), integer(&array.len) as usize),
        Type::BareFn(_) => Kind::Function,
        Type::Path(path) => {
            let last = path.path.segments.last().expect("a name");
            let name = last.ident.to_string();
            match (&name[..], &last.arguments) {
                // What may be null: a pointer, or a function.
                ("Option", syn::PathArguments::AngleBracketed(of)) => match of.args.first() {
                    Some(syn::GenericArgument::Type(of)) => kind(of),
                    _ => panic!("the type of an option"),
                },
                ("bool", _) => Kind::Bool,
                ("c_char", _) => Kind::Char,
                ("c_void", _) => Kind::Void,
                _ => match NUMBERS.into_iter().find(|number| *number == name) {
                    Some(number) => Kind::Number(number),
                    None => Kind::Named(name),
                },
            }
        }
        _ => panic!("a type that C does not have"),
    }
}

fn result(output: &ReturnType) -> Option<Kind> {
    match output {
        ReturnType::Default => None,
        ReturnType::Type(_, ty) => Some(kind(ty)),
    }
}

fn function(item: &ItemFn) -> Function {
    let parameters = item.sig.inputs.iter().map(|input| match input {
        FnArg::Typed(parameter) => match &*parameter.pat {
            Pat::Ident(name) => (name.ident.to_string(), kind(&parameter.ty)),
            _ => panic!("a parameter without a name"),
        },
        FnArg::Receiver(_) => panic!("a method"),
    });
    let (parameters, result) = (parameters.collect(), result(&item.sig.output));
    Function { named: named(&item.sig.ident, &item.attrs), parameters, result }
}

/// Parameters and result of a callback's type, which may be null.
fn callback(ty: &Type) -> (Vec<(String, Kind)>, Option<Kind>) {
    let bare = match ty {
        Type::BareFn(bare) => bare,
        Type::Path(path) => match &path.path.segments.last().expect("a name").arguments {
            syn::PathArguments::AngleBracketed(of) => match of.args.first() {
                Some(syn::GenericArgument::Type(Type::BareFn(bare))) => bare,
                _ => panic!("a function"),
            },
            _ => panic!("a function"),
        },
        _ => panic!("a function"),
    };
    let parameters = bare.inputs.iter().enumerate().map(|(at, input)| {
        let name = input.name.as_ref().map_or_else(|| format!("argument{at}"), |(name, _)| name.to_string());
        (name, kind(&input.ty))
    });
    (parameters.collect(), result(&bare.output))
}

/// Structures that do not begin with their size, and why none of them grows.
const FIXED: [(&str, &[&str]); 5] = [
    ("pairs and triples", &["range", "mapping", "run_limit", "tegra_fence"]),
    ("functions of the host's: others would be a new structure", &["n3ds_process"]),
    (
        "registers and structures of the 3DS's GSP",
        &["n3ds_queue", "n3ds_framebuffer", "n3ds_picture", "n3ds_registration", "n3ds_capture_info"],
    ),
    ("the end of a GX command, with a reserved word", &["n3ds_executed", "n3ds_completion", "n3ds_forecast"]),
    (
        "structures of the PS3's hypervisor and of the Switch's driver",
        &[
            "rsx_software_method",
            "rsx_context",
            "tegra_characteristics",
            "tegra_freed",
            "tegra_memory",
            "tegra_layout",
            "tegra_map_buffer",
            "tegra_remap",
            "tegra_region",
            "tegra_wait",
        ],
    ),
];

#[test]
fn structures_that_may_grow_begin_with_their_size() {
    let interface = Interface::read();
    for structure in &interface.structures {
        let name = structure.named.name.trim_start_matches("triglyph_");
        let fixed = FIXED.iter().any(|(_, names)| names.contains(&name));
        assert!(structure.is_sized() != fixed, "{name} is to begin with its size, or to be listed with a reason");
    }
    for name in FIXED.iter().flat_map(|(_, names)| names.iter()) {
        assert!(interface.structure(&format!("triglyph_{name}")).is_some(), "{name} is no structure");
    }
}

/// Words of function names that say what is done.
const VERBS: [&str; 14] = [
    "get", "set", "take", "is", "start", "stop", "create", "destroy", "try", "send", "wait", "record", "run", "present",
];

#[test]
fn verbs_come_first() {
    let interface = Interface::read();
    let rows: Vec<String> = crate::calls::functions().iter().map(|function| function.name()).collect();
    let handles: Vec<&str> = interface.handles.iter().map(|handle| &handle.name[..]).collect();
    // Names of the guest's calls stay as they are.
    for function in interface.functions.iter().filter(|function| !rows.contains(&function.named.name)) {
        let name = &function.named.name[..];
        let of = handles.iter().filter(|handle| name.starts_with(&format!("{handle}_"))).max_by_key(|name| name.len());
        let rest = name.trim_start_matches(of.copied().unwrap_or("triglyph")).trim_start_matches('_');
        let mut words = rest.split('_').skip_while(|word| VERBS.contains(word));
        let begins_with_verb = words.clone().count() < rest.split('_').count();
        let late = words.find(|word| VERBS.contains(word));
        assert!(begins_with_verb || late.is_none(), "{name}: {late:?} is to be first, after the handle");
    }
}
