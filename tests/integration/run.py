"""Run the integration tests inside labs made for them, several at a time: a run waits for a good part of its time.

Each lab takes the next files until none are left, the slowest first; the molecule scenario is taken like them, in a lab
of its own. Arguments go to pytest; with arguments there is one lab.
"""

from __future__ import annotations

import os
import queue
import subprocess
import sys
import threading
import time
import typing as t
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
FOLDER = TESTS / "integration"
NAME = os.environ.get("LAB_NAME", "integration")
LABS = 3  # they fill two cores: of two, one often waits
TOGETHER = (  # one after the other in one lab: each takes the world that the one before it left
    ("test_plan.py", "test_drain.py", "test_spared.py", "test_story.py"),
    ("test_stumbles.py", "test_kills.py"),
    ("test_secrets.py", "test_sshd_guard.py", "test_drift_and_access.py"),
    ("test_client_vpn.py",),
    ("test_client_vpn_failures.py",),
    ("test_adopt.py",),
    ("test_host_certificates.py",),
    ("test_rotation.py",),
    ("test_offboard.py",),
)
MOLECULE = ("molecule",)
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(TESTS)}
PYTEST = ["pytest", "-p", "no:cacheprovider", "--durations=5", "-ra"]


class Labs:
    """What all labs of one call share: what is still to run, and what has failed."""

    def __init__(self, batches: t.Iterable[tuple[str, ...]]) -> None:
        self.batches: queue.SimpleQueue[tuple[str, ...]] = queue.SimpleQueue()
        for batch in batches:
            self.batches.put(batch)
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
                    batch = self.batches.get_nowait()
                except queue.Empty:
                    return
                self._take(name, batch)
        finally:
            self._lab("down", "--name", name)

    def _take(self, name: str, batch: tuple[str, ...]) -> None:
        title, begin = ", ".join(batch), time.monotonic()
        self._say(f"{name}: {title} begins\n")
        if batch == MOLECULE:
            status = self._run([str(TESTS / "molecule.py")], LAB_NAME=f"{name}-molecule")
        else:
            status = self._lab("exec", "--name", name, "--", sys.executable, "-m", *PYTEST, *map(_path, batch))
        self._say(f"{name}: {title}: {'ok' if status == 0 else 'FAILED'} after {time.monotonic() - begin:.0f} s\n")
        if status:
            self.failed.append(title)

    def _lab(self, *arguments: str) -> int:
        return self._run(["-m", "lab", *arguments])

    def _run(self, arguments: list[str], **environment: str) -> int:
        """A Python program; what it says is shown at its end, not mixed with what other labs say."""
        done = subprocess.run(
            [sys.executable, *arguments],
            env={**ENVIRONMENT, **environment},
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


def _path(name: str) -> str:
    return str(FOLDER / name)


def batches() -> list[tuple[str, ...]]:
    """All there is to run; files that are not named above come alone, at the end."""
    named = {name for batch in TOGETHER for name in batch}
    return [*TOGETHER, MOLECULE, *((name,) for name in sorted({file.name for file in FOLDER.glob("test_*.py")} - named))]


def everything() -> int:
    labs = Labs(batches())
    names = [f"{NAME}-{number + 1}" for number in range(LABS)]
    for name in names:  # what a crashed run left
        subprocess.run([sys.executable, "-m", "lab", "down", "--name", name], env=ENVIRONMENT, check=False)
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
        return subprocess.run([sys.executable, "-m", "lab", *verb], env=ENVIRONMENT, check=False).returncode

    lab("down", "--name", NAME)
    if lab("up", "--empty", "--name", NAME):
        return 1
    try:
        return lab("exec", "--name", NAME, "--", sys.executable, "-m", *PYTEST, *arguments)
    finally:
        lab("down", "--name", NAME)


if __name__ == "__main__":
    sys.exit(some(sys.argv[1:]) if sys.argv[1:] else everything())
