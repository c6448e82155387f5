"use strict";
// Constants of the stages of a draw.
panels.constants = (() => {
  let found = [], path = "", turn = 0;
  const parts = {};
  const floats = new Float32Array(1), words = new Uint32Array(floats.buffer);
  const float = (word) => {
    words[0] = word;
    return Number.isFinite(floats[0]) ? String(Number(floats[0].toPrecision(7))) : String(floats[0]);
  };
  function box(text, checked) {
    const [label, input] = [make("label"), make("input")];
    [input.type, input.checked, input.onchange] = ["checkbox", checked, () => draw()];
    label.append(input, " " + text);
    return [label, input];
  }
  function start(area) {
    const bar = make("div", undefined, "bar");
    parts.which = choice(bar, "Constants", () => draw());
    const [changed, onlyChanged] = box("Changed only", false);
    const [zero, withZeros] = box("Zeros", false);
    [parts.changed, parts.zeros] = [onlyChanged, withZeros];
    bar.append(changed, zero);
    parts.text = make("p", undefined, "dim");
    parts.table = make("div");
    area.append(bar, parts.text, parts.table);
  }
  async function show(number) {
    const mine = ++turn;
    path = `constants/${data.first + number}`;
    const lines = data.events[number].kind === "draw" ? await answer(path) : null;
    if (mine !== turn) return;
    found = lines || [];
    const name = ({ name, changed, words }, at) => {
      const count = changed === null ? "new" : changed.length ? `${changed.length} changed` : "unchanged";
      return [`${name}: ${words.length} words, ${count}`, at];
    };
    fillChoice(parts.which, found.map(name));
    draw();
  }
  function draw() {
    const constants = found[Number(parts.which.value || 0)];
    parts.table.replaceChildren();
    if (!constants) {
      parts.text.textContent = noneText("constants", path);
      return;
    }
    const changed = new Set(constants.changed || []);
    const where = constants.range ? `At ${constants.range[0]}, ${constants.range[1]} bytes. ` : "";
    parts.text.textContent = where + (constants.changed === null ? "The draw before has none of this name." :
      `${changed.size} words are others than at the draw before.`);
    const body = [];
    const width = constants.kind === "booleans" ? 1 : 4;
    let left = 0;
    for (let at = 0; at < constants.words.length; at += width) {
      const vector = constants.words.slice(at, at + width);
      const isNew = vector.some((_, i) => changed.has(at + i));
      if (parts.changed.checked && !isNew) continue;
      if (!parts.zeros.checked && !isNew && vector.every((word) => word === 0)) continue;
      if (body.length >= 1024) {
        left++;
        continue;
      }
      const row = make("tr", undefined, isNew ? "new" : "");
      const index = constants.kind === "words" ? "0x" + (4 * at).toString(16).padStart(4, "0") : String(at / width);
      const whole = constants.kind === "integers" || constants.kind === "booleans";
      row.append(make("td", index, "word"), make("td", vector.map(whole ? String : float).join("  "), "word"),
        make("td", vector.map(hex).join(" "), "word"));
      body.push(row);
    }
    parts.table.append(tableOf([constants.kind === "words" ? "Offset" : "Number", "Value", "Words"], body));
    if (left) parts.table.append(make("p", `${left} more rows are not shown.`, "dim"));
  }
  return { title: "Constants", start, show };
})();
