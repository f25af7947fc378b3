# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""sshd tests its configuration, even if its runtime folder does not exist yet."""

from __future__ import annotations

import subprocess

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.sshd import service
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.system import CommandFailed


@pytest.fixture
def answers(monkeypatch):
    """Set the exit status and the error output of the next calls of sshd."""
    results: list[tuple[int, str]] = []

    def run(argv, *, check):
        assert argv == ["sshd", "-t"] and not check
        return subprocess.CompletedProcess(argv, *results.pop(0)[:1], "", outputs.pop(0))

    outputs: list[str] = []

    def give(*each):
        results.extend(each)
        outputs.extend(text for _status, text in each)
        return results

    monkeypatch.setattr(service, "run", run)
    return give


def test_a_missing_folder_is_created_and_sshd_called_again(answers, tmp_path):
    folder = tmp_path / "sshd"
    results = answers((255, f"Missing privilege separation directory: {folder}\n"), (0, ""))
    assert service.sshd(["-t"]).returncode == 0
    assert folder.is_dir() and results == []


def test_a_message_about_a_valid_configuration_creates_no_folder(answers, tmp_path):
    answers((0, f"Missing privilege separation directory: {tmp_path / 'sshd'}\n"))
    service.sshd(["-t"])
    assert not (tmp_path / "sshd").exists()


def test_an_invalid_configuration_is_refused_with_the_error_of_sshd(answers):
    answers((255, "line 1\n/etc/ssh/sshd_config line 9: Bad configuration option: X\n"))
    with pytest.raises(CommandFailed, match="sshd does not accept the configuration: .*line 9: Bad configuration option: X"):
        service.sshd(["-t"])
