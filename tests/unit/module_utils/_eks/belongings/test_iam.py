# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Roles by their path and tag."""

from __future__ import annotations

import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.client import Api
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.belongings import iam
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.belongings.model import Owner

OWNER = Owner("ml", "arn:aws:eks:us-west-2:111111111111:cluster/ml", "111111111111")
ARN = "arn:aws:iam::111111111111:role/hyperpod-eks/{}"
PATH = {"PathPrefix": "/hyperpod-eks/"}


def role(name: str) -> dict[str, t.Any]:
    return {"Path": "/hyperpod-eks/", "RoleName": name, "RoleId": "AROA0123456789ABCDEF", "Arn": ARN.format(name), "CreateDate": 0}


def test_policies_are_read_for_our_roles_only_over_all_pages(stubbed: t.Any) -> None:
    client, stub = stubbed("iam")
    names = ["gone-1", "ours-1", "gone-2", "theirs"]
    stub.add_response("list_roles", {"Roles": [role(each) for each in names[:2]], "IsTruncated": True, "Marker": "next"}, PATH)
    stub.add_response("list_roles", {"Roles": [role(each) for each in names[2:]]}, {**PATH, "Marker": "next"})
    stub.add_client_error("list_role_tags", "NoSuchEntity", expected_params={"RoleName": "gone-1"})
    ours = [{"Key": "mlfleet.hyperpod/cluster", "Value": OWNER.arn}]
    more = [{"Key": "mlfleet.hyperpod/component", "Value": "iam_role"}]
    stub.add_response("list_role_tags", {"Tags": ours, "IsTruncated": True, "Marker": "tags"}, {"RoleName": "ours-1"})
    stub.add_response("list_role_tags", {"Tags": more}, {"RoleName": "ours-1", "Marker": "tags"})
    policies = [{"PolicyArn": f"arn:aws:iam::aws:policy/{each}"} for each in ("b", "a")]
    stub.add_response("list_attached_role_policies", {"AttachedPolicies": policies}, {"RoleName": "ours-1"})
    stub.add_response("list_role_policies", {"PolicyNames": ["d", "c"]}, {"RoleName": "ours-1"})
    stub.add_response("list_role_tags", {"Tags": ours}, {"RoleName": "gone-2"})
    stub.add_client_error("list_attached_role_policies", "NoSuchEntity", expected_params={"RoleName": "gone-2"})
    stub.add_response("list_role_tags", {"Tags": []}, {"RoleName": "theirs"})
    (found,) = iam.read(Api(client), OWNER)
    assert (found.id, found.name, found.ours, found.component) == ("ours-1", "ours-1", True, "iam_role")
    policies_of_role = [f"arn:aws:iam::aws:policy/{each}" for each in ("a", "b")]
    assert found.details == {"arn": ARN.format("ours-1"), "attached_policies": policies_of_role, "inline_policies": ["c", "d"]}
