# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A Pod Security level for namespaces: a dry run first, for the API server's warnings, then the label."""

from __future__ import annotations

import typing as t

import pytest
from ansible.module_utils.common.arg_spec import ArgumentSpecValidator
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Failure, Refused
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.plan import Change
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes import pod_security
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.client import KubernetesError
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.pod_security import Desired, Found, State

from .._karpenter.proof.api_server import Server
from .namespaces import ENFORCE, Namespaces

VIOLATIONS = (
    'existing pods in namespace \\"a\\" violate the new PodSecurity enforce level \\"baseline:latest\\"',
    "train-0: privileged, hostPath volumes",
)
"""In the form of the API server's header, with escaped quotation marks."""
SHOWN = ('existing pods in namespace "a" violate the new PodSecurity enforce level "baseline:latest"', VIOLATIONS[1])


def desired(*names: str, level: str = "baseline") -> Desired:
    return Desired(names or ("a",), level)


def change(name: str, before: str | None, after: str) -> Change:
    return Change("update", f"Namespace {name}", f"metadata.labels.{ENFORCE}", before, after)


@pytest.mark.parametrize(
    ("found", "changes"),
    [
        (Found("a", None), [change("a", None, "baseline")]),
        (Found("a", "privileged"), [change("a", "privileged", "baseline")]),
        (Found("a", "baseline"), []),
        (Found("a", None, exists=False), []),
    ],
)
def test_only_namespaces_below_the_level_change(found: Found, changes: list[Change]) -> None:
    plan = pod_security.plan(desired(), State((found,)))
    assert [each for step in plan.steps for each in step.changes] == changes
    (after,) = plan.after(State((found,))).found
    assert after.level == ("baseline" if found.exists else None)


@pytest.mark.parametrize(
    ("found", "wanted", "kept"),
    [
        ("restricted", "baseline", True),
        ("restricted", "privileged", True),
        ("baseline", "privileged", True),
        ("baseline", "baseline", False),
        ("baseline", "restricted", False),
        (None, "privileged", False),
    ],
)
def test_a_stricter_level_is_kept_and_reported(found: str | None, wanted: str, kept: bool) -> None:
    world = Namespaces(a=found)
    with Server(world) as kubernetes:
        state = pod_security.Observer(kubernetes, desired(level=wanted), check_mode=False)()
    made = pod_security.plan(desired(level=wanted), state)
    note = f"Namespace a keeps the level {found}, which is stricter than {wanted}."
    assert made.notes == ((note,) if kept else ())
    assert bool(made) == (found != wanted and not kept)
    (row,) = pod_security.result(made.after(state))["namespaces"]
    assert (row["level"], row["stricter"]) == (found if kept else wanted, kept)
    assert bool(world.tried) == bool(made)


@pytest.mark.parametrize("level", ["high", "Baseline", "\x1b[2J"])
def test_an_unknown_level_is_refused_before_any_change(level: str) -> None:
    world = Namespaces(a=None, b=level)
    for check_mode in (True, False):
        with Server(world) as kubernetes, pytest.raises(Refused) as refused:
            pod_security.Observer(kubernetes, desired("a", "b"), check_mode=check_mode)()
        message = str(refused.value)
        assert message.startswith("namespaces: 'b' is not allowed: its label pod-security.kubernetes.io/enforce is ") and message.isprintable()
        assert message.endswith(". Allowed: namespaces with the level privileged, baseline or restricted, or without one.")
    assert (world.tried, world.changes) == ([], [])


def test_a_dry_run_comes_first_and_its_warnings_are_returned() -> None:
    world = Namespaces({"a": VIOLATIONS}, a=None, b="baseline", c=None)
    wanted = desired("a", "b", "c", "d")
    with Server(world) as kubernetes:
        observer = pod_security.Observer(kubernetes, wanted, check_mode=True)
        state = observer()
        assert (world.tried, world.changes) == (["a", "c"], [])
        assert [(each.name, each.exists, each.level, each.warnings) for each in state.found] == [
            ("a", True, None, SHOWN),
            ("b", True, "baseline", ()),
            ("c", True, None, ()),
            ("d", False, None, ()),
        ]
        for step in pod_security.plan(wanted, state).steps:
            pod_security.Applier(kubernetes)(step)
        assert [world.level(name) for name in "abc"] == ["baseline"] * 3 and world.there["a"]["metadata"]["labels"]["team"] == "ml"
        assert world.changes == [("PATCH", f"/api/v1/namespaces/{name}") for name in "ac"]
        after = observer()
    assert after.found[0].warnings == SHOWN and world.tried == ["a", "c"], "the warnings of the dry run are kept"
    (first, *_others) = pod_security.result(after)["namespaces"]
    assert first == {"name": "a", "exists": True, "level": "baseline", "stricter": False, "warnings": list(SHOWN)}


def test_a_namespace_that_does_not_exist_is_refused_unless_in_check_mode() -> None:
    with Server(Namespaces(a=None)) as kubernetes:
        assert not pod_security.Observer(kubernetes, desired("d"), check_mode=True)().found[0].exists
        with pytest.raises(Failure, match="Namespace d does not exist."):
            pod_security.Observer(kubernetes, desired("a", "d"), check_mode=False)()


def test_a_refused_label_changes_nothing() -> None:
    world = Namespaces(a=None, b=None)
    world.refused["b"] = 403
    with Server(world) as kubernetes, pytest.raises(KubernetesError, match="403"):
        pod_security.Observer(kubernetes, desired("a", "b"), check_mode=False)()
    assert world.changes == []


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"namespaces": ["A"]}, "namespaces: 'A' is not allowed"),
        ({"namespaces": ["a", "a"]}, "namespaces"),
        ({"namespaces": []}, "namespaces: missing"),
    ],
)
def test_invalid_options_are_refused(given: dict[str, t.Any], message: str) -> None:
    with pytest.raises(Refused, match=message):
        pod_security.desired({"level": "baseline", **given})


def test_messages_of_the_api_server_are_printable_and_limited() -> None:
    world = Namespaces({"a": [f"pod-{number}: \x1b[2J" for number in range(60)]}, a=None)
    with Server(world) as kubernetes:
        (found,) = pod_security.Observer(kubernetes, desired(), check_mode=True)().found
    assert len(found.warnings) == pod_security.MOST and "\x1b" not in "".join(found.warnings)


class Recorded:
    """Records what is sent to the API server."""

    def __init__(self) -> None:
        self.patches: list[tuple[str, t.Any]] = []

    def merge(self, path: str, patch: t.Any) -> None:
        self.patches.append((path, patch))


def test_the_label_is_set_with_our_field_manager() -> None:
    server = Recorded()
    (step,) = pod_security.plan(desired(), State((Found("a", None),))).steps
    pod_security.Applier(t.cast(t.Any, server))(step)
    patch = {"metadata": {"labels": {"pod-security.kubernetes.io/enforce": "baseline"}}}
    assert server.patches == [("/api/v1/namespaces/a?fieldManager=mlfleet.hyperpod", patch)]


def test_both_options_are_required() -> None:
    checked = ArgumentSpecValidator(pod_security.SPEC).validate({})
    assert checked.error_messages == ["missing required arguments: level, namespaces"]
