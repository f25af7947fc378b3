# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Installs the programs and configures Slurm. Standard library only, Python 3.9 syntax."""

from __future__ import annotations

import os
import time
import typing as t

from ...._core.failure import Failure
from ...._core.plan import Step
from ...._node import files
from ...._node.system import CommandFailed, run
from .model import Conf, Desired
from .observe import config, running
from .plan import WRITE

_SETTLES_SECONDS = 30.0
_POLL_SECONDS = 0.5


def apply(step: Step) -> None:
    if step.operation == WRITE:
        _write(step.arguments["files"])
    else:
        _configure(**step.arguments)


def _write(wanted: t.Mapping[str, bytes | None]) -> None:
    for path, content in wanted.items():
        if content is None:
            files.remove(path)
            continue
        os.makedirs(os.path.dirname(path), mode=0o755, exist_ok=True)
        files.replace_file(path, content, mode=0o755 if content.startswith(b"#!") else 0o600)
        files.restore_label(path)


def _configure(*, desired: Desired, conf: Conf, text: str) -> None:
    """:raises Failure: if Slurm does not apply the new lines; slurm.conf is then restored."""
    try:
        _put(conf, text, desired.script)
        _reconfigured(desired)
    except (Failure, OSError) as error:
        _put(conf, conf.text, conf.script)
        run(["scontrol", "reconfigure"], timeout=60, check=False)
        raise Failure(f"Slurm did not apply the new lines in {conf.path}, so the file was restored. {error}") from None
    if not desired.script:
        files.remove(conf.script_path)


def _put(conf: Conf, text: str, script: str) -> None:
    """The script must exist while a line names it. Otherwise, slurmctld sends no script, and Slurm drains nodes without one."""
    if script:
        files.replace_text(conf.script_path, script, mode=0o755)
    files.replace_text(conf.path, text, mode=conf.mode, uid=conf.uid, gid=conf.gid)


def _reconfigured(desired: Desired) -> None:
    run(["scontrol", "reconfigure"], timeout=60)
    deadline = time.monotonic() + _SETTLES_SECONDS
    while not _applies(desired):
        if time.monotonic() > deadline:
            raise Failure(f"slurmctld still uses different settings after {_SETTLES_SECONDS:.0f} s.")
        time.sleep(_POLL_SECONDS)


def _applies(desired: Desired) -> bool:
    """Whether slurmctld uses the settings. It may not answer for a moment while it reloads its files."""
    try:
        return desired.fulfilled(running(config()))
    except CommandFailed:
        return False
