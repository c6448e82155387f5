"use strict";
// Vertices of a draw as a table.
panels.vertices = (() => {
  const ROWS = 50;
  let inputs = null, event = -1, first = 0, turn = 0;
  const parts = {};
  function start(area) {
    const bar = make("div", undefined, "bar");
    parts.part = choice(bar, "Instance or part", () => { first = 0; draw(); });
    parts.back = make("button", "Back");
    parts.on = make("button", "On");
    parts.back.onclick = () => { first = Math.max(0, first - ROWS); draw(); };
    parts.on.onclick = () => { first += ROWS; draw(); };
    parts.raw = make("input");
    parts.raw.type = "checkbox";
    parts.raw.onchange = () => draw();
    const label = make("label");
    label.append(parts.raw, " Bytes");
    bar.append(parts.back, parts.on, label);
    saveButton(bar, "Save CSV", () => {
      if (inputs?.parts.length) saveAnswer(`csv/${event}/${parts.part.value || 0}`, fileName("vertices", "csv"));
    });
    parts.text = make("p", undefined, "dim");
    parts.table = make("div");
    area.append(bar, parts.text, parts.table);
  }
  async function show(number) {
    const mine = ++turn;
    const found = await inputsOf(number);
    if (mine !== turn) return;
    [inputs, event, first] = [found, data.first + number, 0];
    const all = inputs ? inputs.parts : [];
    fillChoice(parts.part, all.map((part, at) => [`part ${at}: ${part.count} vertices`, at]));
    parts.part.hidden = all.length < 2;
    draw();
  }
  async function draw() {
    const mine = ++turn;
    const number = Number(parts.part.value || 0), part = inputs?.parts[number];
    parts.table.replaceChildren();
    if (!part) {
      parts.text.textContent = noneText("vertices", `inputs/${event}`);
      return;
    }
    const path = `vertices/${event}/${number}/${first}/${ROWS}`;
    const rows = await answer(path);
    if (mine !== turn) return;
    if (!rows) {
      parts.text.textContent = why("These vertices are not in this file.", path);
      return;
    }
    parts.back.disabled = first === 0;
    parts.on.disabled = first + ROWS >= part.kept;
    const cut = part.kept < part.count ? `, of which the first ${part.kept} are kept` : "";
    const left = inputs.count > inputs.parts.length ? ` ${inputs.count} parts, of which ${inputs.parts.length} are kept.`
      : "";
    parts.text.textContent =
      `Vertices ${first} to ${first + Math.max(rows.length, 1) - 1} of ${part.count}${cut}.${left}`;
    const heads = ["#", "Element", ...part.attributes.map(({ name, format, array }) =>
      `${name}: ${format}${array ? `, ${array}` : ""}`)];
    const body = rows.map(({ element, values }, at) => {
      const row = make("tr");
      row.append(make("td", String(first + at), "word"), make("td", String(element), "word"));
      for (const [raw, value] of values) {
        const text = value.map((one) => one.length > 12 ? String(Number(Number(one).toPrecision(7))) : one).join(" ");
        row.append(make("td", parts.raw.checked ? raw || text : text, "word"));
      }
      return row;
    });
    parts.table.append(tableOf(heads, body));
  }
  return { title: "Vertices", start, show };
})();
