# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Messages of torchrun when launchers do not meet. The lines are from PyTorch 2.13."""

from __future__ import annotations

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._training.launcher import Launcher, launcher

TIMED_OUT = "[E1129 10:33:56.459855154 socket.cpp:1028] [c10d] The client socket has timed out after 60000ms while trying to connect to ({}, {})."
NOT_RESOLVED = (
    "[W1129 10:33:17.143738814 socket.cpp:764] [c10d] The IPv6 network addresses of (train-0, 29500) cannot be retrieved "
    "(gai error: -2 - Name or service not known)."
)
STARTS = "I1129 11:10:20.290000 22581 torch/distributed/launcher/api.py:254] Starting elastic_operator with launch configs:"
JOINS = "I1129 11:10:20.293000 22581 torch/distributed/elastic/agent/server/api.py:707] [default] Rendezvous'ing worker group"
WAITED = "torch.distributed.elastic.rendezvous.api.RendezvousTimeoutError"


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ([], Launcher()),
        ([NOT_RESOLVED], Launcher()),
        ([NOT_RESOLVED, TIMED_OUT.format("train-0.train", 29500)], Launcher("train-0.train:29500")),
        ([TIMED_OUT.format("192.0.2.1", 1), TIMED_OUT.format("fd00::1", 2)], Launcher("fd00::1:2")),
        ([WAITED], Launcher(joined=True)),
        ([STARTS], Launcher()),
        ([STARTS, JOINS], Launcher(joined=True)),
        ([TIMED_OUT.format("a", 1), JOINS], Launcher("a:1", joined=True)),
        ([TIMED_OUT.format("a\x1b[2J", 1), TIMED_OUT.format("a b", 1), TIMED_OUT.format("a", "1" * 6)], Launcher()),
        ([TIMED_OUT.format("a" * 254, 1), f"{'x' * 1000}{TIMED_OUT.format('a', 1)}", f"{'x' * 1000}{WAITED}"], Launcher()),
        ([f"{'x' * 1000}{JOINS}", JOINS.upper()], Launcher()),
    ],
)
def test_the_messages_of_the_launcher_are_parsed(lines: list[str], expected: Launcher) -> None:
    assert launcher(lines) == expected
