# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Plans the change from the observed to the desired file system. No I/O."""

from __future__ import annotations

import hashlib
import json
import typing as t

from ..._aws.tag_steps import FSX, tag_steps
from ..._aws.tags import Tags, api_tags
from ..._core import fields
from ..._core.failure import Failure, refuse_option
from ..._core.plan import KNOWN_AFTER_APPLY, Change, Plan, Step
from . import rules
from .model import AVAILABLE, CREATING, DELETING, FAILED, LIFECYCLE, LUSTRE_TYPE, NAME_TAG, Desired, FileSystem, State
from .table import AUTOMATIC, IMMUTABLE, SCRATCH_2, TABLE, request

TOGETHER = (
    ("compression", "backup_retention_days", "weekly_maintenance"),
    ("metadata_iops",),
    ("storage_capacity",),
    ("per_unit_throughput",),
    ("file_system_version",),
)
"""The calls that change settings, in order, with their options. FSx performs one update at a time. A larger capacity may require a
higher rate of metadata operations, which must be provisioned before.
"""
SAFE_TOKEN = 40
"""Hexadecimal digits of a client request token."""


def plan(desired: Desired, state: State) -> Plan:
    """:raises Refused: for a value that FSx would refuse.
    :raises Failure: for a file system that has failed.
    """
    found = state.file_system
    if not desired.present:
        return _plan_absent(desired, state)
    if found is None:
        return _plan_creation(desired, state)
    if found.lifecycle == FAILED:
        raise Failure(f"{found.about} is {found.described}. {REMOVE}.")
    _refuse_changes(desired, found)
    steps = (*_updates(desired, found), *_tagging(desired, found))
    return Plan(steps, notes=tuple(_notes(desired, found)))


REMOVE = (
    "FSx cannot repair it. Remove it with fsx_lustre_file_system and state=absent, correct the cause, and run again. If AWS lacks "
    "capacity, choose a subnet in another Availability Zone, or another per_unit_throughput"
)
"""The next step for a file system that has failed."""


def left(desired: t.Mapping[str, t.Any], found: FileSystem) -> fields.Table:
    """The settings that differ. Security groups that are unknown do not count."""
    want = {name: value for name, value in desired.items() if name != "security_group_ids" or name in found.settings}
    return fields.different(TABLE, found.settings, want)


def _plan_creation(desired: Desired, state: State) -> Plan:
    settings = {"deployment_type": fields.defaults(TABLE)["deployment_type"], **desired.settings}
    rules.require(settings, desired.resource)
    rules.check(settings, asked=settings)
    access = state.access
    if access is not None and access.missing:
        why = "Lustre needs rules that these groups lack"
        allowed = f"security groups with the rules: {'; '.join(access.missing)}"
        refuse_option("security_group_ids", settings["security_group_ids"], allowed, why)
    notes = [f"{each} has the name {desired.name} but not our tags, so it stays unchanged." for each in state.others]
    if access is not None and access.unknown:
        notes.append(
            f"The rules {', '.join(access.unknown)} allow prefix lists, which this module does not read. Check that they contain "
            "the file system and its clients."
        )
    return Plan((_creation(desired, settings, state),), notes=tuple(notes))


def _creation(desired: Desired, settings: dict[str, t.Any], state: State) -> Step:
    tags = {**(desired.tags or {}), **desired.own_tags, NAME_TAG: desired.name or ""}
    arguments = {"FileSystemType": LUSTRE_TYPE, **request(settings), "Tags": api_tags(tags)}
    made = FileSystem(
        id=KNOWN_AFTER_APPLY,
        arn=KNOWN_AFTER_APPLY,
        lifecycle=AVAILABLE if desired.waits else CREATING,
        settings=_predicted(settings),
        dns_name=KNOWN_AFTER_APPLY,
        mount_name=KNOWN_AFTER_APPLY,
        vpc_id=state.vpc_id,
        interfaces=KNOWN_AFTER_APPLY,
        created=KNOWN_AFTER_APPLY,
        tags=tags,
    )
    change = Change("create", desired.resource, after={**settings, "tags": tags})
    arguments["ClientRequestToken"] = token(desired, arguments, state.older)
    return Step("CreateFileSystem", arguments, (change,), lambda state: state.having(file_system=made))


def token(desired: Desired, arguments: t.Mapping[str, t.Any], older: t.Sequence[str]) -> str:
    """A client request token. FSx creates one file system for equal tokens, so a repeated call cannot create a second one.

    :param older: IDs of earlier file systems that still exist. A token with the same values would return one of these.
    """
    account = desired.cluster_arn.split(":")[4]
    values = json.dumps([account, desired.name, arguments, list(older)], sort_keys=True)
    return f"mlfleet-{hashlib.sha256(values.encode()).hexdigest()[:SAFE_TOKEN]}"


def _predicted(settings: t.Mapping[str, t.Any]) -> dict[str, t.Any]:
    """The settings of a new file system, with the defaults of FSx. FSx returns a key as its ARN."""
    fixed = {"backup_retention_days": None} if settings["deployment_type"] == SCRATCH_2 else {}
    key = {} if str(settings.get("kms_key_id")).startswith("arn:") else {"kms_key_id": KNOWN_AFTER_APPLY}
    return {**fields.defaults(TABLE), **fixed, **settings, **key}


def _refuse_changes(desired: Desired, found: FileSystem) -> None:
    """:raises Refused: for a setting that FSx cannot change as desired."""
    have, differing = found.settings, left(desired.settings, found)
    changed = {field.option: desired.settings[field.option] for field in differing}
    for option in (field.option for field in IMMUTABLE if field.option in changed):
        fields.refuse_immutable(found.about, have, {option: changed[option]})
    if changed and found.storage_type != "SSD":
        option = next(iter(changed))
        why = f"{found.about} uses {found.storage_type} storage, which this module does not support"
        refuse_option(option, changed[option], f"{have.get(option)!r}", why)
    fixed = {
        "per_unit_throughput": f"{found.about}, with EFA," if have.get("efa") else "",
        "metadata_iops": "" if have.get("metadata_iops") else f"{found.about}, without a metadata configuration,",
    }
    for option, subject in fixed.items():
        if subject and option in changed:
            fields.refuse_immutable(subject, have, {option: changed[option]})
    _refuse_decrease(found, changed)
    rules.check({**have, **changed}, asked=changed)


def _refuse_decrease(found: FileSystem, changed: t.Mapping[str, t.Any]) -> None:
    for option in ("storage_capacity", "metadata_iops", "file_system_version"):
        before, after = found.settings.get(option), changed.get(option)
        if after is None or before is None or AUTOMATIC in (before, after):
            continue
        if _number(after) < _number(before):
            refuse_option(option, after, f"{before} or more", f"{found.about} has {before}, and FSx cannot decrease it")


def _number(value: t.Any) -> float:
    """Versions such as 2.12 have two digits after the point, so they compare as numbers."""
    return float(value)


def _updates(desired: Desired, found: FileSystem) -> t.Iterator[Step]:
    """The calls that change settings. The effect of each one is the whole setting, so that the order does not matter."""
    differing = left(desired.settings, found)
    for options in TOGETHER:
        table = tuple(field for field in differing if field.option in options)
        if table:
            values = {field.option: desired.settings[field.option] for field in table}
            changes = fields.changes(found.about, table, found.settings, values)
            yield Step("UpdateFileSystem", {"FileSystemId": found.id, **request(values)}, changes, _set(values))


def _set(values: t.Mapping[str, t.Any]) -> t.Callable[[State], State]:
    def effect(state: State) -> State:
        before = _existing(state)
        return state.having(file_system=before.having(settings={**before.settings, **values}))

    return effect


def _tagging(desired: Desired, found: FileSystem) -> t.Iterator[Step]:
    name = {} if desired.name is None else {NAME_TAG: desired.name}
    if desired.tags is None:
        want: Tags = name
    else:
        want = {**desired.tags, **desired.own_tags, **({NAME_TAG: found.name} if found.name else {}), **name}
    purge = desired.purge_tags and desired.tags is not None
    yield from tag_steps(FSX, found.about, found.arn, found.tags, want, purge=purge, tagged=_tagged)


def _tagged(state: State, tags: Tags) -> State:
    return state.having(file_system=_existing(state).having(tags=tags))


def _existing(state: State) -> FileSystem:
    if state.file_system is None:
        raise AssertionError("only a file system that exists is changed")
    return state.file_system


def _notes(desired: Desired, found: FileSystem) -> t.Iterator[str]:
    if found.lifecycle in LIFECYCLE.failed:
        yield f"{found.about} is {found.described}. It may not work until the cause is corrected."
    if "security_group_ids" in desired.settings and "security_group_ids" not in found.settings and found.lifecycle == AVAILABLE:
        yield f"EC2 returns no network interface of {found.about}, so security_group_ids was not compared."


def _plan_absent(desired: Desired, state: State) -> Plan:
    found = state.file_system
    if found is None or found.lifecycle == DELETING:
        notes = [f"{each} has the name {desired.name} but not our tags, and was not removed." for each in state.others]
        return Plan(notes=tuple(notes) if found is None else ())
    backup = found.has_backups and not desired.skip_final_backup
    if backup and found.linked:
        why = f"{found.about} has a data repository, and FSx takes no backups of such file systems"
        refuse_option("skip_final_backup", False, "true, once all changed files are in the data repository", why)
    loss = "a final backup keeps its data" if backup else "all its data is lost, without a final backup"
    capacity, kind = found.settings.get("storage_capacity"), found.settings.get("deployment_type")
    before = {"file_system_id": found.id, "storage_capacity": capacity, "deployment_type": kind, "final_backup": backup}
    note = f"{found.about} ({kind}, {capacity} GiB) is removed with its automatic backups: {loss}."
    final = {"SkipFinalBackup": not backup, **({"FinalBackupTags": api_tags(_backup_tags(desired, found))} if backup else {})}
    # Scratch file systems accept no parameters about backups.
    arguments = {"FileSystemId": found.id, **({"LustreConfiguration": final} if found.has_backups else {})}
    change = Change("delete", found.about, before=before)
    return Plan((Step("DeleteFileSystem", arguments, (change,), lambda state: state.having(file_system=None)),), notes=(note,))


def _backup_tags(desired: Desired, found: FileSystem) -> dict[str, str]:
    """The name and our tags, so that the backup can be found."""
    return {**desired.own_tags, **({NAME_TAG: found.name} if found.name else {})}
