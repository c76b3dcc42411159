"""What every bench command shares: the tool under test, CPU times of children, rows with their goals, kept results.

It knows no bar. It never calls anything but the tool's documented commands, clang and the LLVM tools that the
callers name, and it never lets the tool change under a measurement: the staged tree is copied first.
"""

import atexit
import hashlib
import json
import math
import os
import pathlib
import shlex
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

BENCH = pathlib.Path(__file__).resolve().parent
ROOT = BENCH.parent
SUBJECTS = BENCH / "subjects"
RUNS = BENCH / "runs"
CLANG = os.environ.get("CLANG", "clang-22")


class Failed(Exception):
    """A command of a measurement did not do its job; the figure does not exist."""


def workspace(place=None):
    """A scratch folder, gone at exit unless KEEP is set; WORK names a place for it where the caller does not."""
    folder = pathlib.Path(tempfile.mkdtemp(prefix="symcrete-bench-", dir=place or os.environ.get("WORK")))
    if "KEEP" in os.environ:
        print(f"kept: {folder}", file=sys.stderr)
    else:
        atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def cache():
    """Where other people's sources and builds of them are kept between measurements."""
    folder = pathlib.Path(os.environ.get("SYMCRETE_CACHE") or pathlib.Path.home() / ".cache" / "symcrete") / "bench"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


measured_tool = {}  # what staged_tool copied; goes into every kept result


def staged_tool(work):
    """A private copy of the staged (or, with SYMCRETE_STAGE, any installed) tree; returns the command."""
    stage = pathlib.Path(os.environ.get("SYMCRETE_STAGE", ROOT / "target" / "stage"))
    if not (stage / "bin" / "symcrete").exists():
        sys.exit(f"bench: no tool in {stage}; run `make build`, or set SYMCRETE_STAGE to an installed tree")
    copy = work / "stage"
    for part in ("bin/symcrete", "lib/symcrete", "include/symcrete"):
        target = copy / part
        target.parent.mkdir(parents=True, exist_ok=True)
        source = stage / part
        if source.is_dir():
            shutil.copytree(source, target, symlinks=True)
        else:
            shutil.copy2(source, target)
    measured_tool.update(identity(copy))
    for name in ("symcrete-cc", "symcrete-c++"):
        (copy / "bin" / name).symlink_to("symcrete")
    return str(copy / "bin" / "symcrete")


def identity(tree):
    """One hash over all files of the tool, and the time of its newest: the checkout may be newer than what was built."""
    files = sorted(path for path in tree.rglob("*") if path.is_file())
    digest = hashlib.sha256()
    for path in files:
        digest.update(str(path.relative_to(tree)).encode() + b"\0" + hashlib.sha256(path.read_bytes()).digest())
    newest = max(path.stat().st_mtime for path in files)
    return {"sha256": digest.hexdigest()[:16], "built": time.strftime("%Y-%m-%d %H:%M:%S UTC", time.gmtime(newest))}


class Ran:
    """How a child ended and what it and its own children used."""

    def __init__(self, status, usage, wall, output):
        self.status, self.output, self.wall = status, output, wall
        self.user, self.system = usage.ru_utime, usage.ru_stime
        self.cpu = self.user + self.system
        self.peak_kb = usage.ru_maxrss


def run(command, env=None, cwd=None, accept=(0,), stderr=None):
    """Runs a command to its end; its standard output is kept, its CPU time comes from the kernel."""
    command = [str(word) for word in command]
    start = time.monotonic()
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out, stderr=stderr or err,
                                 env={**os.environ, **(env or {})}, cwd=cwd)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        wall = time.monotonic() - start
        out.seek(0)
        err.seek(0)
        if child.returncode not in accept:
            text = err.read().decode(errors="replace")[-2000:]
            raise Failed(f"{shlex.join(command)}: ended with {child.returncode}\n{text}")
        return Ran(child.returncode, usage, wall, out.read().decode(errors="replace"))


def interleaved(measures, rounds):
    """Calls each measure once per round, in turn, so that a busy machine slows all of them alike."""
    taken = {name: [] for name in measures}
    for _ in range(rounds):
        for name, measure in measures.items():
            taken[name].append(measure())
    return taken


def median_ratio(above, below):
    """Median of the ratios round by round: neighbours in time saw the same machine."""
    return statistics.median(a / b for a, b in zip(above, below))


def geometric_mean(values):
    return math.exp(statistics.fmean(map(math.log, values)))


def machine():
    """What the figures depend on besides the code."""
    model = next((line.split(":", 1)[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")), "?")

    def git(*words):
        return subprocess.run(["git", "-C", str(ROOT), *words], capture_output=True, text=True, check=False).stdout.strip()

    return {
        "cpu": model,
        "cores": os.cpu_count(),
        "kernel": os.uname().release,
        "load_at_end": [round(x, 1) for x in os.getloadavg()],
        "date": time.strftime("%Y-%m-%d %H:%M:%S UTC", time.gmtime()),
        "checkout": git("rev-parse", "--short=12", "HEAD"),
        "uncommitted_files": len(git("status", "--porcelain", "--untracked-files=no", "--", "crates").splitlines()),
    }


class Results:
    """The rows of one bench command; `keep` prints them and writes runs/NAME.json with command and machine."""

    def __init__(self, name):
        self.name, self.rows, self.details = name, [], {}
        self.load_at_start = [round(x, 1) for x in os.getloadavg()]

    def row(self, what, measured, bar, holds, note=""):
        self.rows.append({"what": what, "measured": measured, "bar": bar, "holds": bool(holds), "note": note})
        print_rows(self.rows[-1:])

    def detail(self, key, value):
        self.details[key] = value

    def keep(self, partial=False):
        """A partial measurement is shown but not kept: it would hide the rows it did not measure."""
        if partial:
            print("not kept: only a part was measured")
            return
        RUNS.mkdir(exist_ok=True)
        words = [os.path.relpath(sys.argv[0], ROOT), *sys.argv[1:]]
        record = {"command": "python3 " + shlex.join(words),
                  "tool": measured_tool, "machine": {**machine(), "load_at_start": self.load_at_start}, "rows": self.rows, "details": self.details}
        path = RUNS / f"{self.name}.json"
        path.write_text(json.dumps(record, indent=1) + "\n")
        print(f"kept in {path.relative_to(ROOT)}")


def print_rows(rows):
    for row in rows:
        note = f"   {row['note']}" if row["note"] else ""
        print(f"{'holds ' if row['holds'] else 'MISSED'}  {row['what']:<58} {row['measured']:>12}   bar {row['bar']:<12}{note}", flush=True)
