//! The rules find what is wrong in small pages.

use std::collections::BTreeSet;

use crate::page::Page;
use crate::rules;

fn set(names: &[&str]) -> BTreeSet<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

fn wrong(found: Vec<String>) -> usize {
    found.len()
}

#[test]
fn contents_and_pages_have_to_agree() {
    let summary = "# Contents\n\n[Start](README.md)\n\n- [A](guide/a.md)\n  - [B](guide/b.md)\n";
    assert_eq!(wrong(rules::contents(summary, &set(&["README.md", "guide/a.md", "guide/b.md"]))), 0);
    assert_eq!(wrong(rules::contents(summary, &set(&["README.md", "guide/a.md"]))), 1);
    assert_eq!(wrong(rules::contents(summary, &set(&["README.md", "guide/a.md", "guide/b.md", "guide/c.md"]))), 1);
    assert_eq!(wrong(rules::contents("[A](a.md) [A](a.md)", &set(&["a.md"]))), 1);
}

#[test]
fn broken_links_are_found() {
    let exists = |path: &str| ["docs/guide/a.md", "docs/guide/b.md", "src"].contains(&path);
    let anchors = |path: &str| if path == "docs/guide/b.md" { vec!["there".to_owned()] } else { Vec::new() };
    let links = |text: &str| wrong(rules::links("docs/guide/a.md", &Page::of(text), &exists, &anchors));
    assert_eq!(links("[b](b.md), [b](./b.md#there), [web](https://example.org/x), [src](../../src)"), 0);
    assert_eq!(links("[c](c.md)"), 1);
    assert_eq!(links("[b](b.md#elsewhere)"), 1);
    assert_eq!(links("[here](#nowhere)"), 1);
    assert_eq!(links("[out](../../../src)"), 1);
    assert_eq!(links("![picture](picture.png)"), 1);
    assert_eq!(links("`[b](c.md)`"), 0);
}

#[test]
fn missing_files_are_found() {
    let files = set(&["engine/src/mem/raw.rs", ".ci/run", "tests/files/3ds/a.tgt"]);
    let paths = |text: &str| wrong(rules::paths("a", &Page::of(text), &files, &["their/own.rs"]));
    assert_eq!(paths("`engine/src/mem/raw.rs`, `mem/raw.rs`, `raw.rs`, `.ci/run`"), 0);
    assert_eq!(paths("`engine/src/`, `mem/`, `tests/files/3ds/*.tgt`, `tests/files/*.tgt`"), 0);
    assert_eq!(paths("`docs/NAME.md`, `FILE.tgc`, `a / b`, `Device::set`, `*.png`, `bad.tgc`, `their/own.rs`"), 0);
    for text in ["`mem/rare.rs`", "`em/raw.rs`", "`aw.rs`", "`.ci/walk`", "`engine/sources/`", "`tests/folders/*.tgt`"]
    {
        assert_eq!(paths(text), 1, "{text}");
    }
}

#[test]
fn unknown_names_are_found() {
    let identifiers = set(&["a_test_that_exists", "triglyph_n3ds_execute_at"]);
    let names = |text: &str| wrong(rules::names("a", &Page::of(text), &identifiers, &["their_"]));
    assert_eq!(names("`a_test_that_exists`, `n3ds_execute_at`, `their_own_name`, `one_two`, `_a_b`, `a_test_`"), 0);
    assert_eq!(names("`a_test_that_existed`"), 1);
    assert_eq!(names("`n3ds_execute_all`"), 1);
}

#[test]
fn unknown_targets_are_found() {
    let known = set(&["--test house", "--bench pixel"]);
    let targets = |text: &str| wrong(rules::targets("a", &Page::of(text), &known));
    assert_eq!(targets("`cargo test --test house`\n```sh\ncargo bench --bench pixel  # --test none\n```\n"), 0);
    assert_eq!(targets("`cargo test --test NAME`, --test in words"), 0);
    assert_eq!(targets("```sh\ncargo test --test horse --bench pixels\n```\n"), 2);
}

#[test]
fn long_sentences_are_found() {
    let sentence = |words: usize| format!("{}.\n", vec!["word"; words].join(" "));
    assert_eq!(wrong(rules::sentences("a", &Page::of(&sentence(30)))), 0);
    assert_eq!(wrong(rules::sentences("a", &Page::of(&sentence(31)))), 1);
    assert_eq!(wrong(rules::sentences("a", &Page::of(&(sentence(40) + "\n" + &sentence(10))))), 0);
    assert_eq!(wrong(rules::sentences("a", &Page::of(&format!("```text\n{}```\n", sentence(90))))), 0);
}

#[test]
fn dates_are_found() {
    let dates = |text: &str| wrong(rules::dates("a", &Page::of(text)));
    assert_eq!(dates("2025 was a year. The clock 2049-99 is none; May it be. 1920x1080-01."), 0);
    assert_eq!(dates("Measured on 2026-11-27, and in 2026-11."), 2);
    assert_eq!(dates("| as of August 2026 |"), 1);
    assert_eq!(dates("On May 4th 2026."), 1);
}

#[test]
fn numbers_without_a_command_are_found() {
    let commands = |text: &str| wrong(rules::commands("a", text));
    assert_eq!(commands("# A\n\n## B\n\n```sh\nmake\n```\n\n| 1 | 2 |\n"), 0);
    assert_eq!(commands("# A\n\n## B\n\nMade by `make`.\n\n| 1 | 2 |\n\n## C\n\n| 1 | 2 |\n"), 1);
    assert_eq!(commands("# A\n\n## B\n\nWords alone, 17 of them.\n"), 0);
}
