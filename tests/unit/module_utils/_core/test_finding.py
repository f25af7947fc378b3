# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core import finding
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Failure, Refused, refuse_option


@pytest.mark.parametrize(
    ("make", "kind", "severity"),
    [(finding.pending, "pending", "warning"), (finding.failure, "failure", "error"), (finding.note, "note", "info")],
)
def test_a_finding_is_plain_data(make, kind, severity) -> None:
    found = finding.to_result([make("home-waits", "The home waits.", subject="alice", node="i-1", brief="It waits.", next_step="Mount it.")])
    assert found == {
        "hyperpod_findings": [
            {
                "kind": kind,
                "code": "home-waits",
                "text": "The home waits.",
                "severity": severity,
                "subject": "alice",
                "next_step": "Mount it.",
                "node": "i-1",
                "brief": "It waits.",
            }
        ]
    }


def test_a_refused_option_is_the_subject() -> None:
    with pytest.raises(Refused) as refused:
        refuse_option("port", 0, "a number from 1")
    assert refused.value.finding() == finding.failure("option-refused", "port: 0 is not allowed. Allowed: a number from 1.", subject="port")
    assert Failure("It broke.").finding() == finding.failure("module-failed", "It broke.")
