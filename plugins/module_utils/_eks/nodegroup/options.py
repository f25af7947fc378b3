# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Builds the desired node group from a module's options."""

from __future__ import annotations

import re
import typing as t

from ..._aws.client import Api
from ..._aws.tags import desired_tags
from ..._core.checks import check_unique
from ..._core.failure import Refused, refuse_option
from ..._core.plan import KNOWN_AFTER_APPLY
from ..._core.settings import Values, all_parameters, argument_spec, checked, require
from ..._kubernetes.eks import cluster_name
from .model import AMI_TYPES, CUSTOM, OTHER_AMI_TYPES, Desired
from .table import CAPACITY_BLOCK, KEY, KEY_ALLOWED, LONGEST_KEY, REPAIR, SETTINGS, TAINTS, part

NAME = r"[0-9A-Za-z][A-Za-z0-9_-]{0,62}"


def specification() -> dict[str, t.Any]:
    """The part of the argument spec that the table defines."""
    return argument_spec(SETTINGS)


def desired(params: t.Mapping[str, t.Any], region: str | None, *, check_mode: bool = False) -> Desired:
    """
    :param check_mode: accepts a launch template that an earlier task has predicted.
    :raises Refused: for the first invalid option.
    """
    template = params["launch_template"] or {}
    predicted = {name: value for name, value in template.items() if check_mode and value == KNOWN_AFTER_APPLY}
    settings = checked(SETTINGS, {**params, **({"launch_template": _without(template, predicted)} if predicted else {})}, within="")
    if predicted:
        settings["launch_template"].update(predicted)
    _check_ami_type(settings)
    _check_template(settings)
    _check_scaling(settings.get("scaling") or {})
    _check_labels(settings.get("labels") or {})
    require((TAINTS, REPAIR), settings, within="", what="")
    for option in ("subnet_ids", "instance_types"):
        _check_filled(option, settings.get(option))
    if "taints" in settings:
        settings["taints"] = _taints(settings["taints"])
    return Desired(
        cluster=cluster_name(params["eks_cluster"], region),
        name=check_name(params["name"]),
        present=params["state"] == "present",
        settings=settings,
        force_update=params["force_update"],
        tags=desired_tags(params["tags"], cluster_arn=None),
        purge_tags=params["purge_tags"],
    )


def require_known(eks: Api, desired: Desired) -> None:
    """Check whole structures, because an update of one setting sends the whole structure.

    :raises Refused: for the first setting that the installed botocore does not support.
    """
    for path in all_parameters(part(tuple(desired.settings))):
        eks.require_member("CreateNodegroup", path)


def check_name(name: str) -> str:
    if not re.fullmatch(NAME, name):
        refuse_option("name", name, "1 to 63 letters, digits, hyphens and underscores, with a letter or digit at the beginning")
    return name


def _without(template: Values, names: t.Collection[str]) -> dict[str, t.Any]:
    return {name: value for name, value in template.items() if name not in names}


def _check_filled(option: str, values: t.Sequence[str] | None) -> None:
    if values is not None and not values:
        refuse_option(option, values, "at least one value, or no such option")
    check_unique(option, values or ())


def _check_ami_type(settings: Values) -> None:
    kind = settings.get("ami_type")
    if kind is not None and kind not in (*AMI_TYPES, *OTHER_AMI_TYPES):
        refuse_option("ami_type", kind, ", ".join(AMI_TYPES))
    for option in ("version", "release_version") if kind == CUSTOM else ():
        if option in settings:
            refuse_option(option, settings[option], "no value", "with ami_type=CUSTOM, the launch template defines the version")


def _check_template(settings: Values) -> None:
    template = settings.get("launch_template")
    if template is not None and not template:
        raise Refused("launch_template: missing id, name or version.", option="launch_template")
    if template is not None and "disk_size" in settings:
        refuse_option("disk_size", settings["disk_size"], "no value", "the launch template sets the size of the disk")
    if settings.get("capacity_type") == CAPACITY_BLOCK and "instance_types" in settings:
        why = "for a Capacity Block, the launch template contains the instance type"
        refuse_option("instance_types", settings["instance_types"], "no value", why)


def _check_scaling(scaling: Values) -> None:
    """Check the given numbers against each other."""
    low, high, wanted = scaling.get("min"), scaling.get("max"), scaling.get("desired")
    if low is not None and high is not None and low > high:
        refuse_option("scaling.min", low, f"at most scaling.max, {high}")
    check_desired(wanted, low, high)


def check_desired(wanted: int | None, low: int | None, high: int | None) -> None:
    """:raises Refused: for a number of nodes outside the limits; None is unknown."""
    if wanted is not None and low is not None and wanted < low:
        refuse_option("scaling.desired", wanted, f"{low} or more", f"scaling.min is {low}")
    if wanted is not None and high is not None and wanted > high:
        refuse_option("scaling.desired", wanted, f"at most {high}", f"scaling.max is {high}")


def _check_labels(labels: Values) -> None:
    for key in labels:
        if len(key) > LONGEST_KEY or not re.fullmatch(KEY, key):
            refuse_option("labels", key, KEY_ALLOWED)


def _taints(given: t.Sequence[Values]) -> list[dict[str, str]]:
    """All taints with a value, which may be empty. The key and the effect identify a taint."""
    check_unique("taints", [f"{each['key']}:{each['effect']}" for each in given])
    for place, each in enumerate(given):
        if len(each["key"]) > LONGEST_KEY:
            refuse_option(f"taints[{place}].key", each["key"], KEY_ALLOWED)
    return [{"key": each["key"], "value": each.get("value", ""), "effect": each["effect"]} for each in given]
