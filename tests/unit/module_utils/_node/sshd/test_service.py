# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""sshd judges its own configuration, also where no login has made its folder yet."""

from __future__ import annotations

import subprocess

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.sshd import service
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.system import CommandFailed


@pytest.fixture
def answers(monkeypatch):
    """What sshd answers, one after the other: status and what it says."""
    waiting: list[tuple[int, str]] = []

    def run(argv, *, check):
        assert argv == ["sshd", "-t"] and not check
        return subprocess.CompletedProcess(argv, *waiting.pop(0)[:1], "", said.pop(0))

    said: list[str] = []

    def give(*each):
        waiting.extend(each)
        said.extend(text for _status, text in each)
        return waiting

    monkeypatch.setattr(service, "run", run)
    return give


def test_the_folder_that_is_missing_is_made_and_sshd_asked_again(answers, tmp_path):
    folder = tmp_path / "sshd"
    waiting = answers((255, f"Missing privilege separation directory: {folder}\n"), (0, ""))
    assert service.sshd(["-t"]).returncode == 0
    assert folder.is_dir() and waiting == []


def test_what_it_says_beside_a_good_configuration_is_no_missing_folder(answers, tmp_path):
    answers((0, f"Missing privilege separation directory: {tmp_path / 'sshd'}\n"))
    service.sshd(["-t"])
    assert not (tmp_path / "sshd").exists()


def test_a_wrong_configuration_is_refused_in_its_words(answers):
    answers((255, "line 1\n/etc/ssh/sshd_config line 9: Bad configuration option: X\n"))
    with pytest.raises(CommandFailed, match="sshd does not accept the configuration: .*line 9: Bad configuration option: X"):
        service.sshd(["-t"])
