"use strict";
// The mesh of a draw as a wireframe: before the vertex stage by an attribute, or after the stages by clip coordinates.
panels.mesh = (() => {
  let inputs = null, event = -1, mesh = null, turn = 0;
  let view = { yaw: 0, pitch: 0, zoom: 1 };
  const parts = {};
  function start(area) {
    const bar = make("div", undefined, "bar");
    parts.part = choice(bar, "Instance or part", () => fill());
    parts.which = choice(bar, "Positions", () => load());
    const reset = make("button", "Reset view");
    reset.onclick = () => { view = { yaw: 0, pitch: 0, zoom: 1 }; draw(); };
    bar.append(reset);
    saveButton(bar, "Save OBJ", () => {
      const which = parts.which.value === "clip" ? "after" : parts.which.value;
      if (mesh) saveAnswer(`obj/${event}/${parts.part.value || 0}/${which}`, fileName("mesh", "obj"));
    });
    parts.text = make("p", undefined, "dim");
    parts.canvas = make("canvas", undefined, "mesh");
    parts.canvas.tabIndex = 0;
    parts.canvas.setAttribute("aria-label", "Mesh: arrows turn it, plus and minus zoom");
    parts.canvas.onkeydown = keys;
    parts.canvas.onpointerdown = (down) => parts.canvas.setPointerCapture(down.pointerId);
    parts.canvas.onpointermove = (move) => {
      if (!move.buttons) return;
      view.yaw += move.movementX * 0.01;
      view.pitch += move.movementY * 0.01;
      draw();
    };
    parts.canvas.onwheel = (wheel) => {
      wheel.preventDefault();
      view.zoom *= Math.exp(-wheel.deltaY * 0.001);
      draw();
    };
    area.append(bar, parts.text, parts.canvas);
    new ResizeObserver(() => draw()).observe(parts.canvas);
  }
  function keys(key) {
    const turns = { ArrowLeft: [-0.1, 0], ArrowRight: [0.1, 0], ArrowUp: [0, -0.1], ArrowDown: [0, 0.1] };
    if (key.key in turns) {
      view.yaw += turns[key.key][0];
      view.pitch += turns[key.key][1];
    } else if (key.key === "+" || key.key === "-") {
      view.zoom *= key.key === "+" ? 1.25 : 0.8;
    } else {
      return;
    }
    key.preventDefault();
    key.stopPropagation();
    draw();
  }
  async function show(number) {
    const mine = ++turn;
    const found = await inputsOf(number);
    if (mine !== turn) return;
    [inputs, event] = [found, data.first + number];
    const all = inputs ? inputs.parts : [];
    fillChoice(parts.part, all.map((part, at) => [`part ${at}: ${part.count} vertices`, at]));
    parts.part.hidden = all.length < 2;
    fill();
  }
  function fill() {
    const part = inputs?.parts[Number(parts.part.value || 0)];
    const before = part ? part.attributes.map(({ name, format }, at) => [`before: ${name} (${format})`, at]) : [];
    fillChoice(parts.which, part ? [["after: as it is seen", "after"], ["after: clip coordinates", "clip"], ...before] : []);
    load();
  }
  async function load() {
    const mine = ++turn;
    const which = parts.which.value, part = Number(parts.part.value || 0);
    const path = `mesh/${event}/${part}/${which === "clip" ? "after" : which}`;
    const found = which === "" ? null : await answer(path);
    if (mine !== turn) return;
    mesh = found;
    if (!mesh) {
      parts.text.textContent = noneText("mesh", path, `inputs/${event}`);
    } else {
      const kept = mesh.positions.length / 4;
      const cut = kept < mesh.count ? `; only the first ${kept} are shown` : "";
      const edges = mesh.has_edges ? `, ${mesh.edges.length / 2} edges` :
        "; vertices alone, as a stage between makes others of them";
      parts.text.textContent = `${mesh.count} vertices${cut}${edges}. Drag or arrows turn, wheel or + and - zoom.`;
    }
    draw();
  }
  // Points of the mesh; as it is seen they are divided by w.
  function points() {
    const out = [];
    for (let at = 0; at < mesh.positions.length; at += 4) {
      const [x, y, z, w] = mesh.positions.slice(at, at + 4);
      const isSeen = parts.which.value === "after";
      const by = isSeen ? 1 / w : 1;
      const point = [x * by, y * by, z * by];
      out.push(isSeen && !(w > 0) || point.some((value) => value === null || !isFinite(value)) ? null : point);
    }
    return out;
  }
  function draw() {
    const canvas = parts.canvas, scale = devicePixelRatio || 1;
    const [width, height] = [canvas.clientWidth, canvas.clientHeight];
    if (!width || !height) return;
    [canvas.width, canvas.height] = [width * scale, height * scale];
    const context = canvas.getContext("2d");
    context.setTransform(scale, 0, 0, scale, 0, 0);
    if (!mesh) return;
    const style = getComputedStyle(document.documentElement);
    const all = points(), isSeen = parts.which.value === "after";
    let [low, high] = [[-1, -1, -1], [1, 1, 1]];
    if (!isSeen) {
      [low, high] = [[Infinity, Infinity, Infinity], [-Infinity, -Infinity, -Infinity]];
      for (const point of all) {
        for (let i = 0; point && i < 3; i++) {
          low[i] = Math.min(low[i], point[i]);
          high[i] = Math.max(high[i], point[i]);
        }
      }
    }
    const middle = low.map((value, i) => (value + high[i]) / 2);
    const extent = Math.max(...low.map((value, i) => high[i] - value), 1e-9);
    const unit = 0.9 * Math.min(width, height) / extent * view.zoom;
    const [siny, cosy] = [Math.sin(view.yaw), Math.cos(view.yaw)];
    const [sinp, cosp] = [Math.sin(view.pitch), Math.cos(view.pitch)];
    const onto = ([px, py, pz]) => {
      const [x, y, z] = [px - middle[0], py - middle[1], pz - middle[2]];
      const turned = [x * cosy + z * siny, z * cosy - x * siny];
      return [width / 2 + turned[0] * unit, height / 2 - (y * cosp - turned[1] * sinp) * unit];
    };
    const line = (a, b) => {
      context.moveTo(...onto(a));
      context.lineTo(...onto(b));
    };
    if (isSeen) {
      // What the view volume lets through.
      context.strokeStyle = style.getPropertyValue("--dim");
      context.beginPath();
      const corners = [[-1, -1, 0], [1, -1, 0], [1, 1, 0], [-1, 1, 0]];
      corners.forEach((corner, i) => line(corner, corners[(i + 1) % 4]));
      context.stroke();
    }
    context.strokeStyle = context.fillStyle = style.getPropertyValue("--strong");
    context.lineWidth = 0.7;
    context.beginPath();
    for (let at = 0; at < mesh.edges.length; at += 2) {
      const [a, b] = [all[mesh.edges[at]], all[mesh.edges[at + 1]]];
      if (!a || !b) continue;
      if (mesh.edges[at] === mesh.edges[at + 1]) context.rect(onto(a)[0] - 1, onto(a)[1] - 1, 2, 2);
      else line(a, b);
    }
    context.stroke();
    if (!mesh.has_edges) {
      for (const point of all) if (point) context.fillRect(onto(point)[0] - 1, onto(point)[1] - 1, 2, 2);
    }
  }
  return { title: "Mesh", start, show };
})();
