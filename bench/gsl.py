"""The field study of the paper on optimal concolic testing: twenty functions of GSL, `auto` beside random testing, greedy and
KLEE's strategies in equal CPU time.

    python3 bench/gsl.py [--budgets 1,3,10] [--seeds 1] [--strategies auto,random,...] [--gsl NAME,...]

One campaign of the largest budget for each function, strategy and seed; a smaller budget is what it had kept by then (the time
series says which tests those are). Judged by clang's coverage of the file under test, over the tests replayed on a plain -O0
build: branch outcomes, and instructions of LLVM's code, each where its source location lies. Shares are of what the functions
have that any of the strategies entered; a strategy's figure is the mean over the functions. How often each strategy chose a
random run (RT) and a solved one (SE) is kept by function.
"""

import argparse
import bisect
import collections
import json
import pathlib
import re
import statistics

import floats
import llvm_cov
from measure import CLANG, SUBJECTS, Failed, Results, run, staged_tool, workspace

STRATEGIES = ["auto", "random", "greedy", "rcn", "rss", "rps", "dfs"]


class Function:
    """One function of GSL behind its harness: a target, a coverage build, and where its instructions lie."""

    def __init__(self, tool, work, path, source, build, tracked):
        self.name, self.source, self.folder = path.stem, source, work / path.stem
        self.folder.mkdir()
        flags = [*floats.includes(source, build), f"-I{SUBJECTS / 'gsl'}", "-w"]
        compiler = pathlib.Path(tool).with_name("symcrete-cc")
        self.target, self.judge = self.folder / "target", self.folder / "judge"
        run([compiler, "-O2", "-g", *flags, path, SUBJECTS / "gsl" / "harness.c", tracked, "-lm", "-o", self.target])
        subject = self.folder / "judge.o"
        run([CLANG, "-O0", "-g", "-fprofile-instr-generate", "-fcoverage-mapping", *flags, "-c", path, "-o", subject])
        run([CLANG, *flags, subject, SUBJECTS / "gsl" / "harness.c", SUBJECTS / "run" / "files.c", build / "libgslsub.a",
             "-fprofile-instr-generate", "-lm", "-o", self.judge])
        self.length = re.search(r"\((\d+) bytes\)", path.read_text()).group(1)
        self.code = instructions(run([CLANG, "-O0", "-g", "-S", "-emit-llvm", *flags, path, "-o", "-"]).output)

    def campaign(self, tool, strategy, seed, cpu):
        out = self.folder / f"{strategy}-{seed}"
        run([tool, "run", "--target", self.target, "--max-len", self.length, "--strategy", strategy, "--seed", seed,
             "--max-cpu", f"{cpu:g}s", "--out", out, "--quiet"], accept=(0, 1))
        return out

    def covered(self, out, cpu):
        """What the tests kept within the time cover: a set of outcomes, and by function a set of instructions."""
        series = [json.loads(line) for line in (out / "progress.jsonl").read_text().splitlines()]
        kept = max((each["tests"] for each in series if each["cpu_seconds"] <= cpu), default=0)
        files = []
        for number, data in enumerate(list(llvm_cov.inputs_of(out))[:kept]):
            files.append(self.folder / f"{number}.in")
            files[-1].write_bytes(data)
        raw, merged = self.folder / "raw", self.folder / "merged"
        run([self.judge, *files], env={"LLVM_PROFILE_FILE": str(raw)})
        run(["llvm-profdata-22", "merge", "-sparse", raw, "-o", merged])
        report = json.loads(run(["llvm-cov-22", "export", self.judge, f"-instr-profile={merged}"]).output)["data"][0]
        return self.taken(report)

    def taken(self, report):
        """Functions of GSL's own file that were entered, and what of them was run."""
        counts = {file["filename"]: [(tuple(segment[:2]), segment[2]) for segment in file["segments"]] for file in report["files"]}
        found = Taken()
        for function in report["functions"]:
            names = function["filenames"]
            if not names[0].startswith(str(self.source)) or function["count"] == 0:
                continue
            name = function["name"].rpartition(":")[2]
            for line, start, last, end, true, false, file, _, kind, *_ in function["branches"]:
                condition = floats.lines_of(names[file])[line - 1][start - 1:end - 1] if line == last else ""
                if kind != 4 or condition.isdigit():
                    continue
                sides = [(name, names[file], line, start, side) for side in (True, False)]
                found.outcomes.update(sides)
                found.outcomes_run.update(side for side, count in zip(sides, (true, false)) if count)
            for at, place in enumerate(self.code[name]):
                found.instructions.add((name, at))
                if count_at(counts[names[0]], place):
                    found.instructions_run.add((name, at))
        return found


class Taken:
    """Of the functions entered: all outcomes and instructions, and those that were run."""

    def __init__(self):
        self.outcomes, self.outcomes_run, self.instructions, self.instructions_run = set(), set(), set(), set()


def instructions(text):
    """By function, the place in the source of each instruction that has one."""
    places = {number: (int(line), int(column)) for number, line, column in
              re.findall(r"^!(\d+) = !DILocation\(line: (\d+), column: (\d+)", text, re.MULTILINE)}
    found, name = collections.defaultdict(list), None
    for line in text.splitlines():
        start = re.match(r"define .*?@([\w.$]+)\(", line)
        if start:
            name = start.group(1)
        elif line == "}":
            name = None
        elif name and (where := re.search(r"!dbg !(\d+)", line)) and where.group(1) in places and not line.lstrip().startswith("#dbg"):
            found[name].append(places[where.group(1)])
    return found


def count_at(segments, place):
    """How often the code at a place was run: each segment reaches to the next one."""
    at = bisect.bisect_right(segments, (place, float("inf"))) - 1
    return segments[at][1] if at >= 0 else 0


def share(run_by, total):
    return 100 * len(run_by) / max(len(total), 1)


def measured(results, tool, function, options, shares):
    """All strategies on one function."""
    taken, counts = {}, {}
    for strategy in options.strategies:
        for seed in options.seeds:
            out = function.campaign(tool, strategy, seed, max(options.budgets))
            summary = json.loads((out / "summary.json").read_text())
            counts[strategy] = {"RT": summary["random_runs"], "SE": summary["flips"], "solver calls": summary["solver_calls"]}
            for cpu in options.budgets:
                taken[strategy, seed, cpu] = function.covered(out, cpu)
    outcomes = set().union(*(each.outcomes for each in taken.values()))
    code = set().union(*(each.instructions for each in taken.values()))
    detail = {}
    for cpu in options.budgets:
        for strategy in options.strategies:
            each = [taken[strategy, seed, cpu] for seed in options.seeds]
            pair = (statistics.fmean(share(one.instructions_run, code) for one in each),
                    statistics.fmean(share(one.outcomes_run, outcomes) for one in each))
            shares[cpu, strategy].append(pair)
            detail[f"{strategy}, {cpu:g} CPU-s"] = [round(value, 1) for value in pair]
    results.detail(function.name, {"instructions": len(code), "outcomes": len(outcomes), "shares": detail, "chosen": counts})
    last = max(options.budgets)
    print(f"        {function.name}: " + ", ".join(f"{strategy} {shares[last, strategy][-1][1]:.0f}" for strategy in options.strategies), flush=True)


def judged(results, options, names, shares):
    others = [strategy for strategy in options.strategies if strategy != "auto"]
    for cpu in options.budgets:
        means = {strategy: [statistics.fmean(column) for column in zip(*shares[cpu, strategy])] for strategy in options.strategies}
        for at, what in enumerate(("instructions", "branch outcomes")):
            best = max(others, key=lambda strategy: means[strategy][at])
            table = ", ".join(f"{strategy} {means[strategy][at]:.1f}" for strategy in sorted(means, key=lambda s: -means[s][at]))
            results.row(f"GSL, {len(names)} functions, {cpu:g} CPU-s: {what} of auto, mean", f"{means['auto'][at]:.1f} %",
                        f">= {means[best][at]:.1f} % ({best})", means["auto"][at] >= means[best][at], table)
            last = [name for name, ours, *theirs in zip(names, *(shares[cpu, strategy] for strategy in ("auto", *others)))
                    if ours[at] < min(their[at] for their in theirs)]
            results.row(f"GSL, {cpu:g} CPU-s: functions on which auto is last in {what}", len(last), "0", not last, ", ".join(last))


def main():
    parse = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    numbers = lambda kind: lambda text: [kind(word) for word in text.split(",")]
    parse.add_argument("--budgets", type=numbers(float), default=[1, 3, 10], help="CPU seconds of a campaign")
    parse.add_argument("--seeds", type=numbers(int), default=[1])
    parse.add_argument("--strategies", type=numbers(str), default=STRATEGIES)
    parse.add_argument("--gsl", default="", help="only these functions")
    options = parse.parse_args()
    work = workspace()
    tool = staged_tool(work)
    results = Results("gsl")
    source, build, files = floats.gsl_sources()
    tracked = floats.tracked_archive(tool, source, build, files)
    names, shares = [], collections.defaultdict(list)
    for path in sorted((SUBJECTS / "gsl").glob("*.c")):
        if path.stem == "harness" or options.gsl and path.stem not in options.gsl.split(","):
            continue
        try:
            measured(results, tool, Function(tool, work, path, source, build, tracked), options, shares)
            names.append(path.stem)
        except Failed as why:
            results.row(path.stem, "none", "a figure", False, "failed, see details")
            results.detail(path.stem, str(why))
    if names:
        judged(results, options, names, shares)
    results.keep(partial=bool(options.gsl))


if __name__ == "__main__":
    main()
