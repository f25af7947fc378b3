# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""File systems for Lustre by boto3 against the simulator: their lifecycles, and the requests that FSx refuses."""

from __future__ import annotations

import itertools
import time
import typing as t

import pytest
from refusals import code

NAMES = (f"data-{number}" for number in itertools.count())
PERSISTENT = {"DeploymentType": "PERSISTENT_2", "PerUnitStorageThroughput": 125}
RATE = {"Mode": "USER_PROVISIONED", "Iops": 1500}
TAGS = [{"Key": "a", "Value": "b"}]


class Place:
    """A subnet, and a security group that lets file servers reach each other."""

    def __init__(self, account: t.Any) -> None:
        self.account, self.fsx, self.ec2 = account, account.client("fsx"), account.ec2
        network = account.network()
        self.subnet, self.bare = network["Subnets"][0], network["SecurityGroupIds"][0]
        vpc = self.ec2.describe_subnets(SubnetIds=[self.subnet])["Subnets"][0]["VpcId"]
        self.group = self.ec2.create_security_group(GroupName=next(NAMES), Description="x", VpcId=vpc)["GroupId"]
        self.ec2.authorize_security_group_ingress(GroupId=self.group, IpPermissions=[self.within("tcp", FromPort=988, ToPort=1023)])

    def within(self, protocol: str, **ports: int) -> dict[str, t.Any]:
        return {"IpProtocol": protocol, **ports, "UserIdGroupPairs": [{"GroupId": self.group}]}

    def request(self, configuration: dict[str, t.Any] | None = None, **more: t.Any) -> dict[str, t.Any]:
        given = {"FileSystemType": "LUSTRE", "StorageCapacity": 1200, "SubnetIds": [self.subnet], "SecurityGroupIds": [self.group], **more}
        return {**given, "LustreConfiguration": PERSISTENT if configuration is None else configuration}

    def make(self, configuration: dict[str, t.Any] | None = None, **more: t.Any) -> str:
        return str(self.fsx.create_file_system(**self.request(configuration, **more))["FileSystem"]["FileSystemId"])

    def describe(self, name: str) -> dict[str, t.Any]:
        (found,) = self.fsx.describe_file_systems(FileSystemIds=[name])["FileSystems"]
        return dict(found)

    def settled(self, name: str) -> dict[str, t.Any]:
        """Wait until neither the file system nor an action is in transition."""

        def ended(found: dict[str, t.Any]) -> bool:
            busy = [each for each in found.get("AdministrativeActions", []) if each["Status"] in ("PENDING", "IN_PROGRESS", "UPDATED_OPTIMIZING")]
            return not busy and found["Lifecycle"] not in ("CREATING", "UPDATING", "DELETING")

        return self.until(name, ended)

    def until(self, name: str, holds: t.Callable[[dict[str, t.Any]], bool]) -> dict[str, t.Any]:
        """Wait until the condition holds for the description, and return it."""
        for _attempt in range(200):
            found = self.describe(name)
            if holds(found):
                return found
            time.sleep(0.02)
        raise AssertionError(found)

    def gone(self, name: str) -> bool:
        for _attempt in range(200):
            if code(self.fsx.describe_file_systems, FileSystemIds=[name]) == "FileSystemNotFound":
                return True
            time.sleep(0.02)
        return False


@pytest.fixture
def place(account: t.Any) -> Place:
    return Place(account)


def test_a_file_system_is_created_and_removed_in_steps(place: Place) -> None:
    made = place.fsx.create_file_system(**place.request({**PERSISTENT, "MetadataConfiguration": {"Mode": "AUTOMATIC"}}, Tags=TAGS))["FileSystem"]
    assert made["Lifecycle"] == "CREATING" and made["DNSName"] and "NetworkInterfaceIds" not in made
    found = place.settled(made["FileSystemId"])
    assert (found["Lifecycle"], found["FileSystemTypeVersion"], found["Tags"]) == ("AVAILABLE", "2.15", TAGS)
    assert found["LustreConfiguration"]["MetadataConfiguration"] == {"Mode": "AUTOMATIC", "Iops": 1500}
    interfaces = place.ec2.describe_network_interfaces(NetworkInterfaceIds=found["NetworkInterfaceIds"])["NetworkInterfaces"]
    assert len(interfaces) == 2 and {group["GroupId"] for each in interfaces for group in each["Groups"]} == {place.group}
    assert code(place.ec2.delete_network_interface, NetworkInterfaceId=interfaces[0]["NetworkInterfaceId"]) == "OperationNotPermitted"
    assert code(place.ec2.delete_subnet, SubnetId=place.subnet) == "DependencyViolation"
    final = {"SkipFinalBackup": False, "FinalBackupTags": TAGS}
    with place.account.held():
        removed = place.fsx.delete_file_system(FileSystemId=found["FileSystemId"], LustreConfiguration=final)
        assert removed["Lifecycle"] == "DELETING" and removed["LustreResponse"]["FinalBackupId"].startswith("backup-")
        assert code(place.fsx.delete_file_system, FileSystemId=found["FileSystemId"]) == "BadRequest"
    assert place.gone(found["FileSystemId"])
    place.ec2.delete_subnet(SubnetId=place.subnet)
    for operation in (place.fsx.delete_file_system, place.fsx.update_file_system):
        assert code(operation, FileSystemId=found["FileSystemId"]) == "FileSystemNotFound"


def test_an_update_ends_after_the_lifecycle_is_available_again(place: Place) -> None:
    name = place.make()
    place.settled(name)
    with place.account.held():
        updated = place.fsx.update_file_system(FileSystemId=name, StorageCapacity=2400)["FileSystem"]
        assert (updated["Lifecycle"], updated["StorageCapacity"], updated["AdministrativeActions"][0]["Status"]) == ("UPDATING", 1200, "PENDING")
        assert code(place.fsx.update_file_system, FileSystemId=name, StorageCapacity=4800) == "BadRequest"
        for kind in ("FILE_SYSTEM_UPDATE", "STORAGE_OPTIMIZATION"):
            place.account.step()
            place.until(name, lambda found, kind=kind: _newest(found) == (kind, "IN_PROGRESS", "AVAILABLE"))
    found = place.settled(name)
    assert found["StorageCapacity"] == 2400 and found["AdministrativeActions"][1]["TargetFileSystemValues"] == {"StorageCapacity": 2400}


def _newest(found: dict[str, t.Any]) -> tuple[str, str, str]:
    """Kind and status of the newest action, and the lifecycle."""
    action = found["AdministrativeActions"][0]
    return action["AdministrativeActionType"], action["Status"], found["Lifecycle"]


def test_settings_that_need_no_action_change_at_once(place: Place) -> None:
    name = place.make()
    place.settled(name)
    change = {"AutomaticBackupRetentionDays": 3, "WeeklyMaintenanceStartTime": "1:00:00"}
    found = place.fsx.update_file_system(FileSystemId=name, LustreConfiguration=change)["FileSystem"]
    assert found["Lifecycle"] == "AVAILABLE" and found["LustreConfiguration"]["AutomaticBackupRetentionDays"] == 3


def test_failures_have_a_reason(place: Place) -> None:
    for operation in ("CreateFileSystem", "UpdateFileSystem", "DeleteFileSystem"):
        place.account.control.faults({"kind": "fail_later", "operation": operation, "code": f"no {operation}", "times": 1})
    assert place.settled(place.make())["FailureDetails"]["Message"] == "no CreateFileSystem"
    name = place.make()
    place.settled(name)
    place.fsx.update_file_system(FileSystemId=name, StorageCapacity=2400)
    (action,) = place.settled(name)["AdministrativeActions"]
    assert (action["Status"], action["FailureDetails"]["Message"], place.describe(name)["StorageCapacity"]) == ("FAILED", "no UpdateFileSystem", 1200)
    place.fsx.delete_file_system(FileSystemId=name)
    found = place.settled(name)
    assert (found["Lifecycle"], found["FailureDetails"]["Message"]) == ("MISCONFIGURED", "no DeleteFileSystem")


def test_a_token_makes_one_file_system(place: Place) -> None:
    first, again = (place.make(ClientRequestToken="one") for _time in range(2))
    assert first == again
    assert code(place.fsx.create_file_system, **place.request(StorageCapacity=2400, ClientRequestToken="one")) == "IncompatibleParameterError"
    place.settled(first)
    with place.account.held():
        for _time in range(2):
            place.fsx.delete_file_system(FileSystemId=first, ClientRequestToken="two")
    assert place.gone(first) and place.make(ClientRequestToken="one") != first


def test_changes_are_visible_after_the_delay(place: Place) -> None:
    name = place.make()
    place.settled(name)
    place.account.control.settings(file_system_lag_seconds=0.3)
    change = {"AutomaticBackupRetentionDays": 3}
    with place.account.held("file_system_lag_seconds"):
        place.fsx.update_file_system(FileSystemId=name, LustreConfiguration=change)
        assert place.describe(name)["LustreConfiguration"]["AutomaticBackupRetentionDays"] == 0
        new = place.make()
        assert code(place.fsx.describe_file_systems, FileSystemIds=[new]) == "FileSystemNotFound"
    place.account.control.settings(file_system_lag_seconds=0)
    for _attempt in range(100):
        if not code(place.fsx.describe_file_systems, FileSystemIds=[new]):
            break
        time.sleep(0.02)
    assert place.describe(name)["LustreConfiguration"]["AutomaticBackupRetentionDays"] == 3


def test_tags(place: Place) -> None:
    name = place.make(Tags=TAGS)
    arn = place.describe(name)["ResourceARN"]
    place.fsx.tag_resource(ResourceARN=arn, Tags=[{"Key": "c", "Value": "d"}])
    place.fsx.untag_resource(ResourceARN=arn, TagKeys=["a"])
    assert place.fsx.list_tags_for_resource(ResourceARN=arn)["Tags"] == [{"Key": "c", "Value": "d"}] == place.describe(name)["Tags"]
    assert code(place.fsx.tag_resource, ResourceARN=f"{arn}0", Tags=TAGS) == "ResourceNotFound"


EFA = {**PERSISTENT, "EfaEnabled": True, "MetadataConfiguration": {"Mode": "AUTOMATIC"}}
SCRATCH = {"DeploymentType": "SCRATCH_2"}


@pytest.mark.parametrize(
    ("configuration", "more", "error"),
    [
        ({"DeploymentType": "PERSISTENT_2"}, {}, "BadRequest"),
        ({**PERSISTENT, "PerUnitStorageThroughput": 50}, {}, "InvalidPerUnitStorageThroughput"),
        ({**PERSISTENT, "DeploymentType": "PERSISTENT_1"}, {}, "InvalidPerUnitStorageThroughput"),
        (None, {"StorageCapacity": 1000}, "BadRequest"),
        (None, {"StorageCapacity": 3600}, "BadRequest"),
        ({**PERSISTENT, "EfaEnabled": True}, {}, "BadRequest"),
        (EFA, {"StorageCapacity": 2400}, "BadRequest"),
        (EFA, {"StorageCapacity": 38400}, "InvalidNetworkSettings"),
        ({**PERSISTENT, "MetadataConfiguration": {"Mode": "USER_PROVISIONED"}}, {}, "BadRequest"),
        ({**PERSISTENT, "MetadataConfiguration": {"Mode": "AUTOMATIC", "Iops": 1500}}, {}, "BadRequest"),
        ({**PERSISTENT, "MetadataConfiguration": {"Mode": "USER_PROVISIONED", "Iops": 2000}}, {}, "BadRequest"),
        ({**SCRATCH, "MetadataConfiguration": {"Mode": "AUTOMATIC"}}, {}, "BadRequest"),
        ({**SCRATCH, "PerUnitStorageThroughput": 125}, {}, "BadRequest"),
        ({**SCRATCH, "AutomaticBackupRetentionDays": 1}, {}, "BadRequest"),
        (SCRATCH, {"KmsKeyId": "key"}, "BadRequest"),
        (None, {"FileSystemTypeVersion": "2.10"}, "BadRequest"),
        (EFA, {"FileSystemTypeVersion": "2.12", "StorageCapacity": 38400}, "BadRequest"),
        (None, {"SubnetIds": ["subnet-01234567"]}, "InvalidNetworkSettings"),
        (None, {"SubnetIds": ["subnet-01234567", "subnet-01234568"]}, "BadRequest"),
        (None, {"SecurityGroupIds": ["sg-01234567"]}, "InvalidNetworkSettings"),
        (None, {"StorageType": "TAPE"}, "ValidationException"),
    ],
)
def test_file_systems_that_fsx_does_not_create(place: Place, configuration: dict[str, t.Any], more: dict[str, t.Any], error: str) -> None:
    assert code(place.fsx.create_file_system, **place.request(configuration, **more)) == error


def test_security_groups_must_let_file_servers_reach_each_other(place: Place) -> None:
    assert code(place.fsx.create_file_system, **place.request(SecurityGroupIds=[place.bare])) == "InvalidNetworkSettings"
    other = place.account.network()["SecurityGroupIds"][0]
    assert code(place.fsx.create_file_system, **place.request(SecurityGroupIds=[place.group, other])) == "InvalidNetworkSettings"
    place.ec2.authorize_security_group_ingress(GroupId=place.group, IpPermissions=[place.within("-1")])
    place.ec2.authorize_security_group_egress(GroupId=place.group, IpPermissions=[place.within("-1")])
    assert place.make(EFA, StorageCapacity=38400)


@pytest.mark.parametrize(
    ("configuration", "capacity", "change"),
    [
        (PERSISTENT, 2400, {"StorageCapacity": 1200}),
        (PERSISTENT, 1200, {"StorageCapacity": 3600}),
        (PERSISTENT, 1200, {"LustreConfiguration": {"PerUnitStorageThroughput": 50}}),
        (PERSISTENT, 1200, {"LustreConfiguration": {"MetadataConfiguration": RATE}}),
        (PERSISTENT, 1200, {"FileSystemTypeVersion": "2.12"}),
        (SCRATCH, 1200, {"LustreConfiguration": {"PerUnitStorageThroughput": 125}}),
        (SCRATCH, 1200, {"LustreConfiguration": {"AutomaticBackupRetentionDays": 1}}),
        ({**PERSISTENT, "MetadataConfiguration": RATE}, 1200, {"StorageCapacity": 2400}),
        ({**PERSISTENT, "MetadataConfiguration": {**RATE, "Iops": 3000}}, 1200, {"LustreConfiguration": {"MetadataConfiguration": RATE}}),
        ({**PERSISTENT, "MetadataConfiguration": {**RATE, "Iops": 3000}}, 1200, {"LustreConfiguration": {"MetadataConfiguration": {"Mode": "AUTOMATIC"}}}),
    ],
)
def test_updates_that_fsx_does_not_make(place: Place, configuration: dict[str, t.Any], capacity: int, change: dict[str, t.Any]) -> None:
    name = place.make(configuration, StorageCapacity=capacity)
    place.settled(name)
    assert code(place.fsx.update_file_system, FileSystemId=name, **change) == "BadRequest"


def test_the_throughput_with_efa_is_fixed_and_scratch_has_no_backup(place: Place) -> None:
    for operation in (place.ec2.authorize_security_group_ingress, place.ec2.authorize_security_group_egress):
        operation(GroupId=place.group, IpPermissions=[place.within("-1")])
    name, scratch = place.make(EFA, StorageCapacity=38400), place.make(SCRATCH)
    place.settled(name)
    place.settled(scratch)
    change = {"PerUnitStorageThroughput": 250}
    assert code(place.fsx.update_file_system, FileSystemId=name, LustreConfiguration=change) == "BadRequest"
    assert code(place.fsx.delete_file_system, FileSystemId=scratch, LustreConfiguration={"SkipFinalBackup": False}) == "BadRequest"
