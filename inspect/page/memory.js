"use strict";
// Memory at an event, and what its bytes are used as.
let showMemory = () => {};
panels.memory = (() => {
  const ROW = 16, BYTES = 512;
  const parts = {};
  let event = -1, turn = 0, place = null;
  function field(bar, label, value, size) {
    const input = make("input");
    input.value = value;
    input.size = size;
    input.setAttribute("aria-label", label);
    input.title = label;
    input.onchange = () => jump();
    bar.append(input);
    return input;
  }
  function start(area) {
    const bar = parts.bar = make("div", undefined, "bar");
    parts.space = field(bar, "Address space", "0", 3);
    parts.address = field(bar, "Address", "0x0", 14);
    parts.moment = choice(bar, "When", () => load());
    fillChoice(parts.moment, [["before the event", "before"], ["after the event", "after"]]);
    for (const [text, by] of [["Back", -BYTES], ["On", BYTES]]) {
      const button = make("button", text);
      button.onclick = () => { place = [place[0], Math.max(0, place[1] + by)]; load(); };
      bar.append(button);
    }
    parts.text = make("p", undefined, "dim");
    parts.uses = make("ul");
    parts.hex = make("pre");
    parts.hex.tabIndex = 0;
    parts.hex.setAttribute("aria-label", "Bytes of memory");
    area.append(bar, parts.text, parts.uses, parts.hex);
  }
  function jump() {
    const [space, address] = [Number(parts.space.value), Number(parts.address.value)];
    if (Number.isSafeInteger(space) && Number.isSafeInteger(address) && address >= 0 && space >= 0) {
      place = [space, address];
      load();
    } else {
      parts.text.textContent = "An address is a number, such as 0x18000000.";
    }
  }
  async function show(number) {
    event = number;
    parts.bar.hidden = !data.served;
    if (!data.served) {
      parts.text.textContent = "Memory is not in this file.";
      return;
    }
    if (!place) {
      const first = (await resourcesOf())?.resources.find(({ range }) => range);
      place ||= first ? [first.range[0], first.range[1]] : [0, 0];
    }
    load();
  }
  async function load() {
    if (!place || !data.served) return;
    const mine = ++turn;
    const [space, address] = place;
    [parts.space.value, parts.address.value] = [space, `0x${address.toString(16)}`];
    const path = `memory/${numberOf(event)}/${parts.moment.value}/${space}/${address}/${BYTES}`;
    const [bytes, all] = [await answer(path, "bytes"), await resourcesOf()];
    if (mine !== turn) return;
    parts.uses.replaceChildren();
    parts.hex.textContent = "";
    if (!bytes) {
      parts.text.textContent = why("No memory there.", path);
      return;
    }
    const overlaps = ({ range }) => range && range[0] === space && range[1] < address + BYTES &&
      range[1] + range[2] > address;
    const uses = (all?.resources || []).filter(overlaps);
    parts.text.textContent = `${BYTES} bytes ${parts.moment.value} event ${numberOf(event)}; zeros where nothing is ` +
      `mapped. ${uses.length ? "Used as:" : "No event uses them."}`;
    parts.uses.replaceChildren(...uses.slice(0, 32).map((use) => make("li", resourceText(use))));
    const lines = [];
    for (let at = 0; at < bytes.length; at += ROW) {
      const row = bytes.subarray(at, at + ROW);
      const text = [...row].map((byte) => byte >= 32 && byte < 127 ? String.fromCharCode(byte) : ".").join("");
      lines.push(`${(address + at).toString(16).padStart(8, "0")}  ${hexBytes(row).join(" ")}  ${text}`);
    }
    parts.hex.textContent = lines.join("\n");
  }
  showMemory = (space, address) => {
    place = [space, address];
    setPanel("memory");
  };
  return { title: "Memory", start, show };
})();
