# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Builds the desired record from a module's options."""

from __future__ import annotations

import re
import typing as t

from ..._core.failure import refuse_option, refuse_shown
from .model import NAMES, Desired, is_name

LARGEST = 4096
"""The maximum number of characters in a standard parameter."""


def desired(params: t.Mapping[str, t.Any], *, owner: str, now: str) -> Desired:
    """
    :param owner: the owner of the record, unless an option names one.
    :raises Refused: for an invalid name for the kind, or a value that is too long.
    """
    if params["state"] == "query":
        return Desired(present=True)
    if params["state"] == "absent":
        return Desired(present=False, kind=params["kind"], name=_any_name(params["name"]))
    wanted = Desired(
        present=True,
        kind=params["kind"],
        name=_name(params["kind"], params["name"]),
        value=_value(params["value"]),
        owner=params["owner"] or owner,
        now=now,
    )
    if len(wanted.text) > LARGEST:
        refuse_shown("value", f"a record of {len(wanted.text)} characters", f"at most {LARGEST} characters")
    return wanted


def _name(kind: str, name: str) -> str:
    if not is_name(kind, name):
        refuse_option("name", name, NAMES[kind][1], f"the record is of kind {kind}")
    return name


def _any_name(name: str) -> str:
    """Any valid name of a parameter, so that invalid records can be removed."""
    if not re.fullmatch(r"[A-Za-z0-9_.-]{1,128}", name):
        refuse_option("name", name, "1 to 128 letters, digits, '.', '_' and '-'")
    return name


def _value(value: t.Mapping[str, t.Any]) -> dict[str, t.Any]:
    for key in ("owner", "since"):
        if key in value:
            refuse_option("value", key, "all fields except owner and since", "the module records owner and since itself")
    return dict(value)
