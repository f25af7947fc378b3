# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""From a module's options to objects, with messages for invalid options."""

from __future__ import annotations

import copy
import re
import typing as t

from ..._core.checks import check_unique
from ..._core.failure import Refused, refuse_option
from .model import MANAGED_BY, US, Declared, Desired

_NAME = re.compile(r"[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?")
NAME_ALLOWED = "a Kubernetes name: at most 253 lower-case letters, digits, hyphens and dots"


def desired(params: t.Mapping[str, t.Any]) -> Desired:
    """:raises Refused: for the first invalid definition."""
    declared = tuple(_declared(place, each) for place, each in enumerate(params["definitions"]))
    check_unique("definitions", [each.described for each in declared])
    if params["adopt"] and params["keep_foreign"]:
        refuse_option("keep_foreign", True, "false", "adopt is true")
    return Desired(declared, params["state"] == "present", params["adopt"], params["keep_foreign"])


def _declared(place: int, given: t.Mapping[str, t.Any]) -> Declared:
    option = f"definitions[{place}]"
    meta = given.get("metadata")
    for name, value in (("apiVersion", given.get("apiVersion")), ("kind", given.get("kind"))):
        if not isinstance(value, str) or not value:
            raise Refused(f"{option}.{name}: missing; every Kubernetes object requires it as a string.", option=option)
    if not isinstance(meta, dict):
        raise Refused(f"{option}.metadata: missing; it contains the object's name.", option=option)
    for name in ("name", "namespace") if "namespace" in meta else ("name",):
        if not isinstance(meta.get(name), str) or not _NAME.fullmatch(meta[name]):
            refuse_option(f"{option}.metadata.{name}", meta.get(name), NAME_ALLOWED)
    if "status" in given:
        raise Refused(f"{option}.status: not allowed; controllers write it.", option=option)
    definition = copy.deepcopy(dict(given))
    definition["metadata"]["labels"] = {**(meta.get("labels") or {}), MANAGED_BY: US}
    return Declared(definition)
