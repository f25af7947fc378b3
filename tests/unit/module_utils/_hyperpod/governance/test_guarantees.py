# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Quotas that guarantee more than a cluster has."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.governance.guarantees import (
    amounts_of,
    instances_of,
    measured_types,
    refuse_excess,
)
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.governance.model import Capacity, Found
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.governance.partitions import UNKNOWN

GPU, CPU = "ml.p4d.24xlarge", "ml.m5.large"
FOUR = Capacity({GPU: 4, CPU: 2}, {GPU: {"accelerators": 8}, CPU: {"accelerators": 0}})
LABEL = r"according to label nvidia\.com/mig\.config of its instance groups"
ALL = {"accelerators": 8, "vcpu": 96, "memory_in_gib": 1152.0}
WHOLE = Capacity({GPU: 4, CPU: 2}, {GPU: ALL, CPU: {"accelerators": 0, "vcpu": 2, "memory_in_gib": 8.0}})
UNMEASURED = Capacity({GPU: 4})
SMALL, LARGE = "mig-1g.5gb", "mig-3g.20gb"
THREADS = {"accelerators": 0, "vcpu": 4, "memory_in_gib": 16.0, "threads_per_core": 2}
SINGLE = Capacity({CPU: 4}, {CPU: THREADS}, single_threaded={CPU: 4})
HALF = Capacity({CPU: 4}, {CPU: THREADS}, single_threaded={CPU: 2})
IN_PARTS = {"accelerators": 8, SMALL: 56, LARGE: 16, "mig-7g.40gb": 8}


def settings(*resources: dict[str, t.Any], state: str = "Enabled") -> dict[str, t.Any]:
    named = [{"instance_type": GPU, **each} for each in resources]
    return {"compute_quota_resources": named, "activation_state": state}


def parts(count: int, profile: str = SMALL, **more: t.Any) -> dict[str, t.Any]:
    return {"accelerator_partition": {"type": profile, "count": count}, **more}


def cut(**instances: int) -> Capacity:
    """Four instances, some with their GPUs partitioned into small or large parts, or in an unknown way."""
    names = {"small": SMALL, "large": LARGE, "unknown": UNKNOWN}
    return Capacity({GPU: 4}, {GPU: IN_PARTS}, {GPU: {names[name]: count for name, count in instances.items()}})


def cores(**amounts: float) -> dict[str, t.Any]:
    return {"instance_type": CPU, **amounts}


def other(team: str, *resources: dict[str, t.Any], status: str = "Created", state: str = "Enabled") -> Found:
    return Found(team, team, team, status, team=team, settings=settings(*resources, state=state))


@pytest.mark.parametrize(
    ("capacity", "others", "before", "after"),
    [
        (FOUR, [], {}, settings({"count": 4})),
        (FOUR, [other("a", {"count": 2})], {}, settings({"accelerators": 16})),
        (FOUR, [other("a", {"accelerators": 16})], {}, settings({"count": 2})),
        (FOUR, [other("a", {"count": 2, "accelerators": 16})], {}, settings({"count": 2})),
        (FOUR, [other("a", {"count": 4}, state="Disabled")], {}, settings({"count": 4})),
        (FOUR, [other("a", {"count": 4}, status="CreateFailed")], {}, settings({"count": 4})),
        (FOUR, [other("a", {"count": 4}, status="Deleting")], {}, settings({"count": 4})),
        (FOUR, [other("a", {"count": 4})], {}, settings({"count": 4}, state="Disabled")),
        (FOUR, [other("a", {"count": 4})], settings({"count": 3}), settings({"count": 2})),
        (FOUR, [other("a", {"count": 4})], settings({"count": 2}), settings({"count": 2}, {"instance_type": CPU, "count": 1})),
        (FOUR, [], {}, settings({"vcpu": 1e6, "accelerators": 0}, {"memory_in_gib": 1e6})),
        (FOUR, [], {}, settings({"accelerator_partition": {"type": "mig-1g.5gb", "count": 999}})),
        (UNMEASURED, [other("a", {"accelerators": 900})], {}, settings({"count": 4})),
        (UNMEASURED, [], {}, settings({"accelerators": 900})),
        (FOUR, [], {}, {}),
        (WHOLE, [other("a", {"accelerators": 16})], {}, settings({"accelerators": 16})),
        (WHOLE, [other("a", {"accelerators": 16, "vcpu": 192.0, "memory_in_gib": 2304.0})], {}, settings({"count": 2})),
        (WHOLE, [other("a", {"vcpu": 192.0, "memory_in_gib": 64.0})], {}, settings({"vcpu": 192.0})),
        (WHOLE, [other("a", *[{"vcpu": 0.1}] * 3)], {}, settings({"vcpu": 383.7, "accelerators": 0})),
        (WHOLE, [], settings({"vcpu": 999.0}), settings({"vcpu": 998.0})),
        (WHOLE, [other("a", {"vcpu": 384.0}, state="Disabled")], {}, settings({"count": 4})),
        (WHOLE, [], {}, settings({"accelerators": 8, "accelerator_partition": {"type": "mig-1g.5gb", "count": 999}})),
        (cut(small=1), [other("a", parts(50))], {}, settings(parts(6))),
        (cut(small=1, large=1), [other("a", parts(56)), other("b", {"accelerators": 16})], {}, settings(parts(16, LARGE))),
        (cut(small=1), [other("a", parts(56), state="Disabled")], {}, settings(parts(56))),
        (cut(small=1), [other("a", parts(99))], settings(parts(3)), settings(parts(2))),
        (cut(small=2), [other("a", parts(84))], {}, settings({"count": 2}, {"accelerators": 4})),
        (cut(small=4), [], {}, settings({"count": 4})),
        (cut(small=1), [other("a", parts(16, LARGE))], {}, settings({"count": 3}, parts(1))),
        (cut(small=4), [], {}, settings({"count": 1, **parts(200)}, {"count": 3})),
        (cut(small=1), [other("a", {"accelerators": 24})], {}, settings(parts(56, vcpu=2.0, accelerators=8))),
        (cut(small=1), [], {}, settings(parts(999, "mig-1g.99gb"))),
        (cut(small=1, unknown=1), [], {}, settings(parts(999))),
        (cut(small=1, unknown=3), [other("a", parts(999, LARGE))], {}, settings({"accelerators": 24}, parts(999))),
        (Capacity({GPU: 4}, {GPU: {"accelerators": 8}}, {GPU: {SMALL: 4}}), [], {}, settings(parts(999))),
        (Capacity({GPU: 4}, {}, {GPU: {SMALL: 4}}), [], {}, settings(parts(999))),
        (SINGLE, [], {}, settings(cores(vcpu=8.0))),
        (HALF, [], {}, settings(cores(vcpu=12.0))),
        (SINGLE, [other("a", cores(vcpu=4.0))], {}, settings(cores(count=2))),
        (SINGLE, [other("a", cores(vcpu=4.0))], {}, settings(cores(memory_in_gib=32.0))),
        (SINGLE, [other("a", cores(memory_in_gib=32.0))], {}, settings(cores(vcpu=4.0))),
        (Capacity({CPU: 4}, {CPU: {**THREADS, "threads_per_core": 1}}, single_threaded={CPU: 4}), [], {}, settings(cores(vcpu=16.0))),
    ],
)
def test_quotas_within_the_capacity_are_accepted(capacity: Capacity, others: list[Found], before: dict[str, t.Any], after: dict[str, t.Any]) -> None:
    refuse_excess(capacity, others, before, after)


@pytest.mark.parametrize(
    ("capacity", "others", "before", "after", "sentence"),
    [
        (FOUR, [], {}, settings({"count": 5}), f"'{GPU}: 5 instances' is not allowed: the cluster has 4. Allowed: at most 4 instances"),
        (FOUR, [other("a", {"count": 3})], {}, settings({"count": 2}), r"of other teams guarantee 3 \(a 3\)\. Allowed: at most 1 instances"),
        (FOUR, [other("a", {"count": 9})], {}, settings({"count": 1}), "Allowed: at most 0 instances"),
        (FOUR, [other("a", {"count": 2})], {}, settings({"accelerators": 17}), r"17 accelerators' .*has 32, .* 16 \(a 16\)"),
        (FOUR, [other("a", {"accelerators": 17})], {}, settings({"count": 2}), r"16 accelerators' .*has 32, .* 17 \(a 17\)"),
        (FOUR, [other("a", {"count": 3})], settings({"count": 1}), settings({"count": 2}), "2 instances"),
        (FOUR, [other("a", {"count": 3})], settings({"count": 2}, state="Disabled"), settings({"count": 2}), "2 instances"),
        (FOUR, [], {}, settings({"count": 3}, {"count": 2, "accelerator_partition": {"type": "mig-1g.5gb", "count": 1}}), "5 instances"),
        (FOUR, [], {}, settings({"instance_type": CPU, "accelerators": 1}), "1 accelerators' is not allowed: the cluster has 0"),
        (FOUR, [], {}, settings({"instance_type": "ml.p5.48xlarge", "vcpu": 1}), f"'ml.p5.48xlarge' .*Allowed: {CPU}, {GPU}, or other types"),
        (UNMEASURED, [other("a", {"count": 3})], {}, settings({"count": 2}), "2 instances"),
        (WHOLE, [], {}, settings({"instance_type": CPU, "vcpu": 4.5}), "4.5 vCPUs' is not allowed: the cluster has 4. Allowed: at most 4 vCPUs,"),
        (WHOLE, [], {}, settings({"memory_in_gib": 4609}), "4609 GiB of memory' is not allowed: the cluster has 4608"),
        (WHOLE, [], {}, settings({"accelerators": 1, "vcpu": 400.0}), "400 vCPUs"),
        (WHOLE, [other("a", {"vcpu": 96.0})], {}, settings({"count": 4}), r"384 vCPUs' .*has 384, .* 96 \(a 96\)"),
        (WHOLE, [other("a", {"memory_in_gib": 1152.0})], {}, settings({"accelerators": 25}), r"3600 GiB .*has 4608, .* 1152 \(a 1152\)"),
        (WHOLE, [other("a", {"accelerators": 8, "memory_in_gib": 4000.0})], {}, settings({"count": 1}), r"1152 GiB .* 4000 \(a 4000\)"),
        (
            cut(small=1),
            [other("a", parts(50))],
            {},
            settings(parts(7)),
            rf"7 partitions {SMALL}' .*has 56 {LABEL}, .* 50 \(a 50\)\. Allowed: at most 6 partitions",
        ),
        (cut(small=1), [], {}, settings(parts(1, LARGE)), f"1 partitions {LARGE}' is not allowed: the cluster has 0 {LABEL}. Allowed: at most 0 partitions"),
        (cut(), [], {}, settings(parts(1)), f"has 0 {LABEL}"),
        (cut(large=4), [], {}, settings({"count": 0, **parts(1)}), f"has 0 {LABEL}"),
        (cut(small=1), [], {}, settings(parts(40), parts(17)), f"57 partitions {SMALL}'"),
        (cut(small=1), [], {}, settings({"accelerators": 25}), f"'{GPU}: 25 whole accelerators' is not allowed: the cluster has 24 {LABEL}. Allowed"),
        (cut(small=1, large=1), [other("a", {"accelerators": 16})], {}, settings({"accelerators": 1}), r"1 whole .*has 16 .* 16 \(a 16\)"),
        (cut(small=4), [], {}, settings({"accelerators": 1}), f"has 0 {LABEL}"),
        (cut(small=1, unknown=1), [], {}, settings({"accelerators": 25}), f"has 24 {LABEL}"),
        (cut(small=1), [other("a", {"count": 4})], {}, settings(parts(1)), r"0\.143 accelerators, whole and partitioned' .*has 32, .* 32 \(a 32\)"),
        (cut(small=1), [other("a", parts(28))], {}, settings({"count": 4}), r"32 accelerators, whole and partitioned' .*has 32, .* 4 \(a 4\)"),
        (cut(small=1, large=1), [other("a", parts(56), parts(8, LARGE))], {}, settings({"count": 3}), r"24 acc.*has 32, .* 12 \(a 12\)"),
        (cut(small=1), [other("a", parts(56))], {}, settings({"accelerators": 20}, {"count": 1}), "28 accelerators, whole and partitioned'"),
        (SINGLE, [], {}, settings(cores(vcpu=16.0)), r"16 vCPUs' .*has 8 with threads_per_core 1 \(AWS counts 16\)\. Allowed: at most 8 vCPUs"),
        (HALF, [], {}, settings(cores(vcpu=13.0)), r"has 12 with threads_per_core 1 in some of its groups \(AWS counts 16\)"),
        (SINGLE, [other("a", cores(count=2))], {}, settings(cores(vcpu=5.0)), r"5 vCPUs' .* guarantee 4 \(a 4\)\. Allowed: at most 4 vCPUs"),
        (Capacity(), [], {}, settings({"count": 1}), "Allowed: none, or other types with allow_oversubscription: true"),
    ],
)
def test_excess_quotas_are_refused(capacity: Capacity, others: list[Found], before: dict[str, t.Any], after: dict[str, t.Any], sentence: str) -> None:
    with pytest.raises(Refused, match=sentence) as caught:
        refuse_excess(capacity, others, before, after)
    assert caught.value.option == "compute_quota_resources"
    assert str(caught.value).endswith("with allow_oversubscription: true.")


def test_partitions_are_allowed_up_to_the_known_number() -> None:
    """Exactly this number is allowed, and not one more."""
    labelled = Capacity({GPU: 2}, {GPU: IN_PARTS}, {GPU: {SMALL: 1}})
    for others, most in (([], 56), ([other("a", parts(50))], 6), ([other("a", {"count": 1}, {"accelerators": 4})], 28)):
        refuse_excess(labelled, others, {}, settings(parts(most)))
        with pytest.raises(Refused):
            refuse_excess(labelled, others, {}, settings(parts(most + 1)))


def test_a_flexible_group_may_consist_of_any_of_its_types() -> None:
    assert instances_of([([GPU], 3), ([GPU, CPU], 2), ([CPU], 1), ([CPU], 1)]) == {GPU: 5, CPU: 4}


def test_the_amounts_of_an_instance_are_computed() -> None:
    described = {"gpus": 0, "neuron_devices": 16, "vcpus": 192, "memory_mib": 2097152, "gpu_memory_mib": None, "threads_per_core": None}
    has = amounts_of(described)
    assert {unit: amount for unit, amount in has.items() if amount} == {"accelerators": 16, "vcpu": 192, "memory_in_gib": 2048.0}
    assert amounts_of(dict.fromkeys(described)) == {}
    has = amounts_of({**described, "gpus": 8, "neuron_devices": 0, "gpu_memory_mib": 40960})
    assert {unit: has[unit] for unit in ("accelerators", SMALL, LARGE)} == {"accelerators": 8, SMALL: 56, LARGE: 16}


@pytest.mark.parametrize(
    ("ours", "others", "names"),
    [
        (settings({"count": 1}), [], []),
        (settings({"accelerators": 1}), [], [GPU]),
        (settings({"count": 1}), [other("a", {"accelerators": 1})], [GPU]),
        (settings({"instance_type": CPU, "count": 1}), [other("a", {"accelerators": 1})], []),
        (settings({"count": 1, "accelerators": 8}), [], []),
        (settings({"count": 1}), [other("a", {"vcpu": 1.0})], [GPU]),
        (settings({"memory_in_gib": 1}), [], [GPU]),
        (settings(parts(1)), [], [GPU]),
        (settings({"count": 1}), [other("a", parts(1))], [GPU]),
        (settings({"instance_type": "ml.p5.48xlarge", "accelerators": 1}), [], []),
    ],
)
def test_only_types_with_partial_quotas_are_looked_up(ours: dict[str, t.Any], others: list[Found], names: list[str]) -> None:
    assert measured_types(ours, others, FOUR) == names
