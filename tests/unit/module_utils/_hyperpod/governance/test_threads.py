# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The vCPUs that remain if instance groups disable the second thread of each core."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.governance.threads import (
    single_threaded,
    with_threads,
)

CPU, GPU = "ml.m5.xlarge", "ml.p5.48xlarge"
HAS = {"vcpu": 4, "memory_in_gib": 16.0, "threads_per_core": 2}


@pytest.mark.parametrize(
    ("groups", "found"),
    [
        ([([CPU], 4, 1)], {CPU: 4}),
        ([([CPU], 4, 2)], {}),
        ([([CPU], 4, None)], {}),
        ([([CPU], 4, 1), ([CPU], 3, 2)], {CPU: 4}),
        ([([CPU, GPU], 2, 1), ([CPU], 1, 1)], {CPU: 3, GPU: 2}),
    ],
)
def test_instances_with_one_thread_per_core_are_counted_by_type(groups: t.Any, found: dict[str, int]) -> None:
    assert single_threaded(groups) == found


@pytest.mark.parametrize(
    ("has", "single", "instances", "vcpu"),
    [
        (HAS, 4, 4, 2.0),
        (HAS, 2, 4, 3.0),
        (HAS, 0, 4, 4.0),
        ({**HAS, "threads_per_core": 1}, 4, 4, 4.0),
        ({"vcpu": 4}, 4, 4, 4.0),
        (HAS, 0, 0, 4.0),
    ],
)
def test_only_a_type_with_two_threads_loses_half_of_its_vcpus(has: t.Any, single: int, instances: int, vcpu: float) -> None:
    found = with_threads(has, single, instances)
    assert found["vcpu"] == vcpu and found.keys() == has.keys()


def test_a_type_without_known_vcpus_has_none() -> None:
    assert with_threads({"accelerators": 8}, 1, 1) == {"accelerators": 8}
