//! What a dEQP process says of its cases on standard output.

/// The results that dEQP has.
const RESULTS: [&str; 15] = [
    "Pass",
    "Fail",
    "QualityWarning",
    "CompatibilityWarning",
    "CapabilityWarning",
    "Pending",
    "NotSupported",
    "ResourceError",
    "InternalError",
    "Crash",
    "Timeout",
    "Waiver",
    "DeviceLost",
    "EnforceDefaultContext",
    "EnforceDefaultInstance",
];

/// Those that are no failure.
const FINE: [&str; 6] =
    ["Pass", "QualityWarning", "CompatibilityWarning", "CapabilityWarning", "NotSupported", "Waiver"];

/// How a case ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// One of dEQP's results, or `Missing` for a case that its program does not have.
    pub result: String,
    /// What dEQP says of it, one line.
    pub detail: String,
}

impl Outcome {
    pub fn new(result: &str, detail: &str) -> Self {
        Self { result: result.into(), detail: detail.into() }
    }

    pub fn is_failure(&self) -> bool {
        !FINE.contains(&self.result.as_str())
    }

    /// Whether its program does not have the case: the list is one for another version.
    pub fn is_missing(&self) -> bool {
        self.result == "Missing"
    }

    pub fn is_unsupported(&self) -> bool {
        self.result == "NotSupported"
    }
}

/// How a process ended before it said so itself.
#[derive(Clone, Copy)]
pub enum End {
    /// It is over, by itself or by a signal.
    Gone,
    /// It was ended because it said nothing for too long.
    Silent,
}

/// A process as far as it has been read.
#[derive(Default)]
pub struct Console {
    /// The case that has begun and not ended.
    open: Option<String>,
    done: bool,
}

impl Console {
    /// Reads a line: the case that ended with it, if one did.
    pub fn line(&mut self, line: &str) -> Option<(String, Outcome)> {
        if let Some(name) = line.strip_prefix("Test case '").and_then(|rest| rest.strip_suffix("'..")) {
            // The one before did not end: the test says more, or a part of a name was lost.
            let before = self.open.replace(name.to_owned());
            return before.map(|name| (name, Outcome::new("InternalError", "ends without a result")));
        }
        self.done |= line == "DONE!";
        let outcome = outcome(line)?;
        Some((self.open.take()?, outcome))
    }

    /// The case that a process which has ended leaves open, if there is one: that is the one it ended in.
    pub fn end(&mut self, how: End) -> Option<(String, Outcome)> {
        let outcome = match how {
            End::Gone => Outcome::new("Crash", "the process ended in this case"),
            End::Silent => Outcome::new("Timeout", "the process took too long in this case"),
        };
        Some((self.open.take()?, outcome))
    }

    /// Whether the process said that it has run all that it wants to.
    pub fn is_done(&self) -> bool {
        self.done
    }
}

/// The outcome that a line says, as `  Fail (Image mismatch)`. What is said may have further lines, which are left out.
fn outcome(line: &str) -> Option<Outcome> {
    let (result, detail) = line.strip_prefix("  ")?.split_once(" (")?;
    let detail = detail.strip_suffix(')').unwrap_or(detail);
    RESULTS.contains(&result).then(|| Outcome::new(result, &detail.replace('\t', " ")))
}
