# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The steps for a file system, and the parameters of their requests."""

from __future__ import annotations

import dataclasses
import re
import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Failure, Refused
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.plan import KNOWN_AFTER_APPLY, Change, Plan
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._fsx.lustre.access import Access
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._fsx.lustre.model import Desired, FileSystem, State
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._fsx.lustre.plan import plan, token

CLUSTER = "arn:aws:eks:us-west-2:111111111111:cluster/ml"
OURS = {"mlfleet.hyperpod/cluster": CLUSTER, "mlfleet.hyperpod/component": "file_system"}
TAGS = {**OURS, "Name": "data"}
KEY = "01234567-89ab-cdef-0123-456789abcdef"
HAVE = {
    "subnet_id": "subnet-1",
    "security_group_ids": ["sg-1", "sg-2"],
    "storage_capacity": 2400,
    "kms_key_id": f"arn:aws:kms:us-west-2:111111111111:key/{KEY}",
    "file_system_version": "2.12",
    "deployment_type": "PERSISTENT_2",
    "per_unit_throughput": 250,
    "efa": False,
    "metadata_iops": None,
    "compression": "NONE",
    "backup_retention_days": 0,
    "weekly_maintenance": "7:09:00",
}
FOUND = FileSystem("fs-1", "arn", "AVAILABLE", HAVE, vpc_id="vpc-1", tags=TAGS)
EFA = FOUND.having(settings={**HAVE, "efa": True, "metadata_iops": "12000", "storage_capacity": 38400, "file_system_version": "2.15"})
NEW = {"subnet_id": "subnet-1", "security_group_ids": ["sg-1"], "storage_capacity": 1200, "per_unit_throughput": 125}


def of(found: FileSystem | None = FOUND, settings: dict[str, t.Any] | None = None, **more: t.Any) -> Plan:
    state = {name: more.pop(name) for name in ("access", "vpc_id", "others", "older") if name in more}
    return plan(Desired(CLUSTER, **{"name": "data", "settings": settings or {}, **more}), State(found, "us-west-2a", **state))


def calls(found: Plan) -> list[dict[str, t.Any]]:
    return [{"operation": step.operation, **step.arguments} for step in found.steps]


def test_a_new_file_system_has_our_tags_and_the_given_settings() -> None:
    settings = {**NEW, "metadata_iops": "6000", "kms_key_id": KEY, "compression": "LZ4"}
    found = of(None, settings, tags={"b": "c"}, access=Access(), vpc_id="vpc-1")
    (call,) = calls(found)
    assert re.fullmatch(r"mlfleet-[0-9a-f]{40}", call.pop("ClientRequestToken"))
    assert call == {
        "operation": "CreateFileSystem",
        "FileSystemType": "LUSTRE",
        "SubnetIds": ["subnet-1"],
        "SecurityGroupIds": ["sg-1"],
        "StorageCapacity": 1200,
        "KmsKeyId": KEY,
        "LustreConfiguration": {
            "DeploymentType": "PERSISTENT_2",
            "PerUnitStorageThroughput": 125,
            "MetadataConfiguration": {"Mode": "USER_PROVISIONED", "Iops": 6000},
            "DataCompressionType": "LZ4",
        },
        "Tags": [{"Key": key, "Value": value} for key, value in sorted({**TAGS, "b": "c"}.items())],
    }
    (change,) = found.changes
    assert change.action == "create" and change.after["tags"] == {**TAGS, "b": "c"} and change.after["deployment_type"] == "PERSISTENT_2"


def test_a_new_file_system_is_predicted() -> None:
    found = of(None, {**NEW, "kms_key_id": KEY}, vpc_id="vpc-1").after(State()).file_system
    known = {"lifecycle": "AVAILABLE", "vpc_id": "vpc-1", "tags": TAGS, "id": KNOWN_AFTER_APPLY, "interfaces": KNOWN_AFTER_APPLY}
    assert {name: getattr(found, name) for name in known} == known
    assert found.settings == {
        **NEW,
        "deployment_type": "PERSISTENT_2",
        "efa": False,
        "metadata_iops": None,
        "compression": "NONE",
        **dict.fromkeys(("kms_key_id", "file_system_version", "backup_retention_days", "weekly_maintenance"), KNOWN_AFTER_APPLY),
    }
    arn = HAVE["kms_key_id"]
    assert of(None, {**NEW, "kms_key_id": arn}).after(State()).file_system.settings["kms_key_id"] == arn
    scratch = {name: value for name, value in NEW.items() if name != "per_unit_throughput"}
    after = of(None, {**scratch, "deployment_type": "SCRATCH_2"}, waits=False).after(State()).file_system
    assert (after.lifecycle, after.settings["backup_retention_days"], after.settings["per_unit_throughput"]) == ("CREATING", None, None)


def test_the_token_depends_on_everything_that_makes_the_file_system_different() -> None:
    def made(desired: dict[str, t.Any], settings: dict[str, t.Any], **more: t.Any) -> str:
        wanted = Desired(**{"cluster_arn": CLUSTER, "name": "data", "settings": {**NEW, **settings}, **desired})
        return str(plan(wanted, State(**more)).steps[0].arguments["ClientRequestToken"])

    tokens = [
        made({}, {}),
        made({"name": "other"}, {}),
        made({"cluster_arn": CLUSTER.replace("1111", "2222")}, {}),
        made({"tags": {"a": "b"}}, {}),
        made({}, {"storage_capacity": 2400}),
        made({}, {"compression": "LZ4"}),
        made({}, {}, older=("fs-1",)),
        made({}, {}, older=("fs-1", "fs-2")),
    ]
    assert len(set(tokens)) == len(tokens) and made({}, {}) == tokens[0]
    assert token(Desired(CLUSTER, "a"), {"x": 1, "y": 2}, ()) == token(Desired(CLUSTER, "a"), {"y": 2, "x": 1}, ())


def test_what_security_groups_lack_is_refused_by_name() -> None:
    with pytest.raises(Refused) as error:
        of(None, NEW, access=Access(("ingress TCP 988 from sg-1", "egress TCP 988 to sg-1"), ("sgr-1",)))
    assert error.value.option == "security_group_ids"
    assert str(error.value).endswith("Allowed: security groups with the rules: ingress TCP 988 from sg-1; egress TCP 988 to sg-1.")


def test_rules_that_cannot_be_checked_and_namesakes_are_noted() -> None:
    found = of(None, NEW, access=Access((), ("sgr-1",)), others=("fs-9",))
    assert found and "fs-9 has the name data but not our tags" in str(found.notes[0]) and "The rules sgr-1 allow prefix lists" in str(found.notes[1])


@pytest.mark.parametrize("option", ["subnet_id", "security_group_ids", "storage_capacity", "per_unit_throughput"])
def test_a_new_file_system_needs_options(option: str) -> None:
    with pytest.raises(Refused, match=f"^{option}: missing; "):
        of(None, {name: value for name, value in NEW.items() if name != option})


def test_the_default_deployment_type_counts_for_a_new_file_system() -> None:
    with pytest.raises(Refused, match="per_unit_throughput: 50 is not allowed: deployment_type is PERSISTENT_2. Allowed: 125, 250, 500, 1000."):
        of(None, {**NEW, "per_unit_throughput": 50})


@pytest.mark.parametrize("settings", [{}, HAVE, {"kms_key_id": KEY}, {"security_group_ids": ["sg-2", "sg-1"]}, {"storage_capacity": 2400}])
def test_equal_settings_need_no_step(settings: dict[str, t.Any]) -> None:
    assert not of(settings={name: value for name, value in settings.items() if value is not None})


def test_each_update_is_a_call_in_the_order_that_fsx_needs() -> None:
    wanted = {
        "file_system_version": "2.15",
        "per_unit_throughput": 500,
        "storage_capacity": 4800,
        "weekly_maintenance": "1:00:00",
        "backup_retention_days": 7,
        "compression": "LZ4",
        "metadata_iops": "12000",
    }
    have = FOUND.having(settings={**HAVE, "metadata_iops": "6000", "file_system_version": "2.12"})
    found = of(have, wanted)
    first = {"DataCompressionType": "LZ4", "AutomaticBackupRetentionDays": 7, "WeeklyMaintenanceStartTime": "1:00:00"}
    assert [{name: value for name, value in call.items() if name not in ("operation", "FileSystemId")} for call in calls(found)] == [
        {"LustreConfiguration": first},
        {"LustreConfiguration": {"MetadataConfiguration": {"Mode": "USER_PROVISIONED", "Iops": 12000}}},
        {"StorageCapacity": 4800},
        {"LustreConfiguration": {"PerUnitStorageThroughput": 500}},
        {"FileSystemTypeVersion": "2.15"},
    ]
    assert {call["operation"] for call in calls(found)} == {"UpdateFileSystem"} and {call["FileSystemId"] for call in calls(found)} == {"fs-1"}
    assert Change("update", "file system data (fs-1)", "storage_capacity", 2400, 4800) in found.changes
    assert found.after(State(have)).file_system.settings == {**have.settings, **wanted}


@pytest.mark.parametrize(
    ("option", "value"),
    [("subnet_id", "subnet-2"), ("security_group_ids", ["sg-1"]), ("deployment_type", "SCRATCH_2"), ("efa", True), ("kms_key_id", KEY[:-1] + "0")],
)
def test_immutable_settings_that_differ_are_refused(option: str, value: t.Any) -> None:
    with pytest.raises(Refused, match=rf"^{option}: .* is not allowed: file system data \(fs-1\) has .*, and AWS cannot change that") as error:
        of(settings={option: value, "storage_capacity": 4800})
    assert error.value.option == option


@pytest.mark.parametrize(
    ("found", "option", "value", "message"),
    [
        (FOUND, "storage_capacity", 1200, "file system data (fs-1) has 2400, and FSx cannot decrease it. Allowed: 2400 or more."),
        (FOUND, "storage_capacity", 3600, "Allowed: 1200, and multiples of 2400."),
        (FOUND, "per_unit_throughput", 50, "deployment_type is PERSISTENT_2. Allowed: 125, 250, 500, 1000."),
        (FOUND, "metadata_iops", "6000", "file system data (fs-1), without a metadata configuration, has None, and AWS cannot change that"),
        (FOUND.having(settings={**HAVE, "file_system_version": "2.15"}), "file_system_version", "2.12", "Allowed: 2.15 or more."),
        (EFA, "metadata_iops", "6000", "Allowed: 12000 or more."),
        (EFA, "per_unit_throughput", 500, "file system data (fs-1), with EFA, has 250, and AWS cannot change that"),
        (EFA, "storage_capacity", 40800, "Allowed: multiples of 19200."),
        (EFA, "file_system_version", "2.12", "cannot decrease it"),
        (FOUND.having(settings={**HAVE, "deployment_type": "SCRATCH_2"}), "backup_retention_days", 1, "Allowed: no value."),
        (FOUND.having(storage_type="HDD"), "storage_capacity", 4800, "uses HDD storage, which this module does not support"),
    ],
)
def test_changes_that_fsx_does_not_make_are_refused(found: FileSystem, option: str, value: t.Any, message: str) -> None:
    with pytest.raises(Refused) as error:
        of(found, {option: value})
    assert error.value.option == option and message in str(error.value), error.value


def test_the_rate_may_become_automatic_and_fixed() -> None:
    for before, after in (("12000", "AUTOMATIC"), ("AUTOMATIC", "1500"), ("6000", "12000")):
        have = FOUND.having(settings={**HAVE, "metadata_iops": before, "file_system_version": "2.15"})
        assert [step.operation for step in of(have, {"metadata_iops": after}).steps] == ["UpdateFileSystem"]


def test_settings_that_fsx_has_outside_the_rules_stay() -> None:
    odd = FOUND.having(settings={**HAVE, "deployment_type": "SCRATCH_2", "per_unit_throughput": 777, "storage_capacity": 3600})
    assert len(of(odd, {"compression": "LZ4"}).steps) == 1


def test_unknown_security_groups_are_noted_and_not_compared() -> None:
    unknown = FOUND.having(settings={name: value for name, value in HAVE.items() if name != "security_group_ids"})
    found = of(unknown, {"security_group_ids": ["sg-9"]})
    assert not found and "security_group_ids was not compared" in str(found.notes)
    assert not of(unknown.having(lifecycle="CREATING"), {"security_group_ids": ["sg-9"]}).notes and not of(unknown).notes


def test_a_failed_file_system_is_explained() -> None:
    failed = FOUND.having(lifecycle="FAILED", failure="No capacity.")
    with pytest.raises(Failure, match=r"^file system data \(fs-1\) is FAILED \(No capacity.\). FSx cannot repair it. Remove .*throughput\.$"):
        of(failed)
    misconfigured = of(FOUND.having(lifecycle="MISCONFIGURED", failure="x"))
    assert not misconfigured and "is MISCONFIGURED (x). It may not work" in str(misconfigured.notes)


@pytest.mark.parametrize(
    ("more", "added", "removed"),
    [
        ({}, {}, []),
        ({"name": "else"}, {"Name": "else"}, []),
        ({"name": None, "id": "fs-1"}, {}, []),
        ({"tags": {"a": "b"}}, {}, ["c"]),
        ({"tags": {"a": "d"}, "purge_tags": False}, {"a": "d"}, []),
        ({"tags": {}}, {}, ["a", "c"]),
        ({"tags": {}, "name": None, "id": "fs-1"}, {}, ["a", "c"]),
        ({"tags": {"e": "f"}, "name": "else"}, {"Name": "else", "e": "f"}, ["a", "c"]),
    ],
)
def test_tags_are_ensured_without_ours(more: dict[str, t.Any], added: dict[str, str], removed: list[str]) -> None:
    have = FOUND.having(tags={**TAGS, "a": "b", "c": "d", "aws:x": "y"})
    found = of(have, **more)
    pairs = [{"Key": key, "Value": value} for key, value in sorted(added.items())]
    assert [dict(step.arguments) for step in found.steps] == [
        *([{"ResourceARN": "arn", "Tags": pairs}] if added else []),
        *([{"ResourceARN": "arn", "TagKeys": removed}] if removed else []),
    ]
    after = found.after(State(have)).file_system.tags
    assert after == {key: value for key, value in {**have.tags, **added}.items() if key not in removed}


@pytest.mark.parametrize(
    ("found", "skip", "backup"),
    [
        (FOUND, False, True),
        (FOUND, True, False),
        (FOUND.having(lifecycle="MISCONFIGURED"), False, True),
        (FOUND.having(linked=True), True, False),
    ],
)
def test_a_persistent_file_system_is_removed_with_a_backup_unless_it_is_skipped(found: FileSystem, skip: bool, backup: bool) -> None:
    removal = of(found, present=False, skip_final_backup=skip)
    tags = [{"Key": key, "Value": value} for key, value in sorted(TAGS.items())]
    final = {"SkipFinalBackup": False, "FinalBackupTags": tags} if backup else {"SkipFinalBackup": True}
    assert calls(removal) == [{"operation": "DeleteFileSystem", "FileSystemId": "fs-1", "LustreConfiguration": final}]
    before = {"file_system_id": "fs-1", "storage_capacity": 2400, "deployment_type": "PERSISTENT_2", "final_backup": backup}
    assert removal.changes == (Change("delete", "file system data (fs-1)", before=before),)
    words = "a final backup keeps its data." if backup else "all its data is lost, without a final backup."
    assert removal.notes == (f"file system data (fs-1) (PERSISTENT_2, 2400 GiB) is removed with its automatic backups: {words}",)
    assert removal.after(State(found)).file_system is None


@pytest.mark.parametrize("found", [FOUND.having(settings={**HAVE, "deployment_type": "SCRATCH_2"}), FOUND.having(lifecycle="FAILED")])
def test_a_scratch_or_failed_file_system_has_no_backup(found: FileSystem) -> None:
    removal = of(found, present=False)
    assert calls(removal) == [{"operation": "DeleteFileSystem", "FileSystemId": "fs-1"}] and "all its data is lost" in str(removal.notes)


def test_a_file_system_with_a_data_repository_is_removed_only_without_a_backup() -> None:
    with pytest.raises(Refused, match="skip_final_backup: False is not allowed: .* has a data repository"):
        of(FOUND.having(linked=True), present=False)
    scratch = FOUND.having(linked=True, settings={**HAVE, "deployment_type": "SCRATCH_2"})
    assert of(scratch, present=False)


def test_nothing_is_removed_twice_and_no_file_system_of_others() -> None:
    assert of(None, present=False) == Plan()
    assert of(FOUND.having(lifecycle="DELETING"), present=False) == Plan()
    kept = of(None, present=False, others=("fs-8", "fs-9"))
    assert not kept and len(kept.notes) == 2 and "fs-9 has the name data but not our tags, and was not removed." in kept.notes


def test_steps_have_no_effect_on_other_parts_of_the_state() -> None:
    state = State(FOUND, "us-west-2a", others=("fs-9",))
    after = of(settings={"compression": "LZ4"}, tags={"a": "b"}).after(state)
    assert dataclasses.replace(after, file_system=None) == dataclasses.replace(state, file_system=None)
