"use strict";
// Everything shown comes from the data in the page and is put in as text, never as markup.
const data = JSON.parse(document.getElementById("data").textContent);
const byId = (id) => document.getElementById(id);
const reasons = {
  unreachable: "proved: no input takes it",
  solver: "the solver gave up on every path to it",
  input: "it does not depend on an input that the run controls",
  lost: "what it depends on was lost on the way (see “What was lost”)",
  untried: "not tried yet: a longer run may take it",
};

function make(tag, className, text) {
  const element = document.createElement(tag);
  if (className) element.className = className;
  if (text !== undefined) element.textContent = text;
  return element;
}

// Sides of each file, by line.
const sidesOf = data.files.map(() => new Map());
data.sides.forEach((side, index) => {
  const lines = sidesOf[side.f];
  if (!lines.has(side.l)) lines.set(side.l, []);
  lines.get(side.l).push(index);
});
const childrenOf = new Map();
data.tests.forEach((test, index) => {
  if (test.a === undefined) return;
  if (!childrenOf.has(test.a)) childrenOf.set(test.a, []);
  childrenOf.get(test.a).push(index);
});

const sideName = (side) => `${data.files[side.f].name}:${side.l}:${side.c} ${side.k}`;
const short = (kind) => (kind === "true" ? "T" : kind === "false" ? "F" : kind.replace(/^case=/, "="));
const isTaken = (side) => side.t !== undefined;
const state = (side) => (isTaken(side) ? "taken" : side.r === "unreachable" ? "unreachable" : "open");

// The panel: a test, or why there is none.
function show(children) {
  byId("details").replaceChildren(...children);
  byId("panel").hidden = false;
}
byId("close").onclick = () => (byId("panel").hidden = true);
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape") byId("panel").hidden = true;
});

function testLink(index) {
  const link = make("a", "", data.tests[index].n);
  link.href = "#tests";
  link.onclick = (event) => (event.preventDefault(), showTest(index));
  return link;
}

function sideLink(index) {
  const side = data.sides[index];
  const link = make("a", "", sideName(side));
  link.href = `#f${side.f}`;
  link.onclick = (event) => (event.preventDefault(), openFile(side.f, side.l));
  return link;
}

function list(title, links) {
  const box = make("details");
  box.append(make("summary", "", `${title}: ${links.length}`));
  for (const link of links) {
    const line = make("div");
    line.append(link());
    box.append(line);
  }
  box.open = links.length <= 12;
  return box;
}

function testParts(index) {
  const test = data.tests[index];
  const inputs = test.i.map(([name, text, size]) => `${name} = ${text}${size > 16 ? `   (${size} bytes)` : ""}`);
  const parts = [make("p", "", `Ends with ${test.e}. Came from: ${test.o}.`)];
  parts.push(make("pre", "input", inputs.join("\n") || "no input"));
  parts.push(make("pre", "", `symcrete replay ${data.out}/${test.p}`));
  if (test.a !== undefined) {
    const parent = make("p", "", "Made from test ");
    parent.append(testLink(test.a));
    parts.push(parent);
  }
  if (test.s.length) parts.push(list("Branches it was the first to take", test.s.map((s) => () => sideLink(s))));
  const children = childrenOf.get(index) || [];
  if (children.length) parts.push(list("Tests made from it", children.map((c) => () => testLink(c))));
  return parts;
}

function showTest(index) {
  show([make("h3", "", `Test ${data.tests[index].n}`), ...testParts(index)]);
}

function showSide(index) {
  const side = data.sides[index];
  const head = make("h3", "", sideName(side));
  if (isTaken(side)) {
    const first = make("p", "", "First taken by test ");
    first.append(testLink(side.t));
    show([head, first, ...testParts(side.t)]);
  } else {
    const why = reasons[side.r] || "no reason is known: the run has no summary";
    show([head, make("p", "", `No test takes it: ${side.r ? `${side.r}, ` : ""}${why}.`)]);
  }
}

// The source, in pieces that are drawn when they come into sight.
const PIECE = 400;
const ROW = 19;
const CHIPS = 16;
let current = -1;
let rows = [];
let hitsOf = new Map();
let watcher = null;

function drawRow(file, number, text, hits) {
  const sides = sidesOf[file].get(number) || [];
  const taken = sides.filter((s) => isTaken(data.sides[s])).length;
  const run = hits === undefined ? taken > 0 : hits > 0;
  const known = hits !== undefined || sides.length > 0;
  const row = make("div", `row${!known ? "" : !run ? " miss" : taken < sides.length ? " part" : " hit"}`);
  const chips = make("span");
  const order = (index) => data.sides[index].c + (data.sides[index].k === "true" ? 0 : 0.5);
  [...sides].sort((a, b) => order(a) - order(b)).forEach((index, position) => {
    if (position === CHIPS) chips.append(make("span", "", `+${sides.length - CHIPS} `));
    if (position >= CHIPS && isTaken(data.sides[index])) return;
    if (position >= 4 * CHIPS) return;
    const chip = make("button", `chip ${state(data.sides[index])}`, short(data.sides[index].k));
    chip.type = "button";
    chip.title = sideName(data.sides[index]);
    chip.onclick = () => showSide(index);
    chips.append(chip);
  });
  row.append(make("span", "", number), make("span", "", hits ? `${hits}×` : ""), chips, make("span", "", text));
  return row;
}

function drawPiece(piece) {
  if (piece.childElementCount) return;
  const from = Number(piece.dataset.from);
  for (let i = from; i < Math.min(from + PIECE, rows.length); i++) {
    piece.append(drawRow(current, i + 1, rows[i], hitsOf.get(i + 1)));
  }
  piece.style.height = "";
}

function openFile(index, line) {
  const file = data.files[index];
  if (!file) return;
  const code = byId("code");
  if (current !== index) {
    current = index;
    if (watcher) watcher.disconnect();
    watcher = new IntersectionObserver((seen) => seen.filter((s) => s.isIntersecting).forEach((s) => drawPiece(s.target)), { root: code, rootMargin: "600px" });
    hitsOf = new Map(file.lines);
    byId("file").value = index;
    byId("warning").hidden = !file.warning;
    byId("warning").textContent = file.warning || "";
    // Without the source the lines with branches are still there.
    const last = [...sidesOf[index].keys(), ...file.lines.map((l) => l[0])].reduce((a, b) => Math.max(a, b), 0);
    rows = file.text === null ? Array(last).fill("") : file.text.replace(/\n$/, "").split("\n");
    code.replaceChildren();
    for (let from = 0; from < rows.length; from += PIECE) {
      const piece = make("div", "piece");
      piece.dataset.from = from;
      piece.style.height = `${ROW * Math.min(PIECE, rows.length - from)}px`;
      code.append(piece);
      if (rows.length <= 10 * PIECE) drawPiece(piece);
      else watcher.observe(piece);
    }
    if (!line) code.scrollTop = 0;
  }
  if (!line) return;
  byId("source").scrollIntoView();
  const piece = code.children[Math.floor((line - 1) / PIECE)];
  if (!piece) return;
  drawPiece(piece);
  code.querySelectorAll(".mark").forEach((row) => row.classList.remove("mark"));
  const row = piece.children[(line - 1) % PIECE];
  row.classList.add("mark");
  code.scrollTop += row.getBoundingClientRect().top - code.getBoundingClientRect().top - code.clientHeight / 3;
}

data.files.forEach((file, index) => byId("file").append(new Option(file.name, index)));
byId("file").onchange = () => openFile(Number(byId("file").value));
document.addEventListener("click", (event) => {
  const link = event.target.closest("a[data-file]");
  if (!link) return;
  event.preventDefault();
  openFile(Number(link.dataset.file), Number(link.dataset.line) || 1);
});

let uncovered = data.sides.map((_, i) => i).filter((i) => state(data.sides[i]) === "open");
uncovered.sort((a, b) => data.sides[a].f - data.sides[b].f || data.sides[a].l - data.sides[b].l || data.sides[a].c - data.sides[b].c);
let position = -1;
byId("next").disabled = !uncovered.length;
byId("next").onclick = () => {
  position = (position + 1) % uncovered.length;
  const side = data.sides[uncovered[position]];
  openFile(side.f, side.l);
  showSide(uncovered[position]);
};

// The list of tests: as many as one looks at.
const MOST = 300;
function drawTests() {
  const wanted = byId("filter").value.toLowerCase();
  const text = (test) => [test.n, test.o, test.e, ...test.i.map((i) => `${i[0]} ${i[1]}`), ...test.s.map((s) => sideName(data.sides[s]))].join("\n");
  const found = data.tests.map((_, i) => i).filter((i) => !wanted || text(data.tests[i]).toLowerCase().includes(wanted));
  byId("count").textContent = `${found.length} of ${data.tests.length}${found.length > MOST ? `, the first ${MOST} are shown` : ""}`;
  const table = make("table", "wide");
  const head = make("tr");
  for (const title of ["test", "input", "ends with", "new branches", "came from"]) head.append(make("th", "", title));
  table.append(head);
  for (const index of found.slice(0, MOST)) {
    const test = data.tests[index];
    const row = make("tr");
    const name = make("td");
    name.append(testLink(index));
    const input = test.i.map((i) => `${i[0]} = ${i[1]}`).join(", ");
    const cut = input.length > 90 ? `${input.slice(0, 90)}…` : input;
    row.append(name, make("td", "", cut), make("td", "", test.e), make("td", "number", test.s.length), make("td", "", test.o));
    table.append(row);
  }
  byId("list").replaceChildren(table);
}
byId("filter").oninput = drawTests;

// Who came from whom: one row per leaf, one column per generation.
function drawTree() {
  const space = "http://www.w3.org/2000/svg";
  const place = [];
  let leaf = 0;
  const roots = data.tests.map((_, i) => i).filter((i) => data.tests[i].a === undefined);
  const stack = roots.reverse().map((index) => [index, 0, false]);
  while (stack.length) {
    const [index, depth, seen] = stack.pop();
    const children = childrenOf.get(index) || [];
    if (seen || !children.length) {
      const middle = children.length ? (place[children[0]].y + place[children[children.length - 1]].y) / 2 : leaf++;
      place[index] = { x: depth, y: middle };
    } else {
      stack.push([index, depth, true]);
      for (let i = children.length - 1; i >= 0; i--) stack.push([children[i], depth + 1, false]);
    }
  }
  const svg = document.createElementNS(space, "svg");
  const deepest = place.reduce((most, p) => Math.max(most, p.x), 1);
  const width = 60 * deepest + 40;
  const height = 14 * leaf + 20;
  let box = { x: 0, y: 0, w: width, h: height };
  const look = () => svg.setAttribute("viewBox", `${box.x} ${box.y} ${box.w} ${box.h}`);
  const at = (p) => [20 + 60 * p.x, 10 + 14 * p.y];
  const lines = document.createElementNS(space, "path");
  lines.setAttribute("d", data.tests.map((test, i) => (test.a === undefined ? "" : `M${at(place[test.a])}L${at(place[i])}`)).join(""));
  lines.setAttribute("stroke", "currentColor");
  lines.setAttribute("stroke-opacity", "0.4");
  svg.append(lines);
  place.forEach((p, index) => {
    const dot = document.createElementNS(space, "circle");
    const [x, y] = at(p);
    dot.setAttribute("cx", x);
    dot.setAttribute("cy", y);
    dot.setAttribute("r", 3 + Math.min(4, Math.sqrt(data.tests[index].s.length)));
    dot.setAttribute("fill", data.tests[index].e.startsWith("exit") ? "#0072b2" : "currentColor");
    dot.onclick = () => showTest(index);
    svg.append(dot);
  });
  const zoom = (factor, fx = 0.5, fy = 0.5) => {
    box = { x: box.x + box.w * fx * (1 - factor), y: box.y + box.h * fy * (1 - factor), w: box.w * factor, h: box.h * factor };
    look();
  };
  svg.addEventListener("wheel", (event) => {
    event.preventDefault();
    const frame = svg.getBoundingClientRect();
    zoom(event.deltaY > 0 ? 1.25 : 0.8, (event.clientX - frame.left) / frame.width, (event.clientY - frame.top) / frame.height);
  }, { passive: false });
  svg.addEventListener("pointermove", (event) => {
    if (!(event.buttons & 1)) return;
    const scale = Math.max(box.w / svg.clientWidth, box.h / svg.clientHeight);
    box.x -= event.movementX * scale;
    box.y -= event.movementY * scale;
    look();
  });
  look();
  const [plus, minus] = [make("button", "", "+"), make("button", "", "−")];
  plus.onclick = () => zoom(0.8);
  minus.onclick = () => zoom(1.25);
  byId("canvas").replaceChildren(plus, " ", minus, svg);
}
byId("grow").onclick = drawTree;

drawTests();
if (data.files.length) {
  const asked = /^#f(\d+)$/.exec(location.hash);
  openFile(asked ? Number(asked[1]) : 0);
}
