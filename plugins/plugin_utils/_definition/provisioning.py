# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""``provisioning_parameters.json``: what AWS's life-cycle scripts read about groups that have no SlurmConfig."""

from __future__ import annotations

import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused, refuse_option

NAME = "provisioning_parameters.json"
"""Beside the scripts in S3, where they look for it."""


def node_types(option: str, given: t.Mapping[str, t.Any], definition: t.Mapping[str, t.Any]) -> dict[str, str]:
    """What each group of the definition is: controller, login or compute.

    :raises Refused: where the two do not go together.
    """
    manager = given.get("workload_manager")
    if manager != "slurm":
        refuse_option(f"{option}.workload_manager", manager, "slurm")
    if "eks" in (definition.get("orchestrator") or {}):
        refuse_option(option, "the file", "none for a cluster with EKS")
    if definition.get("node_provisioning_mode") == "Continuous":
        refuse_option(option, "the file", "none with node_provisioning_mode: Continuous", "slurm_config of the groups says it")
    found: dict[str, str] = {}
    for place, name, node_type in _named(option, given):
        if name in found:
            refuse_option(place, name, f"a group that is not {found[name]} already")
        found[name] = node_type
    groups = [group.get("name") for group in definition.get("instance_groups") or []]
    for place, name, _node_type in _named(option, given):
        if name not in groups:
            refuse_option(place, name, ", ".join(map(str, groups)), "the definition has no such group")
    left = [group for group in groups if group not in found]
    if left:
        raise Refused(f"{option}: it does not say what the group {left[0]} is; the scripts would fail on its nodes.", option=option)
    return found


def _named(option: str, given: t.Mapping[str, t.Any]) -> t.Iterator[tuple[str, str, str]]:
    """Path, group and type of each group that the file names."""
    if not isinstance(given.get("controller_group"), str):
        raise Refused(f"{option}.controller_group: missing; it is the name of the controller's group.", option=option)
    yield f"{option}.controller_group", given["controller_group"], "controller"
    if given.get("login_group"):
        yield f"{option}.login_group", str(given["login_group"]), "login"
    workers = given.get("worker_groups") or []
    if not isinstance(workers, list):
        refuse_option(f"{option}.worker_groups", workers, "a list of groups")
    for number, worker in enumerate(workers):
        place = f"{option}.worker_groups[{number}].instance_group_name"
        if not isinstance(worker, dict) or not isinstance(worker.get("instance_group_name"), str):
            raise Refused(f"{place}: missing; it is the name of a group.", option=place)
        yield place, worker["instance_group_name"], "compute"
