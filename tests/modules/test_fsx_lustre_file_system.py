# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""fsx_lustre_file_system against the simulated API."""

from __future__ import annotations

import threading
import typing as t

import boto3
import pytest
from botocore.exceptions import ClientError
from lab.aws import permissions
from modules.fixtures.lustre import CLUSTER, OURS
from simulated.shape import changes_once, one_shape, reads

MODULE = "fsx_lustre_file_system"
KEY = "arn:aws:kms:us-west-2:111111111111:key/01234567-89ab-cdef-0123-456789abcdef"
TAGS = {"team": "research"}


def run(lustre: t.Any, *, check: bool = False, **options: t.Any) -> dict[str, t.Any]:
    return dict(lustre.run(MODULE, check=check, **{**lustre.wanted, **options}))


def refused(lustre: t.Any, message: str, *, checks: t.Sequence[bool] = (True, False), **options: t.Any) -> None:
    """Both in check mode and in a run."""
    for check in checks:
        result = run(lustre, check=check, **options)
        assert result.get("failed") and message in result["msg"] and not result["mutating"], result


def fields(result: dict[str, t.Any], *names: str) -> list[t.Any]:
    return [result[MODULE][name] for name in names]


@pytest.mark.slow
def test_created_and_removed_with_a_final_backup(lustre):
    more = {"metadata_iops": "AUTOMATIC", "backup_retention_days": 7, "weekly_maintenance": "7:09:00", "kms_key_id": KEY}
    present = {**lustre.small, **more, "file_system_version": "2.15", "compression": "LZ4", "tags": TAGS}
    made, removed = one_shape(lustre, MODULE, present=present, absent={**lustre.wanted, "state": "absent"})
    found = made[MODULE]
    assert {name: found[name] for name in more} == more
    assert fields(made, "name", "lifecycle", "availability_zone", "vpc_id") == [lustre.name, "AVAILABLE", "us-west-2a", lustre.vpc]
    assert fields(made, "deployment_type", "efa", "storage_type", "security_group_ids") == ["PERSISTENT_2", False, "SSD", [lustre.group]]
    assert found["dns_name"].startswith(found["id"]) and found["mount_name"] and len(found["network_interface_ids"]) == 2
    assert found["tags"] == {**OURS, **TAGS, "Name": lustre.name}
    assert removed[MODULE] == {"exists": False, "name": lustre.name}
    (backup,) = [each for each in lustre.fsx.describe_backups()["Backups"] if {"Key": "Name", "Value": lustre.name} in each["Tags"]]
    assert {"Key": "mlfleet.hyperpod/component", "Value": "file_system"} in backup["Tags"]
    (change,) = removed["changes"]
    assert change["before"]["final_backup"] is True and "a final backup keeps its data" in str(removed["warnings"])


def test_a_scratch_file_system_is_removed_without_a_backup(lustre):
    present = {**lustre.small, "per_unit_throughput": None, "deployment_type": "SCRATCH_2"}
    made, _gone = one_shape(lustre, MODULE, present=present, absent={**lustre.wanted, "state": "absent"})
    assert fields(made, "per_unit_throughput", "metadata_iops", "backup_retention_days") == [None, None, None]


def test_check_mode_shows_the_data_that_a_removal_loses(lustre):
    name = lustre.make()
    for options, final in (({}, False), ({"skip_final_backup": True}, False)):
        foreseen = run(lustre, check=True, state="absent", **options)
        before = {"file_system_id": name, "storage_capacity": 1200, "deployment_type": "SCRATCH_2", "final_backup": final}
        assert foreseen["changes"][0]["before"] == before and foreseen["mutating"] == []
        assert f"{name}) (SCRATCH_2, 1200 GiB) is removed with its automatic backups: all its data is lost" in str(foreseen["warnings"])


@pytest.mark.slow
def test_each_setting_is_updated_in_order_and_once(lustre):
    run(lustre, **lustre.small, metadata_iops="1500", file_system_version="2.15")
    wanted = {
        "compression": "LZ4",
        "backup_retention_days": 3,
        "weekly_maintenance": "1:05:30",
        "metadata_iops": "3000",
        "storage_capacity": 2400,
        "per_unit_throughput": 250,
    }
    done = changes_once(lustre, MODULE, **lustre.wanted, **wanted)
    assert {name: done[MODULE][name] for name in wanted} == wanted
    assert [each["field"] for each in done["changes"]] == list(wanted)
    assert done["mutating"] == ["UpdateFileSystem"] * 4
    (found,) = lustre.run(f"{MODULE}_info", name=lustre.name)["fsx_lustre_file_systems"]
    updates = [each["status"] for each in found["administrative_actions"] if each["type"] == "FILE_SYSTEM_UPDATE"]
    assert len(updates) == 4 and set(updates) <= {"COMPLETED", "UPDATED_OPTIMIZING"}


@pytest.mark.slow
def test_the_version_is_raised_and_never_lowered(lustre):
    run(lustre, **lustre.small, file_system_version="2.12")
    assert changes_once(lustre, MODULE, **lustre.wanted, file_system_version="2.15")[MODULE]["file_system_version"] == "2.15"
    refused(lustre, "file_system_version: '2.12' is not allowed: ", file_system_version="2.12")


@pytest.mark.slow
def test_the_rate_of_metadata_operations_becomes_fixed_and_automatic(lustre):
    run(lustre, **lustre.small, metadata_iops="AUTOMATIC")
    assert changes_once(lustre, MODULE, **lustre.wanted, metadata_iops="6000")[MODULE]["metadata_iops"] == "6000"
    refused(lustre, "metadata_iops: '3000' is not allowed: ", metadata_iops="3000")
    failed = run(lustre, metadata_iops="AUTOMATIC")  # AWS: lower than the provisioned rate
    assert failed["failed"] and "UpdateFileSystem for file system" in failed["msg"], failed


def test_omitted_options_change_nothing(lustre):
    run(lustre, **lustre.small, compression="LZ4", tags=TAGS)
    reads(lustre, MODULE, **lustre.wanted)
    reads(lustre, MODULE, **lustre.small)


@pytest.mark.slow
def test_what_fsx_cannot_change_is_named(lustre):
    run(lustre, **lustre.small)
    other = lustre.make_group("other")
    for option, value in (
        ("subnet_id", "subnet-0123456789abcdef0"),
        ("security_group_ids", [other]),
        ("deployment_type", "PERSISTENT_1"),
        ("efa", True),
        ("kms_key_id", KEY),
        ("metadata_iops", "1500"),
    ):
        refused(lustre, f"{option}: {value!r} is not allowed: file system {lustre.name} (fs-", **{option: value})
    refused(lustre, "per_unit_throughput: 50 is not allowed: deployment_type is PERSISTENT_2.", per_unit_throughput=50)
    run(lustre, storage_capacity=2400)
    refused(lustre, "storage_capacity: 1200 is not allowed: ", storage_capacity=1200)


@pytest.mark.slow
def test_tags_and_the_name_change(lustre):
    made = run(lustre, **lustre.small, tags={"a": "b", "c": "d"})[MODULE]["id"]
    done = changes_once(lustre, MODULE, **lustre.wanted, tags={"a": "e", "f": "g"})
    assert done[MODULE]["tags"] == {**OURS, "Name": lustre.name, "a": "e", "f": "g"}
    assert changes_once(lustre, MODULE, **lustre.wanted, tags={"h": "i"}, purge_tags=False)[MODULE]["tags"]["a"] == "e"
    assert changes_once(lustre, MODULE, **lustre.wanted, tags={})[MODULE]["tags"] == {**OURS, "Name": lustre.name}
    renamed = {**lustre.wanted, "name": f"{lustre.name} later", "file_system_id": made}
    assert changes_once(lustre, MODULE, **renamed)[MODULE]["name"] == f"{lustre.name} later"


def test_two_file_systems_of_a_name_are_refused_with_both_ids(lustre):
    ids = sorted(lustre.make() for _time in range(2))
    for state in ("present", "absent"):
        refused(lustre, f"name: {lustre.name!r} is not allowed: {ids[0]} (AVAILABLE) and {ids[1]} (AVAILABLE) have this name", state=state)
    assert run(lustre, file_system_id=ids[0], state="absent")["changed"] and lustre.ids() == ids[1:]


def test_a_file_system_without_our_tags_is_not_touched(lustre):
    for tags in ({}, {**OURS, "mlfleet.hyperpod/cluster": f"{CLUSTER}2"}, {**OURS, "mlfleet.hyperpod/component": "else"}):
        foreign = lustre.make(tags=tags)
        for state in ("present", "absent"):
            refused(lustre, f"file_system_id: '{foreign}' is not allowed: ", file_system_id=foreign, state=state)
        kept = run(lustre, state="absent")
        assert not kept["changed"] and f"{foreign} has the name {lustre.name} but not our tags, and was not removed." in str(kept["warnings"])
    made = run(lustre, **lustre.small)
    assert made["changed"] and f"{foreign} has the name {lustre.name} but not our tags, so it stays unchanged." in str(made["warnings"])
    assert run(lustre, state="absent")["changed"] and foreign in lustre.ids()


@pytest.mark.slow
def test_a_failed_creation_is_explained(lustre, faults):
    faults(kind="fail_later", operation="CreateFileSystem", code="There is not enough capacity.", times=1)
    failed = run(lustre, **lustre.small)
    assert failed["failed"] and ") is FAILED (There is not enough capacity.): FSx cannot repair it. " in failed["msg"]
    assert "Remove it with fsx_lustre_file_system and state=absent" in failed["msg"]
    for check in (True, False):
        again = run(lustre, check=check, **lustre.small)
        assert again["failed"] and ") is FAILED (There is not enough capacity.). FSx cannot repair it." in again["msg"] and not again["mutating"]
    assert run(lustre, state="absent")["changed"] and lustre.ids() == []
    assert run(lustre, **lustre.small)[MODULE]["lifecycle"] == "AVAILABLE"


@pytest.mark.slow
def test_a_failed_update_is_explained_and_can_be_repeated(lustre, faults):
    run(lustre, **lustre.small)
    faults(kind="fail_later", operation="UpdateFileSystem", code="No servers.", times=1)
    failed = run(lustre, storage_capacity=2400)
    assert failed["failed"] and "the update is FAILED: No servers. Correct the cause and run again" in failed["msg"], failed
    assert changes_once(lustre, MODULE, **lustre.wanted, storage_capacity=2400)[MODULE]["storage_capacity"] == 2400


@pytest.mark.slow
def test_a_failed_removal_is_explained(lustre, faults):
    run(lustre, **lustre.small)
    faults(kind="fail_later", operation="DeleteFileSystem", code="It is busy", times=1)
    failed = run(lustre, state="absent")
    assert failed["failed"] and "is MISCONFIGURED (It is busy): FSx did not remove it." in failed["msg"], failed
    kept = reads(lustre, MODULE, **lustre.wanted)
    assert "is MISCONFIGURED (It is busy). It may not work" in str(kept["warnings"]) and fields(kept, "dns_name") == [None]


@pytest.mark.slow
def test_lost_replies_cause_no_duplicates(lustre, faults):
    for operation in ("CreateFileSystem", "UpdateFileSystem", "TagResource", "UntagResource", "DeleteFileSystem"):
        faults(kind="cut_after", operation=operation, times=1)
    for options in ({**lustre.small, "tags": {"a": "b"}}, {"storage_capacity": 2400, "tags": {"c": "d"}}, {"state": "absent"}):
        done = run(lustre, **options)
        assert not done.get("failed") and done["changed"], done
        assert len(lustre.ids()) == (options.get("state") != "absent")
        assert not run(lustre, **options)["changed"]
    assert [rule["fired"] for rule in lustre.control("faults")] == [1] * 5


@pytest.mark.slow
def test_two_controllers_create_one_file_system(lustre):
    lustre.control("settings", {"file_system_lag_seconds": 1})
    results: list[dict[str, t.Any]] = []
    threads = [threading.Thread(target=lambda: results.append(lustre.start(MODULE, **lustre.small))) for _time in range(2)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert len({each[MODULE]["id"] for each in results}) == 1 and len(results) == 2, results


@pytest.mark.slow
def test_reads_that_lag(lustre):
    lustre.control("settings", {"file_system_lag_seconds": 1.2})
    made, _gone = one_shape(lustre, MODULE, present=lustre.small, absent={**lustre.wanted, "state": "absent"})
    assert made[MODULE]["lifecycle"] == "AVAILABLE"
    run(lustre, **lustre.small)
    assert changes_once(lustre, MODULE, **lustre.wanted, storage_capacity=2400)[MODULE]["storage_capacity"] == 2400


@pytest.mark.slow
def test_an_update_of_another_caller_is_waited_for(lustre):
    made = run(lustre, **lustre.small)[MODULE]["id"]
    lustre.control("settings", {"transition_seconds": 3600})
    lustre.fsx.update_file_system(FileSystemId=made, LustreConfiguration={"PerUnitStorageThroughput": 250})
    early = run(lustre, storage_capacity=2400, wait=False)
    assert early["failed"] and "UpdateFileSystem for file system" in early["msg"] and "another update is in progress" in early["msg"], early
    threading.Timer(1, lustre.control, ("settings", {"transition_seconds": 0.05})).start()
    done = run(lustre, storage_capacity=2400)
    assert fields(done, "storage_capacity", "per_unit_throughput") == [2400, 250] and done["mutating"] == ["UpdateFileSystem"], done


@pytest.mark.slow
def test_without_waiting_the_file_system_is_returned_as_it_is(lustre):
    lustre.control("settings", {"transition_seconds": 3600})
    options = {**lustre.small, "wait": False}
    foreseen = run(lustre, check=True, **options)
    made = run(lustre, **options)
    for result in (foreseen, made):
        assert fields(result, "lifecycle", "dns_name", "mount_name") == ["CREATING", None, None]
    late = run(lustre, wait_timeout=1)
    assert late["failed"] and f"file system {lustre.name} ({made[MODULE]['id']}) is still CREATING after 1 s" in late["msg"], late
    threading.Timer(1, lustre.control, ("settings", {"transition_seconds": 2})).start()
    assert fields(run(lustre), "lifecycle") == ["AVAILABLE"]
    run(lustre, state="absent", wait=False)
    again = run(lustre, **lustre.small)
    assert again["changed"] and again[MODULE]["id"] != made[MODULE]["id"], "the token of the removed file system must not be used again"


@pytest.mark.slow
def test_missing_rules_are_named(lustre):
    """Each refusal takes five seconds, because new rules may not be visible at once."""
    bare = lustre.make_group("bare")
    lacks = f"Lustre needs rules that these groups lack. Allowed: security groups with the rules: ingress TCP 988 and 1018-1023 from {bare}."
    message = f"security_group_ids: ['{bare}'] is not allowed: {lacks}"
    refused(lustre, message, checks=[True], **{**lustre.small, "security_group_ids": [bare]})
    lustre.allow(lustre.group, lustre.clients, [(988, 988)])
    wanted = {**lustre.small, "client_security_group_ids": [lustre.clients]}
    refused(lustre, f"security groups with the rules: ingress TCP 1018-1023 from {lustre.clients}.", checks=[False], **wanted)
    lustre.allow(lustre.group, lustre.clients, [(1018, 1023)])
    lustre.control("settings", {"security_group_rule_lag_seconds": 0.2})
    assert run(lustre, **wanted)["changed"]


@pytest.mark.slow
def test_efa_needs_all_traffic_within_the_groups(lustre):
    wanted = {**lustre.small, "efa": True, "metadata_iops": "AUTOMATIC", "storage_capacity": 38400}
    lacks = f"ingress all traffic from {lustre.group}; egress all traffic to {lustre.group}."
    refused(lustre, f"security groups with the rules: {lacks}", checks=[False], **wanted)
    lustre.allow_all(lustre.group)
    done = changes_once(lustre, MODULE, **wanted)
    assert fields(done, "efa", "metadata_iops", "file_system_version") == [True, "AUTOMATIC", "2.15"]
    refused(lustre, "per_unit_throughput: 250 is not allowed: ", per_unit_throughput=250)


@pytest.mark.slow
def test_a_network_that_does_not_exist_is_named(lustre):
    subnet, group = "subnet-0123456789abcdef0", "sg-0123456789abcdef0"
    wanted = {**lustre.small, "security_group_ids": [group]}
    refused(lustre, f"subnet_id: '{subnet}' is not allowed: it was not found", **{**lustre.small, "subnet_id": subnet})
    refused(lustre, f"security_group_ids: '{group}' is not allowed: it does not exist in {lustre.vpc}", checks=[True], **wanted)


@pytest.mark.slow
def test_options_that_a_new_file_system_requires(lustre):
    for option in ("subnet_id", "security_group_ids", "storage_capacity", "per_unit_throughput"):
        refused(lustre, f"{option}: missing; file system {lustre.name} does not exist", **{**lustre.small, option: None})
    lustre.allow_all(lustre.group)
    refused(lustre, "metadata_iops: missing; ", **{**lustre.small, "efa": True, "storage_capacity": 38400})
    refused(lustre, "file_system_id: 'fs-0123456789abcdef0' is not allowed: this file system does not exist", file_system_id="fs-0123456789abcdef0")
    assert not run(lustre, file_system_id="fs-0123456789abcdef0", state="absent")["changed"]


@pytest.mark.slow
def test_only_our_file_systems_may_be_changed_with_the_documented_policies(lustre):
    """A caller that ignores the tags is denied by AWS as well."""
    foreign = lustre.make(tags={})
    lustre.fsx.tag_resource(ResourceARN=lustre.settled(foreign)["ResourceARN"], Tags=[{"Key": "mlfleet.hyperpod/cluster", "Value": CLUSTER}])
    refused(lustre, f"file_system_id: '{foreign}' is not allowed", file_system_id=foreign)
    caller = boto3.client("fsx", region_name="us-west-2", endpoint_url=lustre.url, aws_access_key_id="AKIAEXAMPLE", aws_secret_access_key="x")
    for call in (
        lambda: caller.delete_file_system(FileSystemId=foreign),
        lambda: caller.update_file_system(FileSystemId=foreign, StorageCapacity=2400),
        lambda: caller.create_file_system(FileSystemType="LUSTRE", SubnetIds=[lustre.subnet], StorageCapacity=1200),
    ):
        with pytest.raises(ClientError, match="AccessDenied"):
            call()


def test_a_listing_that_cannot_be_read_completely_changes_nothing(lustre, faults):
    lustre.make()
    for other in ("a", "b"):
        lustre.make(name=f"{lustre.name}-{other}")
    faults(kind="fail_page", operation="DescribeFileSystems", page=2, code="BadRequest")
    failed = run(lustre, **lustre.small)
    assert failed["failed"] and "DescribeFileSystems for all file systems failed" in failed["msg"] and not failed["mutating"], failed


@pytest.mark.slow
def test_throttled_calls_are_repeated_and_denied_actions_are_named(lustre, faults):
    faults(kind="throttle", service="fsx", times=2)
    run(lustre, **lustre.small)
    name, action = "training-cluster-build", "fsx:UpdateFileSystem"
    lustre.control("settings", {"policies": permissions.without(name, action)})
    denied = run(lustre, storage_capacity=2400)
    assert denied["failed"] and "not authorized to perform: fsx:UpdateFileSystem" in denied["msg"] and "allow the action" in denied["msg"]


def test_bad_input_is_refused_before_any_call(lustre):
    scratch = {"deployment_type": "SCRATCH_2"}
    for wrong, named in (
        ({"name": " "}, "name: ' '"),
        ({"name": "a\n"}, "name: 'a\\n'"),
        ({"file_system_id": "fs-1"}, "file_system_id: 'fs-1'"),
        ({"cluster_arn": "ml"}, "cluster_arn: 'ml'"),
        ({"cluster_arn": CLUSTER.replace("us-west-2", "us-east-1")}, "region: 'us-west-2'"),
        ({"subnet_id": "a"}, "subnet_id: 'a'"),
        ({"security_group_ids": ["a"]}, "security_group_ids: 'a'"),
        ({"security_group_ids": []}, "security_group_ids: []"),
        ({"client_security_group_ids": ["a"]}, "client_security_group_ids: 'a'"),
        ({"storage_capacity": 1000}, "storage_capacity: 1000 is not allowed. Allowed: 1200, and multiples of 2400."),
        ({"efa": True, "per_unit_throughput": 250, "storage_capacity": 9600}, "storage_capacity: 9600 is not allowed: efa is true"),
        ({"per_unit_throughput": 99}, "per_unit_throughput: 99"),
        ({**scratch, "per_unit_throughput": 125}, "per_unit_throughput: 125 is not allowed: deployment_type is SCRATCH_2"),
        ({**scratch, "efa": True}, "efa: True is not allowed: deployment_type is SCRATCH_2"),
        ({"metadata_iops": "2000"}, "metadata_iops: '2000'"),
        ({"kms_key_id": "alias/a"}, "kms_key_id: 'alias/a'"),
        ({"file_system_version": "2.1"}, "value of file_system_version must be one of"),
        ({"backup_retention_days": 91}, "backup_retention_days: 91"),
        ({"weekly_maintenance": "8:00:00"}, "weekly_maintenance: '8:00:00'"),
        ({"tags": {"Name": "a"}}, "tags: 'Name' is not allowed: option name sets this tag"),
        ({"wait_timeout": 0}, "wait_timeout: 0"),
    ):
        result = run(lustre, **wrong)
        assert result["failed"] and named in result["msg"] and lustre.calls() == [], result
