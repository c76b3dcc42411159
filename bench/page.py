#!/usr/bin/env python3
"""The page of `symcrete report` in a browser: a large made-up run (10^5 lines, 10^4 tests) and, with a folder as
argument, a real one. Measures size and opening time, clicks on a branch and looks whether the right test is shown.

    apt-get install chromium
    bench/page.py [OUT]
    bench/page.py --expat [CPU-TIME]    builds expat's harness (bench/real/expat.sh), runs it for five CPU-minutes unless
                                        told otherwise, and keeps what its page is like in runs/page.json
    bench/page.py --keep OUT            the last part of that for an expat run that is there already
"""
import json
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import tempfile

from measure import BENCH, ROOT, Results, identity, measured_tool

STAGE = pathlib.Path(os.environ.get("SYMCRETE_STAGE", ROOT / "target/stage"))
TOOL = STAGE / "bin/symcrete"

# Put at the end of a copy of the page: clicks, and writes down what it sees.
PROBE = """<script>
const opened = performance.now();
const answer = { opened };
requestAnimationFrame(() => setTimeout(() => {
  answer.painted = performance.now();
  const taken = data.sides.filter((s) => s.t !== undefined);
  if (taken.length > 0) {
    // The last one: of the files that the page does not show by itself.
    const side = taken[taken.length - 1];
    answer.clicks = 0;
    const click = (element) => { answer.clicks += 1; element.click(); };
    click(document.querySelector(`a[data-file="${side.f}"]`));
    // What a reader does by scrolling.
    openFile(side.f, side.l);
    const chips = [...document.querySelectorAll(".row.mark .chip.taken")];
    click(chips.find((c) => c.title === sideName(side)));
    answer.wanted = data.tests[side.t].n;
    answer.shown = document.querySelector("#details a").textContent;
    answer.panel = !byId("panel").hidden;
  }
  byId("next").click();
  answer.reason = byId("details").textContent;
  const before = performance.now();
  byId("grow").click();
  answer.tree = performance.now() - before;
  answer.dots = document.querySelectorAll("#canvas circle").length;
  const begun = performance.now();
  byId("draw-tree").click();
  answer.drawing = performance.now() - begun;
  const dots = [...document.querySelectorAll("#tree-canvas circle")];
  answer.nodes = dots.length;
  answer.decisions = data.tree.nodes.length;
  if (dots.length) {
    // A decision that some test was first at: its line is marked, and that test is named.
    const at = data.tree.nodes.findIndex((node) => node[3] >= 0 && node[0] >= 0 && data.tree.places[node[2]][0] >= 0);
    const node = data.tree.nodes[Math.max(at, 0)];
    dots[Math.max(at, 0)].dispatchEvent(new MouseEvent("click", { bubbles: true }));
    answer.line = document.querySelector(".row.mark span").textContent;
    answer.wantedLine = String(data.tree.places[node[2]][2]);
    answer.first = node[3] < 0 || document.querySelector("#details a").textContent === data.tests[node[3]].n;
    const marks = (name) => (document.querySelector(`#tree-canvas path.${name}`).getAttribute("d").match(/M/g) || []).length;
    answer.open = marks("mark-open");
    answer.infeasible = marks("mark-infeasible");
    const letters = (wanted) => data.tree.nodes.reduce((sum, n) => sum + lettersOf(n).filter((c) => c === wanted).length, 0);
    answer.wantedOpen = letters("o");
    answer.wantedInfeasible = letters("i");
    const zoomed = document.querySelector("#tree-canvas svg");
    const view = zoomed.getAttribute("viewBox");
    document.querySelector("#tree-canvas button").click();
    answer.zoomed = view !== zoomed.getAttribute("viewBox");
  }
  answer.elements = document.querySelectorAll("*").length;
  const out = document.createElement("pre");
  out.id = "answer";
  out.textContent = JSON.stringify(answer);
  document.body.replaceChildren(out);
}));
</script></body>"""


def made_up(out, files=20, lines=5000, tests=10_000):
    """A run's folder of that size."""
    source = out.parent / "src"
    source.mkdir(parents=True)
    (out / "tests").mkdir(parents=True)
    lcov, sides = [], []
    for f in range(files):
        path = source / f"file{f}.c"
        path.write_text("".join(f"  if (input[{i}] == {i % 251}) total += table[{i}][{f}]; /* some text */\n" for i in range(lines)))
        lcov += ["TN:", f"SF:{path}", "FN:1,main_of_file", "FNDA:3,main_of_file"]
        lcov += [f"DA:{i + 1},{(i * 7 + f) % 3}" for i in range(lines)] + ["end_of_record"]
        sides += [f"src/file{f}.c:{i + 1}:7:{kind}" for i in range(0, lines, 2) for kind in ("true", "false")]
    (out / "coverage.lcov").write_text("\n".join(lcov) + "\n")
    target = {"folder": str(out.parent)}
    (out / "campaign.json").write_text(json.dumps({"format": 1, "tool": "symcrete", "version": "0", "name": "large", "target": target}))
    share = len(sides) * 3 // 4 // tests
    for n in range(1, tests + 1):
        bytes_ = bytes((n * 31 + i) % 256 for i in range(64))
        text = "".join(chr(b) if 32 <= b < 127 else f"\\x{b:02x}" for b in bytes_)
        test = {"format": 1, "inputs": [{"name": "stdin", "kind": "stdin", "hex": bytes_.hex(), "text": text}],
                "origin": "random" if n < 3 else f"flip of test {n // 2} at {sides[n]}", "new_sides": sides[(n - 1) * share:n * share],
                "end": {"exit": 0}, "seconds": 0.001}
        (out / f"tests/{n:06}.json").write_text(json.dumps(test))
    covered = share * tests
    reasons = ["untried", "solver", "lost", "input", "unreachable"]
    uncovered = [{"branch": s, "file": s.split(":")[0], "line": int(s.split(":")[1]), "reason": reasons[i % 5]} for i, s in enumerate(sides[covered:])]
    numbers = ("seed executions tracked_executions solver_calls sat unsat unknown diverged functions_touched branches_in_touched "
               "iterations random_runs flips peak_memory_mb").split()
    summary = {name: 1 for name in numbers} | {
        "format": 1, "target": "large", "entry": "main", "strategy": "auto", "cpu_seconds": 300.0, "wall_seconds": 300.0,
        "solver_seconds": 10.0, "branches_total": len(sides), "branches_covered": covered, "tests": tests, "bugs": [],
        "exhausted": False, "interrupted": False, "lost": [], "uncovered": uncovered, "layers": {}, "targets_reached": [],
        "nondeterministic": False, "version": "0"}
    (out / "summary.json").write_text(json.dumps(summary))
    # Two sides a decision, in the order of a heap; the last ones are open, infeasible or the end of a run.
    nodes = []
    for n in range(10_000):
        sides = "".join("t" if 2 * n + s + 1 < 10_000 else "oie"[(n + s) % 3] for s in (0, 1))
        nodes.append([(n - 1) // 2 if n else -1, (n + 1) % 2, n % 2000, n % tests + 1, sides, 5 if n > 9_990 else 0])
    places = [[f"src/file{p % files}.c", 2 * p + 1, 7, ["false", "true"]] for p in range(2000)]
    (out / "tree.json").write_text(json.dumps({"format": 1, "total": 10_045, "places": places, "nodes": nodes}))
    (out / "progress.jsonl").write_text("".join(json.dumps({"seconds": i, "iterations": 100 * i, "tests": tests * i // 300}) + "\n" for i in range(301)))


def judge(out):
    subprocess.run([TOOL, "report", out], check=True, stdout=subprocess.DEVNULL)
    page = out / "report/index.html"
    text = page.read_text()
    probed = page.with_name("probed.html")
    probed.write_text(text.replace("</body>", PROBE))
    browser = shutil.which("chromium") or shutil.which("chromium-browser") or sys.exit("no chromium: apt-get install chromium")
    dom = subprocess.run([browser, "--headless=new", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=20000", "--dump-dom", probed.as_uri()],
                         capture_output=True, text=True, timeout=120).stdout
    probed.unlink()
    found = re.search(r'id="answer">(.*?)</pre>', dom, re.S)
    if not found:
        sys.exit(f"{page}: the page's script failed")
    answer = json.loads(found.group(1).replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&"))
    megabytes = answer["megabytes"] = page.stat().st_size / 1e6
    right = answer["right"] = answer.get("wanted") == answer.get("shown")
    print(f"{out}: {megabytes:.1f} MB (≤ 20), painted after {answer['painted']:.0f} ms (≤ 2000), tree of {answer['dots']} in {answer['tree']:.0f} ms, "
          f"execution tree of {answer['nodes']} in {answer['drawing']:.0f} ms, {answer['elements']} elements, a click on a branch shows {'the right' if right else 'ANOTHER'} test; uncovered: {answer['reason'][:90]}")
    tree = answer["nodes"] == answer["decisions"]
    if answer["nodes"]:
        tree &= (answer["line"] == answer["wantedLine"] and answer["first"] and answer["zoomed"]
                 # Of decisions with many sides only the first few are marked.
                 and all(answer[a] <= answer[b] and (answer[a] > 0) == (answer[b] > 0)
                         for a, b in (("open", "wantedOpen"), ("infeasible", "wantedInfeasible"))))
    if not tree:
        print(f"the execution tree is WRONG: {answer}")
    answer["fine"] = right and tree and megabytes <= 20
    return answer


def expat(out):
    """The bars, on the page of an expat run."""
    summary = json.loads((out / "summary.json").read_text())
    measured_tool.update(identity(STAGE))
    rounds = [judge(out) for _ in range(3)]
    painted = statistics.median(answer["painted"] for answer in rounds)
    answer = rounds[0]
    results = Results("page")
    what = f"page of an expat run, {summary['cpu_seconds']:.0f} CPU-s, {summary['tests']} tests"
    results.row(f"{what}: MB", f"{answer['megabytes']:.1f}", "≤ 20", answer["megabytes"] <= 20)
    results.row(f"{what}: opened and painted, ms", f"{painted:.0f}", "≤ 2000", painted <= 2000, "median of three, headless Chromium")
    results.row(f"{what}: clicks to the test of a line", f"{answer['clicks']}", "≤ 2", answer["right"] and answer["clicks"] <= 2,
                "the file, then the side beside the line; the test shown is the right one" if answer["right"] else "ANOTHER test is shown")
    results.detail("rounds", rounds)
    results.keep()
    return all(row["holds"] for row in results.rows)


def main():
    words = sys.argv[1:]
    if words[:1] == ["--keep"]:
        sys.exit(not expat(pathlib.Path(words[1])))
    if words[:1] == ["--expat"]:
        work = ROOT / "target/real"
        subprocess.run([BENCH / "real/expat.sh", *words[1:]], check=True, env={**os.environ, "WORK": str(work)})
        sys.exit(not expat(work / "expat/out"))
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "out"
        made_up(out)
        fine = judge(out)["fine"]
    for name in words:
        fine &= judge(pathlib.Path(name))["fine"]
    sys.exit(0 if fine else 1)


if __name__ == "__main__":
    main()
