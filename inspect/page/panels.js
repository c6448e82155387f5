"use strict";
// Panels: what is shown of the event that is selected. A panel is { title, show(event), hide() }; modules add theirs.
const panels = {};
let panel = "pictures";

// Answers by path: from who serves the page, or from the data.
const answers = new Map();
async function answer(path, kind = "json") {
  const key = kind + " " + path;
  if (!answers.has(key)) {
    if (answers.size > 64) answers.delete(answers.keys().next().value);
    answers.set(key, data.served ? served(path, kind, key) : kept(path, kind));
  }
  return answers.get(key);
}
async function served(path, kind, key) {
  const found = await ask(path);
  if (!found.ok) {
    answers.delete(key);
    return null;
  }
  if (kind === "json") return found.json();
  return kind === "bytes" ? new Uint8Array(await found.arrayBuffer()) : found.blob();
}
async function kept(path, kind) {
  const number = data.answers[path];
  if (number === undefined) return null;
  const text = data.blobs[number];
  if (kind === "json") return JSON.parse(text);
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  return kind === "bytes" ? bytes : new Blob([bytes], { type: "image/png" });
}

// What goes into a draw, by the place of its event in the page; null for other events.
const inputsOf = (at) => data.events[at].kind === "draw" ? answer(`inputs/${data.first + at}`) : null;

// Why a panel has nothing to show of an event: an answer was refused, or nothing is there, or not in a file.
const noneText = (what, ...paths) =>
  why(`No ${what} at this event${data.served ? "." : ", or not in this file."}`, ...paths);

// The picture under a path, as pixels.
async function pictureAt(path) {
  const blob = await answer(path, "blob");
  return blob && pixelsOf(await createImageBitmap(blob, { premultiplyAlpha: "none" }));
}

function option(text, value) {
  const made = make("option", text);
  made.value = value;
  return made;
}
// A choice with a label. Returns the select element, which is beside it.
function choice(bar, label, change) {
  const select = make("select");
  select.setAttribute("aria-label", label);
  select.title = label;
  select.onchange = change;
  bar.append(select);
  return select;
}
function fillChoice(select, options) {
  const before = select.value;
  select.replaceChildren(...options.map(([text, value]) => option(text, value)));
  if (options.some(([, value]) => String(value) === before)) select.value = before;
}
function tableOf(heads, body) {
  const table = make("table");
  const head = make("tr");
  head.append(...heads.map((text) => make("th", text)));
  table.append(make("thead"), make("tbody"));
  table.tHead.append(head);
  table.tBodies[0].append(...body);
  const around = make("div", undefined, "wide");
  around.append(table);
  return around;
}
// The pixel of a canvas under the mouse, whose places are whole numbers: its middle is meant.
function placeIn(canvas, mouse) {
  const box = canvas.getBoundingClientRect();
  const place = (at, size) => Math.max(0, Math.min(size - 1, Math.floor(at * size)));
  return [place((mouse.clientX + 0.49 - box.left) / box.width, canvas.width),
    place((mouse.clientY + 0.49 - box.top) / box.height, canvas.height)];
}
const hexBytes = (bytes) => [...bytes].map((byte) => byte.toString(16).padStart(2, "0"));

function startPanels() {
  for (const [name, made] of Object.entries(panels)) {
    const button = make("button", made.title);
    button.dataset.panel = name;
    button.setAttribute("role", "tab");
    $("panels").append(button);
    const area = make("div", undefined, "panel");
    area.id = "panel-" + name;
    area.hidden = true;
    $("pictures").append(area);
    made.start?.(area);
  }
  for (const button of $("panels").children) button.onclick = () => setPanel(button.dataset.panel);
  setPanel("pictures");
}
function setPanel(name) {
  panel = name;
  for (const button of $("panels").children) button.setAttribute("aria-selected", button.dataset.panel === name);
  for (const area of $("pictures").querySelectorAll(".panel")) area.hidden = area.id !== "panel-" + name;
  if (current >= 0) noteAddress();
  showPanel();
}
function noteAddress() {
  history.replaceState(null, "", `#${numberOf(current)}` + (panel === "pictures" ? "" : `/${panel}`));
}
function showPanel() {
  if (current >= 0 && panels[panel]) panels[panel].show(current);
}
function stepPanel() {
  const names = ["pictures", ...Object.keys(panels)];
  setPanel(names[(names.indexOf(panel) + 1) % names.length]);
}
