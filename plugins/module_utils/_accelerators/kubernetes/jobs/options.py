# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Converts the options of ``accelerator_jobs`` to the nodes to check, and refuses invalid options."""

from __future__ import annotations

import re
import typing as t

from ansible.module_utils.common.arg_spec import ArgumentSpecValidator

from ...._core.checks import check_id, check_length, check_number, check_unique
from ...._core.failure import Refused, refuse_option
from ...._kubernetes.names import IMAGE, IMAGE_ALLOWED, OBJECT, OBJECT_ALLOWED
from ...._kubernetes.namespace import check_name
from ...node.health.options import SPEC as OF_HEALTH, wanted
from ...node.health.profile import profile
from ...node.options import SPEC as OF_CHECK, seconds
from .model import Desired, Target

OF_NODE = {name: spec for name, spec in OF_HEALTH.items() if name != "profile"}
SPEC: dict[str, dict[str, t.Any]] = {
    "nodes": {
        "type": "list",
        "elements": "dict",
        "required": True,
        "options": {**OF_NODE, "instance_id": {"type": "str", "required": True}, "node": {"type": "str", "default": ""}},
    },
    "image": {"type": "str", "default": "public.ecr.aws/docker/library/python:3.12-slim"},
    "namespace": {"type": "str", "default": "mlfleet-hyperpod"},
    "batch": {"type": "int", "default": 20},
    "batch_timeout": {"type": "int", "default": 300},
    "health_profile": {"type": "dict"},
    "dcgm": {"type": "bool", "default": True},
    "timeout": OF_CHECK["timeout"],
}


def desired(params: t.Mapping[str, t.Any], *, of_teams: bool = False) -> Desired:
    """
    :param of_teams: whether the namespace of a team is allowed.
    :raises Refused: for the first invalid option.
    """
    if not re.fullmatch(IMAGE, check_length("image", params["image"], 255)):
        refuse_option("image", params["image"], IMAGE_ALLOWED)
    check_name(params["namespace"], of_teams=of_teams)
    nodes = tuple(_target(each) for each in params["nodes"])
    check_unique("nodes.instance_id", [each.instance_id for each in nodes])
    check_unique("nodes.node", [each.node for each in nodes])
    return Desired(
        nodes=nodes,
        settings={"profile": _profile(params["health_profile"]), "dcgm": params["dcgm"], "timeout": seconds(params)},
        image=params["image"],
        namespace=params["namespace"],
        batch=check_number("batch", params["batch"], 1, 500),
        seconds=check_number("batch_timeout", params["batch_timeout"], 10, 3600),
    )


def _profile(given: t.Mapping[str, t.Any] | None) -> t.Any:
    """Validate the profile here, so that an invalid profile fails once instead of on each node."""
    checked = ArgumentSpecValidator({"profile": OF_HEALTH["profile"]}).validate({"profile": given})
    if checked.error_messages:
        raise Refused(f"health_profile: {'; '.join(checked.error_messages)}.", option="health_profile")
    profile(checked.validated_parameters)
    return checked.validated_parameters["profile"]


def _target(given: t.Mapping[str, t.Any]) -> Target:
    options = {name: given[name] for name in OF_NODE}
    wanted(options, "/sys")
    name = given.get("node") or ""
    if name and not re.fullmatch(OBJECT, name):
        refuse_option("nodes.node", name, OBJECT_ALLOWED)
    return Target(check_id("nodes.instance_id", given["instance_id"], "i"), options, name)
