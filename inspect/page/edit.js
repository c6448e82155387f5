"use strict";
// Edits registers and programs before an event, and draws the event again.
panels.edit = (() => {
  const MAX_EDITS = 64;
  const parts = {};
  let event = -1, turn = 0, edits = [], programsHere = [];
  function start(area) {
    const bar = make("form", undefined, "bar");
    parts.what = choice(bar, "What is edited", () => fillWhich());
    parts.which = choice(bar, "Register or instruction", () => fillWord());
    parts.word = make("input");
    parts.word.size = 18;
    parts.word.setAttribute("aria-label", "New words, hexadecimal");
    const add = make("button", "Add edit");
    bar.append(parts.word, add);
    bar.onsubmit = (submitted) => {
      submitted.preventDefault();
      addEdit();
    };
    const actions = make("div", undefined, "bar");
    parts.draw = make("button", "Draw again");
    parts.draw.onclick = redraw;
    parts.clear = make("button", "Clear edits");
    parts.clear.onclick = () => { edits = []; showEdits(); };
    actions.append(parts.draw, parts.clear);
    parts.form = [bar, actions];
    parts.list = make("ul");
    parts.text = make("p", undefined, "dim");
    parts.text.setAttribute("role", "status");
    parts.pictures = make("div", undefined, "sides");
    for (const name of ["before", "after"]) {
      const side = make("figure");
      parts[name] = make("canvas");
      parts[name].setAttribute("aria-label", `Picture ${name} the edits`);
      side.append(make("figcaption", name === "before" ? "As captured" : "With the edits"), parts[name]);
      parts.pictures.append(side);
    }
    parts.pictures.hidden = true;
    area.append(bar, actions, parts.list, parts.text, parts.pictures);
  }
  async function show(number) {
    const mine = ++turn;
    if (number !== event) [edits, parts.pictures.hidden, parts.text.textContent] = [[], true, ""];
    event = number;
    parts.form.forEach((form) => { form.hidden = !data.served; });
    if (!data.served) {
      parts.text.textContent = "Events are drawn again by who serves the page, not in a file.";
      return;
    }
    const path = `programs/${numberOf(number)}`, found = await ask(path);
    if (!found.ok) parts.text.textContent = why("Its programs are not known.", path);
    programsHere = found.ok ? await found.json() : [];
    if (mine !== turn) return;
    fillChoice(parts.what, [["a register", ""], ...programsHere.map(({ stage, kernel }) =>
      [`${stage} ${kernel.slice(0, 8)}`, kernel])]);
    fillWhich();
    showEdits();
  }
  const programHere = () => programsHere.find(({ kernel }) => kernel === parts.what.value);
  function fillWhich() {
    const program = programHere();
    const kind = data.classes[data.events[event].class] || { registers: {} };
    fillChoice(parts.which, program
      ? program.lines.filter(({ words }) => words).map(({ at, text }) => [`${at.toString(16)}: ${text}`, at])
      : [...stateAt(event).keys()].sort((a, b) => a - b).map((number) => [kind.registers[number], number]));
    fillWord();
  }
  function fillWord() {
    const which = Number(parts.which.value), program = programHere();
    const words = program?.lines.find(({ at }) => at === which)?.words;
    const register = stateAt(event).get(which);
    parts.word.value = program ? words || "" : register ? (register[0] >>> 0).toString(16).padStart(8, "0") : "";
  }
  // The words of an instruction are as the listing has them: of 64 bits the high half first.
  function addEdit() {
    const digits = parts.word.value.replace(/0x|\s/gi, "");
    const program = programHere();
    if (!/^[0-9a-f]{1,32}$/i.test(digits) || parts.which.value === "") {
      parts.text.textContent = "A hexadecimal word is needed.";
      return;
    }
    if (edits.length >= MAX_EDITS) return;
    const words = program ? digits.match(/.{1,8}/g).join("-") : digits;
    const at = Number(parts.which.value).toString(16);
    const name = parts.which.selectedOptions[0].text;
    edits.push({
      path: program ? `p-${program.kernel}-${at}-${words}` : `r-${at}-${words}`,
      text: `${program ? program.stage + " " : ""}${name} = ${parts.word.value}`,
    });
    showEdits();
  }
  function showEdits() {
    parts.list.replaceChildren(...edits.map(({ text }, at) => {
      const line = make("li", text + " ");
      const drop = make("button", "Remove");
      drop.onclick = () => { edits.splice(at, 1); showEdits(); };
      line.append(drop);
      return line;
    }));
    parts.draw.disabled = parts.clear.disabled = !edits.length;
  }
  async function redraw() {
    const mine = ++turn;
    const path = `redraw/${numberOf(event)}/${canvas}/${edits.map((edit) => edit.path).join("/")}`;
    parts.text.textContent = "Drawing ...";
    const found = await ask(path, { method: "POST" });
    const drawn = found.ok ? await found.json() : null;
    if (mine !== turn) return;
    parts.pictures.hidden = !drawn?.after;
    if (!drawn || drawn.error) {
      parts.text.textContent = drawn?.error || why("It cannot be drawn again.", path);
      return;
    }
    const tiers = drawn.agree ? "The interpreter and compiled code draw the same."
      : "The interpreter and compiled code draw different pictures!";
    const faults = drawn.faults.length ? ` ${drawn.faults.join("; ")}.` : "";
    parts.text.textContent = `${data.canvases[canvas].name}: ${plural(drawn.differ, "pixel")} other than before. ` +
      tiers + faults;
    for (const name of ["before", "after"]) {
      const image = shown(pixelsOf(await loadImage(drawn[name])), data.canvases[canvas].depth);
      const upright = oriented(image, turnOf(canvas), $("flip").checked);
      [parts[name].width, parts[name].height] = [upright.width, upright.height];
      parts[name].getContext("2d").putImageData(upright, 0, 0);
    }
  }
  return { title: "Edit", start, show };
})();
