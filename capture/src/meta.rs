//! The facts of a META record.

use std::fmt;

use serde_json::{Map, Value};

/// The facts of a META record: a JSON object. Its conventional names are in `docs/reference/captures.md`.
///
/// ```
/// use triglyph_capture::meta::Meta;
///
/// let meta = Meta::new().with("name", "a triangle").with("source", "an emulator");
/// assert_eq!(meta.to_string(), r#"{"name":"a triangle","source":"an emulator"}"#);
/// let read = Meta::from_json(r#"{ "name": "a triangle", "source": "an emulator" }"#);
/// assert_eq!(read, Ok(meta));
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Meta {
    facts: Map<String, Value>,
}

impl Meta {
    /// No facts.
    pub fn new() -> Self {
        Meta::default()
    }

    /// The facts of a JSON object.
    ///
    /// # Errors
    /// What is wrong with a text that is no JSON object.
    pub fn from_json(text: &str) -> Result<Self, String> {
        match serde_json::from_str(text) {
            Ok(Value::Object(facts)) => Ok(Meta { facts }),
            Ok(_) => Err("META is not a JSON object".to_owned()),
            Err(error) => Err(format!("META is not JSON: {error}")),
        }
    }

    /// The JSON object in lines, as captures have it.
    pub fn to_json(&self) -> String {
        format!("{:#}", Value::Object(self.facts.clone()))
    }

    /// The same with a fact that is a text; it replaces one of the same name.
    pub fn with(mut self, name: impl Into<String>, text: impl Into<String>) -> Self {
        self.set(name, text);
        self
    }

    /// Adds a fact that is a text; it replaces one of the same name.
    pub fn set(&mut self, name: impl Into<String>, text: impl Into<String>) {
        self.facts.insert(name.into(), Value::String(text.into()));
    }

    /// The fact of a name, if it is a text.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.facts.get(name)?.as_str()
    }
}

impl fmt::Display for Meta {
    /// The JSON object in one line; with `#` in several.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match f.alternate() {
            true => f.write_str(&self.to_json()),
            false => write!(f, "{}", Value::Object(self.facts.clone())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn facts_come_back() {
        let mut meta = Meta::new().with("name", "first");
        meta.set("name", "second");
        assert_eq!((meta.text("name"), meta.text("source")), (Some("second"), None));
        assert_eq!(meta.to_json(), "{\n  \"name\": \"second\"\n}");
        assert_eq!(format!("{meta:#}"), meta.to_json());
        assert_eq!(Meta::from_json(&meta.to_json()), Ok(meta));
        // Facts that are no texts stay as they are.
        let counted = Meta::from_json(r#"{"frames":[1,2]}"#).expect("an object");
        assert_eq!((counted.text("frames"), counted.to_string().as_str()), (None, r#"{"frames":[1,2]}"#));
    }

    #[test]
    fn other_texts_are_refused() {
        assert_eq!(Meta::from_json("[1]"), Err("META is not a JSON object".to_owned()));
        assert!(Meta::from_json("{").is_err_and(|error| error.starts_with("META is not JSON: ")));
    }
}
