"""Search on real programs: the strategies of the paper on context-guided search beside `auto`, and `auto` beside libFuzzer.

    python3 bench/search.py [--only strategies,figure8,libfuzzer,ahead,rate] [--iterations 4000] [--seeds 10] [--cpu 120] [--rounds 3] [--at-once 1]
                            [--programs expat,grep,subst]

strategies  expat, grep's matcher and subst, the same number of new inputs for each strategy and seed: branches by our own
            count, and the rank of `cgs`, which is first in its paper
figure8     grep's matcher: `cgs` with growing contexts, with contexts of five, with contexts that keep dominators
libfuzzer   expat, grep's matcher and three of the other programs, drawn by a fixed seed: nothing to begin with, the same CPU
            time, outcomes by llvm-cov over what each kept, the median of the rounds
ahead       parser.c, expat, grep's matcher: what asking for the next branch in the same query could save at most, from the
            tests that flips made: calls that the next one would have made unnecessary, if it always succeeded
rate        parser.c, from the tests of a campaign, so that solving earns nothing: inputs per CPU-second of `auto` over those
            of `random`, in turn

The budgets of the full tables take many hours; smaller ones are kept too, under the command that made them.
"""

import argparse
import concurrent.futures
import json
import pathlib
import queue
import re
import shutil
import statistics

import programs
from measure import CLANG, SUBJECTS, Failed, Results, interleaved, run, staged_tool, workspace

PAPER = ["dfs", "cfg", "random-branch", "generational", "carfast", "cgs"]
FIGURE = {"growing k": ["cgs"], "k = 5": ["cgs", "--cgs-k", "5"], "with dominators": ["cgs", "--cgs-no-dominators"]}
DRAW = 10


def built(tool, work, program):
    """One build for all campaigns: the target, and how its input is declared."""
    target = work / f"{program.name}-target"
    compiler = pathlib.Path(tool).with_name("symcrete-c++" if program.is_cxx() else "symcrete-cc")
    run([compiler, "-O2", "-g", *program.flags, *program.sources, *program.libraries, "-o", target])
    return ["--target", target, "--max-len", program.most]


def campaign(tool, out, how, *options):
    """What was there before is moved aside, all but the builds of the same program."""
    run([tool, "run", *how, *options, "--quiet", "--out", out], accept=(0, 1))
    return json.loads((out / "summary.json").read_text())


def covered(tool, work, how, strategy, options):
    """What each seed came to; several at once, for what is counted are inputs."""
    places = queue.SimpleQueue()
    for place in range(options.at_once):
        places.put(place)

    def one(seed):
        place = places.get()
        limit = ["--max-iterations", options.iterations, "--max-cpu", f"{options.cut:g}s", "--seed", seed]
        try:
            return campaign(tool, work / f"{how[1].name}-out-{place}", how, "--strategy", *strategy, *limit)
        finally:
            places.put(place)

    with concurrent.futures.ThreadPoolExecutor(options.at_once) as pool:
        return list(pool.map(one, range(1, options.seeds + 1)))


def said(found):
    counts = [summary["branches_covered"] for summary in found]
    spread = statistics.stdev(counts) if len(counts) > 1 else 0.0
    return f"{statistics.fmean(counts):.1f} ± {spread:.1f}"


def mean(found):
    return statistics.fmean(summary["branches_covered"] for summary in found)


def note(found, options):
    """Campaigns that a cut ended before their inputs were spent are not what the table is about, so it is said."""
    short = sum(summary["iterations"] < options.iterations and not summary["exhausted"] for summary in found)
    cpu = statistics.fmean(summary["cpu_seconds"] for summary in found)
    cut = f", {short} of {len(found)} ended before their inputs were spent" if short else ""
    return f"{cpu:.1f} CPU-s each{cut}"


def strategies(results, tool, work, options):
    for name in options.programs.split(","):
        how = built(tool, work, programs.KNOWN[name](work))
        found = {strategy: covered(tool, work, how, [strategy], options) for strategy in [*PAPER, "auto"]}
        for strategy, each in found.items():
            results.detail(f"{name}, {strategy}", [{key: summary[key] for key in ("branches_covered", "branches_total", "iterations",
                           "solver_calls", "cpu_seconds")} for summary in each])
        order = sorted(PAPER, key=lambda strategy: -mean(found[strategy]))
        for strategy in order:
            results.row(f"{name}, {options.iterations} inputs, {options.seeds} seeds: {strategy}", said(found[strategy]), "–", True,
                        note(found[strategy], options))
        results.row(f"{name}: rank of cgs among the six", order.index("cgs") + 1, "1 in the paper", order[0] == "cgs")
        best = mean(found[order[0]])
        results.row(f"{name}: auto against the best of the six ({order[0]})", said(found["auto"]), f">= {best:.1f}",
                    mean(found["auto"]) >= best, note(found["auto"], options))


def figure8(results, tool, work, options):
    how = built(tool, work, programs.grep(work))
    for what, strategy in FIGURE.items():
        found = covered(tool, work, how, strategy, options)
        results.detail(f"figure 8, {what}", [summary["branches_covered"] for summary in found])
        results.row(f"grep, {options.iterations} inputs, cgs {what}", said(found), "–", True, note(found, options))


def outcomes(work, program, inputs):
    """Branch outcomes of the program's own code, as llvm-cov counts them."""
    judge = work / f"{program.name}-judge"
    if not judge.exists():
        # The flags of the program are not for what reads the files.
        reader = work / "files.o"
        run([CLANG, "-O2", "-c", SUBJECTS / "run" / "files.c", "-o", reader])
        program.compiled(judge, "-O0", "-g", "-fprofile-instr-generate", "-fcoverage-mapping", reader)
    folder = work / "profiles"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    files = sorted(path for path in inputs if path.is_file())
    env = {"LLVM_PROFILE_FILE": str(folder / "%p.profraw")}
    for at in range(0, len(files), 200):
        chunk = files[at:at + 200]
        try:
            run([judge, *chunk], env=env)
        except Failed:
            # One of them ends the program, and what the others before it took is not written then.
            for file in chunk:
                run([judge, file], env=env, accept=range(-64, 256))
    merged = work / "profile"
    run(["llvm-profdata-22", "merge", "-sparse", *folder.glob("*.profraw"), "-o", merged])
    report = json.loads(run(["llvm-cov-22", "export", "-summary-only", judge, f"-instr-profile={merged}"]).output)
    own = [file["summary"]["branches"] for file in report["data"][0]["files"] if pathlib.Path(file["filename"]).is_relative_to(program.judged)]
    return sum(file["covered"] for file in own), sum(file["count"] for file in own)


def fuzzed(work, program, seed, cpu):
    """What libFuzzer keeps within the CPU time."""
    fuzzer = work / f"{program.name}-fuzzer"
    if not fuzzer.exists():
        program.compiled(fuzzer, "-O2", "-fsanitize=fuzzer")
    corpus = work / "corpus"
    shutil.rmtree(corpus, ignore_errors=True)
    corpus.mkdir()
    # Its own clock is the wall's, so the kernel ends it; crashes would end it, too: it goes on in another process.
    flags = [f"-max_len={program.most}", f"-seed={seed}", "-verbosity=0", "-rss_limit_mb=0", "-timeout=5", f"-artifact_prefix={work}/"]
    left = cpu
    while left >= 1:
        ran = run(["prlimit", f"--cpu={round(left)}", fuzzer, *flags, corpus], accept=range(-64, 256))
        left -= max(ran.cpu, 0.5)
    return corpus.iterdir()


def kept(tool, work, how, seed, cpu):
    out = work / f"{how[1].name}-out"
    campaign(tool, out, how, "--max-cpu", f"{cpu:g}s", "--seed", seed)
    return (out / "tests").glob("*.bin")


def libfuzzer(results, tool, work, options):
    for name in ["expat", "grep", *programs.drawn(3, DRAW)]:
        program = programs.KNOWN[name](work)
        how = built(tool, work, program)
        pairs = []
        for seed in range(1, options.rounds + 1):
            ours, total = outcomes(work, program, kept(tool, work, how, seed, options.cpu))
            theirs, _ = outcomes(work, program, fuzzed(work, program, seed, options.cpu))
            pairs.append((ours, theirs))
        results.detail(f"libFuzzer, {name}", {"outcomes": total, "ours and theirs by seed": pairs})
        ours, theirs = (statistics.median(side) for side in zip(*pairs))
        results.row(f"{name}, {options.cpu:g} CPU-s, {options.rounds} seeds: auto, outcomes of {total}", f"{ours:g}", f"> {theirs:g}", ours > theirs,
                    f"libFuzzer {theirs:g}; by seed {', '.join(f'{a} and {b}' for a, b in pairs)}")


def ahead(results, tool, work, options):
    """A flip that found something from a run that a flip had made could have been part of the query before it. Runs that
    were not kept may have been made by a flip, so they count."""
    flip = re.compile(r"(?:optimistic )?flip of (?:test (\d+)|a run that was not kept)")
    for name in ("parser", "expat", "grep"):
        how = [SUBJECTS / "parser.c", "--max-len", 64] if name == "parser" else built(tool, work, programs.KNOWN[name](work))
        out = work / f"{name}-out"
        summary = campaign(tool, out, how, "--max-cpu", f"{options.cpu:g}s")
        made = {}
        for path in sorted((out / "tests").glob("*.json")):
            made[int(path.stem)] = json.loads(path.read_text())
        flips = {number: flip.match(test["origin"]) for number, test in made.items() if flip.match(test["origin"])}
        saved = sum(found[1] is None or int(found[1]) in flips for found in flips.values())
        sides = sum(len(made[number]["new_sides"]) for number in flips)
        calls = summary["solver_calls"]
        most = calls / max(1, calls - saved)
        results.detail(f"ahead, {name}", {"solver_calls": calls, "flips that found something": len(flips), "saved at most": saved, "sides": sides})
        results.row(f"{name}, {options.cpu:g} CPU-s: sides per solver call, flip plus one / plain, at most", f"{most:.3f}", ">= 1.2", most >= 1.2,
                    f"{calls} calls, {len(flips)} found {sides} sides, {saved} of them saved at most")


def rate(results, tool, work, options):
    how = [SUBJECTS / "parser.c", "--max-len", 64]
    campaign(tool, work / "found", how, "--max-cpu", f"{options.cpu / 2:g}s")
    speeds = {strategy: lambda strategy=strategy: campaign(tool, work / "out", how, "--strategy", strategy, "--seeds", work / "found" / "tests",
                                                           "--max-cpu", f"{options.cpu / 8:g}s") for strategy in ("auto", "random")}
    found = interleaved(speeds, options.rounds)
    auto, random = ([summary["iterations"] / summary["cpu_seconds"] for summary in each] for each in found.values())
    ratio = statistics.median(a / b for a, b in zip(auto, random))
    results.detail("rate", {"auto": auto, "random": random, "sides": [summary["branches_covered"] for summary in found["auto"]]})
    results.row("parser.c, nothing left to earn by solving: inputs per CPU-second, auto / random", f"{ratio:.2f}", ">= 0.5", ratio >= 0.5,
                f"random {statistics.median(random):,.0f} per CPU-second")


PARTS = {"strategies": strategies, "figure8": figure8, "libfuzzer": libfuzzer, "ahead": ahead, "rate": rate}


def main():
    parse = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parse.add_argument("--only", default=",".join(PARTS))
    parse.add_argument("--iterations", type=int, default=4000)
    parse.add_argument("--seeds", type=int, default=10)
    parse.add_argument("--cut", type=float, default=600, help="CPU seconds of one campaign of the tables at most")
    parse.add_argument("--cpu", type=float, default=120, help="CPU seconds of each side against libFuzzer")
    parse.add_argument("--rounds", type=int, default=3, help="seeds against libFuzzer")
    parse.add_argument("--at-once", type=int, default=1, metavar="N", help="campaigns of the tables at a time")
    parse.add_argument("--programs", default="subst,expat,grep", help="of the table of strategies; kept by these names")
    options = parse.parse_args()
    wanted = options.only.split(",")
    work = workspace()
    tool = staged_tool(work)
    measured = [*sorted(wanted), *(options.programs.split(",") if options.programs != parse.get_default("programs") else [])]
    results = Results("search" if set(measured) == set(PARTS) else f"search_{'_'.join(measured)}")
    for name in wanted:
        try:
            PARTS[name](results, tool, work, options)
        except Failed as why:
            results.row(name, "none", "–", False, "failed, see details")
            results.detail(name, str(why))
    results.keep()


if __name__ == "__main__":
    main()
