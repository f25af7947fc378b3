# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The control node's own known_hosts file. All clusters share the file, and a run replaces only its cluster's lines."""

from __future__ import annotations

import fcntl
import os
import shlex
import typing as t

from .._core.files import locked, write_file
from .._core.text import lines_of
from .model import Keys

LOCK_SECONDS = 60.0


def lines_for(alias: str, keys: Keys) -> list[str]:
    return [f"{alias} {key}" for key in keys]


def merged(existing: str, cluster_id: str, lines: t.Sequence[str]) -> str:
    """``existing`` with the lines of ``cluster_id`` replaced. Their host names end with the cluster's ID, which is unique."""
    ours = f".{cluster_id}"
    kept = [line for line in lines_of(existing) if line.strip() and not line.split()[0].endswith(ours)]
    return "".join(f"{line}\n" for line in sorted({*kept, *lines}))


def write_known_hosts(state_dir: str, cluster_id: str, lines: t.Sequence[str]) -> str:
    """Merge the lines into ``known_hosts``. Runs for other clusters may do the same concurrently."""
    make_private(state_dir)
    path = os.path.join(state_dir, "known_hosts")
    held = f"{path}.lock has been held by another run for more than {LOCK_SECONDS:.0f} s. Run again."
    with locked(f"{path}.lock", fcntl.flock, timeout=LOCK_SECONDS, message=held):
        existing = _read(path)
        wanted = merged(existing, cluster_id, lines)
        if wanted != existing or not os.path.exists(path):
            write_file(path, wanted)
    return path


def write_wrapper(state_dir: str, *, python: str, script: str) -> str:
    """Write the command that the inventory's ssh options call. It contains the paths of Python and of the collection's script."""
    make_private(state_dir)
    path = os.path.join(state_dir, "ssm-proxy")
    text = f'#!/bin/sh\nexec {shlex.quote(python)} {shlex.quote(script)} "$@"\n'
    if _read(path) != text:
        write_file(path, text, mode=0o700)
    return path


def make_private(state_dir: str) -> None:
    os.makedirs(state_dir, mode=0o700, exist_ok=True)
    if os.stat(state_dir).st_mode & 0o077:
        os.chmod(state_dir, 0o700)


def _read(path: str) -> str:
    try:
        with open(path, encoding="utf-8") as file:
            return file.read()
    except FileNotFoundError:
        return ""
