"""The solver chain: how little reaches the core, what the chain wins over it, and what partial path constraints win.

    python3 bench/solving.py [--only chain,ippc,auto,growth,table2] [--rounds 3] [--cut 15] [--patience 1200]

chain    every flip of one run (`--one-generation`: the queries do not depend on answers) of parser.c, bsort.c and
         expat (sources from Debian's package), all layers against slices handed straight to Bitwuzla (`--layers slice
         --solve full`), both within the same budget for a query; CPU time of the solver as the summary has it
ippc     `dfs` with `--layers none`, `--solve full` against `--solve ippc --ippc-learn first`: CPU time of each unit, judged
         for prime and factor, and conditions per call of the core over all units
auto     `dfs` with all layers, `--solve full` against `--solve auto`, CPU time of the whole campaign
growth   conditions per call of the core while paths grow tenfold: bsort.c with more numbers, a loop over a long buffer
table2   the form of the paper's second table: calls, mean size, outcomes and time of DFS, RND and DFS with IPPC at three
         iteration counts
"""

import argparse
import json
import random
import statistics

import inputs
import programs
from coverage import SUBJECT
from measure import SUBJECTS, Failed, Results, median_ratio, run, staged_tool, workspace

# The paper's units (replace is our subst, ptokens our tokens) and its iteration counts.
PAPER = {"gcd": (1000, 5000, 10000), "bsort": (100, 500, 1000), "sqrt": (1000, 5000, 10000), "prime": (100, 175, 250),
         "factor": (50, 75, 100), "subst": (1000, 5000, 10000), "tokens": (1000, 5000, 10000)}
UNITS = list(PAPER)
LOOP = """
#include <stddef.h>
int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size) {
  int open = 0;
  for (size_t i = 0; i < size; i++) {
    if (data[i] == '(') open++;
    else if (data[i] == ')') open--;
    if (i > 0 && data[i] < data[i - 1]) open ^= 1;
  }
  return open;
}
"""


def campaign(tool, work, program, *options):
    """One campaign; its summary."""
    campaign.number += 1
    out = work / f"out-{campaign.number}"
    run([tool, "run", *program, *options, "--quiet", "--out", out], accept=(0, 1))
    return json.loads((out / "summary.json").read_text())


campaign.number = 0


def unit(name):
    """The source and how its input is declared."""
    subject = SUBJECT[name]
    how = ["--function", next(iter(subject.functions))] if subject.functions else ["--max-len", subject.max_len]
    return SUBJECTS / f"{name}.c", how


def per_call(summary):
    core = summary["layers"].get("bitwuzla", {"calls": 0, "conditions": 0})
    return core["conditions"] / core["calls"] if core["calls"] else None


def seeded(work, name, data):
    folder = work / f"seed-{name}"
    folder.mkdir(exist_ok=True)
    (folder / name).write_bytes(data)
    return ["--max-len", len(data), "--seeds", folder, "--one-generation"]


# The harness takes the first byte for itself.
EXPAT_DOCUMENT = b'a<?xml version="1.0"?><!DOCTYPE d [<!ENTITY e "x"><!ATTLIST d a CDATA "v">]><d a="1" b="&lt;"><!-- c -->&e;<x:y xmlns:x="u">t</x:y><![CDATA[z]]></d>'


def chain(results, tool, work, options):
    subjects = {name: ([SUBJECTS / f"{name}.c"], inputs.LARGE[name]) for name in ("parser", "bsort")}
    subjects["expat"] = (programs.expat(work).for_our_tool(), EXPAT_DOCUMENT)
    for name, (program, document) in subjects.items():
        how = seeded(work, name, document)
        ratios, shares, rates = [], [], []
        for _ in range(options.rounds):
            with_all = campaign(tool, work, program, *how)["queries"]
            alone = campaign(tool, work, program, *how, "--layers", "slice", "--solve", "full")["queries"]
            rates.append((with_all["distinct"] / with_all["cpu_seconds"], alone["distinct"] / alone["cpu_seconds"]))
            ratios.append(rates[-1][0] / rates[-1][1])
            shares.append(100 * with_all["to_core"] / with_all["distinct"])
        results.detail(f"chain {name}", {"rates": rates, "shares": shares, "distinct": with_all["distinct"]})
        ratio, share = statistics.median(ratios), max(shares)
        results.row(f"{name}: distinct queries per CPU-s, chain / sliced Bitwuzla", f"{ratio:.1f}", ">= 3", ratio >= 3,
                    f"{rates[-1][0]:.0f} and {rates[-1][1]:.0f} per CPU-s, {with_all['distinct']} queries")
        results.row(f"{name}: share of distinct queries that reach Bitwuzla", f"{share:.1f} %", "<= 20 %", share <= 20)


# `full` has this many times what `ippc` took, where its paths are judged by time: enough to tell whether the bar holds.
LONGER = 6


def ippc(results, tool, work, options):
    """Without a chain in front of it the core needs time: queries begin with the third budget (`--effort 2`), or most
    of those of `full` would be given up and cost nothing. prime and factor: `ippc` has all the time it needs for the paper's
    iterations, `full` six times as much; if that is not enough, the ratio is at least six. The others, for the sizes of
    queries, are cut."""
    sizes = {"full": [], "ippc": []}
    for name in UNITS:
        judged = name in ("prime", "factor")
        source, how = unit(name)
        count = PAPER[name][0]

        def search(seconds, *mode):
            return campaign(tool, work, [source], *how, "--strategy", "dfs", "--layers", "none", "--effort", 2,
                            "--max-iterations", count, "--max-cpu", f"{seconds:g}s", "--solve", *mode)

        part = search(options.patience if judged else options.cut / 3, "ippc", "--ippc-learn", "first")
        full = search(LONGER * part["cpu_seconds"] if judged else options.cut / 3, "full")
        sizes["full"].append(per_call(full))
        sizes["ippc"].append(per_call(part))
        ratio = full["cpu_seconds"] / part["cpu_seconds"]
        whole = [s["iterations"] >= count for s in (full, part)]
        note = "; ".join(f"{mode}: {s['sat'] + s['unsat']} settled, {s['unknown']} not, {s['iterations']} of {count} iterations "
                         f"in {s['cpu_seconds']:.2f} CPU-s, {per_call(s):.1f} conditions a call" for mode, s in (("full", full), ("ippc", part)))
        results.detail(f"ippc {name}", {"ratio": ratio, "whole": whole, "note": note, "coverage": [full["branches_covered"], part["branches_covered"]]})
        if judged:
            results.row(f"{name}, {count} iterations: time of full / ippc first, no layers", f"{'' if whole[0] else '> '}{ratio:.1f}", ">= 5",
                        ratio >= 5 and whole[1], note)
        else:
            print(f"        {name}: {note}", flush=True)
    ratio = statistics.fmean(sizes["full"]) / statistics.fmean(sizes["ippc"])
    results.row("mean conditions per solver call, full / ippc, all units", f"{ratio:.1f}", ">= 10", ratio >= 10,
                f"{statistics.fmean(sizes['full']):.1f} and {statistics.fmean(sizes['ippc']):.1f}")


def auto(results, tool, work, options):
    ratios = []
    for name in ("gcd", "sqrt", "bsort", "tokens", "subst"):
        source, how = unit(name)
        limit = ["--strategy", "dfs", "--max-iterations", 1000 if name == "gcd" else 2000]
        taken = {"full": [], "auto": []}
        for turn in range(2 * options.rounds + 1):
            # Each goes first every other time: the second finds the machine's caches as the first left them.
            for mode in ("full", "auto") if turn % 2 else ("auto", "full"):
                summary = campaign(tool, work, [source], *how, *limit, "--solve", mode)
                taken[mode].append(summary["cpu_seconds"])
        ratio = median_ratio(taken["full"], taken["auto"])
        ratios.append(ratio)
        core = summary["layers"].get("bitwuzla", {"calls": 0})["calls"]
        results.detail(f"auto {name}", {**taken, "calls of the core": core})
        results.row(f"{name}: time of full / auto, all layers", f"{ratio:.2f}", ">= 0.95", ratio >= 0.95,
                    f"{core} calls of the core" if core else "nothing reaches the core, so both are the same")
    mean = statistics.fmean(ratios)
    results.row("the same on the average", f"{mean:.2f}", "> 1", mean > 1)


def growing(work):
    """Two programs whose paths grow tenfold with their input: name, source and bytes of both sizes."""
    sort = {}
    for count in (50, 145):
        # The subject sorts a fixed number of integers and cuts the rest off.
        text = (SUBJECTS / "bsort.c").read_text()
        if text.count("COUNT = 30") != 1:
            raise Failed("bsort.c has another way to say how much it sorts")
        sort[count] = work / f"bsort-{count}.c"
        sort[count].write_text(text.replace("COUNT = 30", f"COUNT = {count}"))
    loop = work / "loop.c"
    loop.write_text(LOOP)
    return (("bsort.c, 50 to 145 ints", ((sort[50], 4 * 50), (sort[145], 4 * 145))),
            ("a loop, 330 to 3 300 bytes", ((loop, 330), (loop, 3300))))


def growth(results, tool, work, options):
    """With the whole chain, where next to nothing reaches the core; and with nothing but parts of the path before it.
    Every flip of one path counts, unless the time is over first: then the note says how many there were."""
    for name, sizes in growing(work):
        for how, words in (("as it is", []), ("layers none, ippc few", ["--layers", "none", "--solve", "ippc", "--ippc-learn", "few"])):
            means, notes = [], []
            for source, count in sizes:
                data = random.Random(count).randbytes(count)
                s = campaign(tool, work, [source], *seeded(work, f"{count}", data), *words, "--max-cpu", f"{4 * options.cut:g}s")
                core = s["layers"].get("bitwuzla", {"calls": 0, "conditions": 0})
                means.append(per_call(s))
                notes.append(f"{s['solver_calls']} flips, {s['unknown']} not settled, {core['calls']} calls with {core['conditions']} conditions")
            results.detail(f"growth {name}, {how}", [means, notes])
            what, note = f"conditions per call of the core, {name}, {how}", "; ".join(notes)
            if None in means:
                # What never reaches the core does not grow there.
                results.row(what, "none asked", "<= 10 %", means == [None, None], note)
                continue
            grown = 100 * (means[1] / means[0] - 1)
            results.row(f"{what}: growth", f"{grown:.0f} %", "<= 10 %", grown <= 10, f"{means[0]:.2f} and {means[1]:.2f}: {note}")


def table2(results, tool, work, options):
    """Printed, not judged: the paper's figures are of another machine and front end. Queries begin with the third budget,
    as in `ippc`. `@N`: the time of the campaign was spent after N iterations (or there were no more paths)."""
    print(f"{'unit':<8}{'iterations':>11}" + "".join(f"{name:>36}" for name in ("DFS", "RND", "DFS + IPPC")))
    print(f"{'':<19}" + f"{'calls   size   outcomes   CPU-s':>36}" * 3)
    for name in UNITS:
        source, how = unit(name)
        for count in PAPER[name]:
            cells = []
            for words in (["--strategy", "dfs", "--solve", "full"], ["--strategy", "random-branch", "--solve", "full"],
                          ["--strategy", "dfs", "--solve", "ippc", "--ippc-learn", "first"]):
                s = campaign(tool, work, [source], *how, *words, "--layers", "none", "--effort", 2,
                             "--max-iterations", count, "--max-cpu", f"{options.cut / 5:g}s")
                calls = s["layers"].get("bitwuzla", {"calls": 0})["calls"]
                cells.append([calls, round(per_call(s) or 0, 1), s["branches_covered"], s["branches_total"], s["cpu_seconds"],
                              "" if s["iterations"] >= count else f"@{s['iterations']}"])
            results.detail(f"table2 {name} {count}", cells)
            print(f"{name:<8}{count:>11}" + "".join(f"{c[0]:>9}{c[1]:>8}{c[2]:>5}/{c[3]:<3}{c[4]:>6.2f}{c[5]:<5}" for c in cells), flush=True)


def main():
    parse = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parse.add_argument("--only", default="chain,ippc,auto,growth,table2")
    parse.add_argument("--cut", type=float, default=15, help="CPU-seconds after which the long campaigns are cut")
    parse.add_argument("--patience", type=float, default=1200, help="CPU-seconds that ippc may take for prime and for factor")
    parse.add_argument("--rounds", type=int, default=3)
    options = parse.parse_args()
    work = workspace()
    tool = staged_tool(work)
    results = Results("solving")
    parts = {"chain": chain, "ippc": ippc, "auto": auto, "growth": growth, "table2": table2}
    wanted = options.only.split(",")
    for part in wanted:
        try:
            parts[part](results, tool, work, options)
        except Failed as why:
            results.row(part, "none", "", False, "failed, see details")
            results.detail(part, str(why))
            print(why)
    results.keep(partial=set(wanted) != set(parts))


if __name__ == "__main__":
    main()
