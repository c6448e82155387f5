"use strict";
// What the events of the capture use, and which events use it.
let resources = null;
async function resourcesOf() {
  resources ||= data.served ? await answer("resources") : null;
  return resources;
}
const resourceText = ({ kind, name, range }) => `${kind}${name ? ` ${name}` : ""}` +
  (range ? ` at ${range[0] ? `${range[0]}:` : ""}0x${range[1].toString(16)}, ${plural(range[2], "byte")}` : "");

panels.resources = (() => {
  const MAX_ROWS = 500, MAX_EVENTS = 12;
  const parts = {};
  let event = -1, turn = 0;
  function start(area) {
    const bar = make("div", undefined, "bar");
    parts.kind = choice(bar, "Kind of resource", () => draw());
    parts.search = make("input");
    parts.search.type = "search";
    parts.search.placeholder = "Search resources";
    parts.search.setAttribute("aria-label", "Search resources");
    parts.search.oninput = () => draw();
    const label = make("label");
    parts.here = make("input");
    parts.here.type = "checkbox";
    parts.here.onchange = () => draw();
    label.append(parts.here, " Of this event");
    bar.append(parts.search, label);
    parts.text = make("p", undefined, "dim");
    parts.table = make("div");
    area.append(bar, parts.text, parts.table);
  }
  async function show(number) {
    const mine = ++turn;
    event = number;
    if (!resources) parts.text.textContent = data.served ? "Replaying ..." : "Resources are not in this file.";
    const found = await resourcesOf();
    if (mine !== turn) return;
    if (!found) {
      if (data.served) parts.text.textContent = why("No resources.", "resources");
      return;
    }
    const kinds = [...new Set(found.resources.map(({ kind }) => kind))];
    fillChoice(parts.kind, [["All kinds", ""], ...kinds.map((kind) => [kind, kind])]);
    draw();
  }
  function draw() {
    if (!resources) return;
    const words = parts.search.value.toLowerCase(), kind = parts.kind.value;
    const fits = (resource) => (kind === "" || resource.kind === kind) &&
      resourceText(resource).toLowerCase().includes(words) &&
      (!parts.here.checked || resource.events.includes(numberOf(event)));
    const found = resources.resources.filter(fits);
    const row = (resource) => {
      const made = make("tr"), events = make("td"), where = make("td", undefined, "word");
      if (resource.range) {
        const [space, address, size] = resource.range;
        const go = make("button", `0x${address.toString(16)}`);
        go.title = "Show this memory";
        go.onclick = () => showMemory(space, address, size);
        where.append(go, ` + ${size}`);
      }
      const left = resource.events.length - MAX_EVENTS + resource.left_out;
      for (const number of resource.events.slice(0, MAX_EVENTS)) {
        const go = make("button", String(number));
        go.disabled = !data.events[number - data.first];
        go.onclick = () => select(number - data.first);
        events.append(go, " ");
      }
      if (left > 0) events.append(`and ${left} more`);
      made.append(make("td", resource.kind), make("td", resource.name), where, events);
      return made;
    };
    parts.table.replaceChildren(tableOf(["Kind", "Name", "Memory", "Events"], found.slice(0, MAX_ROWS).map(row)));
    const cut = found.length > MAX_ROWS ? `; the first ${MAX_ROWS} are shown` : "";
    const all = data.first + data.events.length;
    const late = resources.events < all
      ? ` Programs, vertices, constants: of events before ${resources.events}, when time was over.` : "";
    const left = resources.left_out ? ` ${resources.left_out} are left out.` : "";
    parts.text.textContent = `${plural(found.length, "resource")}${cut}.${late}${left}`;
  }
  return { title: "Resources", start, show };
})();
