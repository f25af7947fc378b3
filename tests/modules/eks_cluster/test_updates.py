# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""eks_cluster changes the settings of clusters in the simulated EKS, one update at a time."""

from __future__ import annotations

from functools import partial

import pytest
from simulated.shape import changes_once, reads

KEY = "arn:aws:kms:us-west-2:111111111111:key/01234567-89ab-cdef-0123-456789abcdef"
OFFICE = ["203.0.113.0/24"]
CLOSED = {"endpointPublicAccess": True, "endpointPrivateAccess": True, "publicAccessCidrs": OFFICE}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("made", "options", "value"),
    [
        ({}, {"logging": ["audit", "api"]}, ["api", "audit"]),
        ({}, {"support_type": "STANDARD"}, "STANDARD"),
        ({}, {"deletion_protection": True}, True),
        ({}, {"encryption_key_arn": KEY}, KEY),
        ({"access": {"authenticationMode": "API_AND_CONFIG_MAP"}}, {"authentication_mode": "API"}, "API"),
    ],
)
def test_one_setting_is_changed(new, made, options, value):
    new.make(**made)
    (option,) = options
    done = changes_once(new, "eks_cluster", **new.named, **options)
    assert done["eks_cluster"][option] == value and len(done["mutating"]) == 1, done["mutating"]
    assert [change["field"] for change in done["changes"]] == [option]


@pytest.mark.slow
def test_the_network_is_changed(new):
    new.make()
    ec2, subnets = new.client("ec2"), new.network["subnets"]
    third = ec2.create_subnet(VpcId=new.network["vpc"], CidrBlock="10.1.9.0/24", AvailabilityZone="us-west-2c")["Subnet"]["SubnetId"]
    done = changes_once(new, "eks_cluster", **new.named, subnet_ids=[third, subnets[0]], security_group_ids=new.network["groups"][:2])
    assert done["eks_cluster"]["vpc"]["subnets"] == sorted([third, subnets[0]]) and len(done["mutating"]) == 1
    reads(new, "eks_cluster", **new.named, subnet_ids=[subnets[0], third])
    done = changes_once(new, "eks_cluster", **new.named, security_group_ids=[])
    assert done["eks_cluster"]["vpc"]["security_groups"] == []
    ec2.delete_subnet(SubnetId=third)


@pytest.mark.slow
def test_the_endpoint_is_changed(new):
    new.make(vpc={"endpointPublicAccess": False, "endpointPrivateAccess": True})
    opened = changes_once(new, "eks_cluster", **new.named, endpoint_public_access=True, public_access_cidrs=OFFICE)
    assert opened["eks_cluster"]["vpc"]["public_access_cidrs"] == OFFICE
    other = ["198.51.100.0/24", *OFFICE]
    changed = changes_once(new, "eks_cluster", **new.named, public_access_cidrs=[*reversed(other)])
    assert changed["eks_cluster"]["vpc"]["public_access_cidrs"] == other
    closed = changes_once(new, "eks_cluster", **new.named, endpoint_public_access=False)
    assert closed["eks_cluster"]["vpc"]["public_access_cidrs"] == [] and len(closed["mutating"]) == 1


@pytest.mark.slow
def test_changes_of_several_kinds_are_made_one_after_another(new):
    new.make()
    options = {"logging": ["audit"], "support_type": "STANDARD", "public_access_cidrs": OFFICE, "tags": {"a": "b"}}
    done = changes_once(new, "eks_cluster", **new.named, **options, security_group_ids=new.network["groups"][:1])
    assert [each.rpartition("/")[2] for each in done["mutating"][:4]] == ["update-config"] * 4 and "/tags/" in done["mutating"][4]
    assert [update["status"] for update in updates(new)] == ["Successful"] * 4


@pytest.mark.slow
def test_tags_change_without_an_update(new):
    new.make(tags={"a": "b", "c": "d"})
    done = changes_once(new, "eks_cluster", **new.named, tags={"a": "e", "f": "g"})
    assert done["eks_cluster"]["tags"] == {"a": "e", "f": "g"} and updates(new) == []
    assert changes_once(new, "eks_cluster", **new.named, tags={"h": "i"}, purge_tags=False)["eks_cluster"]["tags"]["a"] == "e"


def updates(new) -> list[dict[str, object]]:
    ids = new.eks.list_updates(name=new.name)["updateIds"]
    return [new.eks.describe_update(name=new.name, updateId=each)["update"] for each in ids]


@pytest.mark.slow
def test_an_open_api_server_is_reported_and_left_alone(new):
    new.make()
    done = reads(new, "eks_cluster", **new.named)
    assert done["eks_cluster"]["vpc"]["open_to_internet"] is True
    assert f"Every address of the internet can reach the API server of EKS cluster {new.name}" in str(done["warnings"])
    changed = new.ensure(endpoint_private_access=True)
    assert changed["changed"] and changed["eks_cluster"]["vpc"]["open_to_internet"] is True, changed
    closed = new.ensure(public_access_cidrs=OFFICE)
    assert closed["eks_cluster"]["vpc"]["open_to_internet"] is False and "warnings" not in closed, closed


@pytest.mark.slow
def test_a_failed_update_is_explained(new, faults):
    new.make()
    faults(kind="fail_later", operation=f"POST {new.path}/update-config", code="SecurityGroupNotFound: no group", times=1)
    failed = new.ensure(security_group_ids=new.network["groups"][:1])
    message = "is Failed (VpcConfigUpdate): SecurityGroupNotFound: no group; set security_group_ids to existing security groups"
    assert failed["failed"] and message in failed["msg"], failed
    assert changes_once(new, "eks_cluster", **new.named, security_group_ids=new.network["groups"][:1])


@pytest.mark.slow
def test_an_update_of_another_caller_is_waited_for_and_the_change_planned_again(new):
    """The first plan contains only the logs, because the other update has not changed the support type yet."""
    new.make()
    policy = {"supportType": "STANDARD"}
    begin = partial(new.eks.update_cluster_config, name=new.name, upgradePolicy=policy)
    done = new.concurrently(begin, logging=["api"], support_type="EXTENDED")
    assert not done.get("failed") and [change["field"] for change in done["changes"]] == ["support_type", "logging"], done
    assert done["changes"][0]["before"] == "STANDARD" and done["eks_cluster"]["support_type"] == "EXTENDED"


@pytest.mark.slow
def test_an_update_is_followed_by_its_id_although_the_status_of_the_cluster_lags(new):
    new.make()
    new.control("settings", {"eks_cluster_lag_seconds": 1.5})
    done = new.ensure(logging=["api"], support_type="STANDARD")
    assert not done.get("failed") and len(done["mutating"]) == 2, done
    assert (done["eks_cluster"]["logging"], done["eks_cluster"]["support_type"]) == (["api"], "STANDARD")
    reads(new, "eks_cluster", **new.named, logging=["api"], support_type="STANDARD")


@pytest.mark.slow
def test_lost_replies_cause_no_second_update(new, faults):
    new.make()
    for operation in (f"POST {new.path}/update-config", f"POST {new.path}/encryption-config/associate", f"DELETE {new.path}"):
        faults(kind="cut_after", operation=operation, times=1)
    for options in ({"logging": ["api"]}, {"encryption_key_arn": KEY}, {"state": "absent"}):
        done = new.ensure(**options)
        assert not done.get("failed") and done["changed"], done
        assert not new.ensure(**options)["changed"]
    assert [rule["fired"] for rule in new.control("faults")] == [1, 1, 1]


@pytest.mark.slow
def test_without_wait_one_update_is_started(new):
    new.make()
    new.control("settings", {"transition_seconds": 0.3})
    options = {"logging": ["api"], "support_type": "STANDARD"}
    first = new.ensure(**options, wait=False)
    assert [change["field"] for change in first["changes"]] == ["support_type"], first
    assert "Without wait, later runs change logging." in str(first["warnings"])
    second = new.ensure(**options)
    assert [change["field"] for change in second["changes"]] == ["logging"] and "later runs" not in str(second["warnings"]), second
    assert not new.ensure(**options)["changed"]


@pytest.mark.parametrize(
    ("made", "options", "message"),
    [
        ({}, {"role_arn": "arn:aws:iam::111111111111:role/other"}, "role_arn: 'arn:aws:iam::111111111111:role/other' is not allowed: EKS cluster"),
        ({}, {"service_ipv4_cidr": "10.9.0.0/16"}, "has '172.20.0.0/16', and EKS cannot change that."),
        ({}, {"bootstrap_creator_admin": True}, "bootstrap_creator_admin: True is not allowed: EKS cluster"),
        ({"encryptionConfig": [{"resources": ["secrets"], "provider": {"keyArn": f"{KEY}0"}}]}, {"encryption_key_arn": KEY}, f"has '{KEY}0'"),
        ({}, {"authentication_mode": "API_AND_CONFIG_MAP"}, "has API, and EKS moves only one step at a time: CONFIG_MAP, then"),
        (
            {"access": {"authenticationMode": "CONFIG_MAP", "bootstrapClusterCreatorAdminPermissions": True}},
            {"authentication_mode": "API"},
            "Allowed: CONFIG_MAP, API_AND_CONFIG_MAP.",
        ),
        (
            {"vpc": {"endpointPublicAccess": False, "endpointPrivateAccess": True}},
            {"endpoint_public_access": True},
            "public_access_cidrs: missing; without it, EKS cluster",
        ),
        ({"vpc": CLOSED | {"endpointPrivateAccess": False}}, {"endpoint_public_access": False}, "endpoint_public_access: False is not allowed"),
        (
            {"vpc": {"endpointPublicAccess": False, "endpointPrivateAccess": True}},
            {"public_access_cidrs": OFFICE},
            "has no public access. Allowed: no value.",
        ),
        ({"version": "1.33"}, {"support_type": "STANDARD"}, "Kubernetes 1.33 is in extended support, which EKS cannot turn off. Allowed: EXTENDED"),
    ],
)
def test_changes_that_eks_does_not_make_are_refused_before_any_change(new, made, options, message):
    new.make(**made)
    for check in (True, False):
        refused = new.run("eks_cluster", check=check, **new.named, **options, logging=["api"])
        assert refused["failed"] and message in refused["msg"] and not refused["mutating"], refused


@pytest.mark.parametrize(
    ("made", "name"),
    [
        ({"computeConfig": {"enabled": True, "nodePools": ["system"]}}, "EKS Auto Mode (computeConfig)"),
        ({"remoteNetworkConfig": {"remoteNodeNetworks": [{"cidrs": ["10.80.0.0/16"]}]}}, "hybrid nodes (remoteNetworkConfig)"),
        ({"outpostConfig": {"outpostArns": ["arn"], "controlPlaneInstanceType": "m5.large"}}, "an Outpost (outpostConfig)"),
    ],
)
def test_clusters_with_unsupported_properties_are_read_but_not_changed(new, made, name):
    new.make(**made)
    assert reads(new, "eks_cluster", **new.named)["eks_cluster"]["exists"]
    for options, what in (({"logging": ["api"], "tags": {"a": "b"}}, "logging, tags.a"), ({"state": "absent"}, "delete")):
        refused = new.ensure(**options)
        message = f"EKS cluster {new.name} uses {name}, and this module does not change such a cluster: {what}."
        assert refused["failed"] and message in refused["msg"] and not refused["mutating"], refused


@pytest.mark.parametrize(
    ("wrong", "named"),
    [
        ({"eks_cluster": "a b"}, "eks_cluster: 'a b'"),
        ({"eks_cluster": "arn:aws:eks:eu-west-1:111111111111:cluster/x"}, "it is in another Region"),
        ({"version": "1.3"}, "version: '1.3' is not allowed. Allowed: a version with major and minor number"),
        ({"version": "latest"}, "version: 'latest'"),
        ({"role_arn": "role"}, "role_arn: 'role'"),
        ({"subnet_ids": ["subnet-0123456789abcdef0"]}, "Allowed: 2 or more subnets in different Availability Zones."),
        ({"subnet_ids": ["a", "b"]}, "subnet_ids: 'a'"),
        ({"security_group_ids": ["a"]}, "security_group_ids: 'a'"),
        ({"security_group_ids": [f"sg-0123456789abcdef{number}" for number in range(6)]}, "security_group_ids: 6 is not allowed"),
        ({"public_access_cidrs": ["0.0.0.0/0"]}, "it opens the API server to the whole internet"),
        ({"public_access_cidrs": ["0.0.0.0/1", "128.0.0.0/1"]}, "it opens the API server to the whole internet"),
        ({"public_access_cidrs": []}, "without ranges, EKS opens the API server to the whole internet"),
        ({"public_access_cidrs": ["10.0.0.1/8"]}, "public_access_cidrs: '10.0.0.1/8'"),
        ({"public_access_cidrs": OFFICE, "endpoint_public_access": False}, "endpoint_public_access is false. Allowed: no value."),
        ({"endpoint_private_access": False, "endpoint_public_access": False}, "endpoint_private_access: False"),
        ({"logging": ["api", "api"]}, "logging: 'api' is not allowed: it is given more than once"),
        ({"encryption_key_arn": "alias/x"}, "encryption_key_arn: 'alias/x'"),
        ({"encryption_key_arn": KEY.replace("us-west-2", "eu-west-1")}, "Allowed: a KMS key in us-west-2."),
        ({"service_ipv4_cidr": "203.0.113.0/24"}, "service_ipv4_cidr: '203.0.113.0/24'"),
        ({"service_ipv4_cidr": "10.0.0.0/25"}, "with a prefix of 12 to 24 bits"),
        ({"tags": {"aws:a": "b"}}, "tags: 'aws:a'"),
        ({"wait_timeout": 0}, "wait_timeout: 0"),
    ],
)
def test_bad_input_is_refused_before_any_call(new, wrong, named):
    refused = new.ensure(**wrong)
    assert refused["failed"] and named in refused["msg"] and new.calls() == [], refused
