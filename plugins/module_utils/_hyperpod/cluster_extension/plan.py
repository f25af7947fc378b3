# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Plans the change from the actual to the desired extension. No I/O."""

from __future__ import annotations

import dataclasses
import json
import typing as t

from ..._core.failure import refuse_option
from ..._core.plan import KNOWN_AFTER_APPLY, Change, Plan, Step
from ..statuses import ACTIVE, DELETING, EXTENSION
from .model import Configuration, Desired, Extension, State

WAY = "a later version, or any version after the removal of the extension"


def plan(desired: Desired, state: State) -> Plan:
    """:raises Refused: for an earlier version."""
    found = state.extension
    if found is None:
        return Plan((_creation(desired),) if desired.present else ())
    if not desired.present:
        return Plan((_removal(desired, found),) if found.status != DELETING else ())
    changes = left(desired, found)
    return Plan((_update(desired, found, changes),) if changes else ())


def left(desired: Desired, found: Extension) -> tuple[Change, ...]:
    """The changes that remain. A failed extension that matches the options needs an update that makes it active again."""
    changes = []
    if desired.version not in (None, found.version):
        if desired.version is not None and _number(desired.version) < _number(found.version):
            refuse_option("version", desired.version, WAY, f"the cluster has {found.version}")
        changes.append(Change("update", desired.resource, "version", found.version, desired.version))
    if not _has(found.configuration, desired.configuration):
        after = merged(found.configuration, desired.configuration)
        changes.append(Change("update", desired.resource, "configuration", dict(found.configuration), after))
    if not changes and found.status in EXTENSION.failed:
        changes.append(Change("update", desired.resource, "status", found.status, ACTIVE))
    return tuple(changes)


def merged(have: Configuration, want: Configuration) -> dict[str, t.Any]:
    """Merge settings as AWS does: given settings change, null removes a setting, and other settings stay."""
    after = dict(have)
    for name, value in want.items():
        inside = have.get(name)
        if value is None:
            after.pop(name, None)
        else:
            after[name] = merged(inside if isinstance(inside, dict) else {}, value) if isinstance(value, dict) else value
    return after


def _has(have: Configuration, want: Configuration) -> bool:
    return merged(have, want) == dict(have)


def _number(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split("."))


def _creation(desired: Desired) -> Step:
    configuration = merged({}, desired.configuration)
    arguments = {
        "ClusterArn": desired.cluster_arn,
        "ExtensionName": desired.name,
        **({"ExtensionVersion": desired.version} if desired.version else {}),
        **({"ConfigurationValues": json.dumps(configuration)} if configuration else {}),
    }
    made = Extension(KNOWN_AFTER_APPLY, desired.version or KNOWN_AFTER_APPLY, ACTIVE, configuration)
    change = Change("create", desired.resource, after={"version": made.version, "configuration": configuration})
    return Step("CreateClusterExtension", arguments, (change,), lambda state: State(made))


def _update(desired: Desired, found: Extension, changes: tuple[Change, ...]) -> Step:
    fields = {change.field for change in changes}
    arguments = {
        "ClusterArn": desired.cluster_arn,
        "ExtensionArn": found.arn,
        **({"ExtensionVersion": desired.version} if "version" in fields else {}),
        **({"ConfigurationValues": json.dumps(desired.configuration)} if "configuration" in fields else {}),
    }
    after = dataclasses.replace(
        found,
        version=desired.version or found.version,
        configuration=merged(found.configuration, desired.configuration),
        status=ACTIVE,
        issues=(),
    )
    return Step("UpdateClusterExtension", arguments, changes, lambda state: State(after))


def _removal(desired: Desired, found: Extension) -> Step:
    arguments = {"ClusterArn": desired.cluster_arn, "ExtensionArn": found.arn}
    change = Change("delete", desired.resource, before={"version": found.version})
    return Step("DeleteClusterExtension", arguments, (change,), lambda state: State())
