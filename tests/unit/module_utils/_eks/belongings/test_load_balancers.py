# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Load balancers of all types by their tags."""

from __future__ import annotations

import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.client import Api
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.belongings import load_balancers
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.belongings.model import Owner

OWNER = Owner("ml", "arn:aws:eks:us-west-2:111111111111:cluster/ml", "111111111111")
ARN = "arn:aws:elasticloadbalancing:us-west-2:111111111111:loadbalancer/"
TYPES = ["elasticloadbalancing:loadbalancer"]


def page(*names: str, token: str = "") -> dict[str, t.Any]:
    return {"ResourceTagMappingList": [{"ResourceARN": ARN + each, "Tags": []} for each in names], "PaginationToken": token}


def test_each_load_balancer_once_with_its_type(stubbed: t.Any) -> None:
    client, stub = stubbed("resourcegroupstaggingapi")
    of_kubernetes, of_controller = (
        {"TagFilters": [{"Key": key, "Values": [value]}], "ResourceTypeFilters": TYPES}
        for key, value in (("kubernetes.io/cluster/ml", "owned"), ("elbv2.k8s.aws/cluster", "ml"))
    )
    stub.add_response("get_resources", page("old", token="next"), of_kubernetes)
    stub.add_response("get_resources", page("net/web/1"), {**of_kubernetes, "PaginationToken": "next"})
    stub.add_response("get_resources", page("net/web/1", "app/api/2", "gwy/fire/3", "new/x/4"), of_controller)
    found = load_balancers.read(Api(client), OWNER)
    assert [(each.id.removeprefix(ARN), each.name, each.details["type"]) for each in found] == [
        ("app/api/2", "api", "application"),
        ("gwy/fire/3", "fire", "gateway"),
        ("net/web/1", "web", "network"),
        ("new/x/4", "x", "new"),
        ("old", "old", "classic"),
    ]
    assert not any(each.ours for each in found)
