"""A copy of this work tree, in which unit tests run without effect on the machine."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import signal
import subprocess
import tempfile
import typing as t
from dataclasses import dataclass
from pathlib import Path

from .places import Mutant

ENDED_WELL, FAILED, BROKEN, NONE_FOUND = 0, 1, 2, 5
"""Exit statuses of pytest; BROKEN means that tests could not be imported."""
NEAREST = 12
ISOLATED = (
    "unshare --mount --net --propagation private sh -euc".split(),
    'mount -t tmpfs -o mode=1777,size=1g tmpfs /tmp; ip link set lo up; exec "$@"',
)
"""Isolation in addition to tools/unit: a separate /tmp, and only the loopback network."""


@dataclass(frozen=True)
class Ended:
    """The result of tests."""

    status: str
    """passed, failed or unfinished"""
    failed: tuple[str, ...] = ()
    """Failed test functions in order, without parameters."""


@dataclass(frozen=True)
class Sandbox:
    """A copy for one mutant at a time."""

    root: Path
    seconds: float
    """Timeout of a run of tests."""

    def try_out(self, mutant: Mutant, tests: t.Sequence[str]) -> Ended:
        """The first test that fails with this mutant. The nearest tests run first, because importing all takes longer."""
        path = self.root / mutant.file
        text = path.read_text()
        path.write_text(mutant.apply(text))
        try:
            near = self.run(["-x", *tests[:NEAREST]])
            return near if near.status != "passed" or not tests[NEAREST:] else self.run(["-x", *tests[NEAREST:]])
        finally:
            path.write_text(text)

    def run(self, arguments: t.Sequence[str]) -> Ended:
        command = [*_isolated(), "tools/collection-tree", ".venv", "tools/unit", ".venv", "--tb=no", "-rfE", *arguments]
        environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1", "TMPDIR": "/tmp"}
        pipe = subprocess.PIPE
        with subprocess.Popen(
            command, cwd=self.root, env=environment, text=True, stdout=pipe, stderr=subprocess.STDOUT, start_new_session=True
        ) as running:
            try:
                output, _none = running.communicate(timeout=self.seconds)
            except subprocess.TimeoutExpired:
                os.killpg(running.pid, signal.SIGKILL)
                return Ended("unfinished")
        return ended(running.returncode, output)


def ended(status: int, output: str) -> Ended:
    """The result of pytest from its exit status and output."""
    if status in (ENDED_WELL, NONE_FOUND):
        return Ended("passed")
    failed = re.findall(r"^(?:FAILED|ERROR) (\S+?\.py(?:::[^\s\[]+)?)", output, re.MULTILINE)
    if status not in (FAILED, BROKEN) or not failed:
        raise RuntimeError(f"pytest ended with {status}:\n{output}")
    return Ended("failed", tuple(dict.fromkeys(failed)))


def _isolated() -> list[str]:
    lead, script = ISOLATED
    command = [*lead, script, "sh"]
    if os.geteuid() or subprocess.run([*command, "true"], capture_output=True, check=False).returncode:
        return []
    return ["nice", "-n", "19", *command]


@contextlib.contextmanager
def sandbox(root: Path, seconds: float) -> t.Iterator[Sandbox]:
    """A copy of the tracked and untracked files of a work tree, outside of /tmp, which tests may write."""
    cache = Path(os.environ.get("MLFLEET_HYPERPOD_CACHE") or Path.home() / ".cache" / "mlfleet-hyperpod")
    cache.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="mutants-", dir=cache) as folder:
        listed = subprocess.check_output(["git", "ls-files", "-z", "-co", "--exclude-standard"], cwd=root, text=True)
        for name in filter(None, listed.split("\0")):
            if (root / name).is_file():
                _copy(root / name, Path(folder, name))
        Path(folder, ".venv").symlink_to((root / ".venv").resolve())
        yield Sandbox(Path(folder), seconds)


def _copy(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy2(source, target, follow_symlinks=False)
