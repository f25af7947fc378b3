# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The changes of Kueue's configuration, and what prevents them."""

from __future__ import annotations

import dataclasses
import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.plan import Change
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.topology_scheduling.model import Desired, Manager, State
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.topology_scheduling.observe import parsed
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.topology_scheduling.plan import plan, written

ON = "a: b\nfeatureGates:\n  Other: true\n"
OFF = "a: b\nfeatureGates:\n  Other: true\n  TASProfileMixed: false\n  TopologyAwareScheduling: false\n"
MANAGER = Manager((0, 15, 0), "kueue:v0.15.0", False, "config.yaml", ON, {"Other": True}, resource_version="7")
KUEUE = "Kueue's manager"
RESTARTED = Change("update", KUEUE, "restarted", None, "Kueue 0.15.0")


def manager(**more: t.Any) -> Manager:
    return dataclasses.replace(MANAGER, **more)


def gate(name: str, before: bool | None, after: bool | None) -> Change:
    return Change("update", KUEUE, f"feature gate {name}", before, after)


def test_gates_are_written_before_the_restart() -> None:
    made = plan(Desired(on=False), State(MANAGER))
    write, restart = made.steps
    assert (write.operation, restart.operation) == ("PATCH", "restart")
    assert write.changes == (gate("TASProfileMixed", None, False), gate("TopologyAwareScheduling", None, False))
    assert restart.changes == (RESTARTED,)
    assert write.arguments == {"text": OFF, "before": ON, "version": "7"} and restart.arguments == {"text": OFF, "before": ON}
    after = made.predicted.manager
    assert (after.text, after.gates["TopologyAwareScheduling"], after.gates["Other"]) == (OFF, False, True)


def test_a_gate_is_removed_when_it_is_switched_on() -> None:
    gates = {"Other": True, "TASProfileMixed": False, "TopologyAwareScheduling": False}
    made = plan(Desired(on=True), State(manager(text=OFF, gates=gates)))
    changed = {change.field for change in made.changes if change.field != "restarted"}
    after = made.predicted.manager
    assert changed == {"feature gate TASProfileMixed", "feature gate TopologyAwareScheduling"}
    assert (after.text, after.gates) == (written(OFF, after.gates), after.gates) and parsed(after.text)["a"] == "b"


@pytest.mark.parametrize("text", ["{a: b, featureGates: {Other: true}}", "a: b\nfeatureGates: {Other: true,\n  X: true}\n", "a: b\n"])
def test_other_settings_are_kept_however_the_file_is_written(text: str) -> None:
    assert parsed(written(text, {"X": False})) == {"a": "b", "featureGates": {"X": False}}
    assert parsed(written(text, {})) == {"a": "b"}


@pytest.mark.parametrize(("more", "before"), [({"behind": True}, ON), ({"before": "older"}, "older")])
def test_a_change_that_the_manager_has_not_read_is_completed(more: dict[str, t.Any], before: str) -> None:
    made = plan(Desired(on=True), State(manager(**more)))
    (step,) = made.steps
    assert (step.operation, step.changes, step.arguments) == ("restart", (RESTARTED,), {"text": ON, "before": before})
    assert made.predicted.manager.text == ON


@pytest.mark.parametrize("state", [State(MANAGER), State(manager(not_up="0 of 1 pods are new"))])
def test_correct_gates_need_no_change(state: State) -> None:
    made = plan(Desired(on=True), state)
    assert not made and made.predicted == state
    assert not plan(Desired(on=False), State())


@pytest.mark.parametrize(
    ("desired", "state", "message"),
    [
        (Desired(on=True), State(), "Kueue, which schedules by topology, is not installed."),
        (Desired(on=True), State(manager(behind=True), ("a", "b")), r"Karpenter does not support topology-aware scheduling, but NodePools exist \(a, b\)"),
        (Desired(on=False), State(manager(by_argument=True)), "is started with --feature-gates"),
        (Desired(on=False), State(manager(key="")), "has no configuration of Kueue"),
        (Desired(on=False), State(manager(not_up="0 of 1 available")), "is not ready, even before the change: 0 of 1 available"),
        (Desired(on=False), State(manager(version=None)), "kueue_version: missing, and image kueue:v0.15.0 shows neither"),
    ],
)
def test_impossible_changes_are_refused(desired: Desired, state: State, message: str) -> None:
    with pytest.raises(Refused, match=message) as refused:
        plan(desired, state)
    assert refused.value.option == ("kueue_version" if message.startswith("kueue_version") else "")


@pytest.mark.parametrize("state", [State(MANAGER, ("a",)), State(manager(not_up="x", before="older"))])
def test_switching_off_is_not_refused(state: State) -> None:
    assert plan(Desired(on=False), state)


def test_a_declared_release_overrides_the_image_tag() -> None:
    restart = plan(Desired(on=False, version=(0, 12, 0)), State(manager(version=None))).steps[-1]
    assert restart.changes[0].after == "Kueue 0.12.0"
