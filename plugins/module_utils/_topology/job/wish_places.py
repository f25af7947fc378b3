# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Refuses topology annotations that would be ignored because they are in a wrong place or have an unknown name. No I/O."""

from __future__ import annotations

import typing as t

from ..._core.failure import refuse_shown
from ..._core.text import printable
from ..._kubernetes.client import Object
from ..._kubernetes.job_kinds import NODE, Kind, Template, mapping

PREFIX = "kueue.x-k8s.io/podset-"
"""The prefix of the annotations that Kueue reads."""
UNSUPPORTED = tuple(PREFIX + each for each in ("group-name", "slice-required-topology-constraints", "topology-spreading"))
"""Annotations that Kueue reads and this module does not support."""
OPTIONS = "options such as required_topology"
PATCHES = f"metadata.annotations in a patch of the {NODE} Pods in spec.runtimePatches"
LONGEST_STEP, MOST_PLACES = 100, 3
Objects = list[tuple[str, Object]]
"""Objects of a manifest, keyed by path."""


def check(kind: Kind, manifest: Object, templates: t.Sequence[Template], *, source: str, known: t.Collection[str]) -> None:
    """
    :param templates: the Pod templates whose annotations are read.
    :param known: names of the supported annotations.
    :raises Refused: for the first annotation in another place or with another name.
    """
    read = [mapping(each.body, "metadata", "annotations") for each in templates]
    objects = list(_objects(manifest, ""))
    for path, there in objects:
        repeats = kind.everywhere and there is mapping(manifest, "metadata", "annotations")
        for name in (str(each) for each in there if str(each).startswith(PREFIX)):
            shown = f"{source}{path}.{_step(name)}"
            if name not in known:
                _refuse_name(kind, shown, name, known)
            if not any(there is each or (repeats and each.get(name) == there[name]) for each in read):
                places = ", ".join(_places(kind, objects, templates))
                refuse_shown(shown, "this place", f"{places}, or {OPTIONS}", "the annotation would be ignored there")


def _objects(there: t.Any, path: str) -> t.Iterator[tuple[str, Object]]:
    """An object and all objects in it."""
    if isinstance(there, dict):
        yield path, there
        for name, value in there.items():
            yield from _objects(value, f"{path}.{_step(name)}")
    for number, value in enumerate(there) if isinstance(there, list) else ():
        yield from _objects(value, f"{path}[{number}]")


def _step(name: t.Any) -> str:
    return printable(name)[:LONGEST_STEP]


def _refuse_name(kind: Kind, shown: str, name: str, known: t.Collection[str]) -> t.NoReturn:
    names = ", ".join(known)
    if name in UNSUPPORTED:
        instead = f"{names}; create the {kind.name} with kubectl for other annotations"
        refuse_shown(shown, "this name", instead, "this module does not support it")
    refuse_shown(shown, "this name", names, "it is not a known annotation of Kueue")


def _places(kind: Kind, objects: Objects, templates: t.Sequence[Template]) -> list[str]:
    """The places where annotations are read."""
    if kind.runtime:
        return [PATCHES]
    placed = [each for each in templates if each.podset != kind.leader] or templates
    paths = [path[1:] for path, there in objects if any(there is each.body for each in placed)]
    return [f"{path}.metadata.annotations" for path in paths[:MOST_PLACES]] or ["metadata.annotations of its Pod templates"]
