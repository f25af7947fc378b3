# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether an object is Ready as it is asked for now."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._karpenter.meta import Status

GONE_SOON = {"deletionTimestamp": "2026-10-04T09:00:00Z"}
OLD, LEAVING = "its last change was not processed yet", "it is being deleted"


def status(status: str | None, meta: t.Any = None, of_status: int | None = None, **more: t.Any) -> Status:
    """``of_status``: the generation that the whole status is of."""
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
def test_ready_is_what_was_said_of_it_as_it_is_now(found: Status, ready: bool, why: str) -> None:
    assert (found.ready, found.why_not_ready) == (ready, why)


def test_a_change_that_nobody_has_looked_at() -> None:
    assert status("True", observedGeneration=1).outdated and not status(None).outdated
    assert not status("True", GONE_SOON, observedGeneration=1).outdated


def test_what_holds_of_an_object_that_is_leaving_still_holds() -> None:
    """A NodeClaim that is leaving still has its node, which costs money; deleting it raises its generation."""
    assert status("True", GONE_SOON, observedGeneration=1).holds("Ready")
