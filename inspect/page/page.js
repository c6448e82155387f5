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
// A cell with a name that may be divided between its words.
const nameCell = (name) => {
  const cell = make("td");
  name.split("_").forEach((word, at, words) => {
    cell.append(word + (at + 1 < words.length ? "_" : ""), document.createElement("wbr"));
  });
  return cell;
};
const hex = (word) => "0x" + (word >>> 0).toString(16).padStart(8, "0");
let current = -1;
let view = "after";
let canvas = null;
const channels = [true, true, true, false];
const rows = [];
// Other parts of the page: what hears of the event that is shown, and keys.
const onSelect = [];
const moreKeys = {};
const onPicture = [];

// Pictures are made of the one below and what differs. Those that were made last are kept.
const images = new Map();
const loadImage = (base64) => new Promise((done, failed) => {
  const image = new Image();
  image.onload = () => done(image);
  image.onerror = () => failed(new Error("a picture that cannot be decoded"));
  image.src = "data:image/png;base64," + base64;
});
async function fetched(path) {
  const answer = await fetch(path);
  if (!answer.ok) throw new Error(`${path}: ${answer.status}`);
  const image = await createImageBitmap(await answer.blob(), { premultiplyAlpha: "none" });
  return pixelsOf(image);
}
function pixelsOf(image) {
  const area = new OffscreenCanvas(image.width, image.height);
  const context = area.getContext("2d", { willReadFrequently: true });
  context.drawImage(image, 0, 0);
  return context.getImageData(0, 0, image.width, image.height);
}
async function picture(key) {
  if (images.has(key)) return images.get(key);
  const pixels = data.served ? await fetched(key) : await composed(key);
  if (images.size > 64) images.delete(images.keys().next().value);
  images.set(key, pixels);
  return pixels;
}
async function composed(number) {
  const { width, height, base, x, y, png } = data.pictures[number];
  const pixels = new ImageData(Math.max(width, 1), Math.max(height, 1));
  if (base !== null) pixels.data.set((await picture(base)).data);
  if (png) {
    const image = await loadImage(png);
    const part = pixelsOf(image);
    for (let row = 0; row < part.height; row++) {
      const line = part.data.subarray(4 * row * part.width, 4 * (row + 1) * part.width);
      pixels.data.set(line, 4 * ((y + row) * width + x));
    }
  }
  return pixels;
}

// Depth is in 24 bits; its range in the picture becomes black to white.
function depthOf(pixels, at) {
  return pixels[at] << 16 | pixels[at + 1] << 8 | pixels[at + 2];
}
function shown(pixels, isDepth) {
  const out = new ImageData(pixels.width, pixels.height);
  const [from, to] = [pixels.data, out.data];
  let low = 0xFFFFFF, high = 0;
  if (isDepth) {
    for (let at = 0; at < from.length; at += 4) {
      const depth = depthOf(from, at);
      if (depth < low) low = depth;
      if (depth > high && depth < 0xFFFFFF) high = depth;
    }
  }
  const alone = channels.filter((on) => on).length === 1 ? channels.indexOf(true) : -1;
  for (let at = 0; at < from.length; at += 4) {
    to[at + 3] = 255;
    if (isDepth) {
      const depth = depthOf(from, at);
      to[at] = to[at + 1] = to[at + 2] = high > low ? Math.min(255, (depth - low) * 255 / (high - low)) : depth >> 16;
    } else if (alone >= 0) {
      to[at] = to[at + 1] = to[at + 2] = from[at + alone];
    } else {
      for (let i = 0; i < 3; i++) to[at + i] = channels[i] ? from[at + i] : 0;
      if (channels[3]) to[at + 3] = from[at + 3];
    }
  }
  return out;
}
function difference(a, b) {
  const out = new ImageData(b.width, b.height);
  for (let at = 0; at < b.data.length; at += 4) {
    const differs = [0, 1, 2, 3].some((i) => a.data[at + i] !== b.data[at + i]);
    for (let i = 0; i < 3; i++) out.data[at + i] = differs ? 255 - (i === 2 ? 255 : 0) : b.data[at + i] >> 3;
    out.data[at + 3] = 255;
  }
  return out;
}

// The picture of a canvas at an event is that of the last event that shows it.
function showOf(number, which) {
  for (let at = number; at >= 0; at--) {
    const show = data.events[at].shows.find((show) => show.canvas === which);
    if (show) return at === number ? show : { canvas: which, before: show.after, after: show.after };
  }
  for (let at = number + 1; at < data.events.length; at++) {
    const show = data.events[at].shows.find((show) => show.canvas === which);
    if (show) return { canvas: which, before: show.before, after: show.before };
  }
  return null;
}

let turn = 0;
async function drawPicture() {
  const mine = ++turn;
  const target = $("picture");
  const show = canvas === null || current < 0 ? null : showOf(current, canvas);
  $("form").textContent = canvas === null ? "No surface." : data.canvases[canvas].form;
  if (!show) {
    target.width = target.height = 0;
    return;
  }
  const [before, after] = await Promise.all([picture(show.before), picture(show.after)]);
  if (mine !== turn) return;
  const isDepth = data.canvases[canvas].depth;
  const image = view === "difference" ? difference(before, after) : shown(view === "before" ? before : after, isDepth);
  [target.width, target.height] = [image.width, image.height];
  target.getContext("2d").putImageData(image, 0, 0);
  const zoom = Number($("zoom").value);
  target.style.width = image.width * zoom + "px";
  target.style.transform = $("flip").checked ? "scaleY(-1)" : "";
  onPicture.forEach((hear) => hear(show, before, after));
}

// State: registers of the class as they were at the event.
function stateAt(number) {
  const { class: kind } = data.events[number];
  const words = new Map();
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
  const lines = [place, ...(event.fields ? [event.fields] : []), ...event.details];
  $("details").replaceChildren(...lines.map((line) => make("li", line)));
  const wanted = $("registers").value.toLowerCase();
  const body = [];
  for (const [register, [word, fields, isNew]] of [...stateAt(current)].sort((a, b) => a[0] - b[0])) {
    const name = kind.registers[register];
    if ($("changed").checked && !isNew || wanted && !name.toLowerCase().includes(wanted)) continue;
    const row = make("tr", undefined, isNew ? "new" : "");
    row.append(nameCell(name), make("td", hex(word), "word"), make("td", fields));
    body.push(row);
  }
  $("words").tBodies[0].replaceChildren(...body);
}

// Pixel history: from who serves the page, or by the pictures, which are colours of 8 bits.
async function changesOf(which, x, y) {
  if (data.served) {
    const answer = await fetch(`history/${which}/${x}/${y}`);
    const lines = answer.ok ? await answer.json() : [];
    const here = lines.filter(({ event }) => data.events[event - data.first]);
    return here.map(({ event, before, after, text, fragments }) =>
      [event - data.first, data.events[event - data.first], before, after, text, fragments]);
  }
  const found = [];
  for (const [number, event] of data.events.entries()) {
    const show = event.shows.find((show) => show.canvas === which);
    if (!show || show.before === show.after) continue;
    const [before, after] = [await picture(show.before), await picture(show.after)];
    const at = 4 * (y * after.width + x);
    const [a, b] = [before, after].map((pixels) => [...pixels.data.subarray(at, at + 4)]);
    if (a.some((value, i) => value !== b[i])) found.push([number, event, a, b, ["", ""], []]);
  }
  return found;
}
async function drawHistory(x, y) {
  const body = $("history").tBodies[0];
  const which = canvas;
  const found = await changesOf(which, x, y);
  const value = (rgba, text) => {
    const cell = make("td", undefined, "word");
    const swatch = make("i", undefined, "swatch");
    swatch.style.background = `rgb(${rgba[0]} ${rgba[1]} ${rgba[2]})`;
    const depth = (rgba[0] << 16 | rgba[1] << 8 | rgba[2]) / 0xFFFFFF;
    cell.append(swatch, text || (data.canvases[which].depth ? depth.toFixed(6) : rgba.join(" ")));
    return cell;
  };
  body.replaceChildren(...found.map(([number, event, a, b, text, fragments]) => {
    const row = make("tr");
    const go = make("button", String(number));
    go.onclick = () => select(number);
    const cell = make("td");
    cell.append(go);
    const what = make("td", `${event.kind} ${event.text}`);
    what.append(...fragments.map((fragment) => make("div", fragment)));
    if (fragments.length) {
      const stepping = make("button", "Step");
      stepping.title = "Step the programs of its fragments";
      stepping.onclick = () => {
        select(number);
        stepPixel(x, y);
      };
      what.append(stepping);
    }
    row.append(cell, what, value(a, text[0]), value(b, text[1]));
    return row;
  }));
  $("history").hidden = false;
  $("pixel").textContent = `Pixel (${x}, ${y}) of ${data.canvases[which].name}: ${found.length} events` +
    (data.served ? " changed it or tried to." : " changed it.");
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
function filter() {
  const [words, kind] = [$("search").value.toLowerCase(), $("kind").value];
  let count = 0;
  data.events.forEach((event, number) => {
    const text = `${number} ${event.kind} ${event.method} ${event.text} ${event.fields}`.toLowerCase();
    rows[number].hidden = !text.includes(words) || kind !== "" && event.kind !== kind;
    rows[number].style.display = rows[number].hidden ? "none" : "";
    count += rows[number].hidden ? 0 : 1;
  });
  $("count").textContent = `${count} of ${data.events.length} events. Faults: ${data.faults.length || "none"}.`;
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
  for (const tab of $("tabs").children) tab.setAttribute("aria-selected", tab.dataset.part === part);
}
function toggleTheme() {
  const dark = matchMedia("(prefers-color-scheme: dark)").matches;
  const now = document.documentElement.dataset.theme || (dark ? "dark" : "light");
  document.documentElement.dataset.theme = now === "dark" ? "light" : "dark";
}

function start() {
  document.title = data.title + " - Triglyph inspector";
  [$("title").textContent, $("machine").textContent] = [data.title, data.machine];
  const list = [];
  let record = -1;
  data.events.forEach((event, number) => {
    if (event.record !== record) {
      record = event.record;
      list.push(make("li", `Record ${record}`, "record"));
    }
    const row = make("li");
    row.id = "event-" + number;
    row.setAttribute("role", "option");
    row.setAttribute("aria-selected", "false");
    const what = make("span");
    what.append(make("b", event.method), make("small", event.text));
    row.append(make("span", String(number)), make("span", event.kind, event.faults ? "bad" : ""), what);
    row.onclick = () => select(number);
    rows.push(row);
    list.push(row);
  });
  $("list").replaceChildren(...list);
  const kinds = [...new Set(data.events.map((event) => event.kind))];
  const all = make("option", "All kinds");
  all.value = "";
  $("kind").replaceChildren(all, ...kinds.map((kind) => make("option", kind)));
  $("search").oninput = $("kind").onchange = filter;
  $("registers").oninput = $("changed").onchange = drawState;
  $("canvas").onchange = () => {
    canvas = Number($("canvas").value);
    $("history").hidden = true;
    drawPicture();
  };
  $("zoom").oninput = $("flip").onchange = drawPicture;
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
    const [x, y] = placeIn($("picture"), event);
    drawHistory(x, $("flip").checked ? $("picture").height - 1 - y : y);
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
  const asked = number ? Number(number) : data.events.findIndex((event) => event.kind === "draw");
  if (data.events.length) select(asked > 0 && asked < data.events.length ? asked : 0);
}
start();
