# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The calls for each step, and the replies that end the waits."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.client import AwsError
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Failure, LostRace
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.plan import Change, Step
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._fsx.lustre.apply import Applier
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._fsx.lustre.model import Desired
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._fsx.lustre.observe import Observer

from .scripted import CLUSTER, GONE, Fsx, Time, action, described, error, observer

DATA = Desired(CLUSTER, "data")
CREATE, DELETE = Step("CreateFileSystem", {"StorageCapacity": 1200}, ()), Step("DeleteFileSystem", {"FileSystemId": "fs-1"}, ())
GROWS = Step("UpdateFileSystem", {"FileSystemId": "fs-1", "StorageCapacity": 2400}, (Change("update", "file system data", "storage_capacity", 1200, 2400),))
FASTER = Step(
    "UpdateFileSystem",
    {"FileSystemId": "fs-1", "LustreConfiguration": {"PerUnitStorageThroughput": 250}},
    (Change("update", "file system data", "per_unit_throughput", 125, 250),),
)
MADE = {"FileSystem": described("CREATING")}
BUSY = error("BadRequest")


def large(lifecycle: str = "AVAILABLE", *actions: dict[str, t.Any]) -> dict[str, t.Any]:
    return described(lifecycle, *actions, StorageCapacity=2400)


def run(fsx: Fsx, step: Step, *, waits: bool = True) -> tuple[float, Observer]:
    """The seconds that the wait took, and the observer."""
    time = Time()
    seen = observer(fsx, DATA, time=time if waits else None)
    Applier(fsx, DATA, seen)(step)  # type: ignore[arg-type]
    return time.now, seen


def test_a_new_file_system_is_waited_for_by_its_id() -> None:
    seconds, seen = run(Fsx(GONE, described("CREATING"), described("SPLENDID"), described(), first=MADE), CREATE)
    assert 0 < seconds < 10 and seen.id == "fs-1"
    seconds, seen = run(Fsx(GONE, first=MADE), CREATE, waits=False)
    assert seconds == 0 and seen.made is not None and seen.made.lifecycle == "CREATING"


@pytest.mark.parametrize("lifecycle", ["FAILED", "MISCONFIGURED"])
def test_a_failed_creation_has_a_reason_and_a_next_step(lifecycle: str) -> None:
    failed = described(lifecycle, FailureDetails={"Message": "No capacity."})
    message = rf"^file system data \(fs-1\) is {lifecycle} \(No capacity.\): FSx cannot repair it. Remove it with fsx_lustre_file_system and state=absent"
    with pytest.raises(Failure, match=message):
        run(Fsx(described("CREATING"), failed, first=MADE), CREATE)
    with pytest.raises(Failure, match=f"is {lifecycle}: FSx gives no reason. FSx cannot repair it."):
        run(Fsx(described(lifecycle), first=MADE), CREATE)


def test_an_update_ends_when_its_action_and_its_values_are_complete() -> None:
    replies = [
        described(),
        described(),  # the reply lags
        described("UPDATING", action("PENDING")),
        described("AVAILABLE", action("IN_PROGRESS")),
        large("AVAILABLE", action("IN_PROGRESS")),
        large("UPDATING", action("COMPLETED")),
        large("AVAILABLE", action("UPDATED_OPTIMIZING"), action("IN_PROGRESS", kind="STORAGE_OPTIMIZATION")),
    ]
    fsx = Fsx(*replies)
    run(fsx, GROWS)
    assert len(fsx.calls) == len(replies) + 1 and fsx.calls[1] == ("UpdateFileSystem", GROWS.arguments)


def test_the_previous_update_ends_before_the_call() -> None:
    fsx = Fsx(described("AVAILABLE", action("IN_PROGRESS")), described("UPDATING"), described("AVAILABLE", action("COMPLETED")), large())
    run(fsx, GROWS)
    assert [name for name, _arguments in fsx.calls] == ["DescribeFileSystems"] * 3 + ["UpdateFileSystem", "DescribeFileSystems"]


@pytest.mark.parametrize("status", ["FAILED", "CANCELLED"])
def test_a_failed_update_is_reported(status: str) -> None:
    own = action(status, "2", TargetFileSystemValues={"StorageCapacity": 2400}, FailureDetails={"Message": "No servers."})
    with pytest.raises(Failure, match=rf"is AVAILABLE: the update is {status}: No servers. Correct the cause and run again$"):
        run(Fsx(described("AVAILABLE", action("FAILED")), described("AVAILABLE", own)), GROWS)
    del own["FailureDetails"]
    with pytest.raises(Failure, match=f"the update is {status}: FSx gives no reason. Correct the cause"):
        run(Fsx(described(), described("AVAILABLE", own)), GROWS)


def test_failures_of_other_updates_do_not_count() -> None:
    """Neither an earlier one with the same value, nor a newer one with another value."""
    earlier = action("FAILED", "1", TargetFileSystemValues={"StorageCapacity": 2400})
    newer = action("FAILED", "2", TargetFileSystemValues={"StorageCapacity": 4800})
    throughput = action("FAILED", "3", TargetFileSystemValues={"LustreConfiguration": {"PerUnitStorageThroughput": 250}})
    run(Fsx(described("AVAILABLE", earlier), described("AVAILABLE", throughput, newer, earlier), large()), GROWS)
    run(Fsx(described(), described("AVAILABLE", newer), described(LustreConfiguration={"PerUnitStorageThroughput": 250})), FASTER)


def test_values_inside_the_configuration_identify_an_update() -> None:
    own = action("FAILED", "2", TargetFileSystemValues={"LustreConfiguration": {"PerUnitStorageThroughput": 250, "EfaEnabled": False}})
    with pytest.raises(Failure, match="the update is FAILED"):
        run(Fsx(described(), described("AVAILABLE", own)), FASTER)


@pytest.mark.parametrize(
    ("after", "reason"),
    [(GONE, "is gone: it was removed during the update"), (described("FAILED"), "is FAILED: the update did not complete")],
)
def test_a_file_system_that_fails_or_disappears_ends_the_wait(after: t.Any, reason: str) -> None:
    with pytest.raises(Failure, match=reason):
        run(Fsx(described(), after), GROWS)
    run(Fsx(described(), after, after, after, after, after, large()), GROWS)  # fewer replies may be wrong


def test_a_refusal_because_of_another_update_is_a_lost_race() -> None:
    with pytest.raises(LostRace):
        run(Fsx(described(), described("UPDATING", action("IN_PROGRESS", "2")), first=BUSY), GROWS)
    with pytest.raises(LostRace):
        run(Fsx(GONE), GROWS)
    for reply in (described(), GONE, described("AVAILABLE", action("COMPLETED", "0"))):
        with pytest.raises(AwsError):
            run(Fsx(described("AVAILABLE", action("COMPLETED", "0")), reply, first=BUSY), GROWS)
    with pytest.raises(AwsError):
        run(Fsx(described(), described("UPDATING", action("IN_PROGRESS", "2")), first=BUSY), GROWS, waits=False)
    with pytest.raises(AwsError):
        run(Fsx(described(), described("UPDATING", action("IN_PROGRESS", "2")), first=error("AccessDeniedException")), GROWS)


def test_a_removal_ends_when_the_file_system_no_longer_exists() -> None:
    seconds, seen = run(Fsx(described(), described("DELETING"), described("DELETING"), GONE), DELETE)
    assert seconds > 0 and seen.removed == {"fs-1"}
    assert run(Fsx(GONE, first=GONE), DELETE)[1].removed == {"fs-1"}
    assert run(Fsx(described("DELETING")), DELETE, waits=False)[1].removed == set()


def test_a_removal_that_is_in_progress_is_no_failure() -> None:
    run(Fsx(described("DELETING"), described("DELETING"), GONE, first=BUSY), DELETE)
    run(Fsx(GONE, first=BUSY), DELETE)
    with pytest.raises(AwsError):
        run(Fsx(described(), first=BUSY), DELETE)
    with pytest.raises(AwsError):
        run(Fsx(described("DELETING"), first=error("AccessDeniedException")), DELETE)


def test_a_file_system_that_stays_is_reported() -> None:
    stays = described("MISCONFIGURED", FailureDetails={"Message": "No backup"})
    with pytest.raises(Failure, match=r"is MISCONFIGURED \(No backup\): FSx did not remove it. Correct the cause and run again"):
        run(Fsx(described("DELETING"), stays), DELETE)


def test_tags_are_not_waited_for() -> None:
    tag = Step("TagResource", {"ResourceARN": "arn", "Tags": []}, ())
    fsx = Fsx(described("UPDATING"))
    assert run(fsx, tag)[0] == 0 and fsx.calls == [("TagResource", tag.arguments)]
