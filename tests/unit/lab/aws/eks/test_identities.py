# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Pod identity associations by boto3 against the simulator."""

from __future__ import annotations

import typing as t

from refusals import code

ROLE, OTHER = "arn:aws:iam::111111111111:role/hyperpod-pods", "arn:aws:iam::222222222222:role/data"
POLICY = '{"Version": "2012-10-17", "Statement": []}'
OF = {"namespace": "default", "serviceAccount": "train"}


def test_an_association_is_created_changed_and_removed(place: t.Any, account: t.Any) -> None:
    made = place.create_pod_identity_association(**OF, roleArn=ROLE, targetRoleArn=OTHER, tags={"a": "b"})["association"]
    assert (made["roleArn"], made["targetRoleArn"], made["tags"], made["disableSessionTags"]) == (ROLE, OTHER, {"a": "b"}, False)
    assert code(place.create_pod_identity_association, **OF, roleArn=ROLE) == "ResourceInUseException"
    about = {"associationId": made["associationId"]}
    place.update_pod_identity_association(**about, roleArn=f"{ROLE}2")
    found = place.describe_pod_identity_association(**about)["association"]
    assert (found["roleArn"], found["targetRoleArn"]) == (f"{ROLE}2", OTHER)
    place.create_pod_identity_association(namespace="other", serviceAccount="train", roleArn=ROLE)
    assert [each["associationId"] for each in place.list_pod_identity_associations(**OF)["associations"]] == [made["associationId"]]
    account.control.settings(page_size=1)
    pages = list(place.eks.get_paginator("list_pod_identity_associations").paginate(clusterName=place.name))
    assert [len(each["associations"]) for each in pages] == [1, 1]
    place.delete_pod_identity_association(**about)
    assert code(place.describe_pod_identity_association, **about) == "ResourceNotFoundException"


def test_a_policy_is_kept_and_needs_sessions_without_tags(place: t.Any) -> None:
    assert code(place.create_pod_identity_association, **OF, roleArn=ROLE, policy=POLICY) == "InvalidParameterException"
    made = place.create_pod_identity_association(**OF, roleArn=ROLE, policy=POLICY, disableSessionTags=True)["association"]
    about = {"associationId": made["associationId"]}
    assert code(place.update_pod_identity_association, **about, disableSessionTags=False) == "InvalidParameterException"
    place.update_pod_identity_association(**about, roleArn=f"{ROLE}2")
    assert place.describe_pod_identity_association(**about)["association"]["policy"] == POLICY
    place.update_pod_identity_association(**about, policy="", disableSessionTags=False)
    assert "policy" not in place.describe_pod_identity_association(**about)["association"]
