# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Whatever happens during a run, the next one completes it, and nothing exists twice."""

from __future__ import annotations

import os
import typing as t

import pytest
from awx_fleet import Controller

STRIDE = int(os.environ.get("CAMPAIGN_STRIDE", "10"))
"""AWX ends after every so many changing requests of a run; 1 tests each of them."""


def build(controller: Controller) -> None:
    done = controller.run()
    assert done.rc == 0, done.output
    again = controller.run()
    assert (again.rc, again.changed, again.changes) == (0, 0, []), again.output
    objects = controller.objects()
    assert len(set(objects)) == len(objects)


def test_a_run_that_ends_after_a_request_is_completed_by_the_next(controller: Controller) -> None:
    controller.variables["awx_verbs"] = ["access_report"]
    for number in range(1, 1000):
        controller.awx.faults.add([{"kind": "dead", "method": "change", "after": STRIDE}])
        done = controller.run()
        reached = len(done.changes)
        controller.awx.faults.clear()
        if done.rc == 0:
            break
        assert "Could not" in done.output, done.output
        assert reached == STRIDE, f"run {number} ended after {reached} changes"
    build(controller)


@pytest.mark.slow
@pytest.mark.parametrize(
    "fault",
    [
        {"kind": "lost", "method": "POST", "path": "job_templates/", "times": 1},
        {"kind": "lag", "method": "POST", "path": "projects/", "times": 1, "lists": 2},
        {"kind": "unavailable", "after": 5, "times": 1},
        {"kind": "expired", "after": 40, "times": 1},
    ],
    ids=lambda fault: fault["kind"],
)
def test_the_run_after_a_fault_completes_the_fleet(controller: Controller, fault: dict[str, t.Any]) -> None:
    controller.variables["awx_verbs"] = ["access_report"]
    controller.awx.faults.add([fault])
    first = controller.run()
    controller.awx.faults.clear()
    controller.renew_token()
    assert first.rc == 0 or "Could not" in first.output or "did not answer" in first.output, first.output
    build(controller)
