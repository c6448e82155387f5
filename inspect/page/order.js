"use strict";
// The order in which draws reach a surface, pass by pass, and the primitives of a draw, with what became of their
// fragments.
const TESTS = ["discarded", "alpha", "bounds", "stencil", "depth"];
// Verdicts are what passed, and then what each test rejected.
const failedOf = (verdicts) => verdicts.slice(1).reduce((sum, count) => sum + count, 0);
const testsText = (verdicts) => TESTS.map((test, at) => [test, verdicts[at + 1]]).filter(([, count]) => count)
  .map(([test, count]) => `${test} ${count}`).join(", ");

panels.order = (() => {
  const MAX_ROWS = 2000;
  const COLUMNS = [
    ["Event", (row) => row.at, (row) => String(numberOf(row.at))],
    ["Primitives", (row) => row.event.draw.primitives], ["Fragments", (row) => row.fragments?.all],
    ["Passed", (row) => row.verdicts?.[0]], ["Failed", (row) => row.verdicts && failedOf(row.verdicts)],
    ["Failed by", (row) => row.verdicts && testsText(row.verdicts)],
    ["Time", (row) => timeOf(row.at), (row) => hasState(row.at) ? milliseconds(timeOf(row.at)) : undefined],
    ["Other than before", (row) => row.event.draw.differs.join(", ")],
    ["Changed registers", (row) => hasState(row.at) ? row.event.registers.length : undefined],
    ["Vertices", (row) => row.event.draw.vertices], ["Instances", (row) => row.event.draw.parts],
    ["Topology", (row) => row.event.draw.topology], ["Command", (row) => row.event.method],
  ];
  const parts = {};
  let event = -1, turn = 0, sorted = 0, down = false, path = "";
  function start(area) {
    const bar = make("div", undefined, "bar");
    parts.canvas = choice(bar, "Surface", () => load());
    parts.from = choice(bar, "Draws", () => load());
    fillChoice(parts.from, [["of this pass", "pass"], ["of this record", "record"], ["of all events", "all"]]);
    parts.text = make("p", undefined, "dim");
    parts.table = make("div");
    parts.name = make("h3");
    parts.primitives = make("div");
    area.append(bar, parts.text, parts.table, parts.name, parts.primitives);
  }
  function show(number) {
    event = number;
    const surfaces = [...data.canvases.keys()].filter((at) => !data.canvases[at].name.startsWith("output"));
    fillChoice(parts.canvas, [["every surface", ""], ...surfaces.map((at) => [data.canvases[at].name, at])]);
    load();
    drawPrimitives();
  }
  // The first event and the one after the last one.
  function range() {
    if (parts.from.value === "all") return [0, data.events.length];
    if (parts.from.value === "pass") return passes[passAt(event)].events;
    const { record } = data.events[event];
    const first = data.events.findIndex((found) => found.record === record);
    return [first, data.events.findLastIndex((found) => found.record === record) + 1];
  }
  async function load() {
    const mine = ++turn;
    const [first, end] = range();
    const which = parts.canvas.value === "" ? null : Number(parts.canvas.value);
    const draws = [];
    for (let at = first; at < end; at++) {
      const pass = passes[passAt(at)];
      if (data.events[at].draw && (which === null || pass.canvases.includes(which))) {
        draws.push({ at, event: data.events[at], pass, fragments: undefined, verdicts: undefined });
      }
    }
    parts.text.textContent = `${plural(draws.length, "draw")}: counting fragments ...`;
    draw(draws);
    const found = await fragmentsOf(draws, first, end);
    if (mine !== turn) return;
    for (const row of draws) {
      row.fragments = found.get(numberOf(row.at));
      row.verdicts = row.fragments?.verdicts;
    }
    draw(draws);
  }
  async function fragmentsOf(draws, first, end) {
    if (!draws.length) return new Map();
    path = `order/${numberOf(first)}/${numberOf(end - 1)}`;
    const list = data.served ? await answer(path)
      : await Promise.all(draws.map(({ at }) => answer(`order/${numberOf(at)}`)));
    return new Map((list || []).filter((found) => found).map((found) => [found.event, found]));
  }
  function draw(draws) {
    const key = COLUMNS[sorted][1];
    const order = (a, b) => {
      const [x, y] = [key(a) ?? -1, key(b) ?? -1];
      return (x < y ? -1 : x > y ? 1 : a.at - b.at) * (down ? -1 : 1);
    };
    const shown = [...draws].sort(order).slice(0, MAX_ROWS);
    const body = [];
    let pass = null;
    for (const row of shown) {
      // Passes are told apart as long as draws are in their order.
      if (sorted === 0 && row.pass !== pass) body.push(passRow(row.pass, draws));
      pass = row.pass;
      body.push(drawRow(row));
    }
    const table = aligned(tableOf(COLUMNS.map(([name]) => name), body));
    [...table.querySelectorAll("th")].forEach((head, at) => {
      head.ariaSort = at !== sorted ? "none" : down ? "descending" : "ascending";
      const sort = make("button", head.textContent + (at !== sorted ? "" : down ? " ▾" : " ▴"));
      sort.title = "Sort by this";
      sort.onclick = () => {
        [sorted, down] = [at, at === sorted && !down];
        draw(draws);
      };
      head.replaceChildren(sort);
    });
    parts.table.replaceChildren(table);
    parts.table.querySelector("tr.here")?.scrollIntoView({ block: "nearest" });
    parts.text.textContent = summary(draws, shown.length);
  }
  function summary(draws, shown) {
    const left = shown < draws.length ? `The first ${shown} are shown.` : "";
    const unknown = draws.filter(({ verdicts }) => !verdicts).length;
    const reason = "their programs reach memory, they draw no colour" +
      (data.served ? "" : ", or they are not in this file");
    const judged = unknown ? why(`Of ${unknown} it is not known what became of the fragments: ${reason}.`, path) : "";
    const cut = draws.some(({ at }) => !hasState(at)) ? leftOut("Registers and times") : "";
    return [`${plural(draws.length, "draw")} in the order in which they are drawn.`, left, judged, cut]
      .filter((text) => text).join(" ");
  }
  // Heads are above their numbers.
  function aligned(table) {
    const cells = table.querySelector("tbody tr:not(.group)")?.cells || [];
    [...table.querySelectorAll("th")].forEach((head, at) =>
      head.classList.toggle("number", cells[at]?.className === "number"));
    return table;
  }
  const sumOf = (draws, value) => draws.reduce((sum, row) => sum + (value(row) || 0), 0);
  function passRow(pass, draws) {
    const mine = draws.filter((row) => row.pass === pass);
    const row = make("tr", undefined, "group");
    const sums = [
      plural(mine.length, "draw"), plural(sumOf(mine, ({ event: { draw } }) => draw.vertices), "vertex", "vertices"),
      plural(sumOf(mine, ({ event: { draw } }) => draw.primitives), "primitive"),
      plural(sumOf(mine, ({ fragments: found }) => found?.all), "fragment"),
      `${sumOf(mine, ({ verdicts }) => verdicts?.[0])} passed`,
      ...(mine.every(({ at }) => hasState(at)) ? [milliseconds(sumOf(mine, ({ at }) => timeOf(at)))] : []),
    ];
    const cell = make("td");
    cell.append(make("div", `${pass.name}: ${sums.join(", ")}`));
    cell.colSpan = COLUMNS.length;
    row.append(cell);
    return row;
  }
  function drawRow(row) {
    const line = make("tr", undefined, row.at === event ? "here" : "");
    for (const [, key, text] of COLUMNS) {
      line.append(make("td", String((text || key)(row) ?? "?"), typeof key(row) === "number" ? "number" : ""));
    }
    const go = make("button", line.cells[0].textContent);
    go.onclick = () => select(row.at);
    line.cells[0].replaceChildren(go);
    return line;
  }
  async function drawPrimitives() {
    const mine = event;
    parts.name.textContent = "";
    parts.primitives.replaceChildren();
    if (!data.events[event].draw) return;
    const found = await answer(`primitives/${numberOf(event)}`);
    if (mine !== event) return;
    if (!found) {
      parts.name.textContent = noneText("primitives", `primitives/${numberOf(event)}`);
      return;
    }
    const { rows: list, count } = found;
    parts.name.textContent = `Primitives of event ${numberOf(event)}: ${count} with fragments` +
      (list.length < count ? `, the first ${list.length} of them` : "");
    const several = data.events[event].draw.parts > 1;
    const heads = ["Primitive", "Within", "Fragments", "Passed", "Failed", "Failed by"];
    const body = list.map(({ part, primitive, area: [x, y, width, rows], verdicts }) => {
      const line = make("tr");
      const cells = [...(several ? [part] : []), primitive, `(${x}, ${y}) ${width}x${rows}`,
        verdicts[0] + failedOf(verdicts), verdicts[0], failedOf(verdicts), testsText(verdicts)];
      line.append(...cells.map((value) => make("td", String(value), typeof value === "number" ? "number" : "")));
      return line;
    });
    parts.primitives.append(aligned(tableOf([...(several ? ["Instance"] : []), ...heads], body)));
  }
  return { title: "Drawing order", start, show };
})();
