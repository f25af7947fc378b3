# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The node groups of a cluster that are returned, and the requests that read them."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.client import Api
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.nodegroup.info import info

ANSWER = {"nodegroupArn": "arn", "status": "ACTIVE"}


def test_a_group_deleted_meanwhile_is_left_out(stubbed: t.Any) -> None:
    client, stub = stubbed("eks")
    stub.add_response("list_nodegroups", {"nodegroups": ["c", "b", "a"]}, {"clusterName": "pods"})
    stub.add_response("describe_nodegroup", {"nodegroup": ANSWER}, {"clusterName": "pods", "nodegroupName": "a"})
    stub.add_client_error("describe_nodegroup", "ResourceNotFoundException", expected_params={"clusterName": "pods", "nodegroupName": "b"})
    stub.add_response("describe_nodegroup", {"nodegroup": ANSWER}, {"clusterName": "pods", "nodegroupName": "c"})
    found = info(Api(client), {"eks_cluster": "pods", "name": None}, "us-west-2")["eks_nodegroups"]
    assert [(each["name"], each["eks_cluster"], each["status"]) for each in found] == [("a", "pods", "ACTIVE"), ("c", "pods", "ACTIVE")]


def test_a_single_group_is_read_by_its_name(stubbed: t.Any) -> None:
    client, stub = stubbed("eks")
    stub.add_response("describe_nodegroup", {"nodegroup": ANSWER}, {"clusterName": "pods", "nodegroupName": "a"})
    assert len(info(Api(client), {"eks_cluster": "pods", "name": "a"}, "us-west-2")["eks_nodegroups"]) == 1


@pytest.mark.parametrize("given", [{"eks_cluster": "a b"}, {"name": "a b"}])
def test_invalid_options_are_refused(stubbed: t.Any, given: dict[str, t.Any]) -> None:
    client, _stub = stubbed("eks")
    with pytest.raises(Refused, match=f"^{next(iter(given))}: "):
        info(Api(client), {"eks_cluster": "pods", "name": None, **given}, "us-west-2")
