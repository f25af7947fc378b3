# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The settings of a file system, and their form in the API.

Two tables, because FSx has some settings at the top level of requests and replies, and the others in ``LustreConfiguration``.
"""

from __future__ import annotations

import typing as t

from ..._core import fields
from ..._core.fields import Answer, Field, Parameters, Table, Values
from ..._core.plan import KNOWN_AFTER_APPLY

PERSISTENT_1, PERSISTENT_2, SCRATCH_2 = "PERSISTENT_1", "PERSISTENT_2", "SCRATCH_2"
AUTOMATIC, PROVISIONED = "AUTOMATIC", "USER_PROVISIONED"
"""Modes of the metadata configuration. ``AUTOMATIC`` is also a value of the option."""
LUSTRE_PART = "LustreConfiguration"


def _subnet(answer: Answer) -> str:
    return next(iter(answer.get("SubnetIds") or ()), "")


def _iops(answer: Answer) -> str | None:
    """``AUTOMATIC``, or the number as text; None for a file system without a metadata configuration."""
    found = answer.get("MetadataConfiguration")
    if not found:
        return None
    return AUTOMATIC if found.get("Mode") == AUTOMATIC else str(found.get("Iops", ""))


def _asked_iops(value: str) -> Parameters:
    mode = {"Mode": AUTOMATIC} if value == AUTOMATIC else {"Mode": PROVISIONED, "Iops": int(value)}
    return {"MetadataConfiguration": mode}


def same_key(have: t.Any, want: t.Any) -> bool:
    """Whether an ARN or key ID names the key that FSx returns, which is an ARN."""
    return bool(have == want or (have and str(have).endswith(f":key/{want}")))


TOP: Table = (
    Field(
        "subnet_id",
        "SubnetIds",
        "str",
        None,
        "Subnet of the file system. All data is in the Availability Zone of this subnet. Cannot be changed.",
        reads=_subnet,
        writes=lambda value: {"SubnetIds": [value]},
        immutable=True,
    ),
    Field(
        "security_group_ids",
        "SecurityGroupIds",
        "list",
        None,
        "Security groups of the file system's network interfaces. Cannot be changed.",
        immutable=True,
        same=lambda have, want: set(have or ()) == set(want),
    ),
    Field("storage_capacity", "StorageCapacity", "int", None, "Storage capacity in GiB. Can only be increased."),
    Field(
        "kms_key_id",
        "KmsKeyId",
        "str",
        KNOWN_AFTER_APPLY,
        "ID or ARN of the KMS key that encrypts the data. Cannot be changed.",
        immutable=True,
        same=same_key,
    ),
    Field(
        "file_system_version",
        "FileSystemTypeVersion",
        "str",
        KNOWN_AFTER_APPLY,
        "Version of Lustre. It can only be raised, which makes the file system unavailable for a while.",
        choices=("2.10", "2.12", "2.15"),
    ),
)
"""Settings at the top level. FSx does not return the security groups; they are those of the network interfaces."""

LUSTRE: Table = (
    Field(
        "deployment_type",
        "DeploymentType",
        "str",
        PERSISTENT_2,
        "Durability and performance of the file system. Cannot be changed.",
        choices=(PERSISTENT_2, PERSISTENT_1, SCRATCH_2),
        immutable=True,
    ),
    Field("per_unit_throughput", "PerUnitStorageThroughput", "int", None, "Throughput in MB/s for each TiB of storage."),
    Field(
        "efa",
        "EfaEnabled",
        "bool",
        False,
        "Whether clients can use Elastic Fabric Adapter (EFA) and GPUDirect Storage. Cannot be changed.",
        reads=lambda answer: bool(answer.get("EfaEnabled")),
        immutable=True,
    ),
    Field(
        "metadata_iops",
        "MetadataConfiguration",
        "str",
        None,
        "Rate of metadata operations.",
        low=1500,
        high=192000,
        word=AUTOMATIC,
        reads=_iops,
        writes=_asked_iops,
    ),
    Field(
        "compression",
        "DataCompressionType",
        "str",
        "NONE",
        "Compression of data that is written from now on.",
        choices=("NONE", "LZ4"),
        reads=lambda answer: answer.get("DataCompressionType", "NONE"),
    ),
    Field(
        "backup_retention_days",
        "AutomaticBackupRetentionDays",
        "int",
        KNOWN_AFTER_APPLY,
        "Days for which FSx keeps automatic daily backups.",
        low=0,
        high=90,
    ),
    Field(
        "weekly_maintenance",
        "WeeklyMaintenanceStartTime",
        "str",
        KNOWN_AFTER_APPLY,
        "Start of the weekly maintenance window in UTC, as day, hour and minute.",
    ),
)
"""Settings in ``LustreConfiguration``."""

TABLE: Table = (*TOP, *LUSTRE)
IMMUTABLE: Table = tuple(field for field in TABLE if field.immutable)


def settings_of(answer: Answer) -> dict[str, t.Any]:
    """The settings in a description of a file system, by option name, without the security groups."""
    return {**fields.observed(TOP, answer), **fields.observed(LUSTRE, answer.get(LUSTRE_PART) or {})}


def request(values: Values) -> Parameters:
    """The part of a request that sets the values."""
    inner = fields.modification(LUSTRE, values)
    return {**fields.modification(TOP, values), **({LUSTRE_PART: inner} if inner else {})}


def member(field: Field) -> tuple[str, ...]:
    """The path of the setting in a request."""
    return (LUSTRE_PART, field.api) if field in LUSTRE else (field.api,)
