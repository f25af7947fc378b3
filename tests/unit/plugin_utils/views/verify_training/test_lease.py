# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The Lease of a run, and what the report states if another run holds it."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.views.verify_training import jobs, lease as views, report

from .given import CLAIM, codes, variables

HOLDER = {"training_lease": {"namespace": "mlfleet-training", "name": "mlfleet-training", "holder": "run-1 of a@b"}}
LOST = {"failed": True, "msg": "Another verification (run-2 of c@d) holds Lease a/b.\nmore"}


@pytest.mark.parametrize(
    ("given", "namespace", "own"),
    [
        ({}, "mlfleet-training", True),
        ({"verify_training_namespace": "own"}, "own", True),
        (CLAIM, "ml", False),
        ({"verify_training_queue": "q", "verify_training_namespace": "team"}, "team", False),
    ],
)
def test_the_lease_is_in_the_namespace_of_the_jobs(given: dict[str, t.Any], namespace: str, own: bool) -> None:
    made, coming = views.lease(variables(**given)), jobs.coming(variables(**given))
    assert made == views.Lease(namespace, own, "") and coming is not None and coming.namespace == namespace


@pytest.mark.parametrize(
    ("read", "holder", "why"),
    [(None, "", ""), (HOLDER, "run-1 of a@b", ""), (LOST, "", "Another verification (run-2 of c@d) holds Lease a/b.")],
)
def test_a_run_without_the_lease_verifies_nothing(read: t.Any, holder: str, why: str) -> None:
    known = variables(**({views.READ: read} if read else {}), __verify_training_checks=[])
    assert views.lease(known).holder == holder and views.not_held(known) == why
    assert report.outcome(known)["why"] == why
    if why:
        found = report.found(known)
        assert codes(found) == ["training-not-verified"] and why in found[0]["text"]
