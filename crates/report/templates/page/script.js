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

// `stay`: the line is marked, and the page stays where it is.
function openFile(index, line, stay) {
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
  if (!stay) byId("source").scrollIntoView();
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

// Forests: one column per step away from the root; the first child is in the row of its parent, the others below, small
// ones first, so that what is near the root is near on the screen. `parents[i]` is a position or -1.
const space = "http://www.w3.org/2000/svg";
const svgElement = (tag, attributes) => {
  const element = document.createElementNS(space, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  return element;
};

function places(parents) {
  const children = parents.map(() => []);
  parents.forEach((parent, index) => parent >= 0 && children[parent].push(index));
  const roots = parents.map((_, index) => index).filter((index) => parents[index] < 0);
  const order = [];
  for (const stack = [...roots]; stack.length;) {
    const index = stack.pop();
    order.push(index);
    stack.push(...children[index]);
  }
  const size = parents.map(() => 1);
  for (const index of order.reverse()) if (parents[index] >= 0) size[parents[index]] += size[index];
  const place = [];
  let row = -1;
  const stack = roots.reverse().map((index) => [index, 0, false]);
  while (stack.length) {
    const [index, depth, beside] = stack.pop();
    if (!beside) row++;
    place[index] = { x: 60 * depth, y: 14 * row };
    const below = children[index].sort((a, b) => size[b] - size[a]);
    below.forEach((child, i) => stack.push([child, depth + 1, i === below.length - 1]));
  }
  return place;
}

// Draws a forest into a box. `dots(index)` gives class and radius; `marks` are extra paths, by class.
function drawForest(box, parents, dots, marks, clicked) {
  const place = places(parents);
  const svg = svgElement("svg", { preserveAspectRatio: "xMinYMin" });
  const edges = parents.map((parent, i) => (parent < 0 ? "" : `M${place[parent].x} ${place[parent].y}V${place[i].y}H${place[i].x}`));
  svg.append(svgElement("path", { class: "edges", d: edges.join("") }));
  for (const [name, path] of Object.entries(marks(place))) svg.append(svgElement("path", { class: name, d: path }));
  place.forEach((p, index) => {
    const [name, radius] = dots(index);
    svg.append(svgElement("circle", { cx: p.x, cy: p.y, r: radius, class: name, "data-at": index }));
  });
  // One listener for all of them: there may be ten thousand.
  svg.addEventListener("click", (event) => {
    const at = event.target.dataset && event.target.dataset.at;
    if (at === undefined) return;
    svg.querySelectorAll(".chosen").forEach((dot) => dot.classList.remove("chosen"));
    event.target.classList.add("chosen");
    clicked(Number(at));
  });
  const all = {
    x: -20, y: -20,
    w: place.reduce((most, p) => Math.max(most, p.x), 60) + 60,
    h: place.reduce((most, p) => Math.max(most, p.y), 14) + 40,
  };
  let view = { ...all };
  // What is too large to see as a whole is opened at its beginning.
  const begin = () => {
    view = { ...all, w: Math.min(all.w, 1200), h: Math.min(all.h, 560) };
    look();
  };
  const look = () => svg.setAttribute("viewBox", `${view.x} ${view.y} ${view.w} ${view.h}`);
  const zoom = (factor, fx = 0.5, fy = 0.5) => {
    view = { x: view.x + view.w * fx * (1 - factor), y: view.y + view.h * fy * (1 - factor), w: view.w * factor, h: view.h * factor };
    look();
  };
  svg.addEventListener("wheel", (event) => {
    event.preventDefault();
    const frame = svg.getBoundingClientRect();
    zoom(event.deltaY > 0 ? 1.25 : 0.8, (event.clientX - frame.left) / frame.width, (event.clientY - frame.top) / frame.height);
  }, { passive: false });
  svg.addEventListener("pointermove", (event) => {
    if (!(event.buttons & 1)) return;
    const scale = Math.max(view.w / svg.clientWidth, view.h / svg.clientHeight);
    view.x -= event.movementX * scale;
    view.y -= event.movementY * scale;
    look();
  });
  const button = (text, action) => {
    const element = make("button", "", text);
    element.type = "button";
    element.onclick = action;
    return element;
  };
  begin();
  const whole = () => ((view = { ...all }), look());
  box.replaceChildren(button("+", () => zoom(0.8)), " ", button("−", () => zoom(1.25)), " ", button("all", whole), " ", button("begin", begin), svg);
}

// Who came from whom.
byId("grow").onclick = () => {
  const dots = (index) => {
    const test = data.tests[index];
    return [test.e.startsWith("exit") ? "" : "bad", 3 + Math.min(4, Math.sqrt(test.s.length))];
  };
  drawForest(byId("canvas"), data.tests.map((t) => (t.a === undefined ? -1 : t.a)), dots, () => ({}), showTest);
};

// The execution tree. A node: above, side of that, place, first test, letters of the sides, nodes left out below.
const sideStates = {
  o: "open: not tried yet", t: "taken", e: "taken, and the run ended there", i: "infeasible: no input goes there",
  u: "the solver gave up", d: "a run that should have gone there went elsewhere", x: "excluded by an assumption",
};
const lettersOf = (node) => [...node[4]].filter((c) => sideStates[c]);
const markOf = { o: "mark-open", i: "mark-infeasible", u: "mark-unknown", d: "mark-unknown" };

function treeMarks(place) {
  const paths = { "mark-open": [], "mark-infeasible": [], "mark-unknown": [], "mark-more": [] };
  data.tree.nodes.forEach((node, index) => {
    const { x, y } = place[index];
    // Beside the node, one after the other; of many sides the first few.
    let at = x + 8;
    for (const letter of lettersOf(node)) {
      const name = markOf[letter];
      if (!name || at > x + 34) continue;
      const shape = letter === "o" ? `M${at} ${y + 5}m-2 0a2 2 0 1 0 4 0a2 2 0 1 0-4 0` : letter === "i" ? `M${at - 2} ${y + 3}l4 4m0-4l-4 4` : `M${at - 2} ${y + 3}l4 0l-2 4z`;
      paths[name].push(shape);
      at += 6;
    }
    if (node[5]) paths["mark-more"].push(`M${x + 6} ${y}h2m2 0h2m2 0h2`);
  });
  return Object.fromEntries(Object.entries(paths).map(([name, path]) => [name, path.join("")]));
}

function showNode(index) {
  const [, , placed, test, letters, more] = data.tree.nodes[index];
  const [file, name, line, column, names] = data.tree.places[placed];
  const head = make("h3", "", `Decision at ${name}:${line}:${column}`);
  const link = make("a", "", "show the line");
  link.href = `#f${file}`;
  link.onclick = (event) => (event.preventDefault(), openFile(file, line));
  const first = make("p", "", test < 0 ? "No run that came here was kept as a test. " : "First reached by test ");
  if (test >= 0) first.append(testLink(test), ". ");
  first.append(file < 0 ? "It is in a part whose source is not on this page, such as a model of a library function." : link);
  const table = make("table", "wide");
  lettersOf(data.tree.nodes[index]).forEach((letter, side) => {
    const row = make("tr");
    row.append(make("td", "", names[side] || String(side)), make("td", markOf[letter] || "", sideStates[letter]));
    table.append(row);
  });
  const rest = [];
  const wide = /\d+$/.exec(letters);
  if (wide) rest.push(make("p", "", `and ${wide[0]} more sides`));
  if (more) rest.push(make("p", "", `${more} decisions below are not on this page`));
  show([head, first, table, ...rest]);
  if (file >= 0) openFile(file, line, true);
}

byId("draw-tree").disabled = !data.tree.nodes.length;
byId("draw-tree").onclick = () => {
  const dots = (index) => [data.tree.nodes[index][3] < 0 ? "nobody" : "", 3.5];
  drawForest(byId("tree-canvas"), data.tree.nodes.map((node) => node[0]), dots, treeMarks, showNode);
};

drawTests();
if (data.files.length) {
  const asked = /^#f(\d+)$/.exec(location.hash);
  openFile(asked ? Number(asked[1]) : 0);
}
