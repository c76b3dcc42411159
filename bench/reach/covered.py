#!/usr/bin/env python3
"""Lines of a real program that tests run, asked backwards: none may be called unreachable.

    bench/reach/covered.py OUT BINARY [--count 100] [--seed 1] [-- OPTIONS OF REACH]

OUT is the output folder of a campaign on BINARY (`bench/real/expat.sh` leaves target/real/expat/out and harness).
`reach` is given no tests and searches backwards only (`--loop-methods off`), a second for each line. Exit 1 when a line
that a test runs is proved unreachable.
"""
import argparse, json, os, pathlib, random, subprocess, sys, tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
STAGE = pathlib.Path(os.environ.get("STAGE", os.environ.get("SYMCRETE_STAGE", ROOT / "target/stage")))


def main():
    parse = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parse.add_argument("out", type=pathlib.Path)
    parse.add_argument("binary", type=pathlib.Path)
    parse.add_argument("--count", type=int, default=100)
    parse.add_argument("--seed", type=int, default=1)
    own, _, rest = " ".join(sys.argv[1:]).partition(" -- ")
    given = parse.parse_args(own.split())
    given.options = rest.split()
    lines, file = [], None
    for text in (given.out / "coverage.lcov").read_text().splitlines():
        if text.startswith("SF:"):
            file = text[3:]
        if text.startswith("DA:"):
            line, hits = text[3:].split(",")[:2]
            if int(hits) > 0:
                lines.append(f"{file}:{line}")
    drawn = random.Random(given.seed).sample(lines, min(given.count, len(lines)))
    counts, wrong = {}, []
    with tempfile.TemporaryDirectory() as folder:
        for number, line in enumerate(drawn):
            command = [STAGE / "bin/symcrete", "reach", line, "--target", given.binary.resolve(), "--max-cpu", "1s", "--json", "--quiet",
                       "--loop-methods", "off", "--out", f"{folder}/{number}", *given.options]
            ran = subprocess.run(command, capture_output=True, text=True)
            try:
                answer = json.loads(ran.stdout)["targets"][0]
            except ValueError:
                counts["no code"] = counts.get("no code", 0) + 1
                continue
            counts[answer["verdict"]] = counts.get(answer["verdict"], 0) + 1
            if answer["verdict"] == "unreachable":
                wrong.append(line)
                print(f"{line}: a test runs it, reach says unreachable", flush=True)
    print(f"{len(drawn)} lines that tests run: {counts}; wrong verdicts: {len(wrong)} (bar 0)")
    sys.exit(1 if wrong else 0)


main()
