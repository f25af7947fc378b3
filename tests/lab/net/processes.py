# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Stopping processes of the lab."""

from __future__ import annotations

import subprocess

PATIENCE = 5
"""Seconds."""


def end(process: subprocess.Popen) -> None:
    """Terminate a process; kill it after a while."""
    process.terminate()
    try:
        process.wait(PATIENCE)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
