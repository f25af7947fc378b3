# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Two trees of Debian, built once into the cache: the root of nodes that run Pods, and the /usr of every container on them."""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass
from pathlib import Path

from lab import debian
from lab.debian import Progress
from lab.names import LabError, cache_folder

TORCHRUN = "#!/usr/bin/python3\nfrom torch.distributed.run import main\n\nmain()\n"
MODULES = "usr/local/lib/python3.11/dist-packages"
"""Folder of Python packages in a container that do not come from Debian."""


@dataclass(frozen=True)
class Tree:
    """``files`` are programs to add: path and text."""

    kind: str
    suite: str
    packages: tuple[str, ...]
    files: tuple[tuple[str, str], ...] = ()

    @property
    def recipe_hash(self) -> str:
        recipe = (self.suite, self.packages, self.files, debian.LEAN, os.uname().machine)
        return hashlib.sha256(repr(recipe).encode()).hexdigest()[:16]

    def ensure(self, progress: Progress) -> Path:
        """Path of the tree; it is built first if the cache lacks it."""
        return debian.cached(self.kind, self.recipe_hash, lambda work, root: self._build(work, root, progress), progress)

    def built(self) -> Path:
        """The same inside a lab, which reaches no mirror.

        :raises LabError: if it is not built.
        """
        found = cache_folder() / f"{self.kind}-{self.recipe_hash}"
        if not found.is_dir():
            raise LabError(f"the tree {self.kind} is not built: run make pods outside of the lab")
        return found

    def _build(self, work: Path, root: Path, progress: Progress) -> None:
        with debian.phase(progress, f"{self.kind}: Debian {self.suite} with {', '.join(self.packages)}"):
            debian.tree(debian.Apt(work), root, self.suite, self.packages, lambda line: None)
        for path, text in self.files:
            (root / path).write_text(text)
            (root / path).chmod(0o755)


# Kubelet 1.20 needs version v1alpha2 of the CRI, which containerd 2 lacks.
NODE = Tree(
    "pods-node",
    "trixie",
    ("containerd", "runc", "containernetworking-plugins", "iptables", "mount", "procps", "iproute2", "busybox-static"),
)
# requirements/pytorch.txt is for CPython 3.11.
CONTAINER = Tree("pods-container", "bookworm", ("python3", "procps", "iproute2"), (("usr/local/bin/torchrun", TORCHRUN),))
