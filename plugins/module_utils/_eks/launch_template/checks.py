# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Refuses settings that would prevent the start of nodes. EC2 accepts most of them in a launch template. No I/O."""

from __future__ import annotations

import datetime
import typing as t

from ..._core.failure import Refused, refuse_option
from ..._core.plan import KNOWN_AFTER_APPLY
from ..._core.text import printable
from ..._core.times import iso_seconds
from .model import CAPACITY_BLOCK, DEFAULT, NONE, Cluster, Desired, InstanceType, Reservation, State

USABLE, SCHEDULED = ("active", "scheduled"), "scheduled"
"""States of a capacity reservation in which a node group can use it, now or later."""
CLUSTER, AVAILABLE = "cluster", "available"
LINUX = "Linux/UNIX"
"""The platform of EKS's own images."""
SCALED_DOWN = datetime.timedelta(minutes=40)
"""EKS removes the nodes this long before the end of a capacity block."""


def check(desired: Desired, state: State, *, check_mode: bool) -> InstanceType:
    """The instance type.

    :param check_mode: accepts missing resources that an earlier task may have predicted.
    :raises Refused: for the first setting that would prevent the start of nodes.
    """
    found = _type(desired, state)
    _groups(desired, state, check_mode=check_mode)
    have = state.have
    if desired.reservation_of(have):
        _reservation(desired.reservation_of(have), desired, state)
    group = desired.placement_group_of(have)
    if group and (state.placement_group is not None or not check_mode):
        _placement_group(group, found, state)
    if desired.image_of(have):
        _image(desired.image_of(have), found, state)
        _cluster(desired, state.cluster, check_mode=check_mode)
    return found


def _type(desired: Desired, state: State) -> InstanceType:
    found, name = state.type, desired.instance_type
    if found is None:
        refuse_option("instance_type", name, "an instance type that EC2 has in the Region", "EC2 does not have it in this Region")
    if desired.local_storage != NONE and not found.disks:
        refuse_option("local_storage", desired.local_storage, NONE, f"instance type {name} has no local disks")
    return found


def _groups(desired: Desired, state: State, *, check_mode: bool) -> None:
    for group in desired.security_groups:
        if group not in state.groups and not check_mode:
            option = "cluster_security_group_id" if group == desired.cluster_security_group else "security_group_ids"
            refuse_option(option, group, "a security group that exists in the Region", "EC2 does not have it")
    home = state.groups.get(desired.cluster_security_group)
    for each in state.groups.values():
        if home is not None and each.vpc_id != home.vpc_id:
            why = f"it is in {each.vpc_id}, and the cluster security group is in {home.vpc_id}"
            refuse_option("security_group_ids", each.id, f"security groups in {home.vpc_id}", why)


def _reservation(reservation: str, desired: Desired, state: State) -> None:
    found = state.reservation
    option, allowed = "capacity_reservation_id", f"an active or scheduled capacity reservation of {desired.instance_type}"
    problem = "EC2 does not have it in this Region and account" if found is None else _problem(found, desired, state)
    if problem is not None:
        refuse_option(option, reservation, allowed, problem)


def _problem(found: Reservation, desired: Desired, state: State) -> str | None:
    if found.instance_type != desired.instance_type:
        return f"it reserves {found.instance_type}"
    if found.state not in USABLE:
        return f"its state is {found.state}"
    if found.end is not None and found.end <= state.now:
        return f"it ended at {iso_seconds(found.end)}"
    if found.type not in (DEFAULT, CAPACITY_BLOCK):
        return f"its type is {found.type}, which this module does not support"
    if found.tenancy != DEFAULT:
        return f"its tenancy is {found.tenancy}"
    if found.platform != LINUX and not desired.image_of(state.have):
        return f"its platform is {found.platform}, but the images of EKS have {LINUX}"
    return None


def _placement_group(name: str, found: InstanceType, state: State) -> None:
    group, option, allowed = state.placement_group, "placement_group", f"an available placement group with strategy {CLUSTER}"
    if group is None:
        refuse_option(option, name, allowed, "EC2 does not have it in this Region")
    if group.strategy != CLUSTER:
        refuse_option(option, name, allowed, f"its strategy is {group.strategy}")
    if group.state != AVAILABLE:
        refuse_option(option, name, allowed, f"its state is {group.state}")
    if CLUSTER not in found.strategies:
        refuse_option(option, name, "no placement group", f"instance type {found.name} does not support strategy {CLUSTER}")


def _image(image: str, found: InstanceType, state: State) -> None:
    option, there = "image_id", state.image
    if there is None:
        refuse_option(option, image, "an AMI that the account can use in the Region", "EC2 does not have it")
    if there.state != AVAILABLE:
        refuse_option(option, image, f"an AMI with state {AVAILABLE}", f"its state is {there.state}")
    if there.architecture and there.architecture not in found.architectures:
        allowed = f"an AMI for {' or '.join(found.architectures)}"
        refuse_option(option, image, allowed, f"its architecture is {there.architecture}, and {found.name} does not support that")


def _cluster(desired: Desired, found: Cluster | None, *, check_mode: bool) -> None:
    """Nodes with an image of the user get the address of the API server only from the template."""
    if found is None:
        if check_mode:
            return
        why = "it does not exist in this Region, and image_id requires its endpoint"
        refuse_option("eks_cluster", desired.cluster, "an EKS cluster that exists", why)
    if not found.endpoint or not found.authority or not found.cidr:
        raise Refused(
            f"eks_cluster: EKS cluster {found.name} has no endpoint, certificate authority or service network yet, and image_id "
            f"requires them. Its status is {printable(found.status)}. Run again once the status is ACTIVE.",
            option="eks_cluster",
        )
    given = desired.cluster_security_group
    if found.security_group and given not in (found.security_group, KNOWN_AFTER_APPLY):
        why = f"EKS cluster {found.name} has a different cluster security group"
        refuse_option("cluster_security_group_id", given, found.security_group, why)


def notes(desired: Desired, state: State, *, efa: bool) -> t.Iterator[str]:
    """Warnings about settings that are not refused."""
    found = state.reservation
    if found is not None and found.state == SCHEDULED:
        start = f" at {iso_seconds(found.start)}" if found.start else ""
        yield f"Capacity reservation {found.id} starts{start}. Until then, no node of {desired.resource} can start."
    if found is not None and found.type == CAPACITY_BLOCK and found.end is not None and found.end - state.now <= SCALED_DOWN:
        yield (
            f"Capacity block {found.id} ends at {iso_seconds(found.end)}. EKS removes its nodes 40 minutes before the end, so no "
            f"node of {desired.resource} can start."
        )
    if efa and efa_allowed(state) is False:
        yield (
            f"None of the security groups {', '.join(sorted(state.groups))} allows all traffic to and from itself, which EFA "
            "requires. Add an ingress rule and an egress rule for all protocols to one of them, with the group itself as peer. EKS "
            "does this for the cluster security group from Kubernetes 1.33 on."
        )


def efa_allowed(state: State) -> bool | None:
    """Whether a security group allows the traffic of EFA; None if no group could be read."""
    return any(group.efa for group in state.groups.values()) if state.groups else None
