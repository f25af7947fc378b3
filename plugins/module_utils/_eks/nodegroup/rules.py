# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Rules of EKS about changes of a node group that need the observed state. No I/O."""

from __future__ import annotations

import re

from ..._core.failure import Refused, refuse_option
from ..._core.settings import Values, changes, refuse_immutable, require
from .model import AMI_TYPES, CUSTOM, NODEGROUP, Desired, Nodegroup
from .options import check_desired
from .table import CAPACITY_BLOCK, SETTINGS, VERSIONS, part

REPLACEMENT = (
    "a different value for a node group with another name (create it first, move the Pods, and then remove this group with"
    " state=absent; the role training_cluster does this if training_cluster_remove_groups lists this group)"
)
RELEASE = re.compile(r"(\d+\.\d+)\.\d+-\d{8}")
"""Releases of Amazon Linux: the Kubernetes version and a date."""


def check_creation(desired: Desired, kubernetes: str) -> None:
    """:raises Refused: for settings that EKS refuses for a new group."""
    settings = desired.settings
    require(SETTINGS, settings, within="", what="a new node group")
    _check_offered(settings.get("ami_type"))
    template, capacity, updates = settings.get("launch_template"), settings.get("capacity_type"), settings.get("update_config")
    if template is not None and not {"id", "name"} & template.keys():
        raise Refused("launch_template: missing id or name; a new node group requires it.", option="launch_template")
    if template is None and settings.get("ami_type") == CUSTOM:
        refuse_option("ami_type", CUSTOM, "CUSTOM together with a launch template that contains the AMI")
    if template is None and capacity == CAPACITY_BLOCK:
        allowed = f"{CAPACITY_BLOCK} together with a launch template for the reservation"
        refuse_option("capacity_type", capacity, allowed, "EKS requires a launch template for a Capacity Block")
    if updates and not {"max_unavailable", "max_unavailable_percentage"} & updates.keys():
        allowed = "a strategy together with max_unavailable or max_unavailable_percentage"
        refuse_option("update_config.strategy", updates.get("strategy"), allowed, "EKS requires a number for a new node group")
    if settings.get("version", kubernetes) != kubernetes:
        why = f"EKS creates node groups only with the version of the cluster, which is {kubernetes}"
        refuse_option("version", settings["version"], f"{kubernetes}, or no value", why)
    _check_release(settings.get("release_version"), kubernetes, "the cluster")


def check_change(desired: Desired, group: Nodegroup, want: Values, kubernetes: str) -> None:
    """
    :param want: all settings after the run.
    :raises Refused: for a change that EKS does not support.
    """
    settings = desired.settings
    if group.status in NODEGROUP.failed:
        raise Refused(
            f"{desired.about} is {group.described}, and EKS can't change or repair a group in this status. Correct the cause, "
            "remove the group with eks_nodegroup and state=absent, then run again."
        )
    if settings.get("ami_type") != group.settings.get("ami_type"):
        _check_offered(settings.get("ami_type"))
    _check_template(desired, group)
    comparable = {name: value for name, value in settings.items() if name not in hidden(desired, group)}
    refuse_immutable(desired.resource, SETTINGS, group.settings, comparable, within="", way=REPLACEMENT)
    _check_scaling(desired, want.get("scaling") or {})
    _check_versions(desired, group, kubernetes)
    _check_reservation(desired, group, want)


def hidden(desired: Desired, group: Nodegroup) -> tuple[str, ...]:
    """Given options that EKS does not return for this group, so that they can't be compared."""
    unknown = group.template and "instance_types" not in group.settings and "instance_types" in desired.settings
    return ("instance_types",) if unknown else ()


def _check_offered(kind: str | None) -> None:
    if kind is not None and kind not in AMI_TYPES:
        refuse_option("ami_type", kind, ", ".join(AMI_TYPES), "the module keeps node groups of this type, but creates no new ones")


def _check_template(desired: Desired, group: Nodegroup) -> None:
    settings = desired.settings
    if "launch_template" in settings and not group.template:
        why = f"{desired.resource} was created without a launch template, and EKS can't add one"
        refuse_option("launch_template", settings["launch_template"], f"no value, or {REPLACEMENT}", why)
    if "disk_size" in settings and group.template:
        why = f"the launch template of {desired.resource} sets the size of the disk"
        refuse_option("disk_size", settings["disk_size"], "no value", why)
    for option in ("version", "release_version") if group.has_own_ami else ():
        if option in settings:
            why = f"the AMI of {desired.resource} is in its launch template"
            refuse_option(option, settings[option], "no value (a new version of the launch template changes the AMI)", why)


def _check_scaling(desired: Desired, scaling: Values) -> None:
    """:param scaling: the numbers after the run; the options may set only some of them."""
    given = desired.settings.get("scaling") or {}
    low, high, nodes = scaling.get("min"), scaling.get("max"), scaling.get("desired")
    if low is not None and high is not None and low > high:
        option, value, allowed = ("min", low, f"at most {high}") if "min" in given else ("max", high, f"{low} or more")
        refuse_option(f"scaling.{option}", value, allowed, f"{desired.resource} has the limits {low} and {high} with this value")
    if nodes is not None and high is not None and nodes > high and "desired" not in given:
        why = f"{desired.resource} has {nodes} desired nodes, and EKS would have to terminate some of them"
        refuse_option("scaling.max", high, f"{nodes} or more, or {high} together with scaling.desired", why)
    check_desired(nodes, low, high)


def _check_reservation(desired: Desired, group: Nodegroup, want: Values) -> None:
    if group.settings.get("capacity_type") != CAPACITY_BLOCK or not (want.get("scaling") or {}).get("desired"):
        return
    change = next(iter(changes(desired.resource, part(VERSIONS), group.settings, want)), None)
    if change is not None:
        why = f"{desired.resource} uses a Capacity Block, and EKS replaces its nodes only if scaling.desired is 0"
        refuse_option(str(change.field), change.after, f"{change.before}, or a new value with scaling.desired=0", why)


def _check_versions(desired: Desired, group: Nodegroup, kubernetes: str) -> None:
    """EKS can't downgrade nodes, and nodes can't be newer than their cluster."""
    have, want = group.settings.get("version"), desired.settings.get("version")
    allowed = f"{have} to {kubernetes}"
    if want is not None and _numbers(want) > _numbers(kubernetes):
        refuse_option("version", want, allowed, f"EKS cluster {desired.cluster} has version {kubernetes}; upgrade it first")
    if want is not None and have is not None and _numbers(want) < _numbers(have):
        refuse_option("version", want, allowed, f"{desired.resource} has version {have}, and EKS can't downgrade it")
    release, old = desired.settings.get("release_version"), group.settings.get("release_version")
    if release is None or release == old:
        return
    _check_release(release, want or have or kubernetes, desired.resource)
    if old is not None and RELEASE.fullmatch(release) and RELEASE.fullmatch(old) and _numbers(release) < _numbers(old):
        why = f"{desired.resource} has release {old}, and EKS can't downgrade it"
        refuse_option("release_version", release, f"{old} or a newer release", why)


def _check_release(release: str | None, version: str, of: str) -> None:
    """:param of: the owner of the version."""
    match = RELEASE.fullmatch(release or "")
    if match is not None and match[1] != version:
        why = f"the Kubernetes version of {of} is {version}"
        refuse_option("release_version", release, f"a release of Kubernetes {version}, or this one with version={match[1]}", why)


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(map(int, re.findall(r"\d+", version)))
