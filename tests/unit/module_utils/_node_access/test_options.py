# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The options of node_access."""

from __future__ import annotations

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.model import Cluster, Node
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node_access.options import check_limits, desired


def test_the_lowest_limit_is_accepted() -> None:
    check_limits({"timeout": 1})


@pytest.mark.parametrize("value", [0, -1])
def test_a_limit_below_one_is_refused(value: int) -> None:
    with pytest.raises(Refused, match=f"^timeout: {value} is not allowed. Allowed: 1 or more"):
        check_limits({"timeout": value})


CLUSTER = Cluster.from_api({"ClusterArn": "arn:aws:sagemaker:us-west-2:111111111111:cluster/abc123def456", "ClusterName": "ml"})
NODES = [Node("i-00000001", "login-group", "login", "", "Running", "", "", "")]
CHOICE = {"include": "all", "groups": None, "instance_ids": None, "recheck": False}


@pytest.mark.parametrize("option", ["instance_ids", "recheck"])
def test_an_unknown_node_is_refused(option: str) -> None:
    with pytest.raises(Refused, match=f"^{option}: 'i-00000002' is not allowed: the cluster has no such node"):
        desired({**CHOICE, option: ["i-00000001", "i-00000002"]}, CLUSTER, NODES, people=None)


@pytest.mark.parametrize(("recheck", "chosen"), [(False, []), (True, ["i-00000001"]), (["i-00000001"], ["i-00000001"])])
def test_recheck_selects_all_or_the_listed_nodes(recheck: object, chosen: list[str]) -> None:
    assert desired({**CHOICE, "recheck": recheck}, CLUSTER, NODES, people=None).recheck == set(chosen)


def test_other_values_of_recheck_are_refused() -> None:
    with pytest.raises(Refused, match="^recheck: 'yes'"):
        desired({**CHOICE, "recheck": "yes"}, CLUSTER, NODES, people=None)
