# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The cluster and its nodes, with and without HyperPod."""

from __future__ import annotations

import re

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.names import OBJECT
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.views.verify_training import cluster as views

from .given import ARN, P5, iid, row, variables, without_hyperpod


def test_nodes_have_the_same_form_from_both_sources() -> None:
    (of_hyperpod, _other) = views.nodes_of(variables())
    assert of_hyperpod == views.Node(iid(1), f"hyperpod-{iid(1)}", P5["name"], "gpu")
    made = views.nodes_of(without_hyperpod(row(1, differences=["a\x1bb"]), row(2, unknown="Why.", instance_id=None)))
    assert made == [views.Node(iid(1), "ip-1", "p5.48xlarge", "gpus", efa=32, differs=("a?b",))]
    assert views.groups_of(variables()) == {"empty", "gpu"}
    assert views.groups_of(without_hyperpod(row(1), row(2, node_group=""))) == {"gpus"}


def test_only_unknown_nodes_with_gpus_are_strangers() -> None:
    given = without_hyperpod(row(1), row(2, unknown="Why."), row(3, unknown="Why.", gpus=0))
    assert views.strangers(given) == ["ip-2 (Why)"] and views.strangers(variables()) == []


def test_facts_come_from_the_modules() -> None:
    read = {"__verify_training_eks_read": {"eks_cluster": {"arn": ARN, "version": "1.34"}}, "__verify_training_eks_nodes_read": {"eks_nodes": [row(1)]}}
    made = views.eks(without_hyperpod(**read))
    assert (made.plain, made.cluster, made.nodes, made.groups) == (True, {"arn": ARN}, [row(1)], None)
    groups = {"__verify_training_eks_groups_read": {"eks_nodegroups": []}}
    assert views.eks(without_hyperpod(**read, **groups)).groups == []
    assert made.report == {"arn": ARN, "account": "222222222222", "region": "us-west-2"}
    assert views.eks(variables()) == views.Eks(False, {}, [], [], {})
    assert (views.arn_of(variables()), views.account_of(variables())) == ("arn", "111111111111")
    assert (views.arn_of(without_hyperpod()), views.account_of(without_hyperpod())) == (ARN, "222222222222")
    unread = without_hyperpod(__verify_training_eks_cluster={})
    assert (views.arn_of(unread), views.account_of(unread)) == ("", "")


def test_the_api_server_is_reached_as_configured() -> None:
    given = variables(hyperpod_run={"cluster": {"eks_cluster_arn": "arn:eks"}})
    assert views.server(given).eks_cluster == "arn:eks"
    assert views.server({**given, "verify_training_kubeconfig": "/k"}).kubeconfig == "/k"
    assert views.server(without_hyperpod()).eks_cluster == "training"
    own = views.server(without_hyperpod(verify_training_context="c"))
    assert (own.eks_cluster, own.kubeconfig, own.context) == (None, None, "c")


@pytest.mark.parametrize(
    ("name", "begin"), [("Plain_1", "plain-1-20"), ("_", "cluster-20"), ("a" * 90, "a" * 40 + "-20"), ("a.b c", "a-b-c-20")]
)
def test_the_checkpoint_directory_has_the_name_of_the_host(name: str, begin: str) -> None:
    made = views.checkpoint(without_hyperpod(inventory_hostname=name))
    assert made.startswith(begin) and re.fullmatch(OBJECT, made)


def test_the_checkpoint_directory_has_the_id_of_a_hyperpod_cluster() -> None:
    assert views.checkpoint(variables()).startswith("abc-20") and ":" not in views.checkpoint(variables())
