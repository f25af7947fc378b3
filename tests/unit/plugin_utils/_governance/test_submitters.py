# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Groups of access entries, and Kubernetes permissions that are as narrow as possible."""

from __future__ import annotations

import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.arn import ClusterArn
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._governance import submitters
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._governance.declared import Team

CLUSTER = ClusterArn.parse("arn:aws:sagemaker:us-west-2:111111111111:cluster/abc123def456")
ALICE, BOB, CAROL = (f"arn:aws:iam::111111111111:user/{name}" for name in ("alice", "bob", "carol"))
TAGS = {"mlfleet.hyperpod/cluster": CLUSTER.text, "mlfleet.hyperpod/component": "task_governance"}
RESEARCH, VISION = "mlfleet-hyperpod:research", "mlfleet-hyperpod:vision"


def seen(principal: str, *groups: str, **more: t.Any) -> dict[str, t.Any]:
    return {"principal_arn": principal, "kubernetes_groups": list(groups), "access_policies": [], "tags": {}, **more}


def team(name: str, *who: str) -> Team:
    return Team(name, submitters=who)


def changed(teams: list[Team], *there: dict[str, t.Any]) -> list[submitters.Entry]:
    return submitters.entries(teams, there, CLUSTER)


def test_a_person_of_two_teams_has_two_groups_and_a_new_entry_is_ours() -> None:
    (entry,) = changed([team("vision", ALICE), team("research", ALICE)])
    assert (entry.principal, entry.groups, entry.less, entry.before) == (ALICE, [RESEARCH, VISION], [], [])
    assert (entry.state, entry.tags) == ("present", TAGS)


def test_a_foreign_entry_keeps_its_groups_and_gets_no_tags() -> None:
    (entry,) = changed([team("research", ALICE)], seen(ALICE, "viewers"))
    assert (entry.groups, entry.less, entry.tags) == ([RESEARCH, "viewers"], ["viewers"], None)
    assert changed([team("research", ALICE)], seen(ALICE, "viewers", RESEARCH)) == []


def test_a_removed_submitter_loses_the_group() -> None:
    reduced, removed, emptied = changed(
        [team("research")], seen(ALICE, RESEARCH, VISION), seen(BOB, RESEARCH, tags=TAGS), seen(CAROL, RESEARCH)
    )
    assert (reduced.groups, reduced.less, reduced.state) == ([VISION], [VISION], "present"), "the group of an undeclared team is kept"
    assert (removed.groups, removed.state) == ([], "absent"), "we created it, and it is no longer needed"
    assert (emptied.groups, emptied.state) == ([], "present"), "it has another owner"
    (kept,) = changed([team("research")], seen(BOB, RESEARCH, tags=TAGS, access_policies=[{"policy": "x"}]))
    assert kept.state == "present"


def test_undeclared_submitters_are_left_alone() -> None:
    assert changed([Team("research")], seen(ALICE, RESEARCH)) == []
    (gone,) = changed([Team("research", present=False)], seen(ALICE, RESEARCH))
    assert gone.groups == []


def test_present_and_removed_submitters_are_listed() -> None:
    entries = changed([team("research", ALICE), team("vision", BOB)], seen(BOB, RESEARCH))
    assert submitters.who("research", entries) == submitters.Who([ALICE], [BOB])
    assert submitters.who("vision", entries) == submitters.Who([BOB], [])


def rules(*, secrets: bool) -> dict[tuple[str, str], set[str]]:
    role = submitters.rights("research", secrets=secrets)[0]
    return {(group, name): set(rule["verbs"]) for rule in role["rules"] for group in rule["apiGroups"] for name in rule["resources"]}


def test_the_role_for_jobs_excludes_secrets_by_default() -> None:
    narrow, wide = rules(secrets=False), rules(secrets=True)
    for group, name in (("batch", "jobs"), ("kubeflow.org", "pytorchjobs"), ("sagemaker.amazonaws.com", "hyperpodpytorchjobs")):
        assert {"get", "list", "watch", "create", "delete"} <= narrow[group, name]
    assert narrow["", "pods/log"] == {"get", "list", "watch"} and "patch" not in narrow["", "pods"]
    assert narrow["kueue.x-k8s.io", "workloads"] == {"get", "list", "watch"}
    assert ("", "secrets") not in narrow and ("", "pods/exec") not in narrow
    assert wide["", "secrets"] == {"get", "list", "create", "delete"} and wide.keys() - narrow.keys() == {("", "secrets")}
    assert not any("*" in each for each in (*wide, *wide.values()))


def test_all_permissions_are_bound_to_the_group_and_namespace_of_the_team() -> None:
    role, binding, cluster_role, cluster_binding = submitters.rights("research", secrets=False)
    assert role["metadata"]["namespace"] == binding["metadata"]["namespace"] == "hyperpod-ns-research"
    for each, of in ((binding, role), (cluster_binding, cluster_role)):
        assert each["subjects"] == [{"kind": "Group", "name": RESEARCH, "apiGroup": "rbac.authorization.k8s.io"}]
        assert (each["roleRef"]["kind"], each["roleRef"]["name"]) == (of["kind"], of["metadata"]["name"])
    verbs = {verb for rule in cluster_role["rules"] for verb in rule["verbs"]}
    assert verbs == {"get", "list", "watch"}
    assert ["nodes"] in [rule["resources"] for rule in cluster_role["rules"]], "labels of nodes prove the placement of a job"
    assert cluster_role["rules"][0]["resourceNames"] == ["hyperpod-ns-research-clusterqueue"]


def test_an_object_is_reduced_to_its_identity() -> None:
    (role, *_others) = submitters.named(submitters.rights("research", secrets=False))
    assert set(role) == {"apiVersion", "kind", "metadata"}
