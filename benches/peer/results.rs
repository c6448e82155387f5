//! Times of scenes, and their tables.

use std::fmt::Write;

use serde_json::{Value, json};

use crate::configuration::Configuration;
use crate::drivers::Driver;

/// Milliseconds of a frame in each round; never empty.
#[derive(Debug)]
pub struct Times(Vec<f64>);

impl Times {
    /// The times of the rounds, if the driver draws the scene.
    pub fn new(rounds: Vec<f64>) -> Option<Self> {
        (!rounds.is_empty()).then_some(Self(rounds))
    }

    fn least(&self) -> f64 {
        self.0.iter().copied().fold(f64::INFINITY, f64::min)
    }

    /// The largest time as a multiple of the smallest.
    fn spread(&self) -> f64 {
        self.0.iter().copied().fold(0.0, f64::max) / self.least()
    }
}

/// A scene's times, one for each driver that draws it.
#[derive(Debug)]
pub struct Row {
    pub scene: String,
    pub times: Vec<Option<Times>>,
}

/// A driver's times as multiples of another one's, both by their index.
#[derive(Clone, Copy, Debug)]
pub struct Ratio {
    of: usize,
    to: usize,
}

impl Ratio {
    fn in_row(self, row: &Row) -> Option<f64> {
        Some(row.times[self.of].as_ref()?.least() / row.times[self.to].as_ref()?.least())
    }

    fn title(self, drivers: &[Driver]) -> String {
        match self.to {
            0 => drivers[self.of].name(),
            to => format!("{} / before", drivers[to].chip_name()),
        }
    }
}

/// What is shown: chips beside llvmpipe, which is the first driver, and builds beside the one before.
pub fn ratios(drivers: &[Driver]) -> Vec<Ratio> {
    let mut ratios: Vec<Ratio> = (1..drivers.len()).map(|of| Ratio { of, to: 0 }).collect();
    let before = (1..drivers.len()).filter(|&index| drivers[index].is_before());
    ratios.extend(before.map(|to| Ratio { of: to - 1, to }));
    ratios
}

/// The geometric mean, if there is anything.
fn mean(ratios: impl Iterator<Item = f64>) -> Option<f64> {
    let logarithms: Vec<f64> = ratios.map(f64::ln).collect();
    (!logarithms.is_empty()).then(|| (logarithms.iter().sum::<f64>() / logarithms.len() as f64).exp())
}

/// Text of columns of sixteen characters, beneath the names of scenes.
fn line(scene: &str, columns: impl Iterator<Item = String>) -> String {
    columns.fold(format!("{scene:14}"), |mut line, column| {
        write!(line, "{column:>16}").expect("a string takes everything");
        line
    })
}

fn or_dash(shown: Option<String>) -> String {
    shown.unwrap_or("–".into())
}

/// The line above the rows.
pub fn header(drivers: &[Driver]) -> String {
    let titles = ratios(drivers).into_iter().map(|ratio| ratio.title(drivers));
    line("scene", std::iter::once("llvmpipe, ms".into()).chain(titles))
}

impl Row {
    pub fn shown(&self, drivers: &[Driver]) -> String {
        let time = self.times[0].as_ref().map(|times| format!("{:.3} ({:.2})", times.least(), times.spread()));
        let ratio = |ratio: Ratio| {
            let spread = self.times[ratio.of].as_ref().filter(|_| ratio.to == 0).map(Times::spread);
            let spread = spread.map_or(String::new(), |spread| format!(" ({spread:.2})"));
            or_dash(ratio.in_row(self).map(|value| format!("{value:.2}{spread}")))
        };
        line(&self.scene, std::iter::once(or_dash(time)).chain(ratios(drivers).into_iter().map(ratio)))
    }
}

/// The line beneath the rows.
pub fn means<'a>(rows: impl Iterator<Item = &'a Row> + Clone, drivers: &[Driver]) -> String {
    let of_rows = |ratio: Ratio| mean(rows.clone().filter_map(|row| ratio.in_row(row)));
    let shown = ratios(drivers).into_iter().map(|ratio| or_dash(of_rows(ratio).map(|mean| format!("{mean:.3}"))));
    line("geometric mean", std::iter::once(String::new()).chain(shown))
}

/// What was measured in a configuration.
#[derive(Debug)]
pub struct Table {
    pub configuration: Configuration,
    pub rows: Vec<Row>,
}

/// A table in Markdown: llvmpipe's time in the first configuration, then the chips of this build in all of them.
pub fn markdown(tables: &[Table], drivers: &[Driver]) -> String {
    let chips: Vec<Ratio> =
        ratios(drivers).into_iter().filter(|ratio| ratio.to == 0 && !drivers[ratio.of].is_before()).collect();
    let cell = |value: &dyn Fn(Ratio) -> Option<f64>| {
        let shown: Vec<String> =
            chips.iter().map(|&chip| or_dash(value(chip).map(|ratio| format!("{ratio:.2}")))).collect();
        shown.join(" / ")
    };
    let row = |title: &str, time: String, cells: Vec<String>| format!("| {title} | {time} | {} |\n", cells.join(" | "));
    let sizes = std::iter::once(None).chain(tables.iter().map(|table| Some(table.configuration.size)));
    let heads = tables.iter().zip(sizes).map(|(Table { configuration, .. }, before)| match before {
        Some(size) if size == configuration.size => configuration.threads_in_words(),
        _ => configuration.to_string(),
    });
    let heads = heads.collect();
    let mut text = row("scene", "llvmpipe, ms".into(), heads);
    writeln!(text, "|---|{}", "---:|".repeat(tables.len() + 1)).expect("a string takes everything");
    for (index, first) in tables[0].rows.iter().enumerate() {
        let time = or_dash(first.times[0].as_ref().map(|times| format!("{:.3}", times.least())));
        let cells = tables.iter().map(|table| cell(&|chip| chip.in_row(&table.rows[index])));
        text += &row(&first.scene, time, cells.collect());
    }
    let means =
        tables.iter().map(|table| cell(&|chip| mean(table.rows.iter().filter_map(|row| chip.in_row(row))))).collect();
    text + &row("geometric mean", String::new(), means)
}

/// An object for each scene, driver and configuration.
pub fn json(tables: &[Table], drivers: &[Driver]) -> Value {
    let objects = tables.iter().flat_map(|table| table.rows.iter().map(move |row| (table.configuration, row)));
    let objects = objects.flat_map(|(how, row)| {
        let drawn = drivers.iter().zip(&row.times).filter_map(|(driver, times)| Some((driver, times.as_ref()?)));
        drawn.map(move |(driver, times)| {
            json!({
                "scene": row.scene,
                "driver": driver.name(),
                "width": how.size.width,
                "height": how.size.height,
                "threads": how.threads,
                "ms": times.least(),
                "rounds_ms": times.0,
            })
        })
    });
    Value::Array(objects.collect())
}
