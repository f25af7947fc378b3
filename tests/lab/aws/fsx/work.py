# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Background work after the reply: file systems for Lustre are created, updated and removed in steps."""

from __future__ import annotations

import threading
import typing as t

from .. import cloud, request
from ..delays import pause
from .lustre import Lustre, now

if t.TYPE_CHECKING:
    from .models import FileSystems

Answer = dict[str, t.Any]
AT_ONCE = ("AutomaticBackupRetentionDays", "DailyAutomaticBackupStartTime", "WeeklyMaintenanceStartTime")
"""Settings of an update that is no administrative action."""


def create(backend: FileSystems, made: Lustre, groups: t.Sequence[str]) -> None:
    """Make the file system available after a while; a fault ``fail_later`` fails it."""
    failure = _failure()

    def run() -> None:
        pause()
        with made.changing():
            if failure:
                made.lifecycle, made.failure = "FAILED", failure
            else:
                backend.connect(made, groups)
                made.lifecycle = "AVAILABLE"

    _start(run)


def update(made: Lustre, values: Answer) -> None:
    """Apply an update. It ends some time after the lifecycle is AVAILABLE again; a fault ``fail_later`` fails it."""
    asked = values.get("LustreConfiguration", {})
    if set(values) <= {"LustreConfiguration"} and set(asked) <= set(AT_ONCE):
        with made.changing():
            made.set(values)
        return
    failure, action = _failure(), _action("FILE_SYSTEM_UPDATE", "PENDING", TargetFileSystemValues=values)
    with made.changing():
        made.actions.insert(0, action)
        made.lifecycle = "UPDATING"

    def run() -> None:
        pause()
        with made.changing():
            action["Status"] = "FAILED" if failure else "IN_PROGRESS"
            made.lifecycle = "AVAILABLE"
            if failure:
                action["FailureDetails"] = {"Message": failure}
                return
            made.set(values)
        pause()
        _end(made, action, optimizes="StorageCapacity" in values)

    _start(run)


def _end(made: Lustre, action: Answer, *, optimizes: bool) -> None:
    """End an update; after an increase of the capacity, FSx distributes the data again."""
    if not optimizes:
        with made.changing():
            action["Status"] = "COMPLETED"
        return
    optimization = _action("STORAGE_OPTIMIZATION", "IN_PROGRESS", ProgressPercent=0)
    with made.changing():
        action["Status"] = "UPDATED_OPTIMIZING"
        made.actions.insert(0, optimization)
    for percent in (50, 100):
        pause()
        optimization["ProgressPercent"] = percent
    with made.changing():
        action["Status"] = optimization["Status"] = "COMPLETED"


def delete(backend: FileSystems, made: Lustre) -> None:
    """Remove the file system after a while; a fault ``fail_later`` lets it stay."""
    failure = _failure()
    with made.changing():
        made.lifecycle = "DELETING"

    def run() -> None:
        pause()
        if failure:
            with made.changing():
                made.lifecycle, made.failure = "MISCONFIGURED", failure
        else:
            backend.forget(made)

    _start(run)


def _failure() -> str:
    rule = cloud.current().faults.take(request.current(), "fail_later")
    return rule.code or "injected" if rule else ""


def _action(kind: str, status: str, **more: t.Any) -> Answer:
    return {"AdministrativeActionType": kind, "Status": status, "RequestTime": now(), **more}


def _start(run: t.Callable[[], None]) -> None:
    threading.Thread(target=run, daemon=True).start()
