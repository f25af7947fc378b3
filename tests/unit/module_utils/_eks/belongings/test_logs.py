# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Log groups of the control plane and of Container Insights."""

from __future__ import annotations

import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.client import Api
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.belongings import logs
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.belongings.model import Owner

OWNER = Owner("ml", "arn:aws:eks:us-west-2:111111111111:cluster/ml", "111111111111")
ARN = "arn:aws:logs:us-west-2:111111111111:log-group:"


def group(name: str) -> dict[str, t.Any]:
    return {"logGroupName": name, "arn": f"{ARN}{name}:*", "storedBytes": 7}


def test_groups_of_other_clusters_and_removed_ones_are_omitted(stubbed: t.Any) -> None:
    client, stub = stubbed("logs")
    first, second = "/aws/eks/ml/cluster", "/aws/containerinsights/ml/"
    stub.add_response("describe_log_groups", {"logGroups": [group(first)], "nextToken": "n"}, {"logGroupNamePrefix": first})
    stub.add_response("describe_log_groups", {"logGroups": [group(f"{first}2")]}, {"logGroupNamePrefix": first, "nextToken": "n"})
    stub.add_response("list_tags_for_resource", {"tags": {}}, {"resourceArn": ARN + first})
    stub.add_response("describe_log_groups", {"logGroups": [group(f"{second}gone"), group(f"{second}host")]}, {"logGroupNamePrefix": second})
    stub.add_client_error("list_tags_for_resource", "ResourceNotFoundException", expected_params={"resourceArn": f"{ARN}{second}gone"})
    stub.add_response("list_tags_for_resource", {"tags": {"mlfleet.hyperpod/cluster": OWNER.arn}}, {"resourceArn": f"{ARN}{second}host"})
    found = list(logs.read(Api(client), OWNER))
    assert [(each.id, each.ours) for each in found] == [(first, False), (f"{second}host", True)]
    assert found[0].details == {"stored_bytes": 7, "retention_days": None}
