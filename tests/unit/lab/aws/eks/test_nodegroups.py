# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Node groups by boto3 against the simulator."""

from __future__ import annotations

import time
import typing as t

import pytest
from refusals import code

ROLE = "arn:aws:iam::111111111111:role/hyperpod-eks/ml-us-west-2-nodes"
NEWEST = "1.34.2-20261015"


class Groups:
    """A cluster with the name of a group and its required parameters."""

    def __init__(self, place: t.Any, subnets: list[str]) -> None:
        self.place, self.subnets = place, subnets

    def create(self, **parameters: t.Any) -> t.Any:
        return self.place.create_nodegroup(**{"nodegroupName": "gpu", "nodeRole": ROLE, "subnets": self.subnets, **parameters})["nodegroup"]

    def configure(self, **parameters: t.Any) -> t.Any:
        return self.place.update_nodegroup_config(nodegroupName="gpu", **parameters)["update"]

    def upgrade(self, **parameters: t.Any) -> t.Any:
        return self.place.update_nodegroup_version(nodegroupName="gpu", **parameters)["update"]

    def delete(self) -> t.Any:
        return self.place.delete_nodegroup(nodegroupName="gpu")["nodegroup"]

    def describe(self) -> t.Any:
        return self.place.describe_nodegroup(nodegroupName="gpu")["nodegroup"]

    def update(self, update: t.Mapping[str, str]) -> t.Any:
        return self.place.eks.describe_update(name=self.place.name, nodegroupName="gpu", updateId=update["id"])["update"]

    def settled(self) -> t.Any:
        for _attempt in range(200):
            found = self.describe()
            if not found["status"].endswith("ING"):
                return found
            time.sleep(0.02)
        raise AssertionError(found)


@pytest.fixture
def groups(place: t.Any, account: t.Any) -> t.Iterator[Groups]:
    yield Groups(place, account.network()["Subnets"][:1])
    account.control.settings(eks_nodegroup_issues={}, eks_nodegroup_lag_seconds=0)


def test_a_group_is_created_changed_and_removed_in_steps(groups: Groups) -> None:
    with groups.place.account.held():
        made = groups.create(scalingConfig={"minSize": 0, "maxSize": 2, "desiredSize": 0}, labels={"a": "b"}, tags={"a": "b"})
        assert (made["status"], made["version"], made["releaseVersion"], made["diskSize"]) == ("CREATING", "1.34", NEWEST, 20)
        assert code(groups.configure, labels={"removeLabels": ["a"]}) == "ResourceInUseException" == code(groups.create)
    assert groups.settled()["status"] == "ACTIVE"
    with groups.place.account.held():
        update = groups.configure(labels={"removeLabels": ["a"], "addOrUpdateLabels": {"c": "d"}}, scalingConfig={"maxSize": 3})
        assert (update["status"], update["type"]) == ("InProgress", "ConfigUpdate") and groups.describe()["labels"] == {"a": "b"}
    found = groups.settled()
    assert (found["labels"], found["scalingConfig"]["maxSize"], groups.update(update)["status"]) == ({"c": "d"}, 3, "Successful")
    assert groups.place.list_nodegroups()["nodegroups"] == ["gpu"]
    assert groups.place.eks.list_updates(name=groups.place.name, nodegroupName="gpu")["updateIds"] == [update["id"]]
    assert groups.place.eks.list_updates(name=groups.place.name)["updateIds"] == []
    with groups.place.account.held():
        assert groups.delete()["status"] == "DELETING" and code(groups.delete) == "ResourceInUseException"
    with pytest.raises(groups.place.eks.exceptions.ResourceNotFoundException):
        groups.settled()


def test_a_cluster_with_a_group_cannot_be_deleted(groups: Groups) -> None:
    groups.create()
    assert code(groups.place.eks.delete_cluster, name=groups.place.name) == "ResourceInUseException"


def test_taints_are_identified_by_key_and_effect(groups: Groups) -> None:
    one, other = ({"key": "a", "value": "b", "effect": effect} for effect in ("NO_SCHEDULE", "NO_EXECUTE"))
    groups.create(taints=[one, other])
    groups.settled()
    groups.configure(taints={"addOrUpdateTaints": [{**one, "value": "c"}], "removeTaints": [other]})
    assert groups.settled()["taints"] == [{**one, "value": "c"}]


def test_health_issues_fail_a_creation_and_degrade_a_group(groups: Groups, account: t.Any) -> None:
    account.control.settings(eks_nodegroup_issues={"gpu": ["NodeCreationFailure: not joined"]})
    assert groups.create()["health"]["issues"][0]["code"] == "NodeCreationFailure"
    assert groups.settled()["status"] == "CREATE_FAILED"
    assert code(groups.configure, scalingConfig={"maxSize": 3}) == "ResourceInUseException"
    groups.delete()
    account.control.settings(eks_nodegroup_issues={})
    for _attempt in range(200):
        if not groups.place.list_nodegroups()["nodegroups"]:
            break
        time.sleep(0.02)
    groups.create()
    assert groups.settled()["status"] == "ACTIVE"
    account.control.settings(eks_nodegroup_issues={"gpu": ["NodeCreationFailure: not joined"]})
    found = groups.describe()
    assert (found["status"], found["health"]["issues"][0]["message"]) == ("DEGRADED", "not joined")
    assert code(groups.configure, scalingConfig={"maxSize": 3}) == "ResourceInUseException"


def test_an_update_and_a_removal_fail_later(groups: Groups, account: t.Any) -> None:
    groups.create()
    groups.settled()
    path = f"/clusters/{groups.place.name}/node-groups/gpu"
    account.control.faults(
        {"kind": "fail_later", "operation": f"POST {path}/update-version", "code": "PodEvictionFailure: blocked"},
        {"kind": "fail_later", "operation": f"DELETE {path}", "code": "Ec2SecurityGroupDeletionFailure: in use"},
    )
    update = groups.upgrade(releaseVersion=NEWEST)
    groups.settled()
    found = groups.update(update)
    assert (found["status"], found["errors"][0]["errorCode"]) == ("Failed", "PodEvictionFailure")
    groups.delete()
    assert groups.settled()["status"] == "DELETE_FAILED"


def test_reads_lag_behind_calls(groups: Groups, account: t.Any) -> None:
    account.control.settings(eks_nodegroup_lag_seconds=60)
    groups.create()
    assert code(groups.describe) == "ResourceNotFoundException"
    assert groups.place.list_nodegroups()["nodegroups"] == ["gpu"]


def test_omitted_versions_are_upgraded(groups: Groups) -> None:
    groups.create(releaseVersion="1.34.1-20260901")
    groups.settled()
    upgrade = groups.place.eks.update_cluster_version(name=groups.place.name, version="1.35")["update"]
    assert groups.place.ended(upgrade["id"])["status"] == "Successful"
    groups.upgrade()
    assert (groups.settled()["version"], groups.settled()["releaseVersion"]) == ("1.35", "1.35.2-20261015")


def test_tags_of_a_group(groups: Groups) -> None:
    arn = groups.create(tags={"a": "b"})["nodegroupArn"]
    groups.place.eks.tag_resource(resourceArn=arn, tags={"c": "d"})
    groups.place.eks.untag_resource(resourceArn=arn, tagKeys=["a"])
    assert groups.settled()["tags"] == {"c": "d"}


def test_an_unknown_update_and_a_repeated_request(groups: Groups) -> None:
    first = groups.create(clientRequestToken="one")
    assert groups.create(clientRequestToken="one")["nodegroupArn"] == first["nodegroupArn"]
    assert code(groups.update, update={"id": "none"}) == "ResourceNotFoundException"
