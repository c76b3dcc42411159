"""What reporting costs: the screen of `--tui` and the live line, of the CPU time of a campaign.

    python3 bench/tui.py [--seconds 10] [--rounds 3]

The tool runs on a terminal of its own (120 x 40), of which everything is read. Counted are the time that the campaign
itself spent telling (`time.reporting` of summary.json) beyond what it spends with `--quiet`, which is writing tests, bugs
and figures to disk, and, with `--tui`, all that the thread of the screen used, as the kernel has it
(/proc/PID/task/TID/schedstat). All is CPU time; still, drawings are paced by the clock on the wall, so on a busy machine,
where a campaign gets less of a core, they are a larger share of it.
"""

import argparse
import fcntl
import json
import os
import pathlib
import pty
import select
import statistics
import struct
import subprocess
import termios

from measure import ROOT, SUBJECTS, Failed, Results, interleaved, staged_tool, workspace

BAR = 0.01
THREAD = "symcrete-tui"
WORK = {
    "parser.c in the loop": [SUBJECTS / "parser.c", "--max-len", 64],
    "settings.c, forked": [ROOT / "examples" / "settings.c", "--stdin", 24],
}


def screen_seconds(process):
    """CPU time of the screen's thread, or None while there is none."""
    for task in pathlib.Path(f"/proc/{process}/task").glob("*"):
        try:
            if (task / "comm").read_text().strip() == THREAD:
                return int((task / "schedstat").read_text().split()[0]) / 1e9
        except OSError:
            continue
    return None


def on_terminal(command):
    """Runs a command on a new terminal until it ends; the screen's CPU time as last seen, and the bytes written."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 120, 0, 0))
    environment = {**os.environ, "TERM": "xterm-256color"}
    child = subprocess.Popen([str(word) for word in command], stdin=theirs, stdout=theirs, stderr=theirs,
                             env=environment, start_new_session=True,
                             preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0))
    os.close(theirs)
    seconds, written = 0.0, 0
    while True:
        ready, _, _ = select.select([ours], [], [], 0.05)
        if ready:
            try:
                written += len(os.read(ours, 65536))
            except OSError:  # the other end is closed
                break
        seconds = screen_seconds(child.pid) or seconds
    os.close(ours)
    status = child.wait()
    if status not in (0, 1):
        raise Failed(f"{command}: ended with {status}")
    return seconds, written


def share(tool, work, arguments, options, seconds):
    out = work / "out"
    drawing, written = on_terminal(
        [tool, "run", *arguments, "--max-cpu", f"{seconds}s", "--out", out, "--build-folder", work / "build", *options])
    summary = json.loads((out / "summary.json").read_text())
    telling = summary["time"]["reporting"]
    cpu = summary["cpu_seconds"]
    return {"telling share": telling / cpu, "drawing share": drawing / cpu, "drawing": drawing, "telling": telling,
            "cpu_seconds": summary["cpu_seconds"], "bytes": written}


def main():
    parse = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parse.add_argument("--rounds", type=int, default=3)
    parse.add_argument("--seconds", type=int, default=10, help="CPU time of one campaign")
    options = parse.parse_args()
    work = workspace()
    tool = staged_tool(work)
    results = Results("tui")
    for what, arguments in WORK.items():
        place = work / arguments[0].stem
        place.mkdir()
        ways = {"--quiet": ["--quiet"], "--tui": ["--tui"], "live line": []}
        measures = {way: lambda extra=extra: share(tool, place, arguments, extra, options.seconds) for way, extra in ways.items()}
        taken = interleaved(measures, options.rounds)
        results.detail(what, taken)

        def middle(way, key):
            return statistics.median(each[key] for each in taken[way])

        disk = middle("--quiet", "telling share")
        for way in ("--tui", "live line"):
            cost = max(0.0, middle(way, "telling share") - disk) + middle(way, "drawing share")
            results.row(f"cost of reporting, share of CPU time: {way}, {what}", f"{100 * cost:.2f} %", "<= 1 %", cost <= BAR,
                        f"writing to disk, also with --quiet: {100 * disk:.2f} %")
    results.keep()


if __name__ == "__main__":
    main()
