# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Checks the options of ``device_plugins``."""

from __future__ import annotations

import re
import typing as t

from ..._core.checks import check_unique
from ..._core.failure import Refused, refuse_option
from ..names import IMAGE, IMAGE_ALLOWED, INSTANCE_TYPE, INSTANCE_TYPE_ALLOWED
from . import images
from .known import AWS_EFA, NVIDIA, PLUGINS
from .model import Desired, Wanted

TYPES = {NVIDIA.key: "gpu_instance_types", AWS_EFA.key: "efa_instance_types"}
IMAGES = {NVIDIA.key: "nvidia_image", AWS_EFA.key: "efa_image"}
EXISTS, EQUAL = "Exists", "Equal"
TOLERATION: dict[str, dict[str, t.Any]] = {
    "key": {"type": "str", "no_log": False},
    "operator": {"type": "str", "choices": [EXISTS, EQUAL], "default": EQUAL},
    "value": {"type": "str"},
    "effect": {"type": "str", "choices": ["NoSchedule", "PreferNoSchedule", "NoExecute"]},
}
SPEC: dict[str, dict[str, t.Any]] = {
    "state": {"type": "str", "choices": ["present", "absent"], "default": "present"},
    **{option: {"type": "list", "elements": "str"} for option in TYPES.values()},
    **{option: {"type": "str"} for option in IMAGES.values()},
    "tolerations": {"type": "list", "elements": "dict", "options": TOLERATION, "default": [{"operator": EXISTS}]},
}
MOST_TYPES = 200
LATEST = "latest"


def desired(params: t.Mapping[str, t.Any], region: str | None) -> Desired:
    """:raises Refused: for the first invalid option."""
    for option in TYPES.values():
        _check_types(option, params[option] or ())
    for option in IMAGES.values():
        check_image(option, params[option])
    tolerations = tuple(map(_toleration, range(len(params["tolerations"])), params["tolerations"]))
    if params["state"] == "absent":
        return Desired(tuple(map(Wanted, PLUGINS)))
    given = [each for each in PLUGINS if params[TYPES[each.key]] is not None]
    if not given:
        options = " or ".join(TYPES.values())
        raise Refused(f"{options}: missing; state=present requires at least one of them. An empty list removes the plugin.")
    wanted = []
    for each in given:
        types = tuple(sorted(params[TYPES[each.key]]))
        wanted.append(Wanted(each, types, (params[IMAGES[each.key]] or _image(each.key, region)) if types else ""))
    return Desired(tuple(wanted), tolerations)


def _image(key: str, region: str | None) -> str:
    return images.NVIDIA if key == NVIDIA.key else images.efa(region)


def _check_types(option: str, types: t.Sequence[str]) -> None:
    if len(types) > MOST_TYPES:
        refuse_option(option, f"{len(types)} instance types", f"at most {MOST_TYPES}")
    for each in types:
        if not re.fullmatch(INSTANCE_TYPE, each):
            refuse_option(option, each, INSTANCE_TYPE_ALLOWED)
    check_unique(option, types)


def check_image(option: str, image: str | None) -> None:
    """:raises Refused: also for an image whose tag moves: a node that joins later would run a different plugin."""
    if image is None:
        return
    if not re.fullmatch(IMAGE, image):
        refuse_option(option, image, IMAGE_ALLOWED)
    name, _at, digest = image.partition("@")
    tag = name.rpartition("/")[2].partition(":")[2]
    if not digest and tag in ("", LATEST):
        refuse_option(option, image, f"an image with a tag other than {LATEST}, or with a digest")


def _toleration(place: int, given: t.Mapping[str, t.Any]) -> dict[str, t.Any]:
    option = f"tolerations[{place}]"
    if given["operator"] == EQUAL and not given["key"]:
        raise Refused(f"{option}.key: missing; the operator {EQUAL} requires it. Set operator={EXISTS} to tolerate every key.")
    if given["operator"] == EXISTS and given["value"]:
        refuse_option(f"{option}.value", given["value"], f"no value with the operator {EXISTS}")
    return {name: given[name] for name in TOLERATION if given[name]}
