"use strict";
// The list of events: passes (runs of events that draw to the same surfaces), and the events of each.
const rows = [];
// A pass: its heading, what is known of it, and whether its events are folded away.
const passes = [];
const folded = new Set();
// Frames: what comes before pictures are presented, with their headings.
const frames = [];
const foldedFrames = new Set();

// The number of an event in the capture: the page may begin at a later one.
const numberOf = (at) => data.first + at;
const frameAt = (at) => frames.findIndex(({ events: [first, end] }) => at >= first && at < end);
const passAt = (at) => passes.findIndex(({ events: [first, end] }) => at >= first && at < end);
const timeOf = (at) => hasState(at) ? data.events[at].time : undefined;
const milliseconds = (time) => `${time < 10 ? time.toFixed(2) : time.toFixed(1)} ms`;
const plural = (count, one, many = one + "s") => `${count} ${count === 1 ? one : many}`;
const namesOf = (canvases) => canvases.map((at) => data.canvases[at].name).join(", ");

// What a pass has: how many of each kind of event, vertices, primitives, faults, time.
function countsOf([first, end]) {
  const counts = { kinds: new Map(), vertices: 0, primitives: 0, faults: 0, time: 0 };
  for (const event of data.events.slice(first, end)) {
    counts.kinds.set(event.kind, (counts.kinds.get(event.kind) || 0) + 1);
    counts.vertices += event.draw?.vertices || 0;
    counts.primitives += event.draw?.primitives || 0;
    counts.faults += event.faults;
    counts.time += event.time;
  }
  return counts;
}
function kindsText(kinds) {
  return [...kinds].map(([kind, count]) => plural(count, kind, kind === "other" ? "others" : kind + "s")).join(", ");
}
function passHeading(number) {
  const { events, name, counts } = passes[number];
  const heading = make("li", undefined, "pass");
  heading.title = "Fold or unfold (c)";
  const text = make("small", `record ${data.events[events[0]].record}: ${kindsText(counts.kinds)}`);
  if (counts.primitives) text.append(`, ${plural(counts.primitives, "primitive")}`);
  if (hasState(events[1] - 1)) text.append(`, ${milliseconds(counts.time)}`);
  if (counts.faults) text.append(", ", make("span", plural(counts.faults, "fault"), "bad"));
  heading.append(make("b", name), text);
  heading.onclick = () => fold(number);
  return heading;
}
function frameHeading(number) {
  const { events: [first, end], labels } = frames[number];
  const heading = make("li", undefined, "frame");
  heading.title = "Fold or unfold (shift+c)";
  const name = labels.filter((label) => label).join(", ");
  const last = labels.length ? "" : " (not presented)";
  const counts = countsOf([first, end]);
  heading.append(make("b", `Frame ${number}${last}${name ? `: ${name}` : ""}`), make("small", kindsText(counts.kinds)));
  heading.onclick = () => foldFrame(number);
  return heading;
}
function eventRow(event, at) {
  const row = make("li");
  row.id = "event-" + numberOf(at);
  row.setAttribute("role", "option");
  row.setAttribute("aria-selected", "false");
  const what = make("span");
  const text = make("small", event.text);
  const isTimed = hasState(at) && (event.draw || event.time >= 0.1);
  if (isTimed) text.append(`${event.text ? ", " : ""}${milliseconds(event.time)}`);
  what.append(nameIn("b", event.method), text);
  const kind = make("span", event.kind, event.faults ? "bad" : "");
  if (event.faults && event.kind !== "fault") kind.append(make("small", plural(event.faults, "fault"), "bad"));
  if (event.fault) what.append(make("small", event.fault, "bad"));
  row.append(make("span", String(numberOf(at))), kind, what);
  row.onclick = () => select(at);
  thumbnails.add(row, at);
  return row;
}
function startList() {
  for (const { events, canvases } of data.passes) {
    const counts = countsOf(events);
    const other = counts.kinds.has("transfer") ? "transfers" : "no surface";
    passes.push({ events, canvases, counts, name: namesOf(canvases) || other });
  }
  const list = [];
  data.frames.forEach((frame, number) => {
    frames.push(frame);
    frame.heading = frameHeading(number);
  });
  passes.forEach((pass, number) => {
    const frame = frames.find(({ events: [first] }) => first === pass.events[0]);
    if (frame) list.push(frame.heading);
    pass.heading = passHeading(number);
    list.push(pass.heading);
    for (let at = pass.events[0]; at < pass.events[1]; at++) {
      rows.push(eventRow(data.events[at], at));
      list.push(rows[at]);
    }
  });
  $("list").replaceChildren(...list);
  const kinds = [...new Set(data.events.map((event) => event.kind))];
  $("kind").replaceChildren(option("All kinds", ""), ...kinds.map((kind) => option(kind, kind)));
  $("search").oninput = $("kind").onchange = filter;
  moreKeys.c = () => fold(passAt(current));
  moreKeys.C = () => foldFrame(frameAt(current));
  $("thumbnails").onchange = thumbnails.toggle;
}
function fold(number) {
  if (!folded.delete(number)) folded.add(number);
  filter();
}
function foldFrame(number) {
  if (number < 0) return;
  if (!foldedFrames.delete(number)) foldedFrames.add(number);
  filter();
}
// What is looked for is shown in folded passes, too.
function filter() {
  const [words, kind] = [$("search").value.toLowerCase(), $("kind").value];
  let count = 0;
  passes.forEach(({ events: [first, end], name, heading }, number) => {
    let shown = 0;
    const isFramed = foldedFrames.has(frameAt(first)) && words === "";
    for (let at = first; at < end; at++) {
      const event = data.events[at];
      const { kind: what, method, text: summary, fields, fault } = event;
      const text = [numberOf(at), what, method, summary, fields, fault, name].join(" ").toLowerCase();
      const fits = text.includes(words) && (kind === "" || event.kind === kind);
      rows[at].hidden = !fits || isFramed || folded.has(number) && words === "";
      shown += fits ? 1 : 0;
    }
    heading.hidden = shown === 0 || isFramed;
    heading.classList.toggle("folded", folded.has(number) && words === "");
    count += shown;
  });
  frames.forEach(({ heading }, number) =>
    heading.classList.toggle("folded", foldedFrames.has(number) && words === ""));
  const all = `${plural(data.events.length, "event")} in ${plural(passes.length, "pass", "passes")}`;
  $("count").textContent = `${count} of ${all}. Faults: ${data.faults.length || "none"}.`;
}
