"""Labs in which tests run, several in parallel, because a playbook run spends much of its time waiting.

Each lab takes the next batch until none are left. The molecule scenario is a batch, too, and runs in a lab of its own.
"""

from __future__ import annotations

import os
import queue
import re
import subprocess
import sys
import threading
import time
import typing as t
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(TESTS))

import turns  # noqa: E402

LABS = 3  # three labs fill two cores: of two labs, one often waits
MOLECULE = ("molecule",)
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(TESTS)}
PREPARES = {
    "lab.pods.prepare": re.compile(r"(?:Eks|Training)World\([^)]*\breal="),
    "lab.awx.collection": re.compile(r"^from awx_place import", re.MULTILINE),
    "lab.eda.runtime": re.compile(r"^import listener", re.MULTILINE),
}
"""Modules that download what tests need, because no lab can; and what the files of these tests contain."""
PYTEST = ["pytest", "-p", "no:cacheprovider", "--durations=5", "-ra"]


class Labs:
    """State that all labs of one call share: the batches that are left, and what has failed."""

    def __init__(self, batches: t.Iterable[tuple[str, ...]]) -> None:
        self.batches: queue.SimpleQueue[tuple[str, ...]] = queue.SimpleQueue()
        for batch in batches:
            self.batches.put(batch)
        self.failed: list[str] = []
        self.printing = threading.Lock()

    def work(self, name: str) -> None:
        """Run one lab from its start to its end."""
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
        title = ", ".join(each.removeprefix(f"{TESTS}/") for each in batch if not each.startswith("--"))
        begin = time.monotonic()
        self._print(f"{name}: {title} begins\n")
        for module in preparations(batch):
            self._run(["-m", module])
        if batch == MOLECULE:
            self._lab("down", "--name", name)  # its machines would take the room that molecule's lab needs
            status = self._run([str(TESTS / "molecule.py")], LAB_NAME=f"{name}-molecule")
            self._lab("up", "--empty", "--name", name)
        else:
            status = self._lab("exec", "--name", name, "--", sys.executable, "-m", *PYTEST, *batch)
        self._print(f"{name}: {title}: {'ok' if status == 0 else 'FAILED'} after {time.monotonic() - begin:.0f} s\n")
        if status:
            self.failed.append(title)

    def _lab(self, *arguments: str) -> int:
        return self._run(["-m", "lab", *arguments])

    def _run(self, arguments: list[str], **environment: str) -> int:
        """Run a Python program; its output is printed when it has ended, so that it does not mix with that of other labs."""
        done = subprocess.run(
            [sys.executable, *arguments],
            env={**ENVIRONMENT, **environment},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        self._print(done.stdout)
        return done.returncode

    def _print(self, text: str) -> None:
        with self.printing:
            sys.stdout.write(text)
            sys.stdout.flush()


def preparations(arguments: t.Iterable[str]) -> list[str]:
    """The modules of ``PREPARES`` that must run before pytest with these arguments."""
    commit = next((each.partition("=")[2] for each in arguments if each.startswith(f"{turns.OPTION}=")), "")
    files = [Path(each.partition("::")[0]) for each in arguments]
    texts = [file.read_text("utf-8") for file in files if file.is_file() and (not commit or turns.takes(commit, file))]
    return [module for module, needed in PREPARES.items() if any(needed.search(text) for text in texts)]


def everything(name: str, batches: t.Sequence[tuple[str, ...]]) -> int:
    """Run all batches, each the arguments of one pytest, in up to ``LABS`` labs; returns the exit status."""
    labs = Labs(batches)
    names = [f"{name}-{number + 1}" for number in range(min(LABS, len(batches)))]
    for each in names:  # what a crashed run left
        subprocess.run([sys.executable, "-m", "lab", "down", "--name", each], env=ENVIRONMENT, check=False)
    threads = [threading.Thread(target=labs.work, args=(each,)) for each in names]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    print(f"{name}: {', '.join(sorted(labs.failed))} failed" if labs.failed else f"{name}: all passed")
    return 1 if labs.failed else 0


def some(name: str, arguments: t.Sequence[str]) -> int:
    """Run pytest with these arguments in one lab, with its output at once; returns the exit status."""

    def run(*command: str) -> int:
        return subprocess.run([sys.executable, *command], env=ENVIRONMENT, check=False).returncode

    def lab(*verb: str) -> int:
        return run("-m", "lab", *verb)

    if any(run("-m", module) for module in preparations(arguments)):
        return 1
    lab("down", "--name", name)
    if lab("up", "--empty", "--name", name):
        return 1
    try:
        return lab("exec", "--name", name, "--", sys.executable, "-m", *PYTEST, *arguments)
    finally:
        lab("down", "--name", name)
