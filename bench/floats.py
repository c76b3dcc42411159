"""Floating point: branch outcomes of fp.c and of twenty functions of GSL, judged by llvm-cov over the kept tests, and
how fast compiled conditions are evaluated.

    python3 bench/floats.py [--seeds 1] [--only fp,gsl,speed] [--gsl NAME,...] [--budgets executions,time|short]

GSL's sources come from Debian's package (bench/real/fetch.sh); they are kept in the cache folder named by
SYMCRETE_CACHE, or in ~/.cache/symcrete. Campaigns run with all of GSL instrumented; llvm-cov counts the file under test
only, with the rest of GSL linked as it is.
"""

import argparse
import functools
import json
import pathlib
import re
import statistics

import llvm_cov
from coverage import Subject, campaign
from measure import BENCH, CLANG, ROOT, SUBJECTS, Failed, Results, cache, measured_tool, run, staged_tool, workspace

FP_TOTAL, FP_FEASIBLE = 154, 144
GSL_TOTAL = 676
# Name, limits of a campaign, and outcomes that are wanted in all.
GSL_BUDGETS = {"executions": ("1 000 executions each", ("--max-iterations", 1000, "--max-cpu", "60s"), 565),
               "time": ("60 CPU-s each", ("--max-cpu", "60s"), 578),
               # What less time finds, 60 CPU-s find too.
               "short": ("12 CPU-s each", ("--max-cpu", "12s"), 578)}


def fp(results, tool, work, seeds):
    """fp.c with two budgets; what is infeasible by construction is part of the total."""
    for cpu, bar in ((20, 138), (120, 144)):
        counts, missing = [], []
        for seed in seeds:
            counted, summaries = campaign(tool, work, "fp", Subject(FP_TOTAL, bar, max_len=20), seed, cpu, tag=f"-{cpu}")
            counts.append(counted.outcomes[0])
            missing = counted.missing
            results.detail(f"fp {cpu} CPU-s, seed {seed}", {
                "outcomes": counted.outcomes, "missing": missing, "executions": summaries[0]["executions"],
                "layers": summaries[0]["layers"], "cpu_seconds": summaries[0]["cpu_seconds"]})
            if counted.outcomes[1] != FP_TOTAL:
                raise Failed(f"llvm-cov finds {counted.outcomes[1]} outcomes, not {FP_TOTAL}")
        middle = statistics.median_low(counts)
        results.row(f"fp: outcomes in {cpu} CPU-s", f"{middle} of {FP_FEASIBLE}", f">= {bar}", middle >= bar,
                    f"seeds {seeds}: {counts}")


def gsl_sources():
    """GSL unpacked and configured, and the parts the subjects link against; made once."""
    run([BENCH / "real" / "fetch.sh", "debian", "gsl", cache()])
    source, build = cache() / "gsl" / "src", cache() / "gsl" / "build"
    files = [f for folder in ("err", "sys", "specfunc") for f in sorted((source / folder).glob("*.c"))]
    files += [source / "complex" / "math.c", source / "poly" / "eval.c"]
    if not (build / "libgslsub.a").exists():
        build.mkdir(exist_ok=True)
        run([source / "configure", "--disable-shared"], env={"CC": CLANG}, cwd=build)
        run(["make", "-C", build / "gsl"])
        archive(build / "libgslsub.a", files, [CLANG, "-O1", "-g", "-w", *includes(source, build)], build)
    return source, build, files


def archive(path, files, compiler, folder):
    """All files compiled and put together."""
    objects = []
    for file in files:
        # Fragments that others include, and GSL's own tests.
        if file.name.startswith(("test", "cheb_eval")) or file.name.endswith("_source.c"):
            continue
        objects.append(folder / f"{file.parent.name}_{file.stem}.o")
        run([*compiler, "-c", file, "-o", objects[-1]])
    new = path.with_suffix(".new")
    run(["ar", "rcs", new, *objects])
    new.rename(path)


def tracked_archive(tool, source, build, files):
    """The same parts of GSL, built by the tool that is measured; once for each tool."""
    path = build / f"libgsltracked-{measured_tool['sha256']}.a"
    if not path.exists():
        folder = build / "tracked"
        folder.mkdir(exist_ok=True)
        archive(path, files, [tool, "cc", "-O2", "-g", "-w", *includes(source, build)], folder)
    return path


def includes(source, build):
    return ["-DHAVE_CONFIG_H", f"-I{build}", f"-I{source}", f"-I{source / 'specfunc'}", f"-I{source / 'linalg'}"]


def touched_outcomes(program, merged, source):
    """Branch outcomes in those functions of GSL's own file that were entered at all: (covered, total, those missing).
    Conditions of a macro count wherever it is used; constant ones (`while (0)`) do not count."""
    report = json.loads(run(["llvm-cov-22", "export", program, f"-instr-profile={merged}"]).output)["data"][0]
    covered = total = 0
    missing = []
    for function in report["functions"]:
        names = function["filenames"]
        if not names[0].startswith(str(source)) or function["count"] == 0:
            continue
        for line, start, last, end, true, false, file, _, kind, *_ in function["branches"]:
            condition = lines_of(names[file])[line - 1][start - 1:end - 1] if line == last else ""
            if kind != 4 or condition.isdigit():
                continue
            total += 2
            covered += (true > 0) + (false > 0)
            sides = [name for name, count in (("true", true), ("false", false)) if count == 0]
            missing += [f"{pathlib.Path(names[file]).name}:{line}:{start} {side} in {function['name']}: {condition}" for side in sides]
    return covered, total, missing


@functools.cache
def lines_of(path):
    return pathlib.Path(path).read_text(errors="replace").splitlines()


def gsl_one(tool, work, name, source, build, tracked, limit, seed):
    """One function of GSL: (covered, total, missing, summary)."""
    folder = work / f"gsl-{name}-{'-'.join(map(str, limit))}-{seed}".replace("--", "")
    folder.mkdir()
    flags = [*includes(source, build), f"-I{SUBJECTS / 'gsl'}", "-w"]
    harness = folder / "harness.o"
    run([CLANG, "-O1", "-g", *flags, "-c", SUBJECTS / "gsl" / "harness.c", "-o", harness])
    out = folder / "out"
    length = re.search(r"\((\d+) bytes\)", (SUBJECTS / "gsl" / f"{name}.c").read_text())
    run([tool, "run", SUBJECTS / "gsl" / f"{name}.c", harness, tracked, "--cflags",
         " ".join(map(str, flags)), "--max-len", length.group(1), *limit, "--seed", seed, "--out", out, "--quiet"],
        accept=(0, 1))
    program = folder / "cov"
    subject = folder / "cov.o"
    run([CLANG, "-O0", "-g", "-fprofile-instr-generate", "-fcoverage-mapping", *flags, "-c",
         SUBJECTS / "gsl" / f"{name}.c", "-o", subject])
    run([CLANG, subject, harness, SUBJECTS / "run" / "files.c", build / "libgslsub.a", "-fprofile-instr-generate", "-lm",
         "-o", program])
    files = []
    for at, data in enumerate(llvm_cov.inputs_of(out)):
        files.append(folder / f"{at}.in")
        files[-1].write_bytes(data)
    raw, merged = folder / "raw", folder / "merged"
    run([program, *files], env={"LLVM_PROFILE_FILE": str(raw)})
    run(["llvm-profdata-22", "merge", "-sparse", raw, "-o", merged])
    return *touched_outcomes(program, merged, source), json.loads((out / "summary.json").read_text())


def gsl(results, tool, work, seeds, names, budgets):
    source, build, files = gsl_sources()
    tracked = tracked_archive(tool, source, build, files)
    everything = sorted(p.stem for p in (SUBJECTS / "gsl").glob("*.c") if p.stem != "harness")
    picked = [n for n in everything if not names or n in names]
    for budget in budgets:
        what, limit, bar = GSL_BUDGETS[budget]
        sums = []
        for seed in seeds:
            covered = total = 0
            for name in picked:
                one, of, missing, summary = gsl_one(tool, work, name, source, build, tracked, limit, seed)
                covered, total = covered + one, total + of
                results.detail(f"{name}, {what}, seed {seed}", {
                    "outcomes": [one, of], "missing": missing, "iterations": summary["iterations"], "cpu_seconds": summary["cpu_seconds"],
                    "diverged": summary["diverged"], "lost": summary["lost"][:6]})
                print(f"        {name}: {one} of {of} in {summary['cpu_seconds']:.0f} CPU-s", flush=True)
            sums.append((covered, total))
        middle = statistics.median_low(c for c, _ in sums)
        results.row(f"GSL, {len(picked)} functions: outcomes, {what}", f"{middle} of {sums[0][1]}", f">= {bar}",
                    middle >= bar, f"seeds {seeds}: {sums}; {GSL_TOTAL} when every function is entered")


def speed(results):
    """Evaluations of operations per second of CPU time in local search."""
    said = run(["cargo", "run", "--release", "-q", "-p", "symcrete-solve", "--example", "evaluations"], cwd=ROOT).output
    found = re.search(r"evaluations (\d+) seconds ([\d.]+)", said)
    rate = int(found.group(1)) / float(found.group(2)) / 1e6
    results.row("node evaluations of compiled conditions per CPU-second", f"{rate:.0f} M", ">= 10 M", rate >= 10)


def main():
    parse = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parse.add_argument("--seeds", default="1")
    parse.add_argument("--only", default="speed,fp,gsl")
    parse.add_argument("--gsl", default="", help="only these functions")
    parse.add_argument("--budgets", default="executions,time", help="of GSL's functions")
    options = parse.parse_args()
    seeds = [int(s) for s in options.seeds.split(",")]
    work = workspace()
    tool = staged_tool(work)
    results = Results("floats")
    parts = {"speed": lambda: speed(results), "fp": lambda: fp(results, tool, work, seeds),
             "gsl": lambda: gsl(results, tool, work, seeds, [n for n in options.gsl.split(",") if n],
                               options.budgets.split(","))}
    wanted = options.only.split(",")
    for part in wanted:
        try:
            parts[part]()
        except Failed as why:
            results.row(part, "none", "", False, "failed, see details")
            results.detail(part, str(why))
            print(why)
    results.keep(partial=set(wanted) != set(parts) or bool(options.gsl) or options.budgets != "executions,time")


if __name__ == "__main__":
    main()
