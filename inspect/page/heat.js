"use strict";
// Heat maps of the surface that is shown: how often its pixels were drawn to.
panels.heat = (() => {
  let heat = null, event = -1, turn = 0;
  const parts = {};
  // From few to many; none is the background.
  const STEPS = [[32, 48, 160], [0, 140, 200], [0, 170, 90], [200, 190, 0], [230, 110, 0], [220, 20, 40], [255, 90, 255]];
  function start(area) {
    const bar = make("div", undefined, "bar");
    parts.canvas = choice(bar, "Surface", () => load());
    parts.what = choice(bar, "What is counted", () => draw());
    fillChoice(parts.what, [["fragments (depth complexity)", "fragments"], ["events that changed it", "changes"]]);
    parts.from = choice(bar, "From", () => load());
    fillChoice(parts.from, [["since the last clear or fill", "clear"], ["this record", "record"], ["this event", "event"],
      ["all before", "all"]]);
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
    if (from === "record") return data.events.findIndex((found) => found.record === data.events[event].record);
    const clears = (found) => found.kind === "transfer" && found.shows.some((show) => show.canvas === which);
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
    const found = parts.canvas.value === "" ? null : await answer(
      `heat/${parts.canvas.value}/${data.first + first}/${data.first + event}`);
    if (mine !== turn) return;
    heat = found;
    parts.text.textContent = heat ? `Events ${first} to ${event}: ${heat.draws} draws. ` +
      "A click shows which events touched a pixel." : "No heat map" + (data.served ? "." : " in a file.");
    draw();
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
    const counts = heat[parts.what.value];
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
    for (const count of shown) {
      const swatch = make("i", undefined, "swatch");
      swatch.style.background = `rgb(${color(count, most).map(Math.round).join(" ")})`;
      parts.legend.append(swatch, `${count} `);
    }
    const mean = touched ? (sum / touched).toFixed(2) : "0";
    parts.legend.append(`- at most ${most}, ${mean} in the mean of ${touched} pixels that are touched`);
  }
  function point(mouse) {
    const [x, y] = placeIn(parts.picture, mouse), at = y * heat.width + x;
    parts.point.textContent = `(${x}, ${y}): ${heat.fragments[at]} fragments, ${heat.changes[at]} changes`;
  }
  return { title: "Heat map", start, show };
})();
