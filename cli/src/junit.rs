//! Results in JUnit's form, which CI systems show: a test case for each capture. Its class is the capture's folder, its
//! name the file's.

use std::path::{Path, PathBuf};
use std::time::Duration;

use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};

use crate::capture_file::stem;

/// The results so far.
pub struct Junit {
    suite: TestSuite,
    /// Of all test cases.
    time: Duration,
}

/// The result of a capture.
pub enum Outcome<'a> {
    /// All checks hold.
    Good,
    /// It has nothing to check, which is no failure.
    Unchecked,
    /// What differs or is missing.
    Failed(&'a [String]),
    /// Why it cannot be read or replayed.
    Unreadable(&'a str),
}

impl Junit {
    /// No results.
    pub fn new() -> Self {
        Junit { suite: TestSuite::new("triglyph verify"), time: Duration::ZERO }
    }

    /// The result of a capture after so much time, with the pictures that show what differs.
    pub fn add(&mut self, path: &Path, outcome: &Outcome<'_>, time: Duration, pictures: &[PathBuf]) {
        let mut case = TestCase::new(stem(path), status(outcome));
        case.set_classname(class(path)).set_time(time);
        case.extra.insert("file".into(), path.display().to_string().into());
        if !pictures.is_empty() {
            // As GitLab and the attachments plug-in of Jenkins read them.
            let lines = pictures.iter().map(|picture| format!("[[ATTACHMENT|{}]]\n", picture.display()));
            case.set_system_out(lines.collect::<String>());
        }
        self.time += time;
        self.suite.add_test_case(case);
    }

    /// The file.
    pub fn to_xml(&self) -> anyhow::Result<Vec<u8>> {
        let mut suite = self.suite.clone();
        suite.set_time(self.time);
        let mut report = Report::new("triglyph");
        report.set_time(self.time).add_test_suite(suite);
        Ok(report.to_string()?.into_bytes())
    }
}

fn status(outcome: &Outcome<'_>) -> TestCaseStatus {
    let mut status = match outcome {
        Outcome::Good => return TestCaseStatus::success(),
        Outcome::Unchecked => TestCaseStatus::skipped(),
        Outcome::Failed(_) => TestCaseStatus::non_success(NonSuccessKind::Failure),
        Outcome::Unreadable(_) => TestCaseStatus::non_success(NonSuccessKind::Error),
    };
    match outcome {
        Outcome::Good => {}
        Outcome::Unchecked => _ = status.set_message("the capture expects no picture and no hash"),
        Outcome::Failed(what) => {
            let first = what.first().map_or("", String::as_str);
            status.set_message(first).set_description(what.join("\n"));
        }
        Outcome::Unreadable(error) => _ = status.set_message(*error),
    }
    status
}

/// The folder as CI systems group classes: `a/b.c/x.tgc` is of `a.b_c`. Files without a folder are of `triglyph`.
fn class(path: &Path) -> String {
    let folder = path.parent().unwrap_or(Path::new(""));
    let parts = folder.components().filter_map(|part| match part {
        std::path::Component::Normal(name) => Some(name.to_string_lossy().replace('.', "_")),
        _ => None,
    });
    let class = parts.collect::<Vec<_>>().join(".");
    if class.is_empty() { "triglyph".to_owned() } else { class }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_are_folders() {
        assert_eq!(class(Path::new("x.tgc")), "triglyph");
        assert_eq!(class(Path::new("./a/b.c/x.tgc")), "a.b_c");
        assert_eq!(class(Path::new("/ci/captures/../3ds/x.tgc")), "ci.captures.3ds");
    }

    #[test]
    fn every_outcome_is_a_case_with_its_time() {
        let mut junit = Junit::new();
        let second = Duration::from_secs(1);
        junit.add(Path::new("a/good.tgc"), &Outcome::Good, second, &[]);
        junit.add(Path::new("a/plain.tgc"), &Outcome::Unchecked, second, &[]);
        let differences = ["first".to_owned(), "second".to_owned()];
        junit.add(Path::new("a/bad.tgc"), &Outcome::Failed(&differences), second, &["r/bad-got.png".into()]);
        junit.add(Path::new("a/broken.tgc"), &Outcome::Unreadable("cut off"), second, &[]);
        let xml = String::from_utf8(junit.to_xml().unwrap()).unwrap();
        for part in [
            r#"tests="4" skipped="1" failures="1" errors="1""#,
            r#"<testcase name="good" classname="a" time="1.000" file="a/good.tgc"/>"#,
            r#"<skipped message="the capture expects no picture and no hash"/>"#,
            "first\nsecond</failure>",
            "[[ATTACHMENT|r/bad-got.png]]",
            r#"<error message="cut off"/>"#,
        ] {
            assert!(xml.contains(part), "{part}\n{xml}");
        }
    }
}
