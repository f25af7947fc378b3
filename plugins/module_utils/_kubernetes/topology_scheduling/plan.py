# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The changes of the file of Kueue's manager. No I/O."""

from __future__ import annotations

import dataclasses
import re
import typing as t

try:
    import yaml
except ImportError:  # the package kubernetes brings it
    pass

from ..._core.failure import Refused
from ..._core.plan import Change, Plan, Step
from ..kueue import FILE
from ..kueue_gates import ADD_ON, Version, version_text, wanted
from .model import Desired, Manager, State
from .observe import parsed

WRITE, RESTART = "PATCH", "restart"
RESOURCE = "Kueue's manager"
BLOCK = re.compile(r"^featureGates:[^\n]*\n(?:(?:[ \t][^\n]*)?\n)*", re.M)


def plan(desired: Desired, state: State) -> Plan:
    """:raises Refused: if a change is needed but would have no effect or would not be safe."""
    manager = state.manager
    if manager is None:
        return _without_kueue(desired, state)
    version = version_of(desired, manager)
    gates = wanted(desired.on, version, manager.gates)
    differing = gates != dict(manager.gates)
    if not differing and not manager.behind and manager.before is None:
        return Plan(predicted=state)
    _check(desired, state, manager, differing=differing)
    before = manager.text if manager.before is None else manager.before
    after = dataclasses.replace(manager, gates=gates, text=written(manager.text, gates) if differing else manager.text, not_up="")
    steps = []
    if differing:
        changes = tuple(
            Change("update", RESOURCE, f"feature gate {name}", manager.gates.get(name), gates.get(name))
            for name in sorted({*gates, *manager.gates})
            if gates.get(name) != manager.gates.get(name)
        )
        steps.append(Step(WRITE, {"text": after.text, "before": before, "version": manager.resource_version}, changes))
    started = Change("update", RESOURCE, "restarted", None, f"Kueue {version_text(version)}")
    steps.append(Step(RESTART, {"text": after.text, "before": before}, (started,)))
    return Plan(tuple(steps), predicted=dataclasses.replace(state, manager=after))


def version_of(desired: Desired, manager: Manager) -> Version:
    """:raises Refused: if the release is unknown."""
    found = desired.version or manager.version
    if found is None:
        known = ", ".join(f"v{major}.{minor}" for major, minor in ADD_ON)
        raise Refused(
            f"kueue_version: missing, and image {manager.image} shows neither a release of Kueue nor a known release "
            f"of the add-on ({known}). Feature gates depend on the release. Allowed: the release of Kueue, such as 0.19.2.",
            option="kueue_version",
        )
    return found


def written(text: str, gates: t.Mapping[str, bool]) -> str:
    """The file with these gates; all other lines stay unchanged if YAML allows it."""
    block = yaml.safe_dump({"featureGates": dict(gates)}, sort_keys=True) if gates else ""
    rest = BLOCK.sub("", text)
    made = f"{rest.rstrip()}\n{block}"
    expected = {name: value for name, value in parsed(text).items() if name != "featureGates"}
    if gates:
        expected["featureGates"] = dict(gates)
    return made if parsed(made) == expected else str(yaml.safe_dump(expected, sort_keys=False))


def _without_kueue(desired: Desired, state: State) -> Plan:
    if desired.on:
        raise Refused(
            "Kueue, which schedules by topology, is not installed. Install the add-on amazon-sagemaker-hyperpod-taskgovernance."
        )
    return Plan(predicted=state)


def _check(desired: Desired, state: State, manager: Manager, *, differing: bool) -> None:
    if desired.on and state.node_pools:
        pools = ", ".join(state.node_pools)
        raise Refused(
            f"Karpenter does not support topology-aware scheduling, but NodePools exist ({pools}). Remove the NodePools first."
        )
    if manager.by_argument:
        raise Refused(
            f"{RESOURCE} is started with --feature-gates, so it ignores the gates in its file. Change this argument in the "
            "values or manifests of the Kueue installation."
        )
    if not manager.key:
        raise Refused(f"{FILE} has no configuration of Kueue. Check that Kueue was installed by HyperPod's add-on.")
    if differing and manager.before is None and manager.not_up:
        raise Refused(f"{RESOURCE} is not ready, even before the change: {manager.not_up}. Repair it first.")
