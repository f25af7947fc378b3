# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The use of quotas, read from ClusterQueues on an in-memory API server."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.client import KubernetesError
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.team_use import GROUP, teams
from unit.module_utils._karpenter.proof.api_server import Server

Object = dict[str, t.Any]
GPU, P5 = "nvidia.com/gpu", "ml.p5.48xlarge"
RESOURCE = {"flavor": P5, "resource": GPU, "quota": 16, "used": 8, "borrowed": 0, "reserved": 12}
COUNTS = {"pending_workloads": 3, "reserving_workloads": 2, "admitted_workloads": 1}


class World:
    """``queues``: the ClusterQueues, or the status of the reply; None without Kueue."""

    def __init__(self, queues: list[Object] | int | None) -> None:
        self.queues = queues

    def answer(self, method: str, path: str, _body: Object | None) -> tuple[int, Object]:
        assert method == "GET"
        if self.queues is None:
            return 404, {}
        if path == GROUP:
            return 200, {"preferredVersion": {"version": "v1beta2"}}
        assert path.startswith(f"{GROUP}/v1beta2/clusterqueues?")
        return (self.queues, {"message": "no"}) if isinstance(self.queues, int) else (200, {"items": self.queues})


def flavors(**amounts: str) -> list[Object]:
    return [{"name": P5, "resources": [{"name": GPU, **amounts}]}]


def queue(name: str = "hyperpod-ns-research-clusterqueue", *, quota: str = "16", **status: t.Any) -> Object:
    spec = {"resourceGroups": [{"coveredResources": [GPU], "flavors": flavors(nominalQuota=quota)}]}
    return {"metadata": {"name": name}, "spec": spec, "status": status}


def full(**more: t.Any) -> Object:
    """The status of a queue in which one job runs."""
    counts = {"pendingWorkloads": 3, "reservingWorkloads": 2, "admittedWorkloads": 1}
    uses = {"flavorsUsage": flavors(total="8", borrowed="0"), "flavorsReservation": flavors(total="12", borrowed="0")}
    return {**uses, **counts, **more}


def read(*queues: Object) -> list[Object]:
    with Server(World([*queues])) as kubernetes:
        return teams(kubernetes)


def test_the_use_of_a_team() -> None:
    assert read(queue(**full())) == [{"team": "research", **COUNTS, "resources": [RESOURCE]}]


def test_a_queue_that_no_workload_uses_has_zeros_and_a_new_queue_has_no_numbers() -> None:
    idle = full(flavorsUsage=flavors(total="0", borrowed="0"), pendingWorkloads=0)
    (zero,), (new,) = read(queue(**idle)), read(queue())
    assert (zero["pending_workloads"], zero["resources"][0]["used"]) == (0, 0)
    assert new == {
        "team": "research",
        "resources": [{**RESOURCE, "used": None, "borrowed": None, "reserved": None}],
        **dict.fromkeys(COUNTS),
    }


@pytest.mark.parametrize(
    ("status", "unknown"),
    [({"pendingWorkloads": "3"}, "pending_workloads"), ({"admittedWorkloads": True}, "admitted_workloads")],
)
def test_a_number_in_another_form_is_not_known(status: Object, unknown: str) -> None:
    (found,) = read(queue(**full(**status)))
    assert {name: found[name] for name in COUNTS} == {**COUNTS, unknown: None}


def test_a_used_resource_without_a_quota_is_listed() -> None:
    (found,) = read(queue(**full(flavorsUsage=[{"name": "old\x1b", "resources": [{"name": "cpu", "total": "1500m", "borrowed": "many"}]}])))
    assert found["resources"][1] == {"flavor": "old?", "resource": "cpu", "quota": None, "used": 1.5, "borrowed": None, "reserved": None}


def test_only_queues_of_teams_sorted_by_team() -> None:
    names = ("hyperpod-ns-b-clusterqueue", "other", "hyperpod-ns-a-clusterqueue", "hyperpod-ns-c", "x-hyperpod-ns-d-clusterqueue")
    assert [each["team"] for each in read(*map(queue, names))] == ["a", "b"]


def test_without_kueue_no_team_has_a_queue() -> None:
    with Server(World(None)) as kubernetes:
        assert teams(kubernetes) == []


def test_denied_is_an_error_and_not_an_empty_list() -> None:
    with Server(World(403)) as kubernetes, pytest.raises(KubernetesError) as denied:
        teams(kubernetes)
    assert "/v1beta2/clusterqueues" in str(denied.value)
