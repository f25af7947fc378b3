# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The findings about nodes after a run."""

from __future__ import annotations

import dataclasses

import pytest
import reported
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.finding import to_result
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node_access import result
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node_access.apply import Outcome

from .test_plan import NODE, RECORD, key

NAME = f"node {NODE.instance_id} ({NODE.group})"
RSA = dataclasses.replace(key(2), algorithm="ssh-rsa")
TRUSTED = Outcome(NODE, "gained", "no trust record", fresh=True, record=dataclasses.replace(RECORD, host_keys=(RSA, key(1))))


@pytest.mark.parametrize(
    ("outcome", "pending", "notes"),
    [
        (Outcome(NODE, "ready"), [], []),
        (Outcome(NODE, "pending", "it is Pending"), [f"{NAME}: it is Pending"], []),
        (Outcome(NODE, "would_gain", "new"), [], [f"{NAME}: would gain access (new); changes are predicted only on nodes with access"]),
        (TRUSTED, [], [f"{NAME}: host keys recorded (no trust record), host key {key(1).algorithm} {key(1).fingerprint}"]),
        (
            dataclasses.replace(TRUSTED, record=dataclasses.replace(RECORD, host_keys=(RSA,))),
            [],
            [f"{NAME}: host keys recorded (no trust record), host key ssh-rsa {RSA.fingerprint}"],
        ),
        (dataclasses.replace(TRUSTED, fresh=False), [], []),
    ],
)
def test_pending_nodes_and_newly_trusted_nodes_are_reported(outcome, pending, notes):
    returned = to_result(result.findings([outcome]))
    assert (reported.texts_of(returned, "pending"), reported.texts_of(returned, "note")) == (pending, notes)
    assert {each["node"] for each in returned["hyperpod_findings"]} <= {NODE.instance_id}
