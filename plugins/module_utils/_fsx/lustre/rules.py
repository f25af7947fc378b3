# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Which settings fit together. FSx checks most of them only in CreateFileSystem and UpdateFileSystem.

Sources: the API reference of CreateFileSystem and UpdateFileSystem, and for EFA the page "Increasing storage capacity" of the FSx
for Lustre guide.
"""

from __future__ import annotations

import typing as t

from ..._core.failure import Refused, refuse_option
from ..._core.fields import Values
from .table import AUTOMATIC, PERSISTENT_1, PERSISTENT_2, SCRATCH_2

THROUGHPUTS: t.Mapping[str, tuple[int, ...]] = {
    PERSISTENT_2: (125, 250, 500, 1000),
    PERSISTENT_1: (50, 100, 200),
    SCRATCH_2: (),
}
"""MB/s for each TiB, by deployment type."""
SMALLEST, STEP = 1200, 2400
"""GiB: the smallest file system, and the steps of all others."""
EFA_STEPS = {125: 38400, 250: 19200, 500: 9600, 1000: 4800}
"""GiB: steps of a file system with EFA, by throughput."""
IOPS = ("1500", "3000", "6000", "12000")
IOPS_STEP = 12000
NEWEST = "2.15"
REQUIRED = ("subnet_id", "security_group_ids", "storage_capacity")
"""Options that a new file system requires."""

Violation = tuple[str, str, str]
"""The option whose value is wrong, the allowed values as a noun, and the reason as a clause."""
NO_VALUE = "no value"


def check(settings: Values, *, asked: t.Collection[str]) -> None:
    """Refuse a combination of settings. A setting that is missing or None is not checked.

    :param asked: the options that the user sets or changes. Only these are refused.
    :raises Refused: for the first of these options that does not fit.
    """
    for option, allowed, why in _violations(settings):
        if option in asked:
            refuse_option(option, settings[option], allowed, why)


def require(settings: Values, resource: str) -> None:
    """:raises Refused: for the first option that is missing for a new file system."""
    kind = settings["deployment_type"]
    needs = {
        **dict.fromkeys(REQUIRED, "a new file system"),
        **({"per_unit_throughput": kind} if THROUGHPUTS[kind] else {}),
        **({"metadata_iops": "efa=true"} if settings.get("efa") else {}),
    }
    for option, what in needs.items():
        if settings.get(option) is None:
            raise Refused(f"{option}: missing; {resource} does not exist, and {what} requires this option.", option=option)


def _violations(settings: Values) -> t.Iterator[Violation]:
    """All violations among the settings that are known."""
    given = {option: value for option, value in settings.items() if value is not None}
    kind = given.get("deployment_type")
    if kind == SCRATCH_2:
        yield from _of_scratch(given)
    if kind == PERSISTENT_1:
        yield from _only_persistent_2(given, kind)
    yield from _of_throughput(given, kind)
    yield from _of_capacity(given)
    yield from _of_metadata(given)
    yield from _of_version(given, kind)


def _of_scratch(given: Values) -> t.Iterator[Violation]:
    why = f"deployment_type is {SCRATCH_2}"
    if "per_unit_throughput" in given:
        yield "per_unit_throughput", NO_VALUE, f"{why}, whose throughput is fixed"
    if "backup_retention_days" in given:
        yield "backup_retention_days", NO_VALUE, f"{why}, which has no backups"
    if "kms_key_id" in given:
        yield "kms_key_id", NO_VALUE, f"{why}, which FSx encrypts with its own key"
    yield from _only_persistent_2(given, SCRATCH_2)


def _only_persistent_2(given: Values, kind: str) -> t.Iterator[Violation]:
    why = f"deployment_type is {kind}, and only {PERSISTENT_2} supports it"
    if given.get("efa"):
        yield "efa", "false, or no value", why
    if "metadata_iops" in given:
        yield "metadata_iops", NO_VALUE, why


def _of_throughput(given: Values, kind: str | None) -> t.Iterator[Violation]:
    value = given.get("per_unit_throughput")
    if value is None or kind == SCRATCH_2:
        return
    allowed = THROUGHPUTS.get(kind or "") or tuple(sorted(each for values in THROUGHPUTS.values() for each in values))
    if value not in allowed:
        yield "per_unit_throughput", ", ".join(map(str, allowed)), f"deployment_type is {kind}" if kind else ""


def _of_capacity(given: Values) -> t.Iterator[Violation]:
    value, throughput = given.get("storage_capacity"), given.get("per_unit_throughput")
    if value is None:
        return
    if given.get("efa") and throughput in EFA_STEPS:
        step = EFA_STEPS[throughput]
        if value <= 0 or value % step:
            yield "storage_capacity", f"multiples of {step}", f"efa is true and per_unit_throughput is {throughput}"
    elif value != SMALLEST and (value <= 0 or value % STEP):
        yield "storage_capacity", f"{SMALLEST}, and multiples of {STEP}", ""


def _of_metadata(given: Values) -> t.Iterator[Violation]:
    value = given.get("metadata_iops")
    if value is not None and value not in (*IOPS, AUTOMATIC) and int(value) % IOPS_STEP:
        yield "metadata_iops", f"{AUTOMATIC}, {', '.join(IOPS)}, and multiples of {IOPS_STEP} up to 192000", ""


def _of_version(given: Values, kind: str | None) -> t.Iterator[Violation]:
    version = given.get("file_system_version")
    if version is None or version == NEWEST:
        return
    if "metadata_iops" in given:
        yield "file_system_version", NEWEST, "metadata_iops requires it"
    elif kind == PERSISTENT_2 and version == "2.10":
        yield "file_system_version", f"2.12, {NEWEST}", f"deployment_type is {PERSISTENT_2}"
