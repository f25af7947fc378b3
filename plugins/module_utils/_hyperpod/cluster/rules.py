# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Refuses combinations of settings that AWS would refuse, before any call that changes something."""

from __future__ import annotations

import typing as t

from ..._core.failure import Refused, refuse_option
from ..._core.settings import Values, require
from .model import LISTS, Groups
from .table import CLUSTER

Named = t.Iterator[tuple[str, Values]]
RESERVED = "DEFAULT"
"""A name that partitions cannot have: in slurm.conf, it sets the defaults of the partitions below it."""


def check(settings: Values, groups: Groups) -> None:
    """:raises Refused: for the first invalid option. ``settings`` and ``groups`` are those after the change."""
    require(CLUSTER, settings, within="", what="the cluster")
    for option, _api, table in LISTS:
        for name, group in groups.get(option, {}).items():
            place = f"{option}.{name}"
            require(table, group, within=place, what="a new group")
            if group.get("instance_count") is None:
                _miss(f"{place}.instance_count", "a new group requires it, unless auto_scaling.mode is Enable")
            _check_group(place, group)
    if not any(groups.get(option) for option, _api, _table in LISTS) and "eks" not in settings.get("orchestrator", {}):
        _miss("instance_groups", "a Slurm cluster requires a controller group")
    _check_continuous(settings)
    if "eks" in settings.get("orchestrator", {}):
        _check_eks(settings, groups)
    else:
        _check_slurm(settings, groups)


def _check_group(place: str, group: Values) -> None:
    if place.startswith("instance_groups.") and not group.keys() & {"instance_type", "instance_requirements"}:
        _miss(f"{place}.instance_type", "a new group requires instance_type or instance_requirements")
    least, count = group.get("min_instance_count") or 0, group["instance_count"]
    if least > count:
        refuse_option(f"{place}.min_instance_count", least, f"0 to {count}, the instance_count of the group")
    if "capacity_requirements" in group and len(group["capacity_requirements"]) != 1:
        refuse_option(f"{place}.capacity_requirements", group["capacity_requirements"], "spot: {} or on_demand: {}")
    script = group.get("life_cycle_config") or {}
    if "on_create" in script and "source_s3_uri" not in script:
        _miss(f"{place}.life_cycle_config.source_s3_uri", "on_create requires it")
    for number, storage in enumerate(group.get("instance_storage_configs") or ()):
        where = f"{place}.instance_storage_configs[{number}]"
        if len(storage) != 1:
            refuse_option(where, sorted(storage), "one of ebs_volume_config, fsx_lustre_config and fsx_open_zfs_config")
        volume = storage.get("ebs_volume_config") or {}
        if volume.get("root_volume") and "volume_size_in_gb" in volume:
            size = volume["volume_size_in_gb"]
            refuse_option(f"{where}.ebs_volume_config.volume_size_in_gb", size, "no size with root_volume: true")


def _check_continuous(settings: Values) -> None:
    if settings.get("node_provisioning_mode") == "Continuous":
        strategy = settings.get("orchestrator", {}).get("slurm", {}).get("slurm_config_strategy")
        if strategy is not None:
            refuse_option(
                "orchestrator.slurm.slurm_config_strategy", strategy, "no strategy with node_provisioning_mode: Continuous"
            )
        return
    if "accounting_database" in settings.get("orchestrator", {}).get("slurm", {}):
        refuse_option("node_provisioning_mode", None, "Continuous", "orchestrator.slurm.accounting_database requires Continuous")
    if settings.get("auto_scaling", {}).get("mode") == "Enable":
        refuse_option("node_provisioning_mode", None, "Continuous", "auto_scaling requires Continuous")


def _check_eks(settings: Values, groups: Groups) -> None:
    if "vpc_config" not in settings:
        _miss("vpc_config", "a cluster with EKS requires it")
    for place, group in _named(groups):
        if "slurm_config" in group:
            refuse_option(f"{place}.slurm_config", group["slurm_config"], "no slurm_config on a cluster with EKS")
    if settings.get("auto_scaling", {}).get("mode") == "Enable" and "cluster_role" not in settings:
        _miss("cluster_role", "auto_scaling.mode: Enable requires it")


def _check_slurm(settings: Values, groups: Groups) -> None:
    for option in ("auto_scaling", "tiered_storage_config"):
        if settings.get(option, {}).get("mode") == "Enable":
            refuse_option(f"{option}.mode", "Enable", "Disable on a cluster with Slurm")
    for place, group in _named(groups):
        if "kubernetes_config" in group:
            refuse_option(f"{place}.kubernetes_config", group["kubernetes_config"], "no kubernetes_config on a cluster with Slurm")
        deployment = (group.get("scheduled_update_config") or {}).get("deployment_config")
        if deployment:
            refuse_option(
                f"{place}.scheduled_update_config.deployment_config", deployment, "no deployment_config on a cluster with Slurm"
            )
    _check_node_types(groups)


def _check_node_types(groups: Groups) -> None:
    """Check the node types if groups have them. Older clusters have node types in a separate file."""
    typed = [(place, group["slurm_config"]) for place, group in _named(groups) if group.get("slurm_config")]
    if not typed:
        return
    for node_type, most, least in (("Controller", 1, 1), ("Login", 1, 0)):
        found = [place for place, slurm in typed if slurm["node_type"] == node_type]
        if not least <= len(found) <= most:
            allowed = "exactly one group" if least else "at most one group"
            refuse_option("instance_groups", [place.split(".", 1)[1] for place in found], f"{allowed} with node_type {node_type}")
    for place, slurm in typed:
        partitions = slurm.get("partition_names") or []
        if slurm["node_type"] == "Compute" and not partitions:
            _miss(f"{place}.slurm_config.partition_names", "node_type Compute requires a partition")
        if slurm["node_type"] != "Compute" and partitions:
            refuse_option(f"{place}.slurm_config.partition_names", partitions, f"no partitions with node_type {slurm['node_type']}")
        for name in (each for each in partitions if each.upper() == RESERVED):
            allowed = f"a name other than {RESERVED}, which slurm.conf reserves"
            refuse_option(f"{place}.slurm_config.partition_names", name, allowed)


def _miss(option: str, why: str) -> t.NoReturn:
    raise Refused(f"{option}: missing; {why}.", option=option)


def _named(groups: Groups) -> Named:
    for option, _api, _table in LISTS:
        for name, group in groups.get(option, {}).items():
            yield f"{option}.{name}", group
