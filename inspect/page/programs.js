// Programs of an event, and their runs step by step. Only who serves the page can run them; a file has the text.
const programs = { event: -1, list: [], chosen: "", runs: [], run: null, step: 0, none: "" };
const runKinds = {
  vertex: ["vertex", ["number, or nothing for the first"]], pixel: ["pixel", ["x", "y as stored"]],
  primitive: ["primitive", ["number"]], thread: ["thread of a block", ["block x", "y", "z", "thread"]],
};
const asFloat = (() => {
  const view = new DataView(new ArrayBuffer(4));
  return (word) => { view.setUint32(0, word >>> 0); return view.getFloat32(0); };
})();
// Nine digits say which float it is; fewer do where they say the same.
const floatText = (word) => {
  const value = asFloat(word);
  if (!Number.isFinite(value)) return String(value);
  if (Object.is(value, -0)) return "-0";
  for (let digits = 4; digits < 10; digits++) {
    const text = String(Number(value.toPrecision(digits)));
    if (Math.fround(Number(text)) === value) return text;
  }
  return String(value);
};
const wordText = (form, word) => {
  if (form === "float") return floatText(word);
  if (form === "int") return String(word | 0);
  if (form === "flag") return word ? "1" : "0";
  const float = Math.abs(asFloat(word));
  return (word >>> 0).toString(16).padStart(8, "0") + (float > 1e-10 && float < 1e10 ? ` ${floatText(word)}` : "");
};
const isPanelOpen = () => document.querySelector("main").classList.contains("programs");

async function askJson(path) {
  const answer = await ask(path);
  return answer.ok ? answer.json() : [];
}
async function showPrograms() {
  if (!isPanelOpen() || current < 0 || programs.event === current) return;
  const event = programs.event = current;
  [programs.runs, programs.run, programs.step] = [[], null, 0];
  const known = data.events[event].programs;
  const list = data.served ? await askJson(`programs/${numberOf(event)}`)
    : known.map((number) => data.programs[number]);
  if (event !== current) return;
  programs.none = hasPictures(event) ? why("This event runs no program.", `programs/${numberOf(event)}`)
    : leftOut("Programs");
  // What was refused is asked for again.
  if (refusals.has(`programs/${numberOf(event)}`)) programs.event = -1;
  programs.list = list;
  if (!list.some(({ kernel }) => kernel === programs.chosen)) programs.chosen = list[0]?.kernel || "";
  $("programs-name").textContent = `Event ${numberOf(event)}: ${data.events[event].method}`;
  drawPrograms();
}
function drawPrograms() {
  const options = programs.list.map(({ kernel, stage }) => {
    const option = make("option", `${stage} ${kernel.slice(0, 8)}`);
    option.value = kernel;
    return option;
  });
  $("program").replaceChildren(...options);
  $("program").value = programs.chosen;
  const program = programs.list.find(({ kernel }) => kernel === programs.chosen);
  $("program-hash").textContent = program ? `${program.lines.length} instructions, kernel ${program.kernel}`
    : programs.none;
  $("program-key").textContent = program ? program.key : "";
  const lines = (program ? program.lines : []).map(({ at, words, text }) => {
    const row = make("tr");
    row.dataset.at = at;
    row.append(make("td", words ? at.toString(16).padStart(4, "0") : String(at), "word"), make("td", text, "code"),
      make("td", words, "word dim"));
    return row;
  });
  $("listing").tBodies[0].replaceChildren(...lines);
  $("compiled").textContent = "";
  $("compiled-part").open = false;
  $("compiled-part").hidden = !data.served || !program || program.stage === "MME macro";
  $("run-bar").hidden = !data.served;
  drawStep();
}

// Steps: registers are the words at the start and all changes up to the step.
function laneWords(run, lane, step) {
  const words = new Map();
  const take = (changes) => changes.forEach(([at, word, value]) => { if (at === lane) words.set(word, value); });
  take(run.start);
  for (let at = 0; at < step; at++) take(run.steps[at][2]);
  return words;
}
function shownLanes(run) {
  // A quad as a whole; of a warp the lane that was asked for and those that follow it.
  const first = run.lanes <= 4 ? 0 : Math.min(run.lane & ~3, run.lanes - 4);
  return Array.from({ length: Math.min(run.lanes, 4) }, (_, at) => first + at);
}
function drawStep() {
  const { run, step } = programs;
  const rows = [...$("listing").tBodies[0].rows];
  rows.forEach((row) => row.classList.remove("here"));
  $("steps").hidden = !run;
  if (!run) return;
  const total = run.steps.length;
  const [at, lanes] = step > 0 ? run.steps[step - 1] : [-1, 0];
  const here = run.kernel === programs.chosen && rows.find((row) => Number(row.dataset.at) === at);
  if (here) {
    here.classList.add("here");
    here.scrollIntoView({ block: "nearest" });
  }
  const executed = Array.from({ length: run.lanes }, (_, lane) => lane).filter((lane) => lanes >>> lane & 1);
  $("step-place").textContent = `Step ${step} of ${total}${run.cut ? ", cut there" : ""}` +
    (step > 0 ? `; executed by ${run.lanes === 1 ? "the only lane" : "lanes " + (executed.join(" ") || "none")}` : "");
  $("step-range").max = total;
  $("step-range").value = step;
  const shown = shownLanes(run);
  const now = shown.map((lane) => laneWords(run, lane, step));
  const changed = new Set((step > 0 ? run.steps[step - 1][2] : []).map(([lane, word]) => lane * 65536 + word));
  const ever = new Set([...run.start, ...run.steps.flatMap((entry) => entry[2])].map(([, word]) => word));
  const head = make("tr");
  head.append(make("th", "Register"), ...shown.map((lane) =>
    make("th", `Lane ${lane}${lane === run.lane && run.lanes > 1 ? " (wanted)" : ""}`)));
  const body = [];
  let first = 0;
  for (const { name, components, form } of run.registers) {
    const words = Array.from({ length: components }, (_, at) => first + at);
    first += components;
    if (!words.some((word) => ever.has(word))) continue;
    const row = make("tr");
    row.append(make("td", name, "word"));
    shown.forEach((lane, column) => {
      const cell = make("td", undefined, "word");
      words.forEach((word) => {
        const isNew = changed.has(lane * 65536 + word);
        cell.append(make(isNew ? "mark" : "span", wordText(form, now[column].get(word) || 0)), " ");
      });
      row.append(cell);
    });
    if (words.some((word) => shown.some((lane) => changed.has(lane * 65536 + word)))) row.className = "new";
    body.push(row);
  }
  $("step-registers").tHead.replaceChildren(head);
  $("step-registers").tBodies[0].replaceChildren(...body);
  $("step-registers").querySelector("tr.new")?.scrollIntoView({ block: "nearest" });
  $("results").replaceChildren(...run.results.map(([{ name, form }, words]) =>
    make("li", `${name}: ${words.map((word) => wordText(form, word)).join(" ")}`)));
}
function goStep(to) {
  if (!programs.run) return;
  programs.step = Math.max(0, Math.min(programs.run.steps.length, to));
  drawStep();
}
function chooseRun(number) {
  programs.run = programs.runs[number] || null;
  programs.step = programs.run ? Math.min(1, programs.run.steps.length) : 0;
  if (programs.run && programs.run.kernel !== programs.chosen) {
    programs.chosen = programs.run.kernel;
    drawPrograms();
  }
  drawStep();
}
async function traceRun(kind, numbers) {
  const event = current;
  const path = kind === "vertex" && !numbers.length ? "first" : numbers.join("/");
  $("run-count").textContent = "Running...";
  const whole = `trace/${numberOf(event)}/${kind}/${path}`;
  const runs = await askJson(whole);
  if (event !== current) return;
  programs.runs = runs;
  $("run-count").textContent = runs.length ? "" : why("Nothing ran for it.", whole);
  $("runs").replaceChildren(...runs.map((run, number) => {
    const option = make("option", `${run.stage}: ${run.item}`);
    option.value = number;
    return option;
  }));
  $("runs").hidden = runs.length < 2;
  chooseRun(0);
}
function fillRunKind() {
  const [, places] = runKinds[$("run-kind").value];
  $("run-numbers").placeholder = places.join(", ");
}
function openPanel(open) {
  document.querySelector("main").classList.toggle("programs", open);
  $("programs-open").setAttribute("aria-pressed", open);
  markPart(!open);
  if (open) showPrograms();
}
// From a pixel's history: the pixel at the event that is shown.
function stepPixel(x, y) {
  openPanel(true);
  $("run-kind").value = "pixel";
  $("run-numbers").value = `${x}, ${y}`;
  fillRunKind();
  traceRun("pixel", [x, y]);
}
function startPrograms() {
  $("program").onchange = () => {
    programs.chosen = $("program").value;
    drawPrograms();
  };
  $("programs-open").onclick = () => openPanel(!isPanelOpen());
  $("run-kind").onchange = fillRunKind;
  $("run-form").onsubmit = (event) => {
    event.preventDefault();
    traceRun($("run-kind").value, ($("run-numbers").value.match(/\d+/g) || []).map(Number));
  };
  $("runs").onchange = () => chooseRun(Number($("runs").value));
  $("step-range").oninput = () => goStep(Number($("step-range").value));
  $("step-back").onclick = () => goStep(programs.step - 1);
  $("step-on").onclick = () => goStep(programs.step + 1);
  $("compiled-part").ontoggle = async () => {
    if (!$("compiled-part").open || $("compiled").textContent) return;
    const path = `compiled/${numberOf(programs.event)}/${programs.chosen}`;
    const answer = await ask(path);
    $("compiled").textContent = answer.ok ? await answer.text() : why("The compiler does not support it.", path);
  };
  for (const tab of $("tabs").children) tab.addEventListener("click", () => openPanel(false));
  $("help-close").onclick = () => $("help").close();
  fillRunKind();
  onSelect.push(showPrograms);
  Object.assign(moreKeys, {
    i: () => openPanel(!isPanelOpen()), ".": () => goStep(programs.step + 1), ",": () => goStep(programs.step - 1),
    ">": () => goStep(programs.step + 16), "<": () => goStep(programs.step - 16),
    "?": () => $("help").open ? $("help").close() : $("help").showModal(),
  });
}
startPrograms();
