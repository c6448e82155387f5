//! Results in JUnit's form, which CI systems show: a test case for each capture.

use std::path::Path;
use std::time::Duration;

use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};

/// The results so far.
pub struct Junit(TestSuite);

impl Junit {
    /// No results.
    pub fn new() -> Self {
        Junit(TestSuite::new("triglyph verify"))
    }

    /// A capture that was verified in so many seconds, and what differs.
    pub fn add(&mut self, path: &Path, differences: &[String], seconds: f64) {
        let status = match differences.first() {
            None => TestCaseStatus::success(),
            Some(first) => {
                let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
                status.set_message(first.as_str()).set_description(differences.join("\n"));
                status
            }
        };
        let mut case = case(path, status);
        case.set_time(Duration::from_secs_f64(seconds));
        self.0.add_test_case(case);
    }

    /// A capture that could not be read or replayed.
    pub fn add_unreadable(&mut self, path: &Path, error: &str) {
        let mut status = TestCaseStatus::non_success(NonSuccessKind::Error);
        status.set_message(error);
        self.0.add_test_case(case(path, status));
    }

    /// The file.
    pub fn to_xml(&self) -> anyhow::Result<Vec<u8>> {
        let mut report = Report::new("triglyph");
        report.add_test_suite(self.0.clone());
        Ok(report.to_string()?.into_bytes())
    }
}

fn case(path: &Path, status: TestCaseStatus) -> TestCase {
    let mut case = TestCase::new(path.display().to_string(), status);
    case.set_classname("triglyph");
    case
}
