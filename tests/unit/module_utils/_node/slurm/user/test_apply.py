# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Jobs are cancelled, and the step waits for their end."""

from __future__ import annotations

import typing as t
from pathlib import Path

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.plan import Step
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.slurm.user.apply import Applier
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.slurm.user.model import Desired
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.slurm.user.plan import CANCEL


def desired(*, cancel: bool = False) -> Desired:
    return Desired("mallory", 20003, cancel, 60)


def test_a_controller_that_is_too_busy_to_answer_is_retried(slurm: t.Callable[..., Path]) -> None:
    calls = slurm(
        squeue="""\
case $(grep -c '^squeue' "$(dirname "$0")/calls") in
1) echo '20003|12|COMPLETING|dev|ip-10-1-1-21' ;;
2) echo 'squeue: error: Socket timed out on send/recv operation' >&2; exit 1 ;;
esac"""
    )
    Applier(desired(cancel=True))(Step(CANCEL, {"ids": ("12",)}, ()))
    commands = calls.read_text().splitlines()
    assert commands[0] == "scancel -- 12"
    assert [line.split()[0] for line in commands[1:]] == ["squeue"] * 3
