# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks of groups of nodes, from variables and from eksctl files. The caller supplies the path of each field. No I/O."""

from __future__ import annotations

import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused, refuse_option
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.gathering import parts
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.launch_template.model import NONE, RAID0
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.launch_template.options import LARGEST_VOLUME, SMALLEST_VOLUME

from ..structures import one_of
from . import checks
from .instance_types import check_accelerated, check_general

Group = t.Mapping[str, t.Any]
Paths = t.Callable[[str], str]
"""The path of a field of a group, for messages."""
MOST_NODES = 1000
FEWEST_SYSTEM_NODES, MOST_SYSTEM_NODES = 1, 100
ADVISED_VOLUME = 100
SYSTEM = ("instance_type", "nodes")
FIELDS = (
    *("name", "instance_type", "nodes", "min", "max", "capacity_reservation_id", "spot", "placement_group", "subnet_id"),
    *("volume_size", "local_storage", "labels", "taints", "node_repair"),
)
REQUIRED = ("name", "instance_type", "nodes")


def _volume(option: str, given: t.Any) -> None:
    low, high = SMALLEST_VOLUME, LARGEST_VOLUME
    if isinstance(given, bool) or not isinstance(given, int) or not low <= given <= high:
        allowed = f"whole numbers of GiB from {low} to {high}, {ADVISED_VOLUME} or more for images of Deep Learning Containers"
        refuse_option(option, given, allowed)


CHECKS: t.Mapping[str, t.Callable[[str, t.Any], t.Any]] = {
    "name": lambda option, given: checks.check_text(option, given, "group"),
    "instance_type": check_accelerated,
    "nodes": lambda option, given: checks.check_number(option, given, 0, MOST_NODES),
    "min": lambda option, given: checks.check_number(option, given, 0, MOST_NODES),
    "max": lambda option, given: checks.check_number(option, given, 1, MOST_NODES),
    "capacity_reservation_id": lambda option, given: checks.check_text(option, given, "reservation"),
    "spot": checks.check_flag,
    "placement_group": lambda option, given: checks.check_text(option, given, "placement group"),
    "subnet_id": lambda option, given: checks.check_text(option, given, "subnet"),
    "volume_size": _volume,
    "local_storage": lambda option, given: one_of(option, given, (RAID0, NONE)),
    "labels": checks.check_labels,
    "taints": checks.check_taints,
    "node_repair": checks.check_flag,
}


def check_group(group: Group, at: Paths, *, required: t.Collection[str] = REQUIRED) -> None:
    """:raises Refused: for an invalid or missing field of a GPU group, and for fields that exclude each other."""
    with parts() as part:
        for name in FIELDS:
            with part:
                _check_field(group, name, at(name), required, CHECKS)
        for check in (_check_numbers, _check_capacity):
            with part:
                check(group, at)


def check_system(group: Group, at: Paths) -> None:
    """:raises Refused: for an invalid field of the system group."""
    rules: dict[str, t.Callable[[str, t.Any], t.Any]] = {
        "instance_type": check_general,
        "nodes": lambda option, given: checks.check_number(option, given, FEWEST_SYSTEM_NODES, MOST_SYSTEM_NODES),
    }
    with parts() as part:
        for name in SYSTEM:
            with part:
                _check_field(group, name, at(name), (), rules)


def _check_field(
    group: Group, name: str, path: str, required: t.Collection[str], rules: t.Mapping[str, t.Callable[[str, t.Any], t.Any]]
) -> None:
    given = group.get(name)
    if given is None or given == "":
        if name in required:
            raise Refused(f"{path}: missing.", option=path)
    else:
        rules[name](path, given)


def _check_numbers(group: Group, at: Paths) -> None:
    """Check that the numbers of nodes agree with each other. Invalid numbers are ignored here."""
    nodes, low, high = (_whole(group.get(name)) for name in ("nodes", "min", "max"))
    if nodes is not None and low is not None and nodes < low:
        refuse_option(at("nodes"), nodes, f"{low} or more", f"{at('min')} is {low}")
    if nodes is not None and high is not None and nodes > high:
        refuse_option(at("nodes"), nodes, f"at most {high}", f"{at('max')} is {high}")
    if low is not None and high is not None and low > high:
        refuse_option(at("min"), low, f"at most {high}", f"{at('max')} is {high}")


def _whole(given: t.Any) -> int | None:
    return given if isinstance(given, int) and not isinstance(given, bool) else None


def _check_capacity(group: Group, at: Paths) -> None:
    reservation, place, spot = (group.get(name) for name in ("capacity_reservation_id", "placement_group", "spot"))
    if reservation and spot is True:
        refuse_option(at("spot"), True, "false, or no capacity reservation", "Spot Instances do not use reserved capacity")
    if reservation and place:
        why = "the group has a capacity reservation, which determines the placement of its instances"
        refuse_option(at("placement_group"), place, "no value, or no capacity reservation", why)
