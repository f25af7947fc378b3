# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""eks_nodegroup_info against the simulated API."""

from __future__ import annotations

import typing as t

from simulated.shape import reads

ROLE = "arn:aws:iam::111111111111:role/hyperpod-eks/ml-us-west-2-nodes"


def test_node_groups_over_all_pages_with_their_issues(eks_cluster: t.Any, network: dict[str, t.Any]) -> None:
    for name in ("b", "a"):
        eks_cluster.eks.create_nodegroup(
            clusterName=eks_cluster.name, nodegroupName=name, nodeRole=ROLE, subnets=network["subnets"], labels={"of": name}
        )
    eks_cluster.control("settings", {"page_size": 1, "eks_nodegroup_issues": {"b": ["LimitExceeded: of"]}})
    found = reads(eks_cluster, "eks_nodegroup_info", eks_cluster=eks_cluster.name)["eks_nodegroups"]
    assert [(each["name"], each["labels"]) for each in found] == [("a", {"of": "a"}), ("b", {"of": "b"})]
    assert [issue["next_step"] for issue in found[1]["issues"]] == ["correct the problem that EKS reports"]
    assert reads(eks_cluster, "eks_nodegroup_info", eks_cluster=eks_cluster.name, name="a")["eks_nodegroups"] == found[:1]
    assert reads(eks_cluster, "eks_nodegroup_info", eks_cluster=eks_cluster.name, name="c")["eks_nodegroups"] == []


def test_bad_input_is_refused(eks_cluster: t.Any) -> None:
    for wrong, message in (
        ({"name": "a b"}, "name: 'a b'"),
        ({"eks_cluster": "none"}, "ListNodegroups for node groups of EKS cluster none failed; check the name and the Region"),
    ):
        refused = eks_cluster.run("eks_nodegroup_info", **{"eks_cluster": eks_cluster.name, **wrong})
        assert refused["failed"] and message in refused["msg"], refused
