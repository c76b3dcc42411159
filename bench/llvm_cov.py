"""Counts branch outcomes with clang's own coverage, over inputs replayed on a plain coverage build.

The judge of every coverage bar: nothing of our instrumentation takes part. Conditions that begin at the same place
(`if (c ? a : b)`) are one, as in the figures the bars were set by. Constant conditions are not counted (no subject has one).
llvm-cov counts each case label of a switch twice (taken, not taken); `sides` counts it once, as our summary does.
"""

import json
import pathlib
import re

from measure import CLANG, SUBJECTS, Failed, run

CASE = re.compile(r"\s*(case\b|default\b)")


class Counted:
    """outcomes: as llvm-cov counts; sides: case labels once. Each a pair (covered, total)."""

    def __init__(self, outcomes, sides, missing):
        self.outcomes, self.sides, self.missing = outcomes, sides, missing


def entry_for(function, parameters):
    """C text that calls a plain function with scalars taken from a buffer in order; short buffers are ignored."""
    declared = ", ".join(parameters) or "void"
    lines = ["#include <stddef.h>", "#include <stdint.h>", "#include <string.h>",
             "void symcrete_target(int k) { (void)k; }", f"extern int {function}({declared});",
             "int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {"]
    for i, kind in enumerate(parameters):
        lines.append(f"  {kind} p{i};")
    for i, kind in enumerate(parameters):
        lines += [f"  if (size < sizeof p{i}) return 0;", f"  memcpy(&p{i}, data, sizeof p{i});",
                  f"  data += sizeof p{i}; size -= sizeof p{i};"]
    names = ", ".join(f"p{i}" for i in range(len(parameters)))
    return "\n".join([*lines, f"  {function}({names});", "  return 0;", "}", ""])


def coverage_build(folder, name, function=None, parameters=(), others=()):
    """Builds subject NAME with coverage; the program takes input files as arguments. Returns its path."""
    folder.mkdir(parents=True, exist_ok=True)
    program = folder / f"{name}-{function or 'buffer'}-cov"
    subject = folder / f"{name}-cov.o"
    run([CLANG, "-O0", "-g", "-fprofile-instr-generate", "-fcoverage-mapping", "-c", SUBJECTS / f"{name}.c", "-o", subject])
    parts = [subject, SUBJECTS / "run" / "files.c", *(SUBJECTS / f"{other}.c" for other in others)]
    if function:
        entry = folder / f"{name}-{function}-entry.c"
        entry.write_text(entry_for(function, parameters))
        parts.append(entry)
    run([CLANG, "-O0", "-Wno-implicit-function-declaration", *parts, "-fprofile-instr-generate", "-lm", "-o", program])
    return program


def inputs_of(out):
    """The kept tests of a campaign as byte strings: parameters joined in order, or the one buffer."""
    for path in sorted(pathlib.Path(out, "tests").glob("*.json")):
        raw = path.with_suffix(".bin")
        if raw.exists():
            yield raw.read_bytes()
        else:
            yield b"".join(bytes.fromhex(item["hex"]) for item in json.loads(path.read_text())["inputs"])


def count(folder, name, replays):
    """replays: pairs (coverage build, inputs). Their profiles are joined and counted over the subject's own file."""
    profiles = []
    for i, (program, inputs) in enumerate(replays):
        files = []
        for j, data in enumerate(inputs):
            files.append(folder / f"{name}-{i}-{j}.in")
            files[-1].write_bytes(data)
        profiles.append(folder / f"{name}-{i}.profraw")
        run([program, *files], env={"LLVM_PROFILE_FILE": str(profiles[-1])})
    # The subject's object is the same in every build, so one build's mapping serves for all.
    source = SUBJECTS / f"{name}.c"
    conditions = conditions_of([replays[0][0]], profiles, source)
    text = source.read_text().splitlines()
    missing = [f"{line}:{column}:{side}" for (line, column), counts in sorted(conditions.items())
               for side, n in zip(("true", "false"), counts) if n == 0]
    cases = [counts for (line, column), counts in conditions.items() if CASE.match(text[line - 1][column - 1:])]
    total = 2 * len(conditions)
    covered = total - len(missing)
    return Counted((covered, total), (covered - sum(n > 0 for _, n in cases), total - len(cases)), missing)


def conditions_of(programs, profiles, source):
    """How often each condition of a file, by line and column, was true and false."""
    merged = profiles[0].with_suffix(".profdata")
    run(["llvm-profdata-22", "merge", "-sparse", *profiles, "-o", merged])
    objects = [word for program in programs[1:] for word in ("-object", program)]
    report = run(["llvm-cov-22", "export", programs[0], *objects, f"-instr-profile={merged}"])
    data = json.loads(report.output)["data"][0]
    files = [f for f in data["files"] if pathlib.Path(f["filename"]).name == source.name]
    if len(files) != 1:
        raise Failed(f"llvm-cov speaks of {len(files)} files called {source.name}")
    conditions = {}
    for line, column, _, _, true, false, *_ in files[0]["branches"]:
        before = conditions.get((line, column), (0, 0))
        conditions[line, column] = (before[0] + true, before[1] + false)
    if 2 * len(files[0]["branches"]) != files[0]["summary"]["branches"]["count"]:
        raise Failed(f"{source.name} has constant conditions, which this count would take for uncovered ones")
    return conditions
