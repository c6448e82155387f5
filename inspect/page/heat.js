"use strict";
// Heat maps of a surface: how often its pixels were drawn to, and what became of the fragments.
panels.heat = (() => {
  let heat = null, event = -1, turn = 0;
  const pathOf = (which, first) => `heat/${which}/${numberOf(first)}/${numberOf(event)}`;
  const parts = {};
  // What can be counted: its name, and the maps that it is the sum of.
  const MAPS = {
    fragments: ["fragments (depth complexity)", ["fragments"]], passed: ["fragments that passed", ["passed"]],
    failed: ["fragments that failed", TESTS],
    ...Object.fromEntries(TESTS.map((test) => [test, [test === "discarded" ? test : `failed: ${test}`, [test]]])),
    changes: ["events that changed it", ["changes"]],
  };
  // From few to many; none is the background.
  const STEPS = [[32, 48, 160], [0, 140, 200], [0, 170, 90], [200, 190, 0], [230, 110, 0], [220, 20, 40],
    [255, 90, 255]];
  function start(area) {
    const bar = make("div", undefined, "bar");
    parts.canvas = choice(bar, "Surface", () => load());
    parts.what = choice(bar, "What is counted", () => draw());
    fillChoice(parts.what, Object.entries(MAPS).map(([name, [text]]) => [text, name]));
    parts.from = choice(bar, "From", () => load());
    fillChoice(parts.from, [["since the last clear or fill", "clear"], ["this pass", "pass"], ["this record", "record"],
      ["this event", "event"], ["all before", "all"]]);
    parts.zoom = choice(bar, "Zoom", () => draw());
    fillChoice(parts.zoom, [1, 2, 4].map((zoom) => [`${zoom}x`, zoom]));
    parts.text = make("p", undefined, "dim");
    parts.legend = make("p", undefined, "legend");
    const stage = make("div", undefined, "stage");
    parts.picture = make("canvas");
    parts.picture.setAttribute("aria-label", "Heat map");
    parts.picture.onmousemove = point;
    parts.picture.onclick = (mouse) => {
      const [x, y] = placeIn(parts.picture, mouse);
      canvas = Number(parts.canvas.value);
      setPanel("pictures");
      fillCanvases();
      drawPicture();
      drawHistory(x, y);
    };
    stage.append(parts.picture);
    parts.point = make("p", "", "dim");
    area.append(bar, parts.text, parts.legend, stage, parts.point);
  }
  function firstEvent() {
    const from = parts.from.value, which = Number(parts.canvas.value);
    if (from === "event") return event;
    if (from === "all") return 0;
    if (from === "pass") return passes[passAt(event)].events[0];
    if (from === "record") return data.events.findIndex((found) => found.record === data.events[event].record);
    const writes = (found) => found.shows.some((show) => show.canvas === which) || found.unshown.includes(which);
    const clears = (found) => found.kind === "clear" && writes(found);
    for (let at = event; at > 0; at--) if (clears(data.events[at])) return at;
    return 0;
  }
  function show(number) {
    event = number;
    const surfaces = [...data.canvases.keys()].filter((at) => !data.canvases[at].name.startsWith("output"));
    const here = data.events[number].shows.map((show) => show.canvas);
    fillChoice(parts.canvas, surfaces.map((at) => [data.canvases[at].name + (here.includes(at) ? " *" : ""), at]));
    if (!here.includes(Number(parts.canvas.value))) {
      const found = here.find((at) => surfaces.includes(at));
      if (found !== undefined) parts.canvas.value = found;
    }
    load();
  }
  async function load() {
    const mine = ++turn;
    const first = firstEvent();
    parts.text.textContent = "Counting ...";
    const found = parts.canvas.value === "" ? null : await countsOf(parts.canvas.value, first);
    if (mine !== turn) return;
    heat = found;
    draw();
    const cut = `Heat maps of events from ${numberOf(data.counted)} on are not in this file.`;
    const inFile = event < data.counted ? "Nothing draws to the surface there." : cut;
    const path = pathOf(parts.canvas.value, first);
    const none = data.served ? why("No heat map: the surface is too large.", path) : inFile;
    parts.text.textContent = heat ? textOf(first) : none;
  }
  function textOf(first) {
    const unknown = heat.draws - heat.judged;
    const last = data.served ? event : Math.min(event, data.counted - 1);
    return `Events ${numberOf(first)} to ${numberOf(last)}: ${plural(heat.draws, "draw")}.` +
      (heat.leftOut ? ` ${plural(heat.leftOut, "draw")} of these events are too large to be counted.` : "") +
      (unknown ? ` Of ${unknown} it is not known what became of the fragments.` : "") +
      (last < event ? " Later ones are not in this file." : "") + " A click shows which events touched a pixel.";
  }
  // Who serves the page adds events up; a file has them one by one.
  async function countsOf(which, first) {
    const paths = data.served ? [pathOf(which, first)]
      : data.events.slice(first, event + 1).map((_, at) => `heat/${which}/${numberOf(first + at)}`);
    let sum = null;
    for (const path of paths) {
      const found = data.served || data.answers[path] !== undefined ? await answer(path) : null;
      if (!found) continue;
      sum ||= { width: found.width, rows: found.rows, draws: 0, judged: 0, leftOut: 0, maps: {} };
      sum.draws += found.draws;
      sum.judged += found.judged;
      sum.leftOut += found.left_out;
      if (found.png) await addMaps(sum, found);
    }
    return sum;
  }
  // A picture has the maps below each other, with counts of 24 bits.
  async function addMaps(sum, { area: [x, y, width, rows], maps, png }) {
    const pixels = pixelsOf(await loadImage(png)).data;
    maps.forEach((name, number) => {
      const counts = sum.maps[name] ||= new Uint32Array(sum.width * sum.rows);
      for (let row = 0; row < rows; row++) {
        let from = 4 * width * (number * rows + row), to = (y + row) * sum.width + x;
        for (let column = 0; column < width; column++, from += 4, to++) {
          counts[to] += pixels[from] << 16 | pixels[from + 1] << 8 | pixels[from + 2];
        }
      }
    });
  }
  // The counts of all pixels, or null where there are none.
  function counted(what) {
    const maps = MAPS[what][1].map((name) => heat.maps[name]).filter((map) => map);
    if (maps.length < 2) return maps[0] || null;
    return maps[0].map((count, at) => maps.slice(1).reduce((sum, map) => sum + map[at], count));
  }
  function color(count, most) {
    if (count === 0) return [0, 0, 0];
    const at = most <= STEPS.length ? count - 1 : (count - 1) * (STEPS.length - 1) / (most - 1);
    const [low, part] = [Math.floor(at), at - Math.floor(at)];
    const [a, b] = [STEPS[low], STEPS[Math.min(low + 1, STEPS.length - 1)]];
    return a.map((value, i) => value + (b[i] - value) * part);
  }
  function draw() {
    parts.legend.replaceChildren();
    parts.point.textContent = "";
    [parts.picture.width, parts.picture.height] = heat ? [heat.width, heat.rows] : [0, 0];
    if (!heat || !heat.width) return;
    const counts = counted(parts.what.value) || new Uint32Array(heat.width * heat.rows);
    let most = 0, sum = 0, touched = 0;
    for (const count of counts) {
      most = Math.max(most, count);
      sum += count;
      touched += count > 0;
    }
    const image = new ImageData(heat.width, heat.rows);
    const colors = [...Array(most + 1).keys()].map((count) => color(count, most));
    counts.forEach((count, at) => image.data.set([...colors[count], 255], 4 * at));
    parts.picture.getContext("2d").putImageData(image, 0, 0);
    parts.picture.style.width = heat.width * Number(parts.zoom.value) + "px";
    const shown = most <= 12 ? [...Array(most + 1).keys()] : STEPS.map((_, i) => Math.round(1 + i * (most - 1) / 6));
    for (const count of most ? shown : []) {
      const swatch = make("i", undefined, "swatch");
      swatch.style.background = `rgb(${color(count, most).map(Math.round).join(" ")})`;
      parts.legend.append(swatch, `${count} `);
    }
    const mean = touched ? (sum / touched).toFixed(2) : "0";
    parts.legend.append(most ? `- at most ${most}, ${mean} in the mean of ${touched} pixels; ${sum} in all` : "None.");
  }
  function point(mouse) {
    const [x, y] = placeIn(parts.picture, mouse), at = y * heat.width + x;
    const texts = ["fragments", "passed", ...TESTS, "changes"].filter((name) => heat.maps[name]?.[at])
      .map((name) => `${name} ${heat.maps[name][at]}`);
    parts.point.textContent = `(${x}, ${y}): ${texts.join(", ") || "nothing"}`;
  }
  return { title: "Heat map", start, show };
})();
