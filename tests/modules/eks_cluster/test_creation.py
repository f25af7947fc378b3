# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""eks_cluster creates clusters in the simulated EKS."""

from __future__ import annotations

import threading

import pytest
from simulated.shape import changes_once, one_shape, reads

KEY = "arn:aws:kms:us-west-2:111111111111:key/01234567-89ab-cdef-0123-456789abcdef"


@pytest.mark.slow
def test_a_cluster_is_created_and_removed(new):
    present = {
        **new.options,
        "version": "1.35",
        "security_group_ids": new.network["groups"][:1],
        "logging": ["audit", "api"],
        "encryption_key_arn": KEY,
        "service_ipv4_cidr": "172.21.0.0/16",
        "tags": {"team": "research"},
    }
    made, removed = one_shape(new, "eks_cluster", present=present, absent={**new.named, "state": "absent"})
    cluster = made["eks_cluster"]
    vpc = cluster.pop("vpc")
    assert {name: cluster[name] for name in cluster if name not in ("arn", "endpoint", "certificate_authority")} == {
        "exists": True,
        "name": new.name,
        "status": "ACTIVE",
        "issues": [],
        "version": "1.35",
        "support": {
            "status": "standard",
            "end_of_standard_support": "2027-03-27T00:00:00.000Z",
            "end_of_extended_support": "2028-03-27T00:00:00.000Z",
        },
        "support_type": "STANDARD",
        "authentication_mode": "API",
        "role_arn": new.options["role_arn"],
        "service_ipv4_cidr": "172.21.0.0/16",
        "logging": ["api", "audit"],
        "encryption_key_arn": KEY,
        "deletion_protection": False,
        "tags": {"team": "research"},
    }
    assert (vpc["subnets"], vpc["security_groups"]) == (sorted(new.network["subnets"]), new.network["groups"][:1])
    assert (vpc["vpc_id"], vpc["public_access_cidrs"], vpc["open_to_internet"]) == (new.network["vpc"], [], False)
    assert made["mutating"] == ["POST /clusters"]
    assert removed["eks_cluster"] == {"exists": False, "name": new.name}


def test_defaults_of_a_new_cluster_are_safe(new):
    made = changes_once(new, "eks_cluster", **new.options)
    found = new.eks.describe_cluster(name=new.name)["cluster"]
    assert made["eks_cluster"]["version"] == found["version"] == "1.35"
    assert found["accessConfig"] == {"authenticationMode": "API", "bootstrapClusterCreatorAdminPermissions": False}
    assert found["upgradePolicy"] == {"supportType": "STANDARD"}
    assert new.eks.list_access_entries(clusterName=new.name)["accessEntries"] == []


def test_a_cluster_with_public_access_for_some(new):
    options = {**new.options, "endpoint_public_access": True, "public_access_cidrs": ["203.0.113.0/24"], "deletion_protection": True}
    made = changes_once(new, "eks_cluster", **options)
    assert made["eks_cluster"]["vpc"]["public_access_cidrs"] == ["203.0.113.0/24"] and made["eks_cluster"]["deletion_protection"]


def test_without_wait_the_cluster_is_returned_in_creation(new):
    new.control("settings", {"transition_seconds": 600})
    made = new.ensure(**{**new.options, "wait": False})
    assert made["changed"] and (made["eks_cluster"]["status"], made["eks_cluster"]["endpoint"]) == ("CREATING", None), made
    new.control("settings", {"transition_seconds": 0.05})
    done = reads(new, "eks_cluster", **new.options)
    assert done["eks_cluster"]["status"] == "ACTIVE" and done["eks_cluster"]["endpoint"].startswith("https://")


@pytest.mark.slow
def test_a_failed_creation_is_explained(new, faults):
    faults(kind="fail_later", operation="POST /clusters", code="Ec2SubnetNotFound: no subnet-1", times=1)
    failed = new.ensure(**new.options)
    message = f"EKS cluster {new.name} is FAILED (Ec2SubnetNotFound: no subnet-1): set subnet_ids to existing subnets, then delete"
    assert failed["failed"] and message in failed["msg"], failed
    again = new.ensure(**new.options)
    assert again["failed"] and not again["mutating"] and "EKS does not repair it: set subnet_ids to existing subnets" in again["msg"]
    assert new.ensure(state="absent")["changed"]


def test_a_creation_that_takes_too_long_is_reported(new):
    new.control("settings", {"transition_seconds": 600})
    late = new.ensure(**{**new.options, "wait_timeout": 1})
    assert late["failed"] and f"EKS cluster {new.name} is still CREATING after 1 s" in late["msg"], late
    new.control("settings", {"transition_seconds": 0.05})
    assert reads(new, "eks_cluster", **new.options)["eks_cluster"]["status"] == "ACTIVE"


@pytest.mark.slow
def test_lost_replies_and_late_answers_cause_no_second_cluster(new, faults):
    new.control("settings", {"eks_cluster_lag_seconds": 1.5})
    faults(kind="cut_after", operation="POST /clusters", times=1)
    faults(kind="throttle", operation=f"GET {new.path}", times=2)
    made = new.ensure(**new.options)
    assert made["changed"] and made["eks_cluster"]["status"] == "ACTIVE", made
    assert [rule["fired"] for rule in new.control("faults")] == [1, 2]
    assert not new.ensure(**new.options)["changed"]


@pytest.mark.slow
def test_an_equal_cluster_of_another_caller_is_kept(new):
    new.control("settings", {"eks_cluster_lag_seconds": 600})
    private = {"endpointPublicAccess": False, "endpointPrivateAccess": True}
    new.make(version="1.35", vpc=private, upgradePolicy={"supportType": "STANDARD"})
    done = new.lagging_until("POST /clusters", **new.options, version="1.35")
    assert not done.get("failed") and done["eks_cluster"]["status"] == "ACTIVE", done


@pytest.mark.slow
def test_two_controllers_create_the_same_cluster(new):
    results = []
    both = [threading.Thread(target=lambda: results.append(new.start("eks_cluster", **new.options))) for _each in range(2)]
    for each in both:
        each.start()
    for each in both:
        each.join()
    assert [each.get("msg") for each in results] == [None, None], results
    assert {each["eks_cluster"]["status"] for each in results} == {"ACTIVE"}


@pytest.mark.slow
def test_a_different_cluster_of_the_same_name_is_refused(new):
    """DescribeCluster does not return the other cluster yet when the run looks for it."""
    new.control("settings", {"eks_cluster_lag_seconds": 600})
    new.make(version="1.33")
    refused = new.lagging_until("POST /clusters", **{**new.options, "version": "1.35"})
    assert refused["failed"] and "has just been created by another caller, and differs from the options: " in refused["msg"], refused
    assert "version" in refused["msg"] and "support_type" in refused["msg"]


def test_an_arn_names_only_an_existing_cluster(new):
    arn = f"arn:aws:eks:us-west-2:111111111111:cluster/{new.name}"
    refused = new.ensure(**{**new.options, "eks_cluster": arn})
    assert refused["failed"] and "a new cluster has no ARN yet. Allowed: the name of the new cluster." in refused["msg"], refused
    assert not new.ensure(eks_cluster=arn, state="absent")["changed"]
    assert new.make()["arn"] == arn
    assert reads(new, "eks_cluster", **{**new.named, "eks_cluster": arn})["eks_cluster"]["name"] == new.name
    other = arn.replace("111111111111", "222222222222")
    refused = new.ensure(eks_cluster=other)
    assert refused["failed"] and f"has another ARN. Allowed: {arn}." in refused["msg"]


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"role_arn": None}, "role_arn: missing; EKS cluster"),
        ({"subnet_ids": None}, "subnet_ids: missing; EKS cluster"),
        ({"endpoint_public_access": None, "endpoint_private_access": None}, "public_access_cidrs: missing; EKS cluster"),
        ({"endpoint_private_access": None}, "endpoint_private_access: False is not allowed: endpoint_public_access is false"),
        ({"version": "1.31"}, "version: '1.31' is not allowed: EKS does not offer this version. Allowed: 1.32, 1.33, 1.34, 1.35, 1.36."),
        ({"version": "1.33"}, "version: '1.33' is not allowed: it is in extended support, which costs more. Allowed: a version in standard"),
        ({"authentication_mode": "CONFIG_MAP"}, "bootstrap_creator_admin: False is not allowed: authentication_mode is CONFIG_MAP"),
    ],
)
def test_a_creation_that_eks_would_refuse_is_refused_before_any_change(new, wrong, message):
    for check in (True, False):
        options = {name: value for name, value in {**new.options, **wrong}.items() if value is not None}
        refused = new.run("eks_cluster", check=check, **options)
        assert refused["failed"] and message in refused["msg"] and not refused["mutating"], refused


def test_a_version_in_extended_support_is_created_on_request(new):
    made = changes_once(new, "eks_cluster", **new.options, version="1.33", support_type="EXTENDED")
    assert made["eks_cluster"]["support"]["status"] == "extended"
