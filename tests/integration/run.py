"""Run the integration tests inside labs made for them, several at a time: a run waits for a good part of its time.

Each lab takes the next file until none is left, the slowest first. Arguments go to pytest; with arguments there is one lab.
"""

from __future__ import annotations

import os
import queue
import subprocess
import sys
import threading
import time
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
FOLDER = TESTS / "integration"
NAME = os.environ.get("LAB_NAME", "integration")
LABS = 2  # they fill two cores; a third one only makes all of them slower
SLOWEST_FIRST = (
    "test_failures.py",
    "test_kills.py",
    "test_client_vpn.py",
    "test_story.py",
    "test_client_vpn_failures.py",
    "test_drain.py",
    "test_offboard.py",
    "test_rotation.py",
    "test_adopt.py",
    "test_drift_and_access.py",
    "test_host_certificates.py",
    "test_sshd_guard.py",
)
PYTEST = ["pytest", "-p", "no:cacheprovider", "--durations=5", "-ra"]


class Labs:
    """What all labs of one call share: the files still to run, and what has failed."""

    def __init__(self, files: list[Path]) -> None:
        self.files: queue.SimpleQueue[Path] = queue.SimpleQueue()
        for file in files:
            self.files.put(file)
        self.failed: list[str] = []
        self.talking = threading.Lock()

    def work(self, name: str) -> None:
        """One lab, from its start to its end."""
        try:
            if self._lab("up", "--empty", "--name", name):
                self.failed.append(f"lab {name}")
                return
            while True:
                try:
                    file = self.files.get_nowait()
                except queue.Empty:
                    return
                begin = time.monotonic()
                status = self._lab("exec", "--name", name, "--", sys.executable, "-m", *PYTEST, str(file))
                self._say(f"{file.name}: {'ok' if status == 0 else 'FAILED'} after {time.monotonic() - begin:.0f} s\n")
                if status:
                    self.failed.append(file.name)
        finally:
            self._lab("down", "--name", name)

    def _lab(self, *arguments: str) -> int:
        """A verb of the lab; what it says is shown at its end, not mixed with what other labs say."""
        done = subprocess.run(
            [sys.executable, "-m", "lab", *arguments],
            env=environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        self._say(done.stdout)
        return done.returncode

    def _say(self, text: str) -> None:
        with self.talking:
            sys.stdout.write(text)
            sys.stdout.flush()


def environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(TESTS)}


def in_order(files: list[Path]) -> list[Path]:
    known = {name: place for place, name in enumerate(SLOWEST_FIRST)}
    return sorted(files, key=lambda file: (known.get(file.name, len(known)), file.name))


def everything() -> int:
    labs = Labs(in_order(list(FOLDER.glob("test_*.py"))))
    names = [f"{NAME}-{number + 1}" for number in range(LABS)]
    for name in names:  # what a crashed run left
        subprocess.run([sys.executable, "-m", "lab", "down", "--name", name], env=environment(), check=False)
    threads = [threading.Thread(target=labs.work, args=(name,)) for name in names]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    print(f"integration: {', '.join(sorted(labs.failed))} failed" if labs.failed else "integration: all passed")
    return 1 if labs.failed else 0


def some(arguments: list[str]) -> int:
    """What a person asked for, in one lab, shown as it comes."""

    def lab(*verb: str) -> int:
        return subprocess.run([sys.executable, "-m", "lab", *verb], env=environment(), check=False).returncode

    lab("down", "--name", NAME)
    if lab("up", "--empty", "--name", NAME):
        return 1
    try:
        return lab("exec", "--name", NAME, "--", sys.executable, "-m", *PYTEST, *arguments)
    finally:
        lab("down", "--name", NAME)


if __name__ == "__main__":
    sys.exit(some(sys.argv[1:]) if sys.argv[1:] else everything())
