# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs that cover whole clusters. edges/test_limits.py has real runs; this file covers possible inventories."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils import run_scope
from simulated.limits import cluster

Hosts = dict[str, dict[str, t.Any]]
ML, OTHER = cluster("ml"), cluster("other")
ARN = "hyperpod_cluster_arn"


def problems(hosts: Hosts, **given: t.Any) -> list[str]:
    groups: dict[str, list[str]] = {}
    for name, host in hosts.items():
        for group in host["groups"]:
            groups.setdefault(group, []).append(name)
    return run_scope.problems(list(hosts), groups, {name: host["vars"] for name, host in hosts.items()}, run_scope.Asked(**given))


def changed(hosts: Hosts, name: str, **variables: t.Any) -> Hosts:
    return {**hosts, name: {**hosts[name], "vars": {**hosts[name]["vars"], **variables}}}


GONE = {"ml-i-gone": ML["ml-i-ml1"]}
BARE = {"ml": changed(ML, "ml", hyperpod_node_count=0)["ml"]}


@pytest.mark.parametrize(
    "hosts",
    [{**ML, **OTHER}, {**ML, **GONE}, BARE, {**BARE, "web1": {"groups": ["web", "cluster_ml"], "vars": {}}}],
    ids=["two", "with a node that is gone", "without a node", "with a host of others"],
)
def test_whole_clusters_are_no_problem(hosts: Hosts) -> None:
    assert problems(hosts) == []


STRANGER = {"ml-i-other": changed(ML, "ml-i-ml1", **{ARN: OTHER["other"]["vars"][ARN]})["ml-i-ml1"]}
TWIN = {"m-l": changed(ML, "ml", hyperpod_cluster_key="m-l")["ml"], "m_l": changed(ML, "ml", hyperpod_cluster_key="m_l")["ml"]}


@pytest.mark.parametrize(
    ("hosts", "given", "words"),
    [
        ({**ML, **STRANGER}, {}, "Cluster ml has nodes of another cluster in its group cluster_ml (ml-i-other): two clusters in the"),
        (TWIN, {}, "Cluster m-l shares its group cluster_m_l with another cluster: two clusters in the sources have the same key"),
        ({"ml-i-ml1": ML["ml-i-ml1"]}, {}, "The inventory has no cluster for the node ml-i-ml1: the inventory was filtered after it was read"),
        (
            {name: host for name, host in ML.items() if name != "ml-i-ml1"},
            {},
            f"Cluster ml has {len(ML) - 1} nodes, but the inventory has only {len(ML) - 2} of them: the inventory was filtered after it was read",
        ),
        ({**ML, **OTHER}, {"only": " , "}, "hyperpod_only: ' , ' is not allowed: it names no cluster. Allowed: ml, other, or no value for all clusters."),
        ({**ML, **OTHER}, {"only": [""]}, "hyperpod_only: [''] is not allowed: it names no cluster"),
    ],
    ids=["merged by AWX", "one group for two", "a slice of nodes alone", "a slice with the cluster", "variables that are empty", "an empty name"],
)
def test_incomplete_or_unselected_clusters_are_a_problem(hosts: Hosts, given: dict[str, t.Any], words: str) -> None:
    found = problems(hosts, **given)
    assert found and found[0].startswith(words), found


@pytest.mark.parametrize("only", ["", None, [], " "])
def test_an_empty_survey_answer_selects_all(only: t.Any) -> None:
    assert problems({**ML, **OTHER}, only=only) == []


OF_EKS = changed(ML, "ml", hyperpod_orchestrator="eks", hyperpod_cluster_key="eks")["ml"]["vars"]
EKS = {"eks": {"groups": ["hyperpod_clusters", "cluster_eks"], "vars": OF_EKS}}


@pytest.mark.parametrize(
    ("hosts", "given", "words"),
    [
        ({}, {"read": ["a", "b"]}, "The inventory has no Slurm cluster, so nothing was checked. The inventory plugin read: a / b."),
        ({}, {"read": ["a"], "failures": ["b: no"]}, "so nothing was checked. Parts of the inventory could not be read: b: no. The inventory plugin read: a."),
        ({}, {}, "No source of the plugin mlfleet.hyperpod.hyperpod was read (sources: none). Give a source"),
        ({}, {"sources": ["x", "y"]}, "was read (sources: x, y). Give a source"),
        (EKS, {"read": ["a"]}, "so nothing was checked. eks is no Slurm cluster. The inventory plugin read: a."),
    ],
)
def test_without_a_cluster_the_sources_are_reported(hosts: Hosts, given: dict[str, t.Any], words: str) -> None:
    (found,) = problems(hosts, **given)
    assert words in found


@pytest.mark.parametrize(
    ("failures", "more"),
    [([], ""), (["profile b: no credentials"], " Parts of the inventory could not be read: profile b: no credentials.")],
)
def test_a_missing_cluster_may_be_one_that_was_not_read(failures: list[str], more: str) -> None:
    sentence = f"hyperpod_only: far is not allowed: the inventory has no such cluster. Allowed: ml, other.{more}"
    assert problems({**ML, **OTHER}, only="far,ml", failures=failures) == [sentence]


DEFINED = {"hyperpod_definitions": ["ml", "other"]}


def test_a_run_with_a_cluster_definition_continues() -> None:
    assert run_scope.definition_hosts(["ml", "localhost"], DEFINED, "ml") == "hyperpod_definitions"
    assert run_scope.definition_hosts([], {}, "") == "localhost"


@pytest.mark.parametrize(
    ("hosts", "groups", "message"),
    [
        ([], DEFINED, "--limit web leaves no definition."),
        (["ml"], {}, "The inventory has no group hyperpod_definitions. Add one"),
        (["web"], DEFINED, "--limit web leaves no definition. Allowed: hosts of hyperpod_definitions: ml, other."),
    ],
)
def test_a_run_without_a_cluster_definition_is_refused(hosts: list[str], groups: dict[str, list[str]], message: str) -> None:
    with pytest.raises(run_scope.BadSelection) as refused:
        run_scope.definition_hosts(hosts, groups, "web")
    assert str(refused.value).startswith(message)


def test_a_run_needs_a_cluster_with_its_orchestrator() -> None:
    pods = {name: {**host, "groups": [group.replace("_slurm", "_eks") for group in host["groups"]]} for name, host in ML.items()}
    assert problems(pods)[0].startswith("The inventory has no Slurm cluster, so nothing was checked. ml is no Slurm cluster.")
    assert problems(pods, orchestrator="") == problems(pods, orchestrator=run_scope.EKS) == problems(ML) == []
    assert problems({}, orchestrator="")[0].startswith("The inventory has no cluster, so nothing was checked.")
    assert problems(ML, orchestrator=run_scope.EKS)[0].startswith(
        "The inventory has no EKS cluster, so nothing was checked. ml is no EKS cluster."
    )


@pytest.mark.parametrize(
    ("orchestrator", "only", "expected"),
    [
        (run_scope.SLURM, "", "hyperpod_clusters:!orchestrator_slurm"),
        (run_scope.EKS, "ml", "hyperpod_clusters:!orchestrator_eks:!cluster_other"),
        ("", "", "!all"),
    ],
)
def test_clusters_with_another_orchestrator_are_left_out(orchestrator: str, only: str, expected: str) -> None:
    assert run_scope.left_out(only, {"hyperpod_clusters": ["ml", "other"]}, orchestrator) == expected


PLAIN = {"plain": {"groups": ["hyperpod_definitions"], "vars": {}}}
WITH = {"definitions": ["plain"], "with_definitions": True, "orchestrator": run_scope.EKS}


@pytest.mark.parametrize(
    ("hosts", "given", "words"),
    [
        (PLAIN, {}, ""),
        (PLAIN, {"only": "plain"}, ""),
        ({**ML, **PLAIN}, {"only": "plain"}, "hyperpod_only: the variable has no effect in host"),
        (PLAIN, {"only": "far"}, "hyperpod_only: far is not allowed: the inventory has no such cluster. Allowed: plain."),
        ({}, {"limit": "web"}, "--limit web leaves no EKS cluster, so nothing was checked. The inventory has plain (--limit plain)."),
        (PLAIN, {"definitions": []}, "The inventory has no EKS cluster, so nothing was checked. For an EKS cluster without HyperPod, set"),
        ({**ML, **PLAIN}, {}, ""),
    ],
)
def test_clusters_without_hyperpod_can_be_the_whole_run(hosts: Hosts, given: dict[str, t.Any], words: str) -> None:
    found = problems(hosts, **{**WITH, **given})
    assert (found[0].startswith(words) if words else not found), found


@pytest.mark.parametrize(
    ("hosts", "only", "expected"),
    [
        (["plain", "other"], "", "plain"),
        (["ml", "ml-i-ml1", "plain"], "", "hyperpod_clusters:hyperpod_nodes:plain"),
        (["ml", "ml-i-ml1", "plain"], "plain", "hyperpod_clusters:hyperpod_nodes:!cluster_ml:plain"),
        (["ml", "ml-i-ml1", "plain"], "ml", "hyperpod_clusters:hyperpod_nodes"),
        (["web"], "", "all"),
    ],
)
def test_a_run_also_begins_on_clusters_without_hyperpod(hosts: list[str], only: str, expected: str) -> None:
    groups = {"hyperpod_clusters": ["ml"], "hyperpod_nodes": ["ml-i-ml1"], "cluster_ml": ["ml", "ml-i-ml1"], "hyperpod_definitions": ["plain"]}
    assert run_scope.begin_hosts(hosts, groups, run_scope.Asked(only=only, **WITH)) == expected


def test_hosts_of_clusters_are_selected_by_name() -> None:
    assert run_scope.whole(["ml", "other"], ["plain"], "") == "ml:other:plain"
    assert run_scope.whole(["ml", "other"], ["plain"], "plain,ml") == "ml:plain"
    assert run_scope.whole(["ml"], [], "plain") == "!all"
