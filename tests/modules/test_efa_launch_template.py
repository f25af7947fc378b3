# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""efa_launch_template against the simulated API, under the policies for training clusters."""

from __future__ import annotations

import base64
import itertools
import typing as t

import pytest
from lab.aws import permissions
from simulated.shape import changes_once, one_shape, reads

MODULE = "efa_launch_template"
NAMES = (f"ml-{number}" for number in itertools.count())
OWNER = "arn:aws:eks:us-west-2:111111111111:cluster/ml"
TAG = "mlfleet.hyperpod/cluster"
BLOCK, ON_DEMAND, IN_GROUP = "cr-0123456789abcdef0", "cr-0123456789abcdef1", "cr-0123456789abcdef2"
END = "2099-12-08T11:30:00+00:00"
RESERVATIONS = {
    BLOCK: {"InstanceType": "p5.48xlarge", "ReservationType": "capacity-block", "EndDate": END, "TotalInstanceCount": 4},
    ON_DEMAND: {"InstanceType": "p4d.24xlarge"},
    IN_GROUP: {"InstanceType": "p4d.24xlarge", "PlacementGroupArn": "arn:aws:ec2:us-west-2:111111111111:placement-group/reserved"},
}
BY_DEFAULT = {
    "capacity_reservations": {},
    "launch_template_lag_seconds": 0.2,
    "launch_template_versions": 10_000,
    "kubernetes": {},
    "network_card_interface_types": True,
    "security_group_lag_seconds": 0,
}


@pytest.fixture(scope="module")
def cluster_group(simulator, network) -> str:
    """A group like the cluster security group of EKS."""
    ec2, group = simulator.client("ec2"), network["groups"][0]
    itself = [{"IpProtocol": "-1", "UserIdGroupPairs": [{"GroupId": group}]}]
    ec2.authorize_security_group_ingress(GroupId=group, IpPermissions=itself)
    ec2.authorize_security_group_egress(GroupId=group, IpPermissions=itself)
    return group


@pytest.fixture(scope="module")
def placement_group(simulator) -> str:
    simulator.client("ec2").create_placement_group(GroupName="near", Strategy="cluster")
    return "near"


@pytest.fixture
def world(simulator, policies) -> t.Iterator[t.Any]:
    """The simulator with the policies of a role that manages training clusters only."""
    policies(permissions.documented(*permissions.TRAINING_CLUSTER))
    simulator.control("settings", {"capacity_reservations": RESERVATIONS, "launch_template_lag_seconds": 0})
    yield simulator
    simulator.clear_faults()
    simulator.control("settings", BY_DEFAULT)


@pytest.fixture
def wanted(cluster_group) -> dict[str, t.Any]:
    return {"name": next(NAMES), "eks_cluster": "ml", "instance_type": "p4d.24xlarge", "cluster_security_group_id": cluster_group}


def data_of(world: t.Any, name: str, version: str = "$Default") -> dict[str, t.Any]:
    found = world.client("ec2").describe_launch_template_versions(LaunchTemplateName=name, Versions=[version])
    return found["LaunchTemplateVersions"][0]["LaunchTemplateData"]


def absent(wanted: dict[str, t.Any]) -> dict[str, t.Any]:
    return {"name": wanted["name"], "eks_cluster": "ml", "state": "absent"}


def test_created_and_removed(world, wanted, cluster_group):
    present = {**wanted, "tags": {"team": "research"}, "instance_tags": {"cost": "ml"}, "local_storage": "RAID0"}
    made, removed = one_shape(world, MODULE, present=present, absent=absent(wanted))
    template = made["efa_launch_template"]
    assert template["launch_template_id"].startswith("lt-") and "strategy: RAID0" in template["user_data"]
    assert template | {"launch_template_id": "", "user_data": ""} == {
        "exists": True,
        "name": wanted["name"],
        "eks_cluster": "ml",
        "launch_template_id": "",
        "version": 1,
        "instance_type": "p4d.24xlarge",
        "network_interface_count": 5,
        "efa_interface_count": 4,
        "efa_source": "InterfaceTypes",
        "efa_traffic_allowed": True,
        "security_group_ids": [cluster_group],
        "capacity_type": "ON_DEMAND",
        "capacity_reservation": None,
        "placement_group_state": "",
        "placement_group": "",
        "image_id": "",
        "device_name": "/dev/xvda",
        "volume_size": 200,
        "volume_kms_key_id": "",
        "metadata_hop_limit": 1,
        "user_data": "",
        "instance_tags": {"cost": "ml"},
        "tags": {"team": "research", TAG: OWNER},
    }
    assert removed["efa_launch_template"] == {"exists": False, "name": wanted["name"], "eks_cluster": "ml"}
    assert "warnings" not in made


@pytest.mark.parametrize(
    ("changed", "fields"),
    [
        ({"instance_type": "p5.48xlarge"}, ["instance_type", "network_interfaces"]),
        ({"efa": False}, ["network_interfaces"]),
        ({"volume_size": 500}, ["volume_size"]),
        ({"volume_kms_key_id": "alias/nodes"}, ["volume_kms_key_id"]),
        ({"local_storage": "RAID0"}, ["user_data"]),
        ({"metadata_hop_limit": 2}, ["metadata_hop_limit"]),
        ({"capacity_reservation_id": ON_DEMAND}, ["capacity_reservation_id"]),
        ({"capacity_reservation_id": IN_GROUP}, ["capacity_reservation_id", "placement_group"]),
        ({"instance_type": "p5.48xlarge", "capacity_reservation_id": BLOCK}, ["instance_type", "network_interfaces", "capacity_reservation_id", "market_type"]),
        ({"placement_group": "near"}, ["placement_group"]),
        ({"instance_tags": {"a": "b"}}, ["instance_tags"]),
    ],
)  # fmt: skip
def test_a_difference_makes_a_new_default_version(world, wanted, placement_group, changed, fields):
    world.run(MODULE, **wanted)
    done = changes_once(world, MODULE, **{**wanted, **changed})
    assert [each["field"] for each in done["changes"]] == [*fields, "version"]
    assert (done["efa_launch_template"]["version"], done["mutating"]) == (2, ["CreateLaunchTemplateVersion", "ModifyLaunchTemplate"])
    assert data_of(world, wanted["name"], "1") != data_of(world, wanted["name"]) == data_of(world, wanted["name"], "2")


def test_security_groups_are_compared_as_sets(world, wanted, network):
    others = network["groups"][1:]
    world.run(MODULE, **wanted, security_group_ids=others)
    reads(world, MODULE, **wanted, security_group_ids=others[::-1])
    done = changes_once(world, MODULE, **wanted, security_group_ids=others[:1])
    assert done["efa_launch_template"]["security_group_ids"] == sorted([wanted["cluster_security_group_id"], others[0]])
    for interface in data_of(world, wanted["name"])["NetworkInterfaces"]:
        assert sorted(interface["Groups"]) == done["efa_launch_template"]["security_group_ids"]


def test_omitted_options_keep_settings_and_empty_ones_remove_them(world, wanted, placement_group):
    kept = {"volume_kms_key_id": "alias/nodes", "instance_tags": {"a": "b"}, "placement_group": placement_group, "tags": {"c": "d"}}
    world.run(MODULE, **wanted, **kept)
    template = reads(world, MODULE, **wanted)["efa_launch_template"]
    assert {name: template[name] for name in kept} == {**kept, "tags": {"c": "d", TAG: OWNER}}
    emptied = {"volume_kms_key_id": "", "instance_tags": {}, "placement_group": "", "tags": {}}
    done = changes_once(world, MODULE, **wanted, **emptied)["efa_launch_template"]
    assert {name: done[name] for name in emptied} == {**emptied, "tags": {TAG: OWNER}}


def test_a_capacity_block_determines_market_zone_and_capacity_type(world, wanted, placement_group):
    wanted |= {"instance_type": "p5.48xlarge"}
    world.run(MODULE, **wanted, placement_group=placement_group)
    done = changes_once(world, MODULE, **wanted, capacity_reservation_id=BLOCK)["efa_launch_template"]
    assert (done["capacity_type"], done["placement_group"], done["network_interface_count"]) == ("CAPACITY_BLOCK", "", 33)
    assert done["capacity_reservation"] == {
        "id": BLOCK,
        "type": "capacity-block",
        "instance_type": "p5.48xlarge",
        "state": "active",
        "availability_zone": "us-west-2a",
        "availability_zone_id": "usw2-az1",
        "start": "",
        "end": "2099-12-08T11:30:00.000Z",
        "total_instance_count": 4,
        "available_instance_count": 1,
    }
    data = data_of(world, wanted["name"])
    assert data["InstanceMarketOptions"] == {"MarketType": "capacity-block"} and "Placement" not in data
    reads(world, MODULE, **wanted)
    back = changes_once(world, MODULE, **wanted, placement_group=placement_group)["efa_launch_template"]
    assert (back["capacity_type"], back["capacity_reservation"], back["placement_group"]) == ("ON_DEMAND", None, placement_group)
    gone = changes_once(world, MODULE, **wanted, placement_group="")["efa_launch_template"]
    assert gone["placement_group"] == ""


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ({"InstanceType": "p5.48xlarge"}, "it reserves p5.48xlarge"),
        ({"State": "expired"}, "its state is expired"),
        ({"State": "payment-pending"}, "its state is payment-pending"),
        ({"EndDate": "2020-01-01T00:00:00+00:00"}, "it ended at 2020-01-01T00:00:00Z"),
        ({"Tenancy": "dedicated"}, "its tenancy is dedicated"),
        ({"InstancePlatform": "Windows"}, "its platform is Windows"),
        (None, "EC2 does not have it in this Region and account"),
    ],
)
def test_unusable_reservations_are_refused(world, wanted, given, problem):
    made = {ON_DEMAND: {"InstanceType": "p4d.24xlarge", **given}} if given is not None else {}
    world.control("settings", {"capacity_reservations": made})
    refused = world.run(MODULE, **wanted, capacity_reservation_id=ON_DEMAND)
    assert refused["failed"] and not refused["mutating"]
    assert refused["msg"] == (
        f"capacity_reservation_id: '{ON_DEMAND}' is not allowed: {problem}"
        f"{', but the images of EKS have Linux/UNIX' if 'platform' in problem else ''}. "
        "Allowed: an active or scheduled capacity reservation of p4d.24xlarge."
    )


def test_a_scheduled_reservation_is_accepted_with_a_warning(world, wanted):
    later = {"InstanceType": "p4d.24xlarge", "State": "scheduled", "StartDate": "2099-12-01T11:30:00+00:00", "EndDate": END}
    world.control("settings", {"capacity_reservations": {ON_DEMAND: later}})
    done = changes_once(world, MODULE, **wanted, capacity_reservation_id=ON_DEMAND)
    assert f"Capacity reservation {ON_DEMAND} starts at 2099-12-01T11:30:00Z." in str(done["warnings"])


@pytest.mark.parametrize(
    ("instance_type", "interfaces", "efa"),
    [("p5.48xlarge", 33, 32), ("p5en.48xlarge", 17, 16), ("g5.8xlarge", 2, 1), ("p6-b300.48xlarge", 17, 16), ("m5.large", 1, 0)],
)
def test_interfaces_of_several_types(world, wanted, instance_type, interfaces, efa):
    done = world.run(MODULE, **{**wanted, "instance_type": instance_type})
    template = done["efa_launch_template"]
    assert (template["network_interface_count"], template["efa_interface_count"]) == (interfaces, efa)
    assert "warnings" not in done, "EC2 returned warnings about the interfaces"


def test_an_answer_without_interface_types(world, wanted):
    """As of an older botocore, which does not know them."""
    world.control("settings", {"network_card_interface_types": False})
    done = changes_once(world, MODULE, **wanted)["efa_launch_template"]
    assert (done["efa_source"], done["network_interface_count"], done["efa_interface_count"]) == ("MaximumEfaInterfaces", 5, 4)
    refused = world.run(MODULE, **{**wanted, "instance_type": "p6-b300.48xlarge"})
    assert refused["failed"] and not refused["mutating"]
    assert "instance_type: 'p6-b300.48xlarge' is not allowed: it has 17 network cards and 16 EFA devices, and EC2 did not return" in refused["msg"]
    plain = world.run(MODULE, **{**wanted, "instance_type": "p6-b300.48xlarge"}, efa=False)["efa_launch_template"]
    assert (plain["efa_source"], plain["network_interface_count"]) == ("", 1)
    world.control("settings", {"network_card_interface_types": True})
    assert world.run(MODULE, **wanted)["efa_launch_template"]["efa_source"] == "InterfaceTypes"


@pytest.mark.slow
def test_settings_with_which_no_node_can_start_are_refused(world, wanted, network, placement_group):
    ec2 = world.client("ec2")
    ec2.create_placement_group(GroupName="apart", Strategy="spread")
    vpc = ec2.create_vpc(CidrBlock="10.9.0.0/16")["Vpc"]["VpcId"]
    elsewhere = ec2.create_security_group(GroupName="elsewhere", Description="elsewhere", VpcId=vpc)["GroupId"]
    for wrong, message in (
        ({"instance_type": "p9.48xlarge"}, "instance_type: 'p9.48xlarge' is not allowed: EC2 does not have it in this Region."),
        ({"instance_type": "m5.large", "efa": True}, "efa: True is not allowed: instance type m5.large has no EFA."),
        ({"instance_type": "m5.large", "local_storage": "RAID0"}, "local_storage: 'RAID0' is not allowed: instance type m5.large has no local disks."),
        ({"cluster_security_group_id": "sg-00000000"}, "cluster_security_group_id: 'sg-00000000' is not allowed: EC2 does not have it."),
        ({"security_group_ids": [elsewhere]}, f"security_group_ids: '{elsewhere}' is not allowed: it is in {vpc}, and the cluster security group is in"),
        ({"placement_group": "none"}, "placement_group: 'none' is not allowed: EC2 does not have it in this Region."),
        ({"placement_group": "apart"}, "placement_group: 'apart' is not allowed: its strategy is spread."),
        ({"image_id": "ami-00000000"}, "image_id: 'ami-00000000' is not allowed: EC2 does not have it."),
    ):
        refused = world.run(MODULE, **{**wanted, **wrong})
        assert refused["failed"] and message in refused["msg"] and not refused["mutating"], refused


def test_check_mode_accepts_what_an_earlier_task_would_create(world, wanted):
    unknown = {"cluster_security_group_id": "(known after apply)", "security_group_ids": ["sg-00000000"], "placement_group": "none"}
    foreseen = reads_check(world, {**wanted, **unknown})
    assert foreseen["efa_launch_template"]["security_group_ids"] == ["(known after apply)", "sg-00000000"]
    assert foreseen["efa_launch_template"]["efa_traffic_allowed"] is None
    refused = world.run(MODULE, **{**wanted, "cluster_security_group_id": "(known after apply)"})
    assert refused["failed"] and "cluster_security_group_id: '(known after apply)'" in refused["msg"] and world.calls() == []


def reads_check(world: t.Any, options: dict[str, t.Any]) -> dict[str, t.Any]:
    foreseen = world.run(MODULE, check=True, **options)
    assert not foreseen.get("failed") and foreseen["changed"] and world.changes() == [], foreseen
    return foreseen


def test_a_group_that_does_not_allow_efa_is_reported(world, wanted, network):
    other = network["groups"][2]
    done = changes_once(world, MODULE, **{**wanted, "cluster_security_group_id": other})
    assert done["efa_launch_template"]["efa_traffic_allowed"] is False
    assert f"None of the security groups {other} allows all traffic to and from itself, which EFA requires." in str(done["warnings"])
    plain = changes_once(world, MODULE, **{**wanted, "cluster_security_group_id": other}, efa=False)
    assert plain["efa_launch_template"]["efa_traffic_allowed"] is None and "warnings" not in plain


@pytest.mark.slow
def test_an_image_needs_the_endpoint_of_the_cluster(world, wanted, eks_cluster):
    ec2 = world.client("ec2")
    image = ec2.register_image(Name="nodes", RootDeviceName="/dev/sda1", Architecture="x86_64")["ImageId"]
    missing = world.run(MODULE, **wanted, image_id=image)
    assert missing["failed"] and "eks_cluster: 'ml' is not allowed: it does not exist in this Region, and image_id requires its endpoint." in missing["msg"]
    assert world.run(MODULE, check=True, **wanted, image_id=image)["efa_launch_template"]["user_data"] == "(known after apply)"
    wanted |= {"eks_cluster": eks_cluster.name}
    early = world.run(MODULE, **wanted, image_id=image)
    assert early["failed"] and f"EKS cluster {eks_cluster.name} has no endpoint, certificate authority or service network yet" in early["msg"]
    world.control("settings", {"kubernetes": {"endpoint": "https://10.1.2.3", "certificate_authority": "Q0E="}})
    own = eks_cluster.eks.describe_cluster(name=eks_cluster.name)["cluster"]
    other = world.run(MODULE, **wanted, image_id=image)
    assert other["failed"] and f"EKS cluster {eks_cluster.name} has a different cluster security group" in other["msg"], other
    wanted |= {"cluster_security_group_id": own["resourcesVpcConfig"]["clusterSecurityGroupId"]}
    done = changes_once(world, MODULE, **wanted, image_id=image)["efa_launch_template"]
    data = data_of(world, wanted["name"])
    assert (data["ImageId"], data["BlockDeviceMappings"][0]["DeviceName"]) == (image, "/dev/sda1")
    text = base64.b64decode(data["UserData"]).decode()
    assert text == done["user_data"] and f'apiServerEndpoint: "{own["endpoint"]}"' in text
    reads(world, MODULE, **wanted)
    done = changes_once(world, MODULE, **wanted, image_id="")["efa_launch_template"]
    assert (done["image_id"], done["user_data"], done["device_name"]) == ("", "", "/dev/xvda")


def test_templates_of_other_owners_are_refused(world, wanted):
    ec2 = world.client("ec2")
    data = {"InstanceType": "p4d.24xlarge"}
    for tags, message in (
        ([], f"exists without the tag {TAG}={OWNER}, so this module does not change it."),
        ([{"Key": TAG, "Value": f"{OWNER}2"}], f"belongs to {OWNER}2, so this module does not change it."),
    ):
        name = next(NAMES)
        specified = [{"ResourceType": "launch-template", "Tags": tags}] if tags else []
        ec2.create_launch_template(LaunchTemplateName=name, LaunchTemplateData=data, TagSpecifications=specified)
        for options in ({**wanted, "name": name}, {**absent(wanted), "name": name}):
            refused = world.run(MODULE, **options)
            assert refused["failed"] and f"launch template {name} {message}" in refused["msg"] and not refused["mutating"], refused
    reads(world, MODULE, **absent(wanted))


def test_settings_of_others_are_removed_by_a_new_version(world, wanted):
    template = world.run(MODULE, **wanted)["efa_launch_template"]
    ec2 = world.client("ec2")
    data = data_of(world, wanted["name"])
    data["MetadataOptions"]["HttpTokens"] = "optional"
    data["NetworkInterfaces"][0]["SubnetId"] = "subnet-00000000"
    ec2.create_launch_template_version(LaunchTemplateId=template["launch_template_id"], LaunchTemplateData={**data, "KeyName": "mine"})
    reads(world, MODULE, **wanted)  # the default version is still ours
    ec2.modify_launch_template(LaunchTemplateId=template["launch_template_id"], DefaultVersion="2")
    done = changes_once(world, MODULE, **wanted)
    changes = {each["field"]: (each["before"], each["after"]) for each in done["changes"]}
    assert changes == {
        "KeyName": ("mine", None),
        "MetadataOptions.HttpTokens": ("optional", "required"),
        "NetworkInterfaces[0].SubnetId": ("subnet-00000000", None),
        "version": (2, "(known after apply)"),
    }
    assert done["efa_launch_template"]["version"] == 3


@pytest.mark.slow
def test_a_version_that_an_interrupted_run_left_is_used(world, wanted, faults):
    world.run(MODULE, **wanted)
    faults(kind="deny", operation="ModifyLaunchTemplate", times=1)
    failed = world.run(MODULE, **wanted, volume_size=300)
    assert failed["failed"] and "ModifyLaunchTemplate for launch template" in failed["msg"]
    assert f"(already done: update launch template {wanted['name']})" in failed["msg"]
    done = changes_once(world, MODULE, **wanted, volume_size=300)
    assert (done["mutating"], done["efa_launch_template"]["version"]) == (["ModifyLaunchTemplate"], 2)
    assert [each["field"] for each in done["changes"]] == ["volume_size", "version"]


@pytest.mark.slow
def test_lost_replies_cause_no_duplicates(world, wanted, faults):
    for operation in ("CreateLaunchTemplate", "CreateLaunchTemplateVersion", "ModifyLaunchTemplate", "CreateTags", "DeleteTags", "DeleteLaunchTemplate"):
        faults(kind="cut_after", operation=operation, times=1)
    larger = {**wanted, "volume_size": 300}
    for options, version in (({**wanted, "tags": {"a": "b"}}, 1), (larger, 2), ({**larger, "tags": {"c": "d"}}, 2), (absent(wanted), None)):
        done = world.run(MODULE, **options)
        assert not done.get("failed") and done["changed"], done
        assert done["efa_launch_template"].get("version") == version
        reads(world, MODULE, **options)
    assert [rule["fired"] for rule in world.control("faults")] == [1] * 6


@pytest.mark.slow
def test_lagging_and_throttled_calls_are_repeated(world, wanted, faults):
    world.control("settings", {"launch_template_lag_seconds": 60, "security_group_lag_seconds": 0})
    faults(kind="throttle", service="ec2", after=2, times=2)
    for options, version in (({}, 1), ({"volume_size": 300}, 2), ({"volume_size": 300, "tags": {"a": "b"}}, 2)):
        done = world.run(MODULE, **wanted, **options)
        assert not done.get("failed") and done["efa_launch_template"]["version"] == version, done
    gone = world.run(MODULE, **absent(wanted))
    assert gone["efa_launch_template"]["exists"] is False, gone


@pytest.mark.slow
def test_a_new_security_group_is_waited_for(world, wanted, network):
    world.control("settings", {"security_group_lag_seconds": 1})
    new = world.client("ec2").create_security_group(GroupName=next(NAMES), Description="new", VpcId=network["vpc"])["GroupId"]
    done = world.run(MODULE, **wanted, security_group_ids=[new])
    assert not done.get("failed") and new in done["efa_launch_template"]["security_group_ids"], done


def test_a_full_template_is_reported_with_a_next_step(world, wanted):
    world.run(MODULE, **wanted)
    world.control("settings", {"launch_template_versions": 1})
    failed = world.run(MODULE, **wanted, volume_size=300)
    assert failed["failed"] and "already done" not in failed["msg"] and "VersionLimitExceeded" in failed["msg"], failed
    assert "delete versions that no node group uses with aws ec2 delete-launch-template-versions" in failed["msg"]
    assert reads(world, MODULE, **wanted)["efa_launch_template"]["version"] == 1


def test_a_name_that_another_run_took_meanwhile(world, wanted, faults):
    """The listing is late, so that the run does not see the template and tries to create it."""
    world.control("settings", {"launch_template_lag_seconds": 60})
    data = {"InstanceType": "p4d.24xlarge"}
    world.client("ec2").create_launch_template(LaunchTemplateName=wanted["name"], LaunchTemplateData=data)
    refused = world.run(MODULE, **wanted)
    assert refused["failed"] and f"exists without the tag {TAG}={OWNER}" in refused["msg"], refused
    assert refused["mutating"] == ["CreateLaunchTemplate"]


def test_a_template_that_another_run_of_ours_created_meanwhile(world, wanted):
    world.run(MODULE, **wanted)
    name = wanted["name"]
    data, ec2 = data_of(world, name), world.client("ec2")
    tags = [{"ResourceType": "launch-template", "Tags": [{"Key": TAG, "Value": OWNER}]}]
    world.run(MODULE, **absent(wanted))
    world.control("settings", {"launch_template_lag_seconds": 60})
    ec2.create_launch_template(LaunchTemplateName=name, LaunchTemplateData=data, TagSpecifications=tags)
    done = world.run(MODULE, **wanted)
    assert not done.get("failed") and done["efa_launch_template"]["version"] == 1 and done["mutating"] == ["CreateLaunchTemplate"], done


def test_tags_change_without_a_new_version(world, wanted):
    world.run(MODULE, **wanted, tags={"a": "b", "c": "d"})
    done = changes_once(world, MODULE, **wanted, tags={"a": "e", "f": "g"})
    assert done["efa_launch_template"]["tags"] == {"a": "e", "f": "g", TAG: OWNER} and done["mutating"] == ["CreateTags", "DeleteTags"]
    done = changes_once(world, MODULE, **wanted, tags={"h": "i"}, purge_tags=False)
    assert done["efa_launch_template"]["tags"] == {"a": "e", "f": "g", "h": "i", TAG: OWNER}


def test_a_missing_right_is_named(world, wanted, policies):
    policies(permissions.documented("training-cluster-build"))
    refused = world.run(MODULE, **wanted)
    assert refused["failed"] and "is not authorized to perform: ec2:DescribeInstanceTypes" in refused["msg"], refused


def test_an_arn_of_the_cluster_needs_no_call_for_the_account(world, wanted):
    done = world.run(MODULE, **{**wanted, "eks_cluster": OWNER})
    assert done["efa_launch_template"]["eks_cluster"] == "ml" and done["efa_launch_template"]["tags"] == {TAG: OWNER}
    assert "GetCallerIdentity" not in world.calls()
    reads(world, MODULE, **wanted)


def test_bad_input_is_refused_before_any_call(world, wanted):
    for wrong, named in (
        ({"name": "a b"}, "name: 'a b'"),
        ({"name": "ab"}, "name: 'ab'"),
        ({"eks_cluster": "a b"}, "eks_cluster: 'a b'"),
        ({"eks_cluster": OWNER.replace("us-west-2", "us-east-1")}, "it is in another Region"),
        ({"instance_type": None}, "instance_type: missing; state=present requires it."),
        ({"cluster_security_group_id": None}, "cluster_security_group_id: missing; state=present requires it."),
        ({"instance_type": "ml.p5.48xlarge"}, "instance_type: 'ml.p5.48xlarge'"),
        ({"instance_type": "p5"}, "instance_type: 'p5'"),
        ({"cluster_security_group_id": "sg-x"}, "cluster_security_group_id: 'sg-x'"),
        ({"security_group_ids": ["vpc-00000000"]}, "security_group_ids: 'vpc-00000000'"),
        ({"security_group_ids": ["sg-00000000"] * 2}, "it is given more than once"),
        ({"security_group_ids": [f"sg-{number:08}" for number in range(16)]}, "security_group_ids: 17 is not allowed"),
        ({"capacity_reservation_id": "x"}, "capacity_reservation_id: 'x'"),
        ({"capacity_reservation_id": BLOCK, "placement_group": "near"}, "Allowed: either placement_group or capacity_reservation_id."),
        ({"placement_group": "x" * 256}, "at most 255 characters"),
        ({"volume_size": 49}, "volume_size: 49 is not allowed. Allowed: 50 to 65536."),
        ({"volume_size": 65537}, "volume_size: 65537"),
        ({"volume_kms_key_id": "key"}, "volume_kms_key_id: 'key'"),
        ({"metadata_hop_limit": 3}, "metadata_hop_limit: 3 is not allowed. Allowed: 1 to 2."),
        ({"image_id": "latest"}, "image_id: 'latest'"),
        ({"tags": {TAG: OWNER}}, f"tags: '{TAG}' is not allowed"),
        ({"tags": {"aws:x": "y"}}, "tags: 'aws:x'"),
        ({"instance_tags": {"aws:x": "y"}}, "instance_tags: 'aws:x'"),
    ):
        refused = world.run(MODULE, **{**wanted, **wrong})
        assert refused["failed"] and named in refused["msg"] and world.calls() == [], refused
