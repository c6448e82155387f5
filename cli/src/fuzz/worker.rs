//! A process that checks mutants, which may kill it.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use anyhow::Context;
use serde::{Deserialize, Serialize};
use triglyph_fuzz::oracle::Allowed;
use triglyph_fuzz::{Oracle, Report, Verdict};

use crate::exit::Exit;

/// A question takes no longer than this.
const PATIENCE: Duration = Duration::from_secs(300);

/// A question; one line.
#[derive(Serialize, Deserialize)]
struct Question {
    file: PathBuf,
    oracle: u32,
    seed: u64,
}

/// Answers questions until there are no more.
pub fn serve() -> anyhow::Result<Exit> {
    for line in std::io::stdin().lock().lines() {
        let Question { file, oracle, seed } = serde_json::from_str(&line?)?;
        let oracle = Oracle::from_number(oracle).context("no such oracle")?;
        let report = oracle.check(&std::fs::read(file)?, seed, Allowed::default());
        let mut output = std::io::stdout().lock();
        writeln!(output, "{}", serde_json::to_string(&report)?)?;
        output.flush()?;
    }
    Ok(Exit::Good)
}

/// The answer to a question.
#[derive(Debug)]
pub enum Answer {
    /// The worker says.
    Said(Report),
    /// It has died, in this way.
    Died(String),
    /// It was ended after [`PATIENCE`].
    Silent,
}

impl Answer {
    /// As a verdict.
    pub fn verdict(self) -> Verdict {
        match self {
            Answer::Said(report) => report.verdict,
            Answer::Died(how) => Verdict::Fails(format!("the process dies: {how}")),
            Answer::Silent => Verdict::Fails(format!("no answer after {PATIENCE:?}")),
        }
    }
}

/// A worker.
pub struct Worker {
    process: Child,
    questions: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl Worker {
    /// Starts one.
    pub fn start() -> anyhow::Result<Self> {
        let mut command = Command::new(std::env::current_exe()?);
        command.args(["fuzz", "--worker"]);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        // An interrupt from the terminal is for this process, which ends orderly.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let mut process = command.spawn().context("cannot start a worker")?;
        let (Some(questions), Some(answers)) = (process.stdin.take(), process.stdout.take()) else {
            anyhow::bail!("a worker without streams");
        };
        Ok(Worker { process, questions, answers: BufReader::new(answers) })
    }

    /// Asks about a mutant. After a death there is a new process.
    pub fn ask(&mut self, file: &Path, oracle: Oracle, seed: u64) -> anyhow::Result<Answer> {
        let question = Question { file: file.to_owned(), oracle: oracle as u32, seed };
        // A worker that is gone does not answer, either.
        let _ = writeln!(self.questions, "{}", serde_json::to_string(&question)?);
        let Worker { process, answers, .. } = self;
        let line = std::thread::scope(|scope| {
            let (sender, receiver) = mpsc::channel();
            scope.spawn(move || {
                let mut line = String::new();
                let read = answers.read_line(&mut line);
                // Fails when the answer was given up after `PATIENCE`.
                let _ = sender.send(read.map(|_| line));
            });
            receiver.recv_timeout(PATIENCE).inspect_err(|_| {
                // The end of its output is what the reading thread waits for.
                let _ = process.kill();
            })
        });
        match line {
            Ok(Ok(line)) if !line.is_empty() => {
                Ok(Answer::Said(serde_json::from_str(&line).context("an answer that makes no sense")?))
            }
            Ok(_) => {
                let status = self.process.wait()?;
                *self = Worker::start()?;
                Ok(Answer::Died(status.to_string()))
            }
            Err(_) => {
                *self = Worker::start()?;
                Ok(Answer::Silent)
            }
        }
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        // It may be gone already.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
