# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Ensures the Pod Security level that namespaces enforce. Only the label for this level is changed.

A stricter level stays, because an administrator set it. A new level does not affect running Pods; it refuses new Pods that
violate it. For a change of the label, and for its dry run, the API server returns warnings with the Pods that violate the level.
"""

from __future__ import annotations

import dataclasses
import re
import typing as t
import urllib.parse
from dataclasses import dataclass

from .._core.checks import check_unique
from .._core.failure import Failure, Refused, refuse_option
from .._core.plan import Change, Plan, Step
from .._core.text import printable
from .client import Kubernetes, Object
from .names import NAMESPACE, NAMESPACE_ALLOWED
from .objects.model import US

LABEL = "pod-security.kubernetes.io/enforce"
LEVELS = ("privileged", "baseline", "restricted")
"""From the weakest to the strictest."""
SPEC: dict[str, dict[str, t.Any]] = {
    "namespaces": {"type": "list", "elements": "str", "required": True},
    "level": {"type": "str", "choices": list(LEVELS), "required": True},
}
MOST, LONGEST = 50, 500
"""Limits: warnings of one namespace, and characters of one warning."""
PATCH = "PATCH"


@dataclass(frozen=True)
class Desired:
    namespaces: tuple[str, ...]
    level: str


@dataclass(frozen=True)
class Found:
    name: str
    level: str | None
    exists: bool = True
    stricter: bool = False
    """The namespace's level is stricter than the desired one, so it stays."""
    warnings: tuple[str, ...] = ()
    """The API server's warnings about the dry run of a change."""


@dataclass(frozen=True)
class State:
    found: tuple[Found, ...]


def desired(params: t.Mapping[str, t.Any]) -> Desired:
    """:raises Refused: for the first invalid option."""
    names = tuple(params["namespaces"])
    if not names:
        raise Refused("namespaces: missing; name at least one.", option="namespaces")
    for name in names:
        if not re.fullmatch(NAMESPACE, name):
            refuse_option("namespaces", name, NAMESPACE_ALLOWED)
    check_unique("namespaces", names)
    return Desired(names, params["level"])


class Observer:
    def __init__(self, kubernetes: Kubernetes, wanted: Desired, *, check_mode: bool) -> None:
        self.kubernetes = kubernetes
        self.wanted = wanted
        self.check_mode = check_mode
        self._warnings: dict[str, tuple[str, ...]] = {}

    def __call__(self) -> State:
        """The observed state, with the warnings of the dry run of each change.

        :raises Failure: if a namespace does not exist. In check mode this is no failure: an earlier task may create it.
        :raises Refused: if a namespace has an unknown level.
        :raises KubernetesError: also if the API server refuses the label.
        """
        found = tuple(map(self._find, self.wanted.namespaces))
        missing = [each.name for each in found if not each.exists]
        if missing and not self.check_mode:
            raise Failure(f"Namespace {missing[0]} does not exist. Create it, then run again.")
        return State(tuple(self._tried(each) for each in found))

    def _find(self, name: str) -> Found:
        item = self.kubernetes.find(_path(name))
        if item is None:
            return Found(name, None, exists=False)
        level = (item["metadata"].get("labels") or {}).get(LABEL)
        if level is not None and level not in LEVELS:
            allowed = f"namespaces with the level {', '.join(LEVELS[:-1])} or {LEVELS[-1]}, or without one"
            refuse_option("namespaces", name, allowed, f"its label {LABEL} is {printable(level)[:LONGEST]}")
        stricter = level is not None and LEVELS.index(level) > LEVELS.index(self.wanted.level)
        return Found(name, level, stricter=stricter)

    def _tried(self, found: Found) -> Found:
        if _is_due(self.wanted, found) and found.name not in self._warnings:
            query = urllib.parse.urlencode({"dryRun": "All", "fieldManager": US})
            warnings = self.kubernetes.merge_warned(f"{_path(found.name)}?{query}", _patch(self.wanted.level))
            self._warnings[found.name] = tuple(printable(each)[:LONGEST] for each in warnings[:MOST])
        return dataclasses.replace(found, warnings=self._warnings.get(found.name, ()))


def plan(wanted: Desired, state: State) -> Plan:
    return Plan(
        tuple(_step(wanted, each) for each in state.found if _is_due(wanted, each)),
        notes=tuple(
            f"Namespace {each.name} keeps the level {each.level}, which is stricter than {wanted.level}."
            for each in state.found
            if each.stricter
        ),
    )


def _is_due(wanted: Desired, found: Found) -> bool:
    return found.exists and not found.stricter and found.level != wanted.level


class Applier:
    def __init__(self, kubernetes: Kubernetes) -> None:
        self.kubernetes = kubernetes

    def __call__(self, step: Step) -> None:
        """:raises KubernetesError:"""
        query = urllib.parse.urlencode({"fieldManager": US})
        self.kubernetes.merge(f"{_path(step.arguments['name'])}?{query}", _patch(step.arguments["level"]))


def result(state: State) -> dict[str, t.Any]:
    return {"namespaces": [{**dataclasses.asdict(each), "warnings": list(each.warnings)} for each in state.found]}


def _step(wanted: Desired, found: Found) -> Step:
    def effect(state: State) -> State:
        after = dataclasses.replace(found, level=wanted.level)
        return State(tuple(after if each.name == found.name else each for each in state.found))

    changed = Change("update", f"Namespace {found.name}", f"metadata.labels.{LABEL}", found.level, wanted.level)
    return Step(PATCH, {"name": found.name, "level": wanted.level}, (changed,), effect)


def _path(name: str) -> str:
    return f"/api/v1/namespaces/{name}"


def _patch(level: str) -> Object:
    return {"metadata": {"labels": {LABEL: level}}}
