"use strict";
// The page of one capture: a list of events, what they drew, what changed in registers. All of it is in the data.
const data = JSON.parse(document.getElementById("data").textContent);
const $ = (id) => document.getElementById(id);
const make = (tag, text, name) => {
  const element = document.createElement(tag);
  if (text !== undefined) element.textContent = text;
  if (name) element.className = name;
  return element;
};
// A name that may be divided between its words, in an element of some kind.
const nameIn = (tag, name) => {
  const element = make(tag);
  name.split("_").forEach((word, at, words) => {
    element.append(word + (at + 1 < words.length ? "_" : ""), document.createElement("wbr"));
  });
  return element;
};
// Asks who serves the page. Why an answer was refused is kept for where it would be shown.
const refusals = new Map();
const REFUSED = {
  0: "the server does not answer", 429: "the server has too many connections",
  503: "the server has stopped at its time limit (--time-limit)",
};
async function ask(path, options) {
  const found = await fetch(path, options).catch(() => ({ ok: false, status: 0 }));
  refusals.delete(path);
  if (found.status in REFUSED) refusals.set(path, `No answer: ${REFUSED[found.status]}.`);
  return found;
}
// Why one of the paths was refused, or something else that is to be said.
const why = (otherwise, ...paths) => paths.map((path) => refusals.get(path)).find((text) => text) || otherwise;
// Whether the page has an event's registers and time, and its pictures and programs: limits may have left them out.
const hasState = (at) => at < data.complete;
const hasPictures = (at) => data.served || at < data.complete;
const leftOut = (what) => `${what} of events from ${numberOf(data.complete)} on are left out of this page.`;
const hex = (word) => "0x" + (word >>> 0).toString(16).padStart(8, "0");
let current = -1;
let view = "after";
let canvas = null;
const channels = [true, true, true, false];
// Other parts of the page: callbacks for the selected event, and keys.
const onSelect = [];
const moreKeys = {};
const onPicture = [];

// State: registers of the class as they were at the event; none where limits have left them out.
function stateAt(number) {
  const { class: kind } = data.events[number];
  const words = new Map();
  if (number >= data.complete) return words;
  for (let at = 0; at <= number; at++) {
    const event = data.events[at];
    if (event.class !== kind) continue;
    for (const [register, word, fields] of event.registers) words.set(register, [word, fields, at === number]);
  }
  return words;
}
function drawState() {
  const event = data.events[current];
  const kind = data.classes[event.class] || { name: "", registers: {} };
  $("name").textContent = `${kind.name} ${event.method} = ${hex(event.value)}`;
  const place = `record ${event.record}, position ${"0x" + event.position.toString(16)}`;
  const missing = hasState(current) ? [] : [leftOut("Registers")];
  const lines = [place, ...(event.fields ? [event.fields] : []), ...event.details, ...missing];
  $("details").replaceChildren(...lines.map((line) => make("li", line)));
  const wanted = $("registers").value.toLowerCase();
  const body = [];
  for (const [register, [word, fields, isNew]] of [...stateAt(current)].sort((a, b) => a[0] - b[0])) {
    const name = kind.registers[register];
    if ($("changed").checked && !isNew || wanted && !name.toLowerCase().includes(wanted)) continue;
    const row = make("tr", undefined, isNew ? "new" : "");
    row.append(nameIn("td", name), make("td", hex(word), "word"), make("td", fields));
    body.push(row);
  }
  $("words").tBodies[0].replaceChildren(...body);
}

function fillCanvases() {
  const here = data.events[current].shows.map((show) => show.canvas);
  const others = [...data.canvases.keys()].filter((number) => !here.includes(number));
  const options = [...here, ...others].map((number) => {
    const option = make("option", data.canvases[number].name + (here.includes(number) ? " *" : ""));
    option.value = number;
    return option;
  });
  $("canvas").replaceChildren(...options);
  // What the event draws to, unless it is looked at already.
  if (here.length && !here.includes(canvas)) canvas = here[0];
  if (canvas === null && data.canvases.length) canvas = 0;
  $("canvas").value = canvas === null ? "" : canvas;
}

function select(number) {
  if (number < 0 || number >= data.events.length) return;
  rows[current]?.setAttribute("aria-selected", "false");
  current = number;
  rows[current].setAttribute("aria-selected", "true");
  rows[current].scrollIntoView({ block: "nearest" });
  $("list").setAttribute("aria-activedescendant", rows[current].id);
  noteAddress();
  fillCanvases();
  drawState();
  drawPicture();
  showPanel();
  onSelect.forEach((hear) => hear(number));
}
function step(by, wanted) {
  for (let at = current + by; at >= 0 && at < data.events.length; at += by) {
    if (!rows[at].hidden && (!wanted || data.events[at].kind === wanted)) return select(at);
  }
}
function press(group, attribute, value) {
  for (const button of $(group).children) button.setAttribute("aria-pressed", button.dataset[attribute] === value);
}
function setView(value) {
  view = value;
  press("view", "view", view);
  drawPicture();
}
function setPart(part) {
  document.querySelector("main").dataset.part = part;
  markPart(true);
}
// Which part is open, unless programs are.
function markPart(open) {
  const { part } = document.querySelector("main").dataset;
  for (const tab of $("tabs").children) tab.setAttribute("aria-selected", open && tab.dataset.part === part);
}
function toggleTheme() {
  const dark = matchMedia("(prefers-color-scheme: dark)").matches;
  const now = document.documentElement.dataset.theme || (dark ? "dark" : "light");
  document.documentElement.dataset.theme = now === "dark" ? "light" : "dark";
}

function start() {
  document.title = data.title + " - Triglyph inspector";
  [$("title").textContent, $("machine").textContent] = [data.title, data.machine];
  $("left-out").replaceChildren(...data.left_out.map((what) => make("li", what)));
  startList();
  $("registers").oninput = $("changed").onchange = drawState;
  $("canvas").onchange = () => {
    canvas = Number($("canvas").value);
    $("history").hidden = true;
    drawPicture();
  };
  $("flip").onchange = drawPicture;
  startOrientation();
  $("theme").onclick = toggleTheme;
  for (const button of $("view").children) button.onclick = () => setView(button.dataset.view);
  for (const button of $("channels").children) {
    button.onclick = () => {
      const number = Number(button.dataset.channel);
      channels[number] = !channels[number];
      button.setAttribute("aria-pressed", channels[number]);
      drawPicture();
    };
  }
  for (const tab of $("tabs").children) tab.onclick = () => setPart(tab.dataset.part);
  $("picture").onclick = (event) => {
    drawHistory(...pixelUnder(event).stored);
  };
  document.onkeydown = (event) => {
    const typing = ["INPUT", "SELECT"].includes(event.target.tagName) && event.target.type !== "checkbox";
    if (event.key === "Escape") event.target.blur();
    if (typing || event.ctrlKey || event.metaKey || event.altKey) return;
    const views = ["before", "after", "difference"];
    const actions = {
      j: () => step(1), ArrowDown: () => step(1), k: () => step(-1), ArrowUp: () => step(-1),
      d: () => step(1, "draw"), D: () => step(-1, "draw"), t: toggleTheme, "/": () => $("search").focus(),
      b: () => setView(views[(views.indexOf(view) + 1) % 3]), p: stepPanel, ...moreKeys,
    };
    if (!(event.key in actions)) return;
    event.preventDefault();
    actions[event.key]();
  };
  setPart("events");
  startPanels();
  setView("after");
  filter();
  // What the address asks for, or the first draw.
  const [number, name] = location.hash.slice(1).split("/");
  if (name in panels) {
    setPanel(name);
    setPart("pictures");
  }
  const asked = number ? Number(number) - data.first : data.events.findIndex((event) => event.kind === "draw");
  if (data.events.length) select(asked > 0 && asked < data.events.length ? asked : 0);
}
start();
