// Thumbnails of targets in the list: of rows that are seen, one after the other, and only the last of them are kept.
const thumbnails = (() => {
  const MAX_KEPT = 256;
  const kept = new Map();
  let queue = [], busy = false;
  const surfaceOf = (at) => data.events[at].shows[0]?.canvas;
  async function imageOf(at) {
    const which = surfaceOf(at);
    const path = `thumbnail/${numberOf(at)}/${which}`;
    const key = data.served ? path : `${data.events[at].shows[0].after}/${which}`;
    if (!kept.has(key)) {
      if (kept.size >= MAX_KEPT) kept.delete(kept.keys().next().value);
      const pixels = data.served ? await pictureAt(path) : await picture(data.events[at].shows[0].after);
      // What was refused is asked for again.
      if (!pixels) return null;
      kept.set(key, small(pixels, which));
    }
    return kept.get(key);
  }
  function small(pixels, which) {
    const image = oriented(shown(pixels, data.canvases[which].depth, true), turnOf(which), false);
    const step = Math.ceil(Math.max(image.width, image.height) / 48) || 1;
    const out = new ImageData(Math.ceil(image.width / step), Math.ceil(image.height / step));
    const from = new Uint32Array(image.data.buffer), to = new Uint32Array(out.data.buffer);
    for (let y = 0; y < out.height; y++) {
      for (let x = 0; x < out.width; x++) to[y * out.width + x] = from[y * step * image.width + x * step];
    }
    return out;
  }
  async function work() {
    if (busy) return;
    busy = true;
    while (queue.length) {
      const row = queue.shift();
      const image = await imageOf(row.at).catch(() => null);
      if (!image || !row.target.isConnected) continue;
      [row.target.width, row.target.height] = [image.width, image.height];
      row.target.getContext("2d").putImageData(image, 0, 0);
      row.target.dataset.made = "";
    }
    busy = false;
  }
  const seen = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) {
      queue = queue.filter((row) => row.target !== target);
      if (isIntersecting && !("made" in target.dataset)) queue.push({ target, at: Number(target.dataset.at) });
    }
    if ($("thumbnails").checked) work();
  }, { rootMargin: "60px" });
  // The place of a row's thumbnail, if it has one.
  function add(row, at) {
    if (!data.events[at].draw || surfaceOf(at) === undefined || !hasPictures(at)) return;
    const target = make("canvas", undefined, "thumbnail");
    [target.width, target.height] = [1, 1];
    target.dataset.at = at;
    target.setAttribute("aria-hidden", "true");
    row.append(target);
    seen.observe(target);
  }
  function toggle() {
    $("list").classList.toggle("plain", !$("thumbnails").checked);
    if ($("thumbnails").checked) work();
  }
  return { add, toggle };
})();
