# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Modules that run on nodes, as processes on this machine with a separate /etc. Needs root."""

from __future__ import annotations

import json
import subprocess
import sys
import typing as t
from pathlib import Path

from . import documented

MODULES = "ansible_collections.mlfleet.hyperpod.plugins.modules"
OWN_ETC = 'mount --bind "$1" /etc; shift; exec "$@"'


def answer(etc: Path, module: str, arguments: dict[str, t.Any], *, first: str = "") -> dict[str, t.Any]:
    """The module's result; ``first`` is Python code that its process runs before."""
    code = f"{first}\nimport runpy\nrunpy.run_module('{MODULES}.{module}', run_name='__main__')"
    command = ["unshare", "--mount", "--propagation", "private", "sh", "-euc", OWN_ETC, "sh", str(etc), sys.executable, "-c", code]
    request = json.dumps({"ANSIBLE_MODULE_ARGS": arguments})
    done = subprocess.run(command, input=request, capture_output=True, text=True, check=False)
    assert done.stdout, done.stderr
    result: dict[str, t.Any] = json.loads(done.stdout)
    documented.check(module, result)
    return result


ETC = {
    "passwd": "root:x:0:0:root:/root:/bin/bash\nnobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n",
    "group": "root:x:0:\nnogroup:x:65534:\n",
    "shadow": "root:*:19000:0:99999:7:::\nnobody:*:19000:0:99999:7:::\n",
    "gshadow": "root:*::\nnogroup:*::\n",
    "nsswitch.conf": "passwd: files\ngroup: files\nshadow: files\n",
}
NO_WAIT_TAKES_LONG = """import itertools, types
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node import lock
seconds = itertools.count()
lock.time = types.SimpleNamespace(monotonic=lambda: next(seconds), sleep=lambda _seconds: None)
"""


class BareNode:
    """Files of a node in a folder: its account files in ``etc``, and ``homes``."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.etc, self.homes = folder, folder / "etc", folder / "homes"
        for each in (folder, self.etc, self.homes):
            each.mkdir(exist_ok=True)
            each.chmod(0o755)
        for above in [folder, *folder.parents]:
            if str(above).startswith("/tmp/"):
                above.chmod(0o755)  # people need access to their homes
        for name, text in ETC.items():
            (self.etc / name).write_text(text)
        self._before: dict[str, str] = {}

    def line(self, file: str, name: str) -> str:
        lines = (self.etc / file).read_text().split("\n")
        return next((line for line in lines if line.startswith(f"{name}:")), "")

    def run(self, module: str, /, *, check: bool = False, **options: t.Any) -> dict[str, t.Any]:
        """The module's result; resets ``changes`` to this run."""
        self._before = self.files()
        return answer(self.etc, module, {**options, "_ansible_check_mode": check}, first=NO_WAIT_TAKES_LONG)

    def files(self) -> dict[str, str]:
        """Owner, mode and content of all files by path, without lock files."""
        paths = [path for path in sorted(self.folder.rglob("*")) if path.name != ".pwd.lock"]
        return {str(path.relative_to(self.folder)): _shown(path) for path in paths}

    def changes(self) -> list[str]:
        """Paths that the last run created, changed or removed."""
        after = self.files()
        return sorted(path for path in self._before.keys() | after.keys() if self._before.get(path) != after.get(path))

    def problems(self) -> list[str]:
        """Always empty: the node calls no API."""
        return []


def _shown(path: Path) -> str:
    status = path.lstat()
    content = f"-> {path.readlink()}" if path.is_symlink() else path.read_text() if path.is_file() else ""
    return f"{status.st_uid}:{status.st_gid} {status.st_mode:o} {content}"
