// How pictures are shown: turned as a viewer sees them, and as large as there is room for.
const turns = new Map();
const turnOf = (which) => turns.get(which) ?? data.canvases[which]?.turn ?? 0;

// The stored pixel at a place of a picture of stored size that is shown turned counter-clockwise and then flipped.
function storedAt(x, y, width, height, turn, flip) {
  const shownHeight = turn % 180 ? width : height;
  const row = flip ? shownHeight - 1 - y : y;
  if (turn === 90) return [width - 1 - row, x];
  if (turn === 180) return [width - 1 - x, height - 1 - row];
  return turn === 270 ? [row, height - 1 - x] : [x, row];
}
function oriented(image, turn, flip) {
  if (!turn && !flip) return image;
  const { width, height } = image;
  const out = turn % 180 ? new ImageData(height, width) : new ImageData(width, height);
  const from = new Uint32Array(image.data.buffer), to = new Uint32Array(out.data.buffer);
  for (let y = 0, at = 0; y < out.height; y++) {
    for (let x = 0; x < out.width; x++, at++) {
      const [sx, sy] = storedAt(x, y, width, height, turn, flip);
      to[at] = from[sy * width + sx];
    }
  }
  return out;
}
// Puts a picture into a canvas, as the controls say.
function showImage(target, image) {
  const shown = oriented(image, turnOf(canvas), $("flip").checked);
  [target.width, target.height] = [shown.width, shown.height];
  target.getContext("2d").putImageData(shown, 0, 0);
  target.style.width = shown.width * scaleOf(shown) + "px";
}
// Fits pictures to a part of the page that has another size, or was hidden.
function refit() {
  for (const target of [$("picture"), $("other")]) {
    if (target.width) target.style.width = target.width * scaleOf(target) + "px";
  }
}
// Pixels of the page for one of a picture.
function scaleOf({ width, height }) {
  if (!$("fit").checked) return Number($("zoom").value);
  const room = [$("stage").clientWidth - 2, 0.6 * innerHeight];
  return Math.max(Math.min(room[0] / Math.max(width, 1), room[1] / Math.max(height, 1), 8), 1 / 64);
}
// The picture's place under the mouse, and the stored pixel there.
function pixelUnder(mouse) {
  const target = $("picture"), turn = turnOf(canvas);
  const [x, y] = placeIn(target, mouse);
  const [width, height] = turn % 180 ? [target.height, target.width] : [target.width, target.height];
  return { shown: [x, y], stored: storedAt(x, y, width, height, turn, $("flip").checked) };
}

// The value under the mouse: the picture's at once, the stored one from who serves the page.
let lookedAt = null, wait = 0;
async function showUnder(mouse) {
  if (!lookedAt || !$("picture").width) return;
  const { shown: [x, y], stored: [sx, sy] } = pixelUnder(mouse);
  const { pixels, moment, event, which } = lookedAt;
  const at = 4 * (sy * pixels.width + sx);
  const place = `(${x}, ${y})` + (x === sx && y === sy ? "" : `, stored at (${sx}, ${sy})`);
  const value = data.canvases[which].depth ? `depth ${(depthOf(pixels.data, at) / 0xFFFFFF).toFixed(6)}`
    : [...pixels.data.subarray(at, at + 4)].join(" ");
  $("under").textContent = `${place}: ${value}`;
  const mine = ++wait;
  if (!data.served || !moment || data.canvases[which].name.startsWith("output")) return;
  await new Promise((done) => setTimeout(done, 100));
  if (mine !== wait) return;
  const found = await answer(`value/${numberOf(event)}/${which}/${moment}/${sx}/${sy}`);
  if (found && mine === wait) $("under").textContent = `${place}: ${found}`;
}

// What lies over the picture: bits of each stored pixel.
const OVERLAYS = [["outline", 1, [255, 220, 0]], ["wireframe", 2, [0, 255, 160]], ["back faces", 4, [255, 60, 200]],
  ["depth test failed", 8, [255, 60, 40]], ["NaN", 16, [160, 90, 255]]];
async function overlayOf(event, which, number) {
  const found = await answer(`overlay/${numberOf(event)}/${which}`);
  if (!found?.png) return null;
  const { data: bits } = pixelsOf(await loadImage(found.png));
  return { bits, count: found.counts[number], isWhole: found.is_whole };
}
function paintOver(image, bits, [, bit, color]) {
  const out = new ImageData(new Uint8ClampedArray(image.data), image.width, image.height);
  for (let at = 0; at < out.data.length; at += 4) {
    if (bits[at] & bit) out.data.set([...color, 255], at);
    else for (let i = 0; i < 3; i++) out.data[at + i] >>= 1;
  }
  return out;
}
// Shows the chosen overlay over an image that is shown already, if the event draws.
async function drawOverlay(image) {
  const number = Number($("overlay").value);
  $("overlay-text").textContent = "";
  if ($("overlay").value === "" || !data.events[current].draw) return;
  const mine = turn, path = `overlay/${numberOf(current)}/${canvas}`;
  const found = await overlayOf(current, canvas, number);
  if (mine !== turn) return;
  if (!found) {
    $("overlay-text").textContent = why("There is no overlay of this surface.", path);
    return;
  }
  showImage($("picture"), paintOver(image, found.bits, OVERLAYS[number]));
  const known = found.isWhole ? "" : " Not all fragments are known.";
  $("overlay-text").textContent = `${OVERLAYS[number][0]}: ${plural(found.count, "pixel")}.${known}`;
}

function saveFile(name, blob) {
  const link = make("a");
  link.download = name;
  link.href = URL.createObjectURL(blob);
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}
// The name of a file of an event.
const fileName = (what, end) => `${data.title}-${numberOf(current)}-${what}.${end}`.replace(/[^\w.-]+/g, "_");
async function saveAnswer(path, name) {
  const blob = await answer(path, "blob");
  if (blob) saveFile(name, blob);
}
function saveButton(bar, text, save) {
  const button = make("button", text);
  button.className = "save";
  button.onclick = save;
  button.hidden = !data.served;
  bar.append(button);
  return button;
}
function startOrientation() {
  fillChoice($("overlay"), [["No overlay", ""], ...OVERLAYS.map(([name], at) => [`Overlay: ${name}`, at])]);
  $("overlay").hidden = !data.served;
  $("overlay").onchange = $("fit").onchange = () => drawPicture();
  $("rotate").onclick = () => {
    if (canvas === null) return;
    turns.set(canvas, (turnOf(canvas) + 90) % 360);
    drawPicture();
  };
  $("one").onclick = () => {
    [$("fit").checked, $("zoom").value] = [false, 1];
    drawPicture();
  };
  $("zoom").oninput = () => {
    $("fit").checked = false;
    drawPicture();
  };
  $("save").onclick = () => {
    if ($("picture").width) $("picture").toBlob((blob) => saveFile(fileName("picture", "png"), blob));
  };
  $("picture").onpointermove = showUnder;
  $("picture").onpointerleave = () => { $("under").textContent = ""; };
  let before = 0;
  new ResizeObserver(([{ contentRect: { width } }]) => {
    if (width && width !== before) refit();
    before = width;
  }).observe($("stage"));
  moreKeys.o = () => $("rotate").click();
  moreKeys.f = () => $("fit").click();
}
