# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""``provisioning_parameters.json``: the file that AWS's lifecycle scripts read for groups without SlurmConfig.

Source of the fields and of the required ones: AWS's Developer Guide (SageMaker HyperPod Slurm configuration) and the scripts
(``lifecycle_script.py`` and ``multi_headnode_setup/headnode_setup.sh`` of awslabs/awsome-distributed-ai).
"""

from __future__ import annotations

import re
import typing as t
from dataclasses import dataclass

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused, refuse_option, refuse_shown

from ..structures import fields, items

NAME = "provisioning_parameters.json"
"""The file's name in S3, in the folder of the scripts."""
Given = t.Mapping[str, t.Any]


@dataclass(frozen=True)
class Text:
    """The valid values of a text field. ``about`` describes a required field in the message about a missing value."""

    allowed: str
    pattern: str = r"\S+"
    about: str = ""


GROUP, HOST = "the name of an instance group", "the DNS name of a file system"
_HOST = r"[A-Za-z0-9]([A-Za-z0-9.-]{0,251}[A-Za-z0-9])?"
FORM = {
    "version": Text("1.0.0", r"1\.0\.0", "the version of the form, 1.0.0"),
    "workload_manager": Text("slurm", "slurm", "slurm"),
    "controller_group": Text(GROUP, about="the name of the controller's group"),
    "login_group": Text(GROUP),
    "fsx_dns_name": Text(HOST, _HOST),
    "fsx_mountname": Text("the mount name of a file system, 1 to 8 letters, digits, - and _", "[A-Za-z0-9_-]{1,8}"),
    "fsx_openzfs_dns_name": Text(HOST, _HOST),
}
WORKER = {
    "instance_group_name": Text(GROUP, about="the name of a group"),
    "partition_name": Text(
        "letters, digits, '.', '_' and '-', but not DEFAULT, which slurm.conf reserves",
        r"(?!(?i:default)\Z)[A-Za-z0-9][A-Za-z0-9._-]*",
        "the name of the Slurm partition of the group",
    ),
}
ACCOUNTING = {
    "slurm_database_secret_arn": Text("the ARN of a secret", about="the ARN of the secret of Slurm's database"),
    "slurm_database_endpoint": Text("the name of a server", about="the endpoint of Slurm's database"),
    "slurm_shared_directory": Text("a path", about="the path of a shared file system"),
    "slurm_database_user": Text("the name of a user"),
    "slurm_sns_arn": Text("the ARN of a topic"),
}
WORKERS, CONFIGURATIONS = "worker_groups", "slurm_configurations"
LUSTRE = ("fsx_dns_name", "fsx_mountname")
"""The scripts mount the file system only if both are set."""


def node_types(option: str, given: Given, definition: Given) -> dict[str, str]:
    """The node type of each group of the definition: ``controller``, ``login`` or ``compute``.

    :raises Refused: for a file that the scripts can't use, or that does not match the definition.
    """
    check(option, given)
    if "eks" in (definition.get("orchestrator") or {}):
        refuse_shown(option, "the file", "no file for a cluster with EKS")
    if definition.get("node_provisioning_mode") == "Continuous":
        allowed = "no file with node_provisioning_mode: Continuous"
        refuse_shown(option, "the file", allowed, "slurm_config of the groups replaces the file")
    found: dict[str, str] = {}
    for place, name, node_type in _named(option, given):
        if name in found:
            refuse_option(place, name, "a group without a node type", f"its node type is already {found[name]}")
        found[name] = node_type
    groups = [group.get("name") for group in definition.get("instance_groups") or []]
    for place, name, _node_type in _named(option, given):
        if name not in groups:
            refuse_option(place, name, ", ".join(map(str, groups)), "the definition has no such group")
    left = [group for group in groups if group not in found]
    if left:
        why = f"the file has no node type for group {left[0]}, so the scripts would fail on the nodes of this group"
        raise Refused(f"{option}: {why}. Add the group to the file.", option=option)
    return found


def check(option: str, given: Given) -> None:
    """:raises Refused: with the path of the first missing, unknown or invalid field."""
    fields(option, given, (*FORM, WORKERS, CONFIGURATIONS))
    _check_texts(option, FORM, given)
    if given.get(WORKERS) is None:
        _miss(f"{option}.{WORKERS}", "it must list the compute groups with their partitions")
    for number, worker in enumerate(items(f"{option}.{WORKERS}", given[WORKERS])):
        place = f"{option}.{WORKERS}[{number}]"
        _check_texts(place, WORKER, fields(place, worker, tuple(WORKER)))
    if given.get(CONFIGURATIONS):
        place = f"{option}.{CONFIGURATIONS}"
        _check_texts(place, ACCOUNTING, fields(place, given[CONFIGURATIONS], tuple(ACCOUNTING)))
    for name, other in (LUSTRE, LUSTRE[::-1]):
        if given.get(other) and not given.get(name):
            _miss(f"{option}.{name}", f"{other} requires it")


def check_workers(option: str, given: Given) -> None:
    """Check a file with custom fields. AWS requires the name and the partition of each worker group.

    :raises Refused: with the path of the first worker group without a name or partition.
    """
    for number, worker in enumerate(items(f"{option}.{WORKERS}", given.get(WORKERS) or [])):
        place = f"{option}.{WORKERS}[{number}]"
        _check_texts(place, WORKER, fields(place, worker, tuple(worker) if isinstance(worker, dict) else tuple(WORKER)))


def _check_texts(place: str, form: t.Mapping[str, Text], given: Given) -> None:
    for name, text in form.items():
        value, path = given.get(name), f"{place}.{name}"
        if value in (None, ""):
            if text.about:
                _miss(path, f"it must be {text.about}")
        elif not isinstance(value, str) or not re.fullmatch(text.pattern, value):
            refuse_option(path, value, text.allowed)


def _miss(path: str, why: str) -> t.NoReturn:
    raise Refused(f"{path}: missing; {why}.", option=path)


def _named(option: str, given: Given) -> t.Iterator[tuple[str, str, str]]:
    """The path, the name and the node type of each group in a valid file."""
    yield f"{option}.controller_group", given["controller_group"], "controller"
    if given.get("login_group"):
        yield f"{option}.login_group", given["login_group"], "login"
    for number, worker in enumerate(given[WORKERS]):
        yield f"{option}.{WORKERS}[{number}].instance_group_name", worker["instance_group_name"], "compute"
