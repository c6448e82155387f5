// Two runs: the first event that differs, and the other run's picture beside this one's.
async function drawOther(show, before, after) {
  const { comparison } = data;
  const target = $("other");
  if (!comparison?.has_pictures || typeof show?.after !== "string") {
    [$("versus-name").textContent, target.width, target.height] = ["", 0, 0];
    return;
  }
  const mine = turn;
  const key = (view === "before" ? show.before : show.after).replace(/^picture/, "other");
  let pixels;
  try {
    pixels = await picture(key);
  } catch {
    if (mine !== turn) return;
    $("versus-name").textContent = why(`${comparison.other} has no such event.`, key);
    [target.width, target.height] = [0, 0];
    return;
  }
  if (mine !== turn) return;
  const own = view === "before" ? before : after;
  const image = view === "difference" ? difference(own, pixels) : shown(pixels, data.canvases[canvas].depth);
  showImage(target, image);
  let count = 0;
  for (let at = 0; at < own.data.length; at += 4) {
    if ([0, 1, 2, 3].some((i) => own.data[at + i] !== pixels.data[at + i])) count++;
  }
  $("versus-name").textContent = `${comparison.other}: ${count || "no"} pixels differ` +
    (view === "difference" ? "; shown are those that differ between the runs." : ".");
}
function startComparison() {
  const { comparison } = data;
  if (!comparison) return;
  const place = $("comparison");
  place.hidden = false;
  $("versus").hidden = !comparison.has_pictures;
  const list = make("ul");
  if (!comparison.first) {
    const as = comparison.left_out.length ? " as far as they were compared" : "";
    place.append(`Compared with ${comparison.other}: no event differs${as}.`, list);
  } else {
    const { event, what } = comparison.first;
    const go = make("button", `event ${event}`);
    go.disabled = !data.events[event - data.first];
    go.onclick = () => select(event - data.first);
    list.append(...what.map((line) => make("li", line)));
    place.append(`Compared with ${comparison.other}: the first that differs is `, go, list);
    if (go.disabled) list.append(make("li", "It is not in this page."));
    select(event - data.first);
  }
  list.append(...comparison.left_out.map((line) => make("li", line)));
  onPicture.push(drawOther);
  drawPicture();
}
startComparison();
