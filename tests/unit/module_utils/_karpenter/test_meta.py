# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether an object is Ready in its current generation."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._karpenter.meta import Status

GONE_SOON = {"deletionTimestamp": "2026-10-04T09:00:00Z"}
OLD, LEAVING = "its last change was not processed yet", "it is being deleted"


def status(status: str | None, meta: t.Any = None, of_status: int | None = None, **more: t.Any) -> Status:
    """``of_status``: the observed generation of the whole status."""
    conditions = [] if status is None else [{"type": "Ready", "status": status, "message": "" if status == "True" else "no group", **more}]
    whole = {} if of_status is None else {"observedGeneration": of_status}
    return Status.of({"metadata": {"generation": 2, **(meta or {})}, "status": {"conditions": conditions, **whole}})


@pytest.mark.parametrize(
    ("found", "ready", "why"),
    [
        (status("True"), True, ""),
        (status("True", {"generation": None}), True, ""),
        (status("True", observedGeneration=2), True, ""),
        (status("True", observedGeneration=1), False, OLD),
        (status("False", observedGeneration=1), False, OLD),
        (status("False", observedGeneration=2), False, "no group"),
        (status("True", of_status=2), True, ""),
        (status("True", of_status=1), False, OLD),
        (status("True", of_status=1, observedGeneration=2), True, ""),
        (status("True", GONE_SOON), False, LEAVING),
        (status("True", GONE_SOON, observedGeneration=1), False, LEAVING),
        (status(None, GONE_SOON), False, LEAVING),
        (status(None), False, ""),
        (Status.of({"metadata": {}}), False, ""),
    ],
)
def test_ready_requires_the_current_generation(found: Status, ready: bool, why: str) -> None:
    assert (found.ready, found.why_not_ready) == (ready, why)


def test_a_change_that_was_not_observed_yet_is_not_ready() -> None:
    assert status("True", observedGeneration=1).outdated and not status(None).outdated
    assert not status("True", GONE_SOON, observedGeneration=1).outdated


def test_conditions_of_a_deleted_object_remain_valid() -> None:
    """A NodeClaim that is being deleted still has its node, which costs money; the deletion raises its generation."""
    assert status("True", GONE_SOON, observedGeneration=1).holds("Ready")
