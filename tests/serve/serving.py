"""The command in a process of its own, which tells on itself when it opens a connection."""

import json
import os
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).parents[2]
# Every connection that the process opens, or name that it looks up, is written down.
WATCHED = """
import sys
def watch(event, arguments):
    if event in ("socket.connect", "socket.sendto", "socket.getaddrinfo", "socket.gethostbyname"):
        where = arguments[1] if event in ("socket.connect", "socket.sendto") else arguments[:1]
        print("OUTWARD", event, where, file=sys.stderr, flush=True)
sys.addaudithook(watch)
from segtopic.cli import main
sys.exit(main(sys.argv[1:]))
"""


@contextmanager
def serving(folder, *more):
    """The process, and the address that it printed."""
    process = subprocess.Popen(
        [sys.executable, "-c", WATCHED, "serve", str(folder), "--port", "0", "--json", *more],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"},
    )
    try:
        lines = []
        while not lines or lines[-1] != "}\n":
            lines.append(process.stdout.readline())
            assert lines[-1], process.stderr.read()
        yield process, json.loads("".join(lines))["address"]
    finally:
        if process.poll() is None:
            process.kill()
        process.wait()
        process.stdout.close()
        process.stderr.close()
