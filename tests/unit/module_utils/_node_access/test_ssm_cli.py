# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The command line of a session."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node_access import ssm_cli

PROGRAMS = ("aws", "session-manager-plugin")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The only folder on PATH."""
    for program in PROGRAMS:
        (tmp_path / program).write_text("#!/bin/sh\n")
        (tmp_path / program).chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    return tmp_path


def test_given_options_are_passed_on(folder: Path) -> None:
    bare = [str(folder / "aws"), "ssm", "start-session", "--target", "i-1", "--region", "us-west-2"]
    assert ssm_cli.session_command(target="i-1", region="us-west-2", profile=None) == bare
    given = ssm_cli.session_command(target="i-1", region="us-west-2", profile="p", document="d", parameters="x")
    assert given == [*bare, "--profile", "p", "--document-name", "d", "--parameters", "x"]


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_missing_program_is_an_error(folder: Path, program: str) -> None:
    (folder / program).unlink()
    with pytest.raises(ssm_cli.MissingProgram, match=f"^{program} was not found on PATH; install "):
        ssm_cli.session_command(target="i-1", region="us-west-2", profile=None)
