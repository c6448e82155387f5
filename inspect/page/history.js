"use strict";
// Pixel history: from who serves the page, or by the pictures, which are colours of 8 bits. The events, and what is
// said of them all.
async function changesOf(which, x, y) {
  return data.served ? servedChanges(which, x, y) : pictureChanges(which, x, y);
}
async function servedChanges(which, x, y) {
  const path = `history/${which}/${x}/${y}`;
  const answer = await ask(path);
  if (!answer.ok) return [[], why("it has no history.", path)];
  const { lines, left_out: count } = await answer.json();
  const here = lines.filter(({ event }) => data.events[event - data.first]);
  const rest = count ? ` ${count} later ones are left out.` : "";
  return [here.map(({ event, before, after, text, fragments, left_out: more }) => {
    const texts = more ? [...fragments, `and ${plural(more, "fragment")} more, left out here`] : fragments;
    return [event - data.first, data.events[event - data.first], before, after, text, texts];
  }), `${here.length} events changed it or tried to.${rest}`];
}
async function pictureChanges(which, x, y) {
  const found = [];
  let missing = 0;
  for (const [number, event] of data.events.entries()) {
    if (!hasPictures(number)) break;
    missing += isUnshown(number, which);
    const show = event.shows.find((show) => show.canvas === which);
    if (!show || show.before === show.after) continue;
    const [before, after] = [await picture(show.before), await picture(show.after)];
    const at = 4 * (y * after.width + x);
    const [a, b] = [before, after].map((pixels) => [...pixels.data.subarray(at, at + 4)]);
    if (a.some((value, i) => value !== b[i])) found.push([number, event, a, b, ["", ""], []]);
  }
  const cut = data.complete < data.events.length ? ` ${leftOut("Pictures")}` : "";
  const rest = missing ? ` ${plural(missing, "event")} may have, whose pictures of it are left out.` : "";
  return [found, `${found.length} events changed it.${cut}${rest}`];
}
async function drawHistory(x, y) {
  const body = $("history").tBodies[0];
  const which = canvas;
  const [found, text] = await changesOf(which, x, y);
  const value = (rgba, text) => {
    const cell = make("div");
    const swatch = make("i", undefined, "swatch");
    // Of depth, which has 24 bits, the highest.
    const color = data.canvases[which].depth ? [rgba[0], rgba[0], rgba[0]] : rgba.slice(0, 3);
    swatch.style.background = `rgb(${color.join(" ")})`;
    const depth = (rgba[0] << 16 | rgba[1] << 8 | rgba[2]) / 0xFFFFFF;
    cell.append(swatch, text || (data.canvases[which].depth ? depth.toFixed(6) : rgba.join(" ")));
    return cell;
  };
  body.replaceChildren(...found.map(([number, event, a, b, text, fragments]) => {
    const row = make("tr");
    const go = make("button", String(numberOf(number)));
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
    const values = make("td", undefined, "word");
    values.append(value(a, text[0]), value(b, text[1]));
    row.append(cell, what, values);
    return row;
  }));
  $("history").hidden = false;
  $("pixel").textContent = `Pixel (${x}, ${y}) of ${data.canvases[which].name}: ${text}`;
}
