# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""eks_access_entry against the simulated API."""

from __future__ import annotations

import pytest
from simulated.shape import changes_once, one_shape, reads

PRINCIPAL = "arn:aws:iam::111111111111:role/people/research"
SERVICE = "arn:aws:iam::111111111111:role/aws-service-role/hyperpod.sagemaker.amazonaws.com/AWSServiceRoleForSageMakerHyperPod"
VIEW = {"policy": "AmazonEKSViewPolicy"}
EDIT = {"policy": "AmazonEKSEditPolicy", "namespaces": ["hyperpod-ns-a"]}
X, Y, Z = (f"mlfleet-hyperpod:{team}" for team in "xyz")
"""Groups and access policies that docs/reference/iam/eks.json allows."""
ARN = "arn:aws:eks::aws:cluster-access-policy/AmazonEKSViewPolicy"


@pytest.fixture
def wanted(eks_cluster):
    return {"eks_cluster": eks_cluster.name, "principal_arn": PRINCIPAL}


def entries(eks_cluster):
    return eks_cluster.eks.list_access_entries(clusterName=eks_cluster.name)["accessEntries"]


def test_made_and_removed(eks_cluster, wanted):
    access = [{**VIEW, "namespaces": ["b", "a"]}, EDIT]
    present = {**wanted, "kubernetes_groups": [Y, X], "access_policies": access, "tags": {"team": "research"}}
    made, removed = one_shape(eks_cluster, "eks_access_entry", present=present, absent={**wanted, "state": "absent"})
    entry = made["eks_access_entry"]
    assert (entry["type"], entry["kubernetes_groups"], entry["tags"]) == ("STANDARD", [X, Y], {"team": "research"})
    assert entry["username"] == "arn:aws:sts::111111111111:assumed-role/research/{{SessionName}}"
    assert [(each["policy"].rpartition("/")[2], each["namespaces"]) for each in entry["access_policies"]] == [
        ("AmazonEKSEditPolicy", ["hyperpod-ns-a"]),
        ("AmazonEKSViewPolicy", ["a", "b"]),
    ]
    assert removed["eks_access_entry"] == {"exists": False, "principal_arn": PRINCIPAL, "eks_cluster": eks_cluster.name}


@pytest.mark.slow
def test_groups_and_username(eks_cluster, wanted, policies):
    refused = eks_cluster.run("eks_access_entry", **wanted, kubernetes_groups=["admins"])
    assert "not authorized to perform: eks:CreateAccessEntry" in refused["msg"]
    policies([])
    eks_cluster.run("eks_access_entry", **wanted, kubernetes_groups=["x"])
    reads(eks_cluster, "eks_access_entry", **wanted)
    done = changes_once(eks_cluster, "eks_access_entry", **wanted, kubernetes_groups=["z", "x"], username="research")
    assert (done["eks_access_entry"]["kubernetes_groups"], done["eks_access_entry"]["username"]) == (["x", "z"], "research")
    assert changes_once(eks_cluster, "eks_access_entry", **wanted, kubernetes_groups=[])["eks_access_entry"]["kubernetes_groups"] == []


@pytest.mark.slow
def test_policies_are_a_set_with_scopes(eks_cluster, wanted):
    eks_cluster.run("eks_access_entry", **wanted, access_policies=[VIEW, EDIT])
    reads(eks_cluster, "eks_access_entry", **wanted)
    reads(eks_cluster, "eks_access_entry", **wanted, access_policies=[{"policy": ARN}], purge_policies=False)
    done = changes_once(eks_cluster, "eks_access_entry", **wanted, access_policies=[{**VIEW, "namespaces": ["a"]}])
    assert [(each["action"], each["field"], each["before"], each["after"]) for each in done["changes"]] == [
        ("update", "access_policies.AmazonEKSViewPolicy", "cluster", "a"),
        ("delete", "access_policies.AmazonEKSEditPolicy", "hyperpod-ns-a", None),
    ]
    assert done["eks_access_entry"]["access_policies"] == [{"policy": ARN, "namespaces": ["a"]}]
    assert changes_once(eks_cluster, "eks_access_entry", **wanted, access_policies=[])["eks_access_entry"]["access_policies"] == []


def test_a_type_is_kept(eks_cluster, wanted):
    eks_cluster.run("eks_access_entry", **wanted)
    refused = eks_cluster.run("eks_access_entry", **wanted, type="EC2")
    assert "type: 'EC2' is not allowed: " in refused["msg"] and "is of type STANDARD, and EKS can't change that" in refused["msg"]
    assert not refused["mutating"]
    reads(eks_cluster, "eks_access_entry", **wanted, type="STANDARD")


@pytest.mark.slow
def test_entries_of_nodes(eks_cluster, wanted):
    changes_once(eks_cluster, "eks_access_entry", **wanted, type="HYPERPOD_LINUX", unforeseen=["eks_access_entry.username"])
    refused = eks_cluster.run("eks_access_entry", **wanted, access_policies=[VIEW])
    assert "entries of type HYPERPOD_LINUX are for nodes and do not support this option" in refused["msg"] and not refused["mutating"]
    refused = eks_cluster.run("eks_access_entry", **wanted, state="absent")
    assert "type: None is not allowed: access entry" in refused["msg"] and "Allowed: HYPERPOD_LINUX" in refused["msg"]
    assert PRINCIPAL in entries(eks_cluster)
    changes_once(eks_cluster, "eks_access_entry", **wanted, state="absent", type="HYPERPOD_LINUX")


def test_an_entry_of_a_service_keeps_its_policies(eks_cluster, wanted):
    wanted["principal_arn"] = SERVICE
    cluster = {"clusterName": eks_cluster.name, "principalArn": SERVICE}
    eks_cluster.eks.create_access_entry(**cluster)
    eks_cluster.eks.associate_access_policy(**cluster, policyArn=ARN, accessScope={"type": "cluster"})
    refused = eks_cluster.run("eks_access_entry", **wanted, access_policies=[])
    assert "and this run would remove an access policy" in refused["msg"] and not refused["mutating"]
    reads(eks_cluster, "eks_access_entry", **wanted, access_policies=[], purge_policies=False)
    assert changes_once(eks_cluster, "eks_access_entry", **wanted, type="STANDARD", access_policies=[])["changed"]


def test_lost_replies_cause_no_duplicates(eks_cluster, wanted, faults):
    entry = f"{eks_cluster.path}/access-entries"
    for operation in (f"POST {entry}", f"POST {entry}/{PRINCIPAL}", f"POST {entry}/{PRINCIPAL}/access-policies", f"DELETE {entry}/{PRINCIPAL}"):
        faults(kind="cut_after", operation=operation, times=1)
    for options in ({}, {"kubernetes_groups": [X]}, {"access_policies": [VIEW]}, {"state": "absent"}):
        done = eks_cluster.run("eks_access_entry", **wanted, **options)
        assert not done.get("failed") and done["changed"], done
        assert not eks_cluster.run("eks_access_entry", **wanted, **options)["changed"]
    assert [rule["fired"] for rule in eks_cluster.control("faults")] == [1, 1, 1, 1]


def test_a_cluster_without_access_entries_and_an_unknown_cluster(eks_cluster, network, wanted):
    eks_cluster.make(f"{eks_cluster.name}-map", network["subnets"], "CONFIG_MAP")
    wanted["eks_cluster"] += "-map"
    refused = eks_cluster.run("eks_access_entry", check=True, **wanted)
    assert refused["failed"] and "supports no access entries" in refused["msg"]
    failed = eks_cluster.run("eks_access_entry", check=True, **{**wanted, "eks_cluster": "none"})
    assert failed["failed"] and "DescribeCluster for EKS cluster none failed" in failed["msg"]
    assert not eks_cluster.run("eks_access_entry", **{**wanted, "eks_cluster": "none", "state": "absent"})["changed"]


def test_bad_input_is_refused_before_any_call(eks_cluster, wanted):
    for wrong, named in (
        ({"principal_arn": "research"}, "principal_arn: 'research'"),
        ({"principal_arn": "arn:aws:sts::111111111111:assumed-role/a/b"}, "it is the ARN of a session"),
        ({"kubernetes_groups": ["system:masters"]}, "kubernetes_groups: 'system:masters'"),
        ({"kubernetes_groups": ["a", "a"]}, "kubernetes_groups: 'a'"),
        ({"username": "eks:a"}, "username: 'eks:a'"),
        ({"type": "EC2_LINUX", "kubernetes_groups": ["a"]}, "kubernetes_groups: ['a'] is not allowed: entries of type EC2_LINUX"),
        ({"access_policies": [{"policy": "arn:aws:iam::aws:policy/A"}]}, "access_policies.policy: 'arn:aws:iam::aws:policy/A'"),
        ({"access_policies": [VIEW, {"policy": ARN}]}, f"access_policies.policy: '{ARN}'"),
        ({"access_policies": [{**VIEW, "namespaces": []}]}, "access_policies.namespaces: []"),
        ({"access_policies": [{**VIEW, "namespaces": ["A"]}]}, "access_policies.namespaces: 'A'"),
    ):
        refused = eks_cluster.run("eks_access_entry", **{**wanted, **wrong})
        assert refused["failed"] and named in refused["msg"] and eks_cluster.calls() == [], refused
