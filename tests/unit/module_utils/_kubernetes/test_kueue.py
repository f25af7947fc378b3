# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether Kueue uses topology-aware scheduling."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes import kueue

OFF, ON = "featureGates: {TopologyAwareScheduling: false}\n", "featureGates:\n  TopologyAwareScheduling: true\n"


def there(image: str, *, args: t.Sequence[str] = (), file: str | None = None) -> dict[str, t.Any]:
    container = {"image": f"registry:5000/kueue:{image}", "args": list(args)}
    made: dict[str, t.Any] = {kueue.MANAGER: {"spec": {"template": {"spec": {"containers": [container]}}}}}
    if file is not None:
        made[kueue.FILE] = {"data": {"controller_manager_config.yaml": file}}
    return made


@pytest.mark.parametrize(
    ("paths", "on", "why"),
    [
        ({}, False, "Kueue is not installed"),
        (there("v0.12.3"), False, "feature gate TopologyAwareScheduling is off by default"),
        (there("v0.14.0-eksbuild.1"), True, "feature gate TopologyAwareScheduling is on by default"),
        (there("v1.3.1-eksbuild.2"), False, "feature gate TopologyAwareScheduling is off"),
        (there("v1.6.1-eksbuild.1"), True, "feature gate TopologyAwareScheduling is on"),
        (there("v0.19.2", file="integrations: {}\n"), True, "feature gate TopologyAwareScheduling is on by default"),
        (there("v0.19.2", file=OFF), False, "feature gate TopologyAwareScheduling is false"),
        (there("v0.12.3", file=ON), True, "feature gate TopologyAwareScheduling is true"),
        (there("v0.19.2", args=["--feature-gates=A=true,TopologyAwareScheduling=false"], file=ON), False, "feature gate"),
        (there("v0.19.2", file="{not: [yaml"), True, "feature gate TopologyAwareScheduling is on by default in Kueue v0.19.2"),
        (there("v0.19.2", file="- a list\n"), True, "feature gate TopologyAwareScheduling is on by default in Kueue v0.19.2"),
        (there("main"), True, "image tag main shows no known release of Kueue, so TopologyAwareScheduling is assumed to be on"),
        (there("v1.7.0-eksbuild.1"), True, "image tag v1.7.0-eksbuild.1 shows no known release of Kueue"),
        (there("v1.7.0-eksbuild.1", file=OFF), False, "feature gate TopologyAwareScheduling is false"),
        (there("v0.12.3@sha256:0a1b"), False, "feature gate TopologyAwareScheduling is off"),
    ],
)
def test_topology_awareness_is_derived_from_release_and_configuration(paths: dict[str, t.Any], on: bool, why: str) -> None:
    found = kueue.topology_aware(paths.get)
    assert found.on is on and found.why.startswith(why)


def at(path: dict[str, t.Any], *, written: str, manager: str = "eks", started: str = "2026-11-26T10:00:00Z") -> dict[str, t.Any]:
    """The file was written then, and the manager was started at ``started``."""
    entry = {"manager": manager, "time": written, "fieldsV1": {"f:data": {}}}
    older = {"manager": "helm", "time": "2026-11-26T11:00:00Z", "fieldsV1": {"f:metadata": {}}}
    file = {**path[kueue.FILE], "metadata": {"managedFields": [older, entry]}}
    conditions = [{"type": "Available", "lastUpdateTime": "2026-11-26T09:00:00Z"}, {"type": "Progressing", "lastUpdateTime": started}]
    return {kueue.MANAGER: {**path[kueue.MANAGER], "status": {"conditions": conditions}}, kueue.FILE: file}


def test_a_file_that_the_manager_has_not_read_has_no_effect() -> None:
    """The manager reads it at its start; an add-on may write it without a restart."""
    off = there("v0.19.2", file=OFF)
    late, early = "2026-11-26T10:00:01Z", "2026-11-26T10:00:00Z"
    assert kueue.topology_aware(at(off, written=late).get).why.endswith("and has not read a change of the file yet")
    assert kueue.topology_aware(at(off, written=late).get).on
    assert not kueue.topology_aware(at(off, written=early).get).on
    assert not kueue.topology_aware(at(off, written=late, manager="mlfleet.hyperpod").get).on, "our own writes are recognised by their note"
    by_argument = there("v0.19.2", args=["--feature-gates=TopologyAwareScheduling=false"], file=ON)
    assert not kueue.topology_aware(at(by_argument, written=late).get).on
    begun = {**off, kueue.FILE: {**off[kueue.FILE], "metadata": {"annotations": {kueue.BEFORE: "a"}}}}
    assert kueue.topology_aware(begun.get).on
