# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How a launch template and the resources of its settings are read, and by which requests."""

from __future__ import annotations

import datetime
import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.client import Api, AwsError
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.wait import Clock
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.launch_template.model import (
    Cluster,
    Desired,
    Group,
    Image,
    InstanceType,
    PlacementGroup,
    Reservation,
    State,
    Template,
    Version,
)
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.launch_template.observe import Observer, utc_now

NOW = datetime.datetime(2026, 12, 1, tzinfo=datetime.timezone.utc)
OWNER = "arn:aws:eks:us-west-2:111111111111:cluster/ml"
LISTED = {"LaunchTemplateId": "lt-1", "LaunchTemplateName": "ml-p5", "Tags": [{"Key": "a", "Value": "b"}]}
FIRST = {"VersionNumber": 1, "DefaultVersion": True, "LaunchTemplateData": {"InstanceType": "a1.large"}}
SECOND = {"VersionNumber": 2, "DefaultVersion": False, "LaunchTemplateData": {"InstanceType": "p5.48xlarge"}}
NAMED = {"Filters": [{"Name": "launch-template-name", "Values": ["ml-p5"]}]}
VERSIONS = {"LaunchTemplateId": "lt-1", "Versions": ["$Default", "$Latest"]}
OF_TYPE = {"Filters": [{"Name": "instance-type", "Values": ["p5.48xlarge"]}]}
TYPE = {"InstanceType": "p5.48xlarge", "NetworkInfo": {}}


def of_groups(*groups: str) -> dict[str, t.Any]:
    return {"Filters": [{"Name": "group-id", "Values": list(groups)}]}


def groups(*names: str) -> dict[str, t.Any]:
    return {"SecurityGroups": [{"GroupId": name, "VpcId": "vpc-1"} for name in names]}


class Read:
    """An observer of stubbed clients; ``slept`` are the pauses."""

    def __init__(self, stubbed: t.Any, *, check_mode: bool = False, **options: t.Any) -> None:
        client, self.stub = stubbed("ec2")
        self.slept: list[float] = []
        self.stubs: dict[str, t.Any] = {}
        named = {"cluster_arn": OWNER, "instance_type": "p5.48xlarge", "security_groups": ("sg-1",), **options}
        clock = Clock(now=lambda: 0.0, sleep=self.slept.append)
        self.observer = Observer(
            Api(client), Desired("ml-p5", "ml", **named), service=self._service, check_mode=check_mode, clock=clock, now=lambda: NOW
        )
        self._stubbed = stubbed
        self._clients: dict[str, t.Any] = {}

    def service(self, name: str) -> t.Any:
        self._clients[name], stub = self._stubbed(name)
        return stub

    def _service(self, name: str) -> Api:
        return Api(self._clients[name])

    def template(self, *versions: dict[str, t.Any], listed: dict[str, t.Any] = LISTED) -> None:
        self.stub.add_response("describe_launch_templates", {"LaunchTemplates": [listed] if versions else []}, NAMED)
        if versions:
            self.stub.add_response("describe_launch_template_versions", {"LaunchTemplateVersions": list(versions)}, VERSIONS)

    def always(self) -> None:
        """The answers that every state needs after the template."""
        self.stub.add_response("describe_instance_types", {"InstanceTypes": [TYPE]}, OF_TYPE)
        self.stub.add_response("describe_security_groups", groups("sg-1"), of_groups("sg-1"))


def test_a_template_is_read_with_its_default_and_its_latest_version(stubbed):
    for versions, expected in (((SECOND, FIRST), (1, 2)), ((FIRST,), (1, 1)), (({**SECOND, "DefaultVersion": True},), (2, 2))):
        read = Read(stubbed)
        read.template(*versions)
        found = read.observer.look()
        assert found is not None and (found.id, found.tags) == ("lt-1", {"a": "b"})
        assert (found.default.number, found.latest.number) == expected


def test_a_template_without_a_visible_default_version_has_the_latest_one(stubbed):
    read = Read(stubbed)
    read.template(SECOND)
    assert read.observer.look() == Template("lt-1", {"a": "b"}, *[Version(2, SECOND["LaunchTemplateData"])] * 2)


def test_an_absent_template_is_none(stubbed):
    read = Read(stubbed)
    read.template()
    assert read.observer.look() is None
    read.stub.add_response("describe_launch_templates", {"LaunchTemplates": [{**LISTED, "LaunchTemplateName": "ml-p5x"}]}, NAMED)
    assert read.observer.look() is None


def test_a_template_that_is_listed_without_versions_is_none(stubbed):
    read = Read(stubbed)
    for answer in ("error", "empty"):
        read.stub.add_response("describe_launch_templates", {"LaunchTemplates": [LISTED]}, NAMED)
        if answer == "error":
            read.stub.add_client_error("describe_launch_template_versions", "InvalidLaunchTemplateId.NotFound")
        else:
            read.stub.add_response("describe_launch_template_versions", {"LaunchTemplateVersions": []}, VERSIONS)
        assert read.observer.look() is None


def test_other_errors_are_no_absence(stubbed):
    read = Read(stubbed)
    read.stub.add_response("describe_launch_templates", {"LaunchTemplates": [LISTED]}, NAMED)
    read.stub.add_client_error("describe_launch_template_versions", "UnauthorizedOperation")
    with pytest.raises(AwsError, match="DescribeLaunchTemplateVersions for launch template ml-p5 failed"):
        read.observer.look()


def test_the_owner_of_a_cluster_by_name_is_in_the_account_of_the_caller(stubbed):
    read = Read(stubbed, cluster_arn=None, present=False)
    read.service("sts").add_response("get_caller_identity", {"Account": "111111111111"})
    for _again in range(2):
        read.template()
        assert read.observer() == State(OWNER, NOW)


def test_a_removal_reads_only_the_template(stubbed):
    read = Read(stubbed, present=False)
    read.template(FIRST)
    assert read.observer() == State(OWNER, NOW, Template("lt-1", {"a": "b"}, *[Version(1, FIRST["LaunchTemplateData"])] * 2))


def test_the_least_state(stubbed):
    read = Read(stubbed)
    read.template()
    read.always()
    assert read.observer() == State(OWNER, NOW, type=InstanceType("p5.48xlarge"), groups={"sg-1": Group("sg-1", "vpc-1")})
    assert read.slept == []


def test_a_type_that_the_region_does_not_have_is_none(stubbed):
    read = Read(stubbed, security_groups=())
    read.template()
    read.stub.add_response("describe_instance_types", {"InstanceTypes": []}, OF_TYPE)
    assert read.observer().type is None


def test_all_resources(stubbed):
    read = Read(stubbed, image="ami-1", reservation="cr-1")
    read.template()
    read.always()
    reservation = {"CapacityReservationId": "cr-1", "InstanceType": "p5.48xlarge", "State": "active", "InstancePlatform": "Linux/UNIX"}
    read.stub.add_response("describe_capacity_reservations", {"CapacityReservations": [reservation]}, {"CapacityReservationIds": ["cr-1"]})
    image = {"ImageId": "ami-1", "State": "available", "Architecture": "x86_64", "RootDeviceName": "/dev/sda1"}
    asked = {"IncludeDeprecated": True, "Filters": [{"Name": "image-id", "Values": ["ami-1"]}]}
    read.stub.add_response("describe_images", {"Images": [image]}, asked)
    read.service("eks").add_response("describe_cluster", {"cluster": {"name": "ml", "status": "ACTIVE"}}, {"name": "ml"})
    state = read.observer()
    assert state.reservation == Reservation("cr-1", "p5.48xlarge", "active")
    assert (state.image, state.cluster) == (Image("ami-1", "available", "x86_64", "/dev/sda1"), Cluster("ml", "ACTIVE"))
    assert state.placement_group is None


def test_the_placement_group_of_the_default_version_is_read(stubbed):
    read = Read(stubbed)
    read.template({**FIRST, "LaunchTemplateData": {"Placement": {"GroupName": "near"}}})
    read.always()
    found = [{"GroupName": name, "Strategy": "cluster", "State": "available"} for name in ("nearer", "near")]
    read.stub.add_response("describe_placement_groups", {"PlacementGroups": found}, {"Filters": [{"Name": "group-name", "Values": ["near"]}]})
    assert read.observer().placement_group == PlacementGroup("near", "cluster", "available")


def test_missing_resources_are_none(stubbed):
    read = Read(stubbed, image="ami-1", reservation="cr-1")
    read.template()
    read.always()
    read.stub.add_client_error("describe_capacity_reservations", "InvalidCapacityReservationId.NotFound")
    read.stub.add_response("describe_images", {"Images": []})
    read.service("eks").add_client_error("describe_cluster", "ResourceNotFoundException")
    state = read.observer()
    assert (state.reservation, state.image, state.cluster) == (None, None, None)
    read = Read(stubbed, placement_group="near")
    read.template()
    read.always()
    read.stub.add_response("describe_placement_groups", {"PlacementGroups": []})
    assert read.observer().placement_group is None


def test_a_reservation_that_could_not_be_read_is_an_error(stubbed):
    read = Read(stubbed, reservation="cr-1")
    read.template()
    read.always()
    read.stub.add_client_error("describe_capacity_reservations", "UnauthorizedOperation")
    with pytest.raises(AwsError, match="DescribeCapacityReservations for capacity reservation cr-1 failed"):
        read.observer()


def test_a_missing_group_is_read_again(stubbed):
    read = Read(stubbed, security_groups=("sg-1", "sg-2"))
    read.template()
    read.stub.add_response("describe_instance_types", {"InstanceTypes": [TYPE]})
    for names in (("sg-1",), (), ("sg-1", "sg-2")):
        read.stub.add_response("describe_security_groups", groups(*names), of_groups("sg-1", "sg-2"))
    assert set(read.observer().groups) == {"sg-1", "sg-2"} and read.slept == [0.5, 1.5]
    read = Read(stubbed)
    read.template()
    read.stub.add_response("describe_instance_types", {"InstanceTypes": [TYPE]})
    for _read in range(4):
        read.stub.add_response("describe_security_groups", groups(), of_groups("sg-1"))
    assert read.observer().groups == {} and read.slept == [0.5, 1.5, 3.0]


def test_check_mode_does_not_wait_for_groups(stubbed):
    read = Read(stubbed, check_mode=True, security_groups=("(known after apply)", "sg-1"))
    read.template()
    read.stub.add_response("describe_instance_types", {"InstanceTypes": [TYPE]})
    read.stub.add_response("describe_security_groups", groups(), of_groups("sg-1"))
    assert read.observer().groups == {} and read.slept == []
    read = Read(stubbed, check_mode=True, security_groups=("(known after apply)",))
    read.template()
    read.stub.add_response("describe_instance_types", {"InstanceTypes": [TYPE]})
    assert read.observer().groups == {}


def test_the_time_is_in_utc():
    assert utc_now().utcoffset() == datetime.timedelta(0)
