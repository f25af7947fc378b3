# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""eks_cluster deletes clusters in the simulated EKS."""

from __future__ import annotations

from functools import partial

import pytest
from modules.fixtures.governed import eventually
from simulated.shape import changes_once

ROLE = "arn:aws:iam::111111111111:role/hyperpod-eks/ml-us-west-2-nodes"


@pytest.mark.slow
def test_a_protected_cluster_is_deleted_only_on_request(new):
    new.make(deletionProtection=True)
    for options in ({}, {"deletion_protection": True}):
        refused = new.ensure(state="absent", **options)
        message = f"deletion_protection: True is not allowed: EKS cluster {new.name} is protected against deletion. Allowed: false"
        assert refused["failed"] and message in refused["msg"] and not refused["mutating"], refused
    done = changes_once(new, "eks_cluster", **new.named, state="absent", deletion_protection=False)
    assert done["mutating"] == [f"POST {new.path}/update-config", f"DELETE {new.path}"]
    assert [(change["action"], change["field"]) for change in done["changes"]] == [("update", "deletion_protection"), ("delete", None)]


@pytest.mark.slow
def test_without_wait_the_protection_is_turned_off_first(new):
    new.make(deletionProtection=True)
    first = new.ensure(state="absent", deletion_protection=False, wait=False)
    assert first["mutating"] == [f"POST {new.path}/update-config"] and "later runs change delete" in str(first["warnings"]), first
    assert new.ensure(state="absent", deletion_protection=False)["mutating"] == [f"DELETE {new.path}"]


@pytest.mark.slow
def test_node_groups_and_fargate_profiles_are_named(new):
    new.make()
    new.control("settings", {"page_size": 1})
    for name in ("b", "a"):
        new.eks.create_nodegroup(clusterName=new.name, nodegroupName=name, nodeRole=ROLE, subnets=new.network["subnets"])
    fargate = {"fargateProfileName": "f", "podExecutionRoleArn": ROLE, "selectors": [{"namespace": "default"}]}
    new.eks.create_fargate_profile(clusterName=new.name, **fargate)
    refused = new.ensure(state="absent")
    message = f"EKS cluster {new.name} still has node group a, node group b, Fargate profile f. Delete them first."
    assert refused["failed"] and message in refused["msg"] and not refused["mutating"], refused
    groups = [{"clusterName": new.name, "nodegroupName": name} for name in ("a", "b")]
    eventually(lambda: all(new.eks.describe_nodegroup(**each)["nodegroup"]["status"] == "ACTIVE" for each in groups))
    for each in groups:
        new.eks.delete_nodegroup(**each)
    eventually(lambda: not new.eks.list_nodegroups(clusterName=new.name)["nodegroups"])
    new.eks.delete_fargate_profile(clusterName=new.name, fargateProfileName="f")
    assert changes_once(new, "eks_cluster", **new.named, state="absent")


@pytest.mark.slow
def test_the_removal_is_waited_for_although_answers_lag(new):
    new.make()
    new.control("settings", {"eks_cluster_lag_seconds": 1, "transition_seconds": 0.5})
    done = new.ensure(state="absent")
    assert done["changed"] and done["eks_cluster"] == {"exists": False, "name": new.name}, done
    assert not new.ensure(state="absent")["changed"]


@pytest.mark.slow
def test_a_failed_removal_is_explained(new, faults):
    new.make()
    faults(kind="fail_later", operation=f"DELETE {new.path}", code="AccessDenied: no way", times=1)
    failed = new.ensure(state="absent")
    assert failed["failed"] and "is FAILED (AccessDenied: no way): attach the policy AmazonEKSClusterPolicy" in failed["msg"], failed
    assert failed["msg"].endswith("in its trust policy, then run again")
    assert new.ensure(state="absent")["changed"]


@pytest.mark.slow
def test_an_update_of_another_caller_is_waited_for(new):
    new.make()
    begin = partial(new.eks.update_cluster_config, name=new.name, upgradePolicy={"supportType": "STANDARD"})
    done = new.concurrently(begin, state="absent")
    assert not done.get("failed") and done["changed"], done


def test_a_cluster_that_is_being_deleted_is_created_again(new):
    new.make()
    new.control("settings", {"transition_seconds": 0.3, "eks_creates_at_once": False})
    new.eks.delete_cluster(name=new.name)
    done = new.ensure(**new.options)
    assert done["changed"] and done["eks_cluster"]["status"] == "ACTIVE" and done["mutating"] == ["POST /clusters"], done
