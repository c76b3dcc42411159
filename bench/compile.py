"""Compile time, `symcrete cc -O2` against `clang -O2`: parser.c and SQLite's amalgamation.

    python3 bench/compile.py [--rounds 7] [parser] [sqlite]

User CPU time of compiling to an object file, in turn; the ratio is the median over the rounds. SQLite comes inside the
crate libsqlite3-sys (bench/real/fetch.sh; kept in the cache folder).
"""

import argparse
import os
import pathlib

from measure import BENCH, CLANG, SUBJECTS, Results, interleaved, median_ratio, run, staged_tool, workspace

SQLITE = ("libsqlite3-sys", "0.30.1")


def sqlite_source():
    cache = pathlib.Path(os.environ.get("SYMCRETE_CACHE", pathlib.Path.home() / ".cache" / "symcrete")) / "sources"
    cache.mkdir(parents=True, exist_ok=True)
    run([BENCH / "real" / "fetch.sh", "crate", *SQLITE, cache])
    return cache / SQLITE[0] / "src" / "sqlite3" / "sqlite3.c"


def main():
    parse = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parse.add_argument("--rounds", type=int, default=7, help="for parser.c; SQLite runs a third of them")
    parse.add_argument("names", nargs="*", choices=["parser", "sqlite", []])
    options = parse.parse_args()
    names = options.names or ["parser", "sqlite"]
    work = workspace()
    tool = staged_tool(work)
    results = Results("compile")
    cases = {"parser": (lambda: SUBJECTS / "parser.c", options.rounds, 3, []),
             "sqlite": (sqlite_source, max(1, options.rounds // 3), 5, ["-w", "-DSQLITE_THREADSAFE=0", "-DSQLITE_OMIT_LOAD_EXTENSION"])}
    for name in names:
        find, rounds, bar, flags = cases[name]
        source = find()

        def compiling(compiler):
            return lambda: run([*compiler, "-O2", *flags, "-c", source, "-o", work / f"{name}.o"]).user

        taken = interleaved({"clang": compiling([CLANG]), "ours": compiling([tool, "cc"])}, rounds)
        ratio = median_ratio(taken["ours"], taken["clang"])
        results.detail(name, {who: [round(t, 3) for t in times] for who, times in taken.items()})
        results.row(f"compile time, {name}, ours / clang -O2", f"{ratio:.2f}", f"<= {bar}", ratio <= bar,
                    f"clang {sorted(taken['clang'])[rounds // 2]:.2f} s, ours {sorted(taken['ours'])[rounds // 2]:.2f} s")
    results.keep(partial=bool(options.names))


if __name__ == "__main__":
    main()
