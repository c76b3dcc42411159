"""Speed of the two bodies against native -O2, with nothing symbolic: the built target run by hand.

    python3 bench/bodies.py [--rounds 9] [--seconds 0.3]

Native, fast body, tracking body (SYMCRETE_BODY=tracking) and tracking body with full paths recorded
(SYMCRETE_BODY=tracking-paths) run in turn on one large valid input each; a ratio is the median over the rounds of
ours / native within a round.
"""

import argparse

import inputs
from measure import CLANG, SUBJECTS, Failed, Results, geometric_mean, interleaved, median_ratio, run, staged_tool, workspace

NAMES = ["parser", "bsort", "sha256", "crc32", "matmul"]
BODIES = {"native": {}, "fast": {}, "tracking": {"SYMCRETE_BODY": "tracking"}, "paths": {"SYMCRETE_BODY": "tracking-paths"}}


def build(tool, work, name):
    """Native and ours, the driver in a unit of its own in both, so that nothing is inlined into the loop."""
    programs = {}
    for kind, compiler in (("native", [CLANG]), ("ours", [tool, "cc"])):
        objects = []
        for part in (SUBJECTS / f"{name}.c", SUBJECTS / "run" / "repeat.c"):
            objects.append(work / f"{name}-{part.stem}-{kind}.o")
            run([*compiler, "-O2", f"-DVERDICT={name}_verdict", "-c", part, "-o", objects[-1]])
        programs[kind] = work / f"{name}-{kind}"
        run([*compiler, "-O2", *objects, "-o", programs[kind]])
    return {body: programs["native" if body == "native" else "ours"] for body in BODIES}


def measured(tool, work, name, rounds, seconds):
    """Nanoseconds of one run for each body and round."""
    programs = build(tool, work, name)
    data = work / f"{name}.in"
    data.write_bytes(inputs.LARGE[name])

    def once(body, times):
        nanoseconds, verdict = run([programs[body], data, times], env=BODIES[body]).output.split()
        return float(nanoseconds), int(verdict)

    speed, expected = once("native", 1000)
    times = {body: max(10, int(seconds * 1e9 / once(body, 100)[0])) for body in BODIES}
    if name == "parser" and expected < 100:
        raise Failed("the parser refuses the document")

    def measure(body):
        nanoseconds, verdict = once(body, times[body])
        if verdict != expected:
            raise Failed(f"{name}: the {body} body answers {verdict}, native {expected}")
        return nanoseconds

    return interleaved({body: lambda body=body: measure(body) for body in BODIES}, rounds)


def main():
    parse = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parse.add_argument("--rounds", type=int, default=9)
    parse.add_argument("--seconds", type=float, default=0.3, help="CPU time of one measurement")
    options = parse.parse_args()
    work = workspace()
    tool = staged_tool(work)
    results = Results("bodies")
    fast, tracking, paths = {}, {}, {}
    for name in NAMES:
        taken = measured(tool, work, name, options.rounds, options.seconds)
        fast[name] = median_ratio(taken["fast"], taken["native"])
        tracking[name] = median_ratio(taken["tracking"], taken["native"])
        paths[name] = median_ratio(taken["paths"], taken["native"])
        results.detail(name, {"fast": round(fast[name], 3), "tracking": round(tracking[name], 3), "paths": round(paths[name], 3),
                              "nanoseconds": {body: [round(t) for t in times] for body, times in taken.items()}})

    def each(ratios):
        return ", ".join(f"{name} {ratio:.2f}" for name, ratio in ratios.items())

    mean = geometric_mean(fast.values())
    results.row("fast body / native -O2", f"{mean:.2f}", "<= 1.2", mean <= 1.2, each(fast))
    without = {name: ratio for name, ratio in tracking.items() if name != "matmul"}
    mean = geometric_mean(without.values())
    results.row("tracking body, nothing symbolic / native -O2", f"{mean:.2f}", "<= 3", mean <= 3, each(without))
    without = {name: ratio for name, ratio in paths.items() if name != "matmul"}
    mean = geometric_mean(without.values())
    results.row("tracking body with full paths on / native -O2", f"{mean:.2f}", "<= 4", mean <= 4, each(without))
    results.row("tracking body, nothing symbolic, matmul", f"{tracking['matmul']:.2f}", "<= 8", tracking["matmul"] <= 8)
    results.keep()


if __name__ == "__main__":
    main()
