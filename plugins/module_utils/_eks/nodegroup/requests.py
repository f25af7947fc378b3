# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Parameters of the requests that change a node group."""

from __future__ import annotations

import typing as t

from ..._core.settings import Values, request
from .model import Desired, Nodegroup
from .table import REPAIR, SCALING, TAINTS, UPDATES

Parameters = dict[str, t.Any]


def configuration(have: Values, want: Values) -> Parameters:
    """Parameters of UpdateNodegroupConfig: the differences in numbers, labels and taints, and other structures that differ."""
    whole = tuple(setting for setting in (UPDATES, REPAIR) if have.get(setting.option) != want.get(setting.option))
    parts = {
        SCALING.api: _scaling(have.get("scaling") or {}, want.get("scaling") or {}),
        "labels": _labels(have["labels"], want["labels"]),
        "taints": _taints(have["taints"], want["taints"]),
    }
    return {**{name: value for name, value in parts.items() if value}, **request(whole, want)}


def versions(desired: Desired, group: Nodegroup, want: Values) -> Parameters:
    """Parameters of UpdateNodegroupVersion.

    Unchanged versions are sent as well, because EKS would upgrade omitted ones: the Kubernetes version to the version of the
    cluster, and the AMI to the newest release.
    """
    parameters: Parameters = {}
    if not group.has_own_ami:
        parameters["version"] = want.get("version")
        if "release_version" in desired.settings or want.get("version") == group.settings.get("version"):
            parameters["releaseVersion"] = want.get("release_version")
    if group.template:
        template = want["launch_template"]
        identity = "id" if "id" in template else "name"  # EKS accepts only one of them
        parameters["launchTemplate"] = {identity: template[identity], "version": template.get("version")}
    if desired.force_update:
        parameters["force"] = True
    return {name: value for name, value in parameters.items() if value is not None}


def _scaling(have: Values, want: Values) -> Parameters:
    """Only the numbers that differ, so that the call does not undo a concurrent change by an autoscaler."""
    parts = tuple(each for each in SCALING.parts if have.get(each.option) != want.get(each.option))
    return request(parts, want)


def _labels(have: t.Mapping[str, str], want: t.Mapping[str, str]) -> Parameters:
    changed = {key: value for key, value in want.items() if have.get(key) != value}
    removed = [key for key in have if key not in want]
    return _payload("Labels", changed, removed)


def _taints(have: t.Sequence[Values], want: t.Sequence[Values]) -> Parameters:
    """A taint is identified by its key and its effect."""
    kept = [_identity(each) for each in want]
    changed = [request(TAINTS.parts, each) for each in want if each not in have]
    removed = [request(TAINTS.parts, each) for each in have if _identity(each) not in kept]
    return _payload("Taints", changed, removed)


def _identity(taint: Values) -> tuple[str, str]:
    return taint["key"], taint["effect"]


def _payload(kind: str, changed: t.Any, removed: t.Any) -> Parameters:
    return {**({f"addOrUpdate{kind}": changed} if changed else {}), **({f"remove{kind}": removed} if removed else {})}
