# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The sshd service of a node: its unit, the validation of its configuration, and its reload.

Standard library only, Python 3.9 syntax.
"""

from __future__ import annotations

import os
import subprocess
import typing as t

from ..._core.failure import Refused
from ..system import CommandFailed, last_line, run

SERVICES = ("ssh.service", "sshd.service")
_SOCKETS = ("ssh.socket", "sshd.socket")
_NO_FOLDER = "Missing privilege separation directory: "


def serving_unit() -> str:
    """The service to reload; empty if a socket unit starts sshd for each connection, so that no reload is needed."""
    for unit in SERVICES:
        if _is_active(unit):
            return unit
    if any(_is_active(unit) for unit in _SOCKETS):
        return ""
    raise Refused(
        f"None of {', '.join(SERVICES + _SOCKETS)} is active on this node, so sshd could not be reloaded after a change. "
        "sshd must run as a systemd service."
    )


def reload(unit: str) -> None:
    """Reload sshd, without a restart. Open sessions continue."""
    if unit:
        run(["systemctl", "reload", unit], timeout=60)


def sshd(arguments: t.Sequence[str]) -> subprocess.CompletedProcess[str]:
    """Run ``sshd`` with ``arguments``. If sshd refuses its configuration, the error has sshd's own message."""
    done = run(["sshd", *arguments], check=False)
    if done.returncode != 0 and _NO_FOLDER in done.stderr:
        # With socket activation, /run/sshd exists only during a login.
        os.makedirs(last_line(done.stderr.partition(_NO_FOLDER)[2]), mode=0o755, exist_ok=True)
        done = run(["sshd", *arguments], check=False)
    if done.returncode != 0:
        raise CommandFailed(f"sshd does not accept the configuration: {last_line(done.stderr)}")
    return done


def _is_active(unit: str) -> bool:
    return run(["systemctl", "is-active", "--quiet", unit], check=False).returncode == 0
