"use strict";
// Pictures are made of the one below and what differs. Those that were made last are kept.
const images = new Map();
const loadImage = (base64) => new Promise((done, failed) => {
  const image = new Image();
  image.onload = () => done(image);
  image.onerror = () => failed(new Error("a picture that cannot be decoded"));
  image.src = "data:image/png;base64," + base64;
});
async function fetched(path) {
  const answer = await ask(path);
  if (!answer.ok) throw new Error(why("No picture.", path));
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
function shown(pixels, isDepth, isPlain = false) {
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
  const wanted = isPlain ? [true, true, true, false] : channels;
  const alone = wanted.filter((on) => on).length === 1 ? wanted.indexOf(true) : -1;
  for (let at = 0; at < from.length; at += 4) {
    to[at + 3] = 255;
    if (isDepth) {
      const depth = depthOf(from, at);
      to[at] = to[at + 1] = to[at + 2] = high > low ? Math.min(255, (depth - low) * 255 / (high - low)) : depth >> 16;
    } else if (alone >= 0) {
      to[at] = to[at + 1] = to[at + 2] = from[at + alone];
    } else {
      for (let i = 0; i < 3; i++) to[at + i] = wanted[i] ? from[at + i] : 0;
      if (wanted[3]) to[at + 3] = from[at + 3];
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

// The pictures of a canvas at an event are those of the last event that shows it, or else of the next one. Where limits
// have left out what came between, a file has none, and who serves the page is asked for those of the event itself.
function showOf(number, which) {
  if (!hasPictures(number)) return null;
  const path = (moment) => `picture/${numberOf(number)}/${which}/${moment}`;
  const own = data.served ? { canvas: which, before: path("before"), after: path("after") } : null;
  const showAt = (at) => data.events[at].shows.find((show) => show.canvas === which);
  for (let at = number; at >= 0; at--) {
    const show = showAt(at);
    if (show) return at === number ? show : { canvas: which, before: show.after, after: show.after };
    if (isUnshown(at, which)) return own;
  }
  for (let at = number + 1; at < data.events.length && hasPictures(at); at++) {
    const show = showAt(at);
    if (show) return { canvas: which, before: show.before, after: show.before };
    if (isUnshown(at, which)) return own;
  }
  return own;
}
// Whether an event may write a canvas and has no room for its pictures.
const isUnshown = (at, which) => data.events[at].unshown.includes(which);
// Why a file has no pictures of a canvas at an event.
function whyNoPicture(number, which) {
  if (!hasPictures(number)) return leftOut("Pictures");
  const isLeftOut = data.events.some((_, at) => isUnshown(at, which));
  return isLeftOut ? "No picture: events may have written it whose pictures of it are left out of this file."
    : "No picture: no event whose pictures are in this file may write it.";
}

let turn = 0;
async function drawPicture() {
  const mine = ++turn;
  const target = $("picture");
  const show = canvas === null || current < 0 ? null : showOf(current, canvas);
  $("form").textContent = canvas === null ? "No surface." : data.canvases[canvas].form;
  const blank = (text) => {
    target.width = target.height = 0;
    [lookedAt, $("under").textContent, $("overlay-text").textContent] = [null, "", ""];
    $("form").append(" ", make("b", text));
    onPicture.forEach((hear) => hear(null));
  };
  if (!show) {
    if (canvas !== null && current >= 0) blank(whyNoPicture(current, canvas));
    return;
  }
  let before, after;
  try {
    [before, after] = await Promise.all([picture(show.before), picture(show.after)]);
  } catch (error) {
    if (mine === turn) blank(error.message);
    return;
  }
  if (mine !== turn) return;
  const isDepth = data.canvases[canvas].depth;
  const image = view === "difference" ? difference(before, after) : shown(view === "before" ? before : after, isDepth);
  showImage(target, image);
  const moment = view === "before" ? "before" : "after";
  const isOwn = data.served && show.after === `picture/${numberOf(current)}/${canvas}/after`;
  const pixels = view === "before" ? before : after;
  lookedAt = { pixels, moment: isOwn ? moment : null, event: current, which: canvas };
  drawOverlay(image);
  onPicture.forEach((hear) => hear(show, before, after));
}
