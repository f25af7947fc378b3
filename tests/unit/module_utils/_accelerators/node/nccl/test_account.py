# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The account that runs the test, and Slurm's refusal of it."""

from __future__ import annotations

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.nccl import account
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.nccl.model import Ran

ASSOCIATION = "srun: error: Unable to allocate resources: Invalid account or account/partition combination specified"


def test_the_account_has_no_rights() -> None:
    found = account.unprivileged()
    assert found is not None and found.uid != 0 and found.groups == ()


@pytest.mark.parametrize(
    ("text", "status", "refused"),
    [
        (f"{ASSOCIATION}\n", 1, ASSOCIATION),
        ("srun: error: User's group not permitted to use this partition\n", 1, "srun: error: User's group not permitted to use this partition"),
        ("srun: error: Unable to allocate resources: Access/permission denied\n", 1, "permission denied"),
        ("srun: error: Task launch for StepId=13.0 failed on node n1: Invalid job credential\n", 1, "Invalid job credential"),
        ("srun: error: Unable to allocate resources: Requested nodes are busy\n", 1, ""),
        ("0: mlfleet.hyperpod: program /opt/x\nsrun: error: n1: task 0: Permission denied\n", 1, ""),
        ("0: mlfleet.hyperpod: refused program /opt/x\nsrun: error: Permission denied\n", 127, ""),
        ("0: another program: Permission denied\n", 1, ""),
        (f"{ASSOCIATION}\n", None, ""),
        (f"{ASSOCIATION}\n", 0, ""),
    ],
)
def test_a_refusal_of_the_account_is_recognized(text: str, status: int | None, refused: str) -> None:
    refusal = account.refusal(Ran(text, status))
    assert refused in refusal if refused else refusal == ""
