# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Access entries by boto3 against the simulator."""

from __future__ import annotations

import typing as t

from refusals import code

CAROL = "arn:aws:iam::111111111111:role/people/carol"
VIEW = "arn:aws:eks::aws:cluster-access-policy/AmazonEKSViewPolicy"


def test_an_entry_is_created_changed_and_removed(place: t.Any, account: t.Any) -> None:
    made = place.create_access_entry(principalArn=CAROL, kubernetesGroups=["a"], tags={"b": "c"})["accessEntry"]
    assert (made["type"], made["username"]) == ("STANDARD", "arn:aws:sts::111111111111:assumed-role/carol/{{SessionName}}")
    assert code(place.create_access_entry, principalArn=CAROL) == "ResourceInUseException"
    place.update_access_entry(principalArn=CAROL, kubernetesGroups=["d"])
    assert place.describe_access_entry(principalArn=CAROL)["accessEntry"]["kubernetesGroups"] == ["d"]
    account.control.settings(page_size=1)
    assert len(place.list_access_entries()["accessEntries"]) == 1 and "nextToken" in place.list_access_entries()
    place.eks.tag_resource(resourceArn=made["accessEntryArn"], tags={"b": "d"})
    assert place.describe_access_entry(principalArn=CAROL)["accessEntry"]["tags"] == {"b": "d"}
    place.delete_access_entry(principalArn=CAROL)
    assert code(place.describe_access_entry, principalArn=CAROL) == "ResourceNotFoundException"


def test_policies_of_an_entry(place: t.Any) -> None:
    place.create_access_entry(principalArn=CAROL)
    scope = {"type": "namespace", "namespaces": ["default"]}
    place.associate_access_policy(principalArn=CAROL, policyArn=VIEW, accessScope=scope)
    (found,) = place.list_associated_access_policies(principalArn=CAROL)["associatedAccessPolicies"]
    assert (found["policyArn"], found["accessScope"]) == (VIEW, scope)
    assert place.list_access_entries(associatedPolicyArn=VIEW)["accessEntries"] == [CAROL]
    place.associate_access_policy(principalArn=CAROL, policyArn=VIEW, accessScope={"type": "cluster"})
    (found,) = place.list_associated_access_policies(principalArn=CAROL)["associatedAccessPolicies"]
    assert found["accessScope"] == {"type": "cluster", "namespaces": []}
    assert code(place.associate_access_policy, principalArn=CAROL, policyArn=VIEW, accessScope={"type": "namespace"}) == "InvalidParameterException"
    unknown = place.associate_access_policy, VIEW.replace("View", "None")
    assert code(unknown[0], principalArn=CAROL, policyArn=unknown[1], accessScope={"type": "cluster"}) == "ResourceNotFoundException"
    place.disassociate_access_policy(principalArn=CAROL, policyArn=VIEW)
    assert code(place.disassociate_access_policy, principalArn=CAROL, policyArn=VIEW) == "ResourceNotFoundException"
    assert VIEW in [each["arn"] for each in place.eks.list_access_policies()["accessPolicies"]]


def test_refused_settings_of_entries_of_nodes(place: t.Any) -> None:
    place.create_access_entry(principalArn=CAROL, type="HYPERPOD_LINUX")
    assert code(place.associate_access_policy, principalArn=CAROL, policyArn=VIEW, accessScope={"type": "cluster"}) == "InvalidRequestException"
    assert code(place.update_access_entry, principalArn=CAROL, kubernetesGroups=["a"]) == "InvalidParameterException"
    for wrong in ({"type": "NONE"}, {"type": "EC2_LINUX", "username": "a"}, {"kubernetesGroups": ["system:masters"]}):
        assert code(place.create_access_entry, principalArn=f"{CAROL}2", **wrong) == "InvalidParameterException"


def test_a_cluster_with_only_its_config_map_has_no_entries(config_map_place: t.Any) -> None:
    assert code(config_map_place.create_access_entry, principalArn=CAROL) == "InvalidRequestException"
