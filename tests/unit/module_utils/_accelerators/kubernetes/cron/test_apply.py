# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The request of each step, and the result of the module for CronJobs."""

from __future__ import annotations

import json
import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.kubernetes.cron.apply import Applier
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.kubernetes.cron.model import Node, State
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.kubernetes.cron.plan import CREATE, DELETE
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.kubernetes.cron.result import result
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.plan import Step

from ..jobs.looked_at import iid, targets
from .recurring import desired

DEFINITION = {"metadata": {"name": "a"}}


class Server:
    def __init__(self) -> None:
        self.requests: list[tuple[t.Any, ...]] = []

    def create(self, *request: t.Any) -> None:
        self.requests.append(("create", *request))

    def delete(self, *request: t.Any) -> None:
        self.requests.append(("delete", *request))

    def call(self, *request: t.Any, kind: str) -> None:
        self.requests.append((*request, kind))


@pytest.mark.parametrize(
    ("step", "request_sent"),
    [
        (Step(CREATE, {"definition": DEFINITION}, ()), ("create", "/api/v1/namespaces", DEFINITION)),
        (
            Step(DELETE, {"path": "/a"}, ()),
            ("delete", "/a", {"apiVersion": "v1", "kind": "DeleteOptions", "propagationPolicy": "Background"}),
        ),
        (
            Step("PATCH", {"path": "/a", "definition": DEFINITION}, ()),
            ("PATCH", "/a?fieldManager=mlfleet.hyperpod&force=true", json.dumps(DEFINITION), "application/apply-patch+yaml"),
        ),
    ],
)
def test_each_step_is_sent_as_its_request(step: Step, request_sent: tuple[t.Any, ...]) -> None:
    server = Server()
    Applier(t.cast(t.Any, server))(step)
    assert server.requests == [request_sent]


def cron_job(**labels: str) -> dict[str, t.Any]:
    return {"metadata": {"labels": labels}, "spec": {"schedule": "17 * * * *\x1b"}}


@pytest.mark.parametrize("present", [True, False])
def test_the_result_lists_cron_jobs_and_nodes_left_out(present: bool) -> None:
    found = {"b": cron_job(), "a\x1b": cron_job(**{"mlfleet.hyperpod/instance": "i-1\x1b"}), "c": {**cron_job(), "metadata": {}}}
    nodes = {targets(1)[0].node: Node("uid"), targets(2)[0].node: Node("uid", of_karpenter=True)}
    state = State("batch/v1", nodes=nodes, cron_jobs=found)
    shown = result(desired(1, 2, 3, present=present), state)
    assert shown["cron_jobs"] == [
        {"name": "a?", "instance_id": "i-1?", "schedule": "17 * * * *?"},
        {"name": "b", "instance_id": "", "schedule": "17 * * * *?"},
        {"name": "c", "instance_id": "", "schedule": "17 * * * *?"},
    ]
    assert [each["instance_id"] for each in shown["left_out"]] == ([iid(2), iid(3)] if present else [])
    assert all(each["why"] for each in shown["left_out"])


def test_fields_of_the_state_are_empty_by_default() -> None:
    assert State("batch/v1") == State("batch/v1", True, True, {}, {}, {}, ()) and Node("uid") == Node("uid", of_karpenter=False)


@pytest.mark.parametrize(("schedule", "expected"), [("", "16 * * * *"), ("@daily", "@daily")])
def test_the_default_schedule_depends_on_the_node(schedule: str, expected: str) -> None:
    assert desired(76, schedule=schedule).schedule_of(targets(76)[0]) == expected
