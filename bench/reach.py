"""`symcrete reach` on the programs of the paper on symcretic execution, and `run --finish` on what campaigns leave open.

    python3 bench/reach.py [--only paper,finish] [--seconds 40]

paper    verdict, segments (stretches between points where more than one choice is offered) and CPU time of each target,
         compiling excluded
finish   uncovered outcomes after `run --finish --max-cpu SECONDS`: each has a reason, and those that no input takes are
         proved to be so

The randomised check of verdicts is `bench/reach/soundness.py`.
"""

import argparse
import json

from measure import CLANG, SUBJECTS, Failed, Results, run, staged_tool, workspace

# Target, function, options, verdict, most segments, the paper's segments.
PAPER = [
    ("hardloop", "hardloop", [], {1: ("reached", 22)}, "22"),
    ("dart", "dart1", [], {1: ("reached", 1)}, "1"),
    ("dart", "dart2", [], {2: ("reached", 1)}, "1"),
    ("unreach", "unreach", [], {1: ("unreachable", 1)}, "1"),
    ("slicing", "slicing", [], {1: ("unreachable", 1)}, "512"),
    ("slicing_mem", "slicing_mem", [], {1: ("unreachable", 20)}, "-"),
    ("narrow", "narrow", [], {1: ("reached", 2)}, "2"),
    ("easyloop", "easyloop", [], {1: ("reached", 7)}, "7"),
    ("trityp", "trityp", [], {1: ("reached", 3), 2: ("reached", 4), 3: ("reached", 14)}, "3, 4, 14"),
]


def ask(tool, work, name, function, options):
    """The answers of one run, by target."""
    native = []
    if name == "dart":
        native = [work / "dart_native.o"]
        run([CLANG, "-O2", "-c", SUBJECTS / "dart_native.c", "-o", native[0]])
    out = work / f"{name}-{function}-{len(list(work.iterdir()))}"
    command = [tool, "reach", "--targets", SUBJECTS / f"{name}.c", *native, "--function", function, "--cflags", "-lm",
               "--max-cpu", "20s", "--json", "--quiet", "--out", out, *options]
    answers = json.loads(run(command, accept=(0, 10, 11)).output)["targets"]
    return {int(answer["target"].split()[1]): answer for answer in answers}


def paper(tool, work, results):
    total = 0.0
    for name, function, options, wanted, theirs in PAPER:
        answers = ask(tool, work, name, function, options)
        for number, (verdict, most) in wanted.items():
            answer = answers[number]
            total += answer["seconds"]
            good = answer["verdict"] == verdict and answer["segments"] <= most
            results.row(f"{name} ({function}), target {number}", f"{answer['verdict']} {answer['segments']}",
                        f"{verdict} <= {most}", good, f"{answer['seconds']:.3f} s; paper {theirs}")
    results.row("all targets together, seconds", f"{total:.2f}", "<= 2", total <= 2, "paper 5 s")
    off = ask(tool, work, "hardloop", "hardloop", ["--loop-methods", "off"])[1]
    what = (off["obstacle"] or {}).get("what")
    results.row("hardloop without loop methods", f"{off['verdict']} {what}", "unknown loop",
                off["verdict"] == "unknown" and what == "loop", f"line {(off['obstacle'] or {}).get('line')}")
    plain = ask(tool, work, "slicing_mem", "slicing_mem", ["--slice", "off"])[1]
    sliced = ask(tool, work, "slicing_mem", "slicing_mem", [])[1]
    ratio = plain["segments"] / sliced["segments"]
    results.row("slicing_mem, segments without / with slicing", f"{ratio:.0f}", ">= 100", ratio >= 100,
                f"{plain['segments']} and {sliced['segments']}")


def finish(tool, work, results, seconds):
    cases = [("unreach", ["--function", "unreach"], None), ("slicing", ["--function", "slicing"], None),
             ("parser", ["--max-len", "64"], None), ("statem", ["--function", "serve"], None), ("fp", [], 10)]
    for name, options, infeasible in cases:
        out = work / f"finish-{name}"
        run([tool, "run", SUBJECTS / f"{name}.c", *options, "--cflags", "-lm", "--finish", "--max-cpu", f"{seconds}s",
             "--quiet", "--out", out], accept=(0, 1))
        summary = json.loads((out / "summary.json").read_text())
        left = summary["uncovered"]
        proved = [u for u in left if u["reason"] == "unreachable"]
        bar = {"unreach": 2, "slicing": 1, "fp": 10}.get(name, 0)
        good = all(u["reason"] for u in left) and len(proved) >= bar
        results.row(f"{name} after --finish: proved of uncovered", f"{len(proved)} of {len(left)}",
                    f">= {bar} proved", good, f"{summary['branches_covered']} of {summary['branches_total']} covered")
        results.detail(name, left)


def main():
    parse = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parse.add_argument("--only", default="paper,finish")
    parse.add_argument("--seconds", type=int, default=40)
    options = parse.parse_args()
    parts = options.only.split(",")
    work = workspace()
    tool = staged_tool(work)
    results = Results("reach")
    try:
        if "paper" in parts:
            paper(tool, work, results)
        if "finish" in parts:
            finish(tool, work, results, options.seconds)
    except Failed as error:
        print(error)
    results.keep(partial=set(parts) != {"paper", "finish"})


if __name__ == "__main__":
    main()
