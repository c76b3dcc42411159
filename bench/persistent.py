"""Runs per CPU-second of the two persistent loops, ours and libFuzzer's, on one fixed corpus with parser.c.

    python3 bench/persistent.py [--rounds 5] [--seconds 2]

Both loops drive the same harness: it takes what the loop hands it only as the number of an entry of a corpus compiled
in, so both execute the same 256 documents whatever they generate, coverage check included. Ours draws random bytes
(`--strategy random`); libFuzzer runs twice, once mutating as it always does, once with a custom mutator that costs next
to nothing, and the bar is set against the faster of the two.
"""

import argparse
import json
import random
import statistics

import inputs
from measure import CLANG, SUBJECTS, Results, interleaved, run, staged_tool, workspace

ENTRIES = 256

HARNESS = """\
#define LLVMFuzzerTestOneInput subject_entry
#include "%(subject)s"
#undef LLVMFuzzerTestOneInput
static const struct { uint8_t size, data[64]; } corpus[] = {
%(rows)s};
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  unsigned entry = size > 0 ? data[0] : 0;
  return subject_entry(corpus[entry].data, corpus[entry].size);
}
#ifdef CHEAP_MUTATOR
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed) {
  (void)size, (void)most;
  data[0] = (uint8_t)(seed * 2654435761u >> 24);
  return 1;
}
#endif
"""


def corpus():
    """Pieces of a valid document of 1 to 64 bytes, some with a few bytes changed."""
    rng, document = random.Random(7), inputs.parser_document()
    for _ in range(ENTRIES):
        start = rng.randrange(len(document) - 64)
        piece = bytearray(document[start:start + rng.randrange(1, 65)])
        for _ in range(rng.randrange(3)):
            piece[rng.randrange(len(piece))] = rng.randrange(32, 127)
        yield bytes(piece)


def write_harness(work):
    rows = "".join("  {%d, {%s}},\n" % (len(entry), ", ".join(map(str, entry))) for entry in corpus())
    path = work / "corpus_harness.c"
    path.write_text(HARNESS % {"subject": SUBJECTS / "parser.c", "rows": rows})
    return path


def libfuzzer(work, harness, name, flags):
    """A measure of runs per CPU-second; the start-up, measured once, is taken off."""
    program = work / name
    run([CLANG, "-O2", "-fsanitize=fuzzer", *flags, harness, "-o", program])
    command = [program, "-max_len=64", "-seed=1", "-verbosity=0", "-rss_limit_mb=0"]
    start = run([*command, "-runs=1"]).cpu

    def rate(runs):
        return runs / max(1e-9, run([*command, f"-runs={runs}"]).cpu - start)

    return rate


def ours(tool, work, harness):
    out = work / "out"

    def rate(runs):
        run([tool, "run", harness, "--max-len", 64, "--strategy", "random", "--max-iterations", runs, "--quiet", "--out", out], accept=(0, 1))
        summary = json.loads((out / "summary.json").read_text())
        return summary["executions"] / summary["cpu_seconds"]

    return rate


def main():
    parse = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parse.add_argument("--rounds", type=int, default=5)
    parse.add_argument("--seconds", type=float, default=2, help="CPU time of one measurement, about")
    options = parse.parse_args()
    work = workspace()
    tool = staged_tool(work)
    results = Results("persistent")
    harness = write_harness(work)
    rates = {"ours": ours(tool, work, harness), "libFuzzer": libfuzzer(work, harness, "mutating", []),
             "libFuzzer, cheap mutator": libfuzzer(work, harness, "cheap", ["-DCHEAP_MUTATOR"])}
    runs = {name: int(rate(200_000) * options.seconds) for name, rate in rates.items()}
    taken = interleaved({name: lambda name=name: rates[name](runs[name]) for name in rates}, options.rounds)
    results.detail("runs per CPU-second", {name: [round(r) for r in each] for name, each in taken.items()})
    middle = {name: statistics.median(each) for name, each in taken.items()}
    ratio = statistics.median(a / max(b, c) for a, b, c in zip(*taken.values()))
    results.row("persistent loop, one fixed corpus: ours / libFuzzer's", f"{ratio:.2f}", ">= 1", ratio >= 1,
                ", ".join(f"{name} {rate / 1e6:.2f} M/s" for name, rate in middle.items()))
    results.keep()


if __name__ == "__main__":
    main()
