# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Stand-ins for Slurm's commands."""

from __future__ import annotations

import typing as t
from pathlib import Path

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node import system
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.slurm.user import apply


@pytest.fixture(name="slurm")
def slurm_commands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> t.Callable[..., Path]:
    """Creates stand-ins that run the given scripts. Returns the file with the arguments of each call, one per line."""
    calls = tmp_path / "calls"
    monkeypatch.setattr(system, "SEARCH_PATH", f"{tmp_path}:/usr/bin:/bin")
    monkeypatch.setattr(apply, "_PAUSE", 0.01)

    def make(**texts: str) -> Path:
        for name, text in {"scancel": "", "scontrol": "", "squeue": "", **texts}.items():
            (tmp_path / name).write_text(f'#!/bin/sh\necho "{name} $*" >>{calls}\n{text}\n')
            (tmp_path / name).chmod(0o755)
        return calls

    return make
