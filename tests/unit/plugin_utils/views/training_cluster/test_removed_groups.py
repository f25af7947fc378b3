# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Node groups that a run drains and removes."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.views.training_cluster import planned, removed_groups, unfit
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.views.training_cluster.removed_groups import RemovedGroups

from .given import cluster, resource, seen, variables

OLD = resource("eks_nodegroup", "old", status="ACTIVE", desired=2, version="1.34")
FAILED, DELETING = {**OLD, "status": "CREATE_FAILED"}, {**OLD, "status": "DELETING"}
TEMPLATE = resource("launch_template", "ml.old")
POD = {"namespace": "a", "name": "train\x1b", "node": "n", "node_group": "old", "owner": "Job train", "claims": []}


def given(*resources: dict[str, t.Any], unread: t.Sequence[str] = (), left: t.Sequence[t.Any] | None = None, **more: t.Any) -> dict[str, t.Any]:
    drained = {} if left is None else {"__training_cluster_drained_groups": {"remaining_pods": left}}
    read = seen(pods=[POD], unread=list(unread))
    return variables(cluster(), *resources, remove_groups=["old"], public_access_cidrs=["203.0.113.0/24"], **read, **drained, **more)


def kinds(groups: list[dict[str, t.Any]], templates: list[dict[str, t.Any]]) -> dict[str, list[dict[str, t.Any]]]:
    return {"eks_nodegroup": groups, "launch_template": templates}


def removed(*resources: dict[str, t.Any], **more: t.Any) -> RemovedGroups:
    return removed_groups.removed_groups(given(*resources, **more))


def test_a_listed_group_is_drained_and_removed_with_its_template() -> None:
    assert removed(OLD, TEMPLATE) == RemovedGroups(["old"], kinds([OLD], [TEMPLATE]), [], [])


@pytest.mark.parametrize(
    ("resources", "expected"),
    [
        ((), RemovedGroups([], {}, [], [])),
        ((TEMPLATE,), RemovedGroups([], kinds([], [TEMPLATE]), [], [])),
        ((FAILED, TEMPLATE), RemovedGroups([], kinds([FAILED], [TEMPLATE]), [], [])),
        ((DELETING,), RemovedGroups([], kinds([DELETING], []), [], [])),
    ],
)
def test_an_interrupted_removal_continues(resources: tuple[dict[str, t.Any], ...], expected: RemovedGroups) -> None:
    assert removed(*resources) == expected
    assert removed(*resources, unread=["the Kubernetes API server: no reply"]) == expected, "without nodes to drain, it is not needed"


def test_without_the_api_server_nothing_is_removed() -> None:
    (failure,) = removed(OLD, unread=["the Kubernetes API server: no reply"]).unreadable
    assert (failure["kind"], failure["code"]) == ("failure", "training-cluster-undrained")
    assert "the run could not read the Kubernetes API server: no reply. Nothing was changed." in failure["text"]


def test_pods_that_do_not_end_keep_their_group() -> None:
    (failure,) = removed(OLD, left=[POD], drain_timeout=30).undrained
    assert (failure["kind"], failure["code"]) == ("failure", "training-cluster-undrained")
    assert "After 30 s, these Pods on nodes of groups to remove have not ended: Pod a/train? (Job train, node group old)." in failure["text"]
    assert "Node groups old were not removed" in failure["text"]
    assert removed(OLD, left=[]).undrained == [] == removed(OLD).undrained
    assert removed(OLD, left=[POD], check=True).undrained == [], "check mode returns the Pods that a run would evict"


def test_the_plan_names_the_pods_of_groups_to_remove() -> None:
    assert planned.plan(given(OLD, TEMPLATE)).shrinking == ["old"]
    for resources in ((FAILED,), (TEMPLATE,), ()):
        assert planned.plan(given(*resources)).shrinking == []
    assert planned.plan(variables(cluster(), OLD)).shrinking == [], "it is not listed"


def test_a_group_of_someone_else_is_refused_before_the_first_change() -> None:
    (refusal,) = unfit.unfit(given({**OLD, "ours": False}))
    assert refusal["text"].startswith("training_cluster_remove_groups[0]: 'old' is not allowed: someone else created this group.")
    assert unfit.unfit(given(OLD)) == []
