"use strict";
// Textures of a draw: pictures, descriptors, bytes.
panels.textures = (() => {
  let found = null, event = -1, turn = 0;
  const parts = {};
  function start(area) {
    const bar = make("div", undefined, "bar");
    parts.texture = choice(bar, "Texture", () => fill());
    parts.level = choice(bar, "Level", () => draw());
    parts.layer = choice(bar, "Layer or face", () => draw());
    parts.slice = choice(bar, "Slice", () => draw());
    parts.alpha = choice(bar, "Channels", () => draw());
    fillChoice(parts.alpha, [["RGB", "rgb"], ["RGBA", "rgba"], ["R", 0], ["G", 1], ["B", 2], ["A", 3]]);
    parts.zoom = choice(bar, "Zoom", () => draw());
    fillChoice(parts.zoom, [1, 2, 4, 8, 16].map((zoom) => [`${zoom}x`, zoom]));
    parts.form = make("p", undefined, "dim");
    parts.stage = make("div", undefined, "stage checks");
    parts.canvas = make("canvas");
    parts.canvas.setAttribute("aria-label", "Texture");
    parts.canvas.onmousemove = point;
    parts.stage.append(parts.canvas);
    parts.point = make("p", "", "dim");
    parts.state = make("div");
    parts.bytes = make("details");
    parts.bytes.append(make("summary", "Bytes"));
    parts.bytes.ontoggle = () => drawBytes();
    parts.hex = make("div");
    parts.bytes.append(parts.hex);
    area.append(bar, parts.form, parts.stage, parts.point, parts.state, parts.bytes);
  }
  async function show(number) {
    const mine = ++turn;
    const inputs = await inputsOf(number);
    if (mine !== turn) return;
    [found, event] = [inputs ? inputs.textures : [], data.first + number];
    const name = ({ stage, unit, form }, at) => [`${stage} ${unit}: ${form.split(",")[0]}`, at];
    fillChoice(parts.texture, found.map(name));
    fill();
  }
  function fill() {
    const texture = found[Number(parts.texture.value)];
    for (const part of [parts.level, parts.layer, parts.slice]) part.hidden = true;
    for (const part of [parts.texture, parts.alpha, parts.zoom]) part.hidden = !texture;
    parts.stage.hidden = parts.bytes.hidden = !texture;
    parts.state.replaceChildren();
    if (!texture) {
      parts.form.textContent = noneText("textures", `inputs/${event}`);
      parts.point.textContent = "";
      return;
    }
    fillChoice(parts.level, texture.levels.map((size, at) => [`level ${at}: ${size[0]}x${size[1]}`, at]));
    fillChoice(parts.layer, [...Array(texture.layers).keys()].map((at) => [`layer ${at}`, at]));
    const where = texture.ranges.map(([start, size]) => `${start} + ${size} bytes`).join(", ");
    const handle = texture.handle === null ? "" : `, handle ${hex(texture.handle)}`;
    parts.form.textContent = `${texture.form}; ${where}${handle}`;
    const row = (cells) => {
      const made = make("tr");
      made.append(...cells);
      return made;
    };
    const sampler = texture.sampler.map(([name, value]) => row([make("td", name), make("td", value)]));
    const words = texture.words.map(([name, word, fields]) =>
      row([nameIn("td", name), make("td", hex(word), "word"), make("td", fields)]));
    if (sampler.length) parts.state.append(make("h3", "Sampler"), tableOf(["What", "Value"], sampler));
    parts.state.append(make("h3", "Descriptor"), tableOf(["Register", "Word", "Fields"], words));
    draw();
    drawBytes();
  }
  async function draw() {
    const mine = ++turn;
    const at = Number(parts.texture.value), level = Number(parts.level.value);
    const texture = found[at];
    const depth = texture.levels[level][2];
    fillChoice(parts.slice, [...Array(depth).keys()].map((slice) => [`slice ${slice}`, slice]));
    parts.level.hidden = texture.levels.length < 2;
    parts.layer.hidden = texture.layers < 2;
    parts.slice.hidden = depth < 2;
    const path = `texture/${event}/${at}/${level}/${parts.layer.value}/${parts.slice.value}`;
    const pixels = await pictureAt(path);
    if (mine !== turn) return;
    parts.pixels = pixels;
    parts.point.textContent = pixels ? "" :
      why(`No picture: it is too large${data.served ? "" : ", or not in this file"}.`, path);
    [parts.canvas.width, parts.canvas.height] = pixels ? [pixels.width, pixels.height] : [0, 0];
    if (!pixels) return;
    const shown = new ImageData(new Uint8ClampedArray(pixels.data), pixels.width, pixels.height);
    const channel = parts.alpha.value;
    for (let i = 0; i < shown.data.length; i += 4) {
      if (channel !== "rgb" && channel !== "rgba") shown.data.fill(shown.data[i + Number(channel)], i, i + 3);
      if (channel !== "rgba") shown.data[i + 3] = 255;
    }
    parts.canvas.getContext("2d").putImageData(shown, 0, 0);
    parts.canvas.style.width = pixels.width * Number(parts.zoom.value) + "px";
  }
  function point(mouse) {
    const [x, y] = placeIn(parts.canvas, mouse);
    const at = 4 * (y * parts.canvas.width + x);
    if (parts.pixels) parts.point.textContent = `(${x}, ${y}): ${[...parts.pixels.data.subarray(at, at + 4)].join(" ")}`;
  }
  // The first KiB of each range, and all of it as a file.
  async function drawBytes() {
    parts.hex.replaceChildren();
    const at = Number(parts.texture.value), texture = found?.[at];
    if (!parts.bytes.open || !texture) return;
    const mine = turn;
    for (const [number, [start, size]] of texture.ranges.entries()) {
      const path = `bytes/${event}/${at}/${number}`;
      const bytes = await answer(path, "bytes");
      if (mine > turn || texture !== found[Number(parts.texture.value)]) return;
      if (!bytes) {
        parts.hex.append(make("p", why("A file has no bytes of textures.", path), "dim"));
        continue;
      }
      const lines = [];
      for (let from = 0; from < Math.min(bytes.length, 1024); from += 16) {
        const address = "0x" + (BigInt(start) + BigInt(from)).toString(16).padStart(8, "0");
        lines.push(`${address}  ${hexBytes(bytes.subarray(from, from + 16)).join(" ")}`);
      }
      const save = make("a", `Download ${bytes.length < size ? `the first ${bytes.length} of ${size}` : size} bytes`);
      save.href = URL.createObjectURL(new Blob([bytes]));
      save.download = `texture-${start}.bin`;
      parts.hex.append(make("pre", lines.join("\n")), save);
    }
  }
  return { title: "Textures", start, show };
})();
