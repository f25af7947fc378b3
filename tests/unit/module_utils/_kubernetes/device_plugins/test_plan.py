# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""From the observed to the desired plugins."""

from __future__ import annotations

import dataclasses
import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.plan import Plan
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.device_plugins.known import PLUGINS, instance_types
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.device_plugins.manifest import bare, daemon_set
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.device_plugins.model import (
    DAEMON_SET,
    IMAGE,
    Desired,
    Machine,
    Provider,
    State,
)
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.device_plugins.plan import plan
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.objects.model import Found, Kind

from .cluster import OTHER_TYPE, TYPE, Object
from .wanted import desired

KIND = Kind("daemonsets", namespaced=True)
ALL = Provider(DAEMON_SET, "gpu-operator/plugin")
NVIDIA, EFA = "DaemonSet kube-system/mlfleet-nvidia-device-plugin", "DaemonSet kube-system/mlfleet-efa-device-plugin"


def state(*providers: Provider, key: str = "nvidia", live: t.Mapping[str, Object] | None = None, machines: t.Sequence[Machine] = ()) -> State:
    ours = {each.key: Found(bare(each), KIND, (live or {}).get(each.key)) for each in PLUGINS}
    return State(ours, {key: providers}, tuple(machines))


def made(wanted: Desired, *keys: str) -> dict[str, Object]:
    """Our DaemonSets as a plan creates them."""
    found = {each.plugin.key: daemon_set(each.plugin, each.image, each.instance_types, wanted.tolerations).definition for each in wanted.wanted}
    return {key: found[key] for key in keys or found}


def changes(found: Plan) -> list[tuple[str, str, str | None]]:
    return [(each.action, each.resource, each.field) for each in found.changes]


def types_after(found: Plan, before: State, key: str = "nvidia") -> t.Any:
    live = found.after(before).ours[key].live
    return live and instance_types(live)


def test_both_plugins_are_created_once() -> None:
    before = state()
    found = plan(desired(), before)
    assert changes(found) == [("create", NVIDIA, None), ("create", EFA, None)]
    after = found.after(before)
    assert plan(desired(), after).steps == () and types_after(found, before, "efa") == {TYPE}


def test_a_changed_image_and_type_are_applied() -> None:
    before = state(live=made(desired()))
    found = plan(desired(gpu_instance_types=[OTHER_TYPE, TYPE], nvidia_image="a/b:v1"), before)
    assert {each[:2] for each in changes(found)} == {("update", NVIDIA)} and len(found.steps) == 1
    assert types_after(found, before) == {OTHER_TYPE, TYPE}


def test_an_empty_list_removes_and_an_omitted_one_leaves_alone() -> None:
    before = state(live=made(desired()))
    found = plan(desired(gpu_instance_types=[], efa_instance_types=None), before)
    assert changes(found) == [("delete", NVIDIA, None)] and types_after(found, before) is None


def test_absent_removes_only_ours() -> None:
    live = made(desired())
    live["efa"]["metadata"]["labels"] = {}
    assert changes(plan(desired(state="absent"), state(ALL, live=live))) == [("delete", NVIDIA, None)]


@pytest.mark.parametrize(
    ("provider", "types"),
    [
        (ALL, None),
        (Provider(DAEMON_SET, "x/y", frozenset((TYPE,))), {OTHER_TYPE}),
        (Provider(DAEMON_SET, "x/y", frozenset((f"ml.{TYPE}",))), {OTHER_TYPE, TYPE}),
        (Provider(DAEMON_SET, "x/y", frozenset((TYPE, OTHER_TYPE))), None),
    ],
)
def test_types_of_another_provider_are_left_out(provider: Provider, types: t.Any) -> None:
    before = state(provider)
    found = plan(desired(gpu_instance_types=[OTHER_TYPE, TYPE]), before)
    assert types_after(found, before) == types and types_after(found, before, "efa") == {TYPE}


def test_two_providers_on_a_node_are_refused() -> None:
    before = state(ALL, live=made(desired()))
    with pytest.raises(Refused) as refused:
        plan(desired(), before)
    assert str(refused.value) == (
        f"Both {NVIDIA} and the DaemonSet gpu-operator/plugin offer nvidia.com/gpu on nodes of p5.48xlarge. "
        "Remove these types from gpu_instance_types, or uninstall the other provider."
    )
    assert changes(plan(desired(gpu_instance_types=[]), before)) == [("delete", NVIDIA, None)]


def test_another_provider_of_new_types_is_no_conflict() -> None:
    before = state(Provider(DAEMON_SET, "x/y", frozenset((OTHER_TYPE,))), live=made(desired()))
    assert plan(desired(gpu_instance_types=[OTHER_TYPE, TYPE]), before).steps == ()


def test_our_plugin_that_is_being_deleted_is_no_conflict() -> None:
    live = made(desired())
    live["nvidia"]["metadata"]["deletionTimestamp"] = "2026-11-29T03:00:00Z"
    assert plan(desired(), state(ALL, live=live)).steps == ()


def test_a_foreign_daemon_set_with_our_name_is_refused() -> None:
    live = made(desired())
    live["nvidia"]["metadata"]["labels"] = {}
    with pytest.raises(Refused, match=f"^{NVIDIA} exists without the label app.kubernetes.io/managed-by=mlfleet.hyperpod. Delete it, or"):
        plan(desired(), state(live=live))


ROCKET = Provider(IMAGE, "Bottlerocket", frozenset((TYPE,)))
MIXED = (Machine("a", TYPE, bottlerocket=True), Machine("b", TYPE))


def test_nodes_with_bottlerocket_need_no_plugin_of_nvidia() -> None:
    before = state(ROCKET, machines=(MIXED[0], Machine("c", OTHER_TYPE)))
    found = plan(desired(gpu_instance_types=[OTHER_TYPE, TYPE]), before)
    assert types_after(found, before) == {OTHER_TYPE}


def test_a_type_with_two_systems_is_refused() -> None:
    with pytest.raises(Refused, match="^gpu_instance_types: nodes of p5.48xlarge run both Bottlerocket, .* another system \\(node b\\)") as refused:
        plan(desired(), state(ROCKET, machines=MIXED))
    assert refused.value.option == "gpu_instance_types"


def test_two_systems_with_another_provider_are_not_refused() -> None:
    assert changes(plan(desired(), state(ROCKET, ALL, machines=MIXED))) == [("create", EFA, None)]


def test_the_plan_changes_nothing_in_the_state() -> None:
    before = state(live=made(desired()))
    copy = dataclasses.replace(before)
    plan(desired(gpu_instance_types=[]), before).after(before)
    assert before == copy and before.ours["nvidia"].live is not None
