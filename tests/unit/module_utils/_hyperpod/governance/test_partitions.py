# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The partitions of a GPU."""

from __future__ import annotations

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.governance.fields import MIG
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.governance.partitions import (
    UNKNOWN,
    cut_of,
    parts_of,
    parts_of_instance,
)

P4, P5, M5 = "ml.p4d.24xlarge", "ml.p5.48xlarge", "ml.m5.large"
GPUS = {
    "A100 40GB": (40960, {"1g.5gb": 7, "1g.10gb": 4, "2g.10gb": 3, "3g.20gb": 2, "4g.20gb": 1, "7g.40gb": 1}),
    "A100 80GB and H100": (81920, {"1g.10gb": 7, "1g.20gb": 4, "2g.20gb": 3, "3g.40gb": 2, "4g.40gb": 1, "7g.80gb": 1}),
    "H200": (144384, {"1g.18gb": 7, "1g.35gb": 4, "2g.35gb": 3, "3g.71gb": 2, "4g.71gb": 1, "7g.141gb": 1}),
    "B200": (183359, {"1g.23gb": 7, "1g.45gb": 4, "2g.45gb": 3, "3g.90gb": 2, "4g.90gb": 1, "7g.180gb": 1}),
    "GB200": (189440, {"1g.23gb": 7, "1g.47gb": 4, "2g.47gb": 3, "3g.93gb": 2, "4g.93gb": 1, "7g.186gb": 1}),
}
"""By the GPU: the memory that EC2 reports, and HyperPod's profiles for it with NVIDIA's number of partitions."""


@pytest.mark.parametrize(("memory", "profiles"), GPUS.values(), ids=GPUS)
def test_partitions_of_a_gpu_match_the_table_of_nvidia(memory: int, profiles: dict[str, int]) -> None:
    assert {name: parts_of(f"mig-{name}", memory) for name in profiles} == profiles
    assert parts_of_instance(8, memory).items() >= {f"mig-{name}": 8 * parts for name, parts in profiles.items()}.items()


def test_each_profile_belongs_to_a_gpu() -> None:
    assert {f"mig-{name}" for _memory, profiles in GPUS.values() for name in profiles} == set(MIG)


def test_without_the_memory_size_partitions_that_depend_on_it_are_unknown() -> None:
    assert (parts_of("mig-1g.10gb", None), parts_of("mig-2g.10gb", None)) == (None, 3)
    without_memory = parts_of_instance(8, None)
    assert without_memory["mig-7g.80gb"] == 8 and not any(name.startswith("mig-1g.") for name in without_memory)
    assert parts_of_instance(None, 40960) == {}
    assert set(parts_of_instance(0, 40960).values()) == {0}


@pytest.mark.parametrize(
    ("config", "profile"),
    [
        ("all-1g.5gb", "mig-1g.5gb"),
        ("all-7g.141gb", "mig-7g.141gb"),
        ("all-balanced", UNKNOWN),
        ("all-enabled", UNKNOWN),
        ("all-1g.5gb.me", UNKNOWN),
        ("all-1g.99gb", UNKNOWN),
        ("mixed-3-1g.5gb-1-4g.20gb", UNKNOWN),
        ("mig-1g.5gb", UNKNOWN),
        ("1g.5gb", UNKNOWN),
        ("ALL-1g.5gb", UNKNOWN),
    ],
)
def test_a_label_determines_the_profile(config: str, profile: str) -> None:
    assert cut_of([([P4], 2, config)]) == {P4: {profile: 2}}


def test_whole_gpus_and_empty_groups_are_not_partitioned() -> None:
    assert cut_of([([P4], 2, ""), ([P4], 2, "all-disabled"), ([P4], 0, "all-1g.5gb"), ([P4], 0, "other")]) == {}


def test_groups_of_a_type_are_summed_and_a_flexible_one_counts_for_each_type() -> None:
    groups = [([P4], 2, "all-1g.5gb"), ([P4, P5], 3, "all-1g.5gb"), ([P4], 1, "all-3g.20gb"), ([P5], 1, "odd"), ([M5], 4, "")]
    assert cut_of(groups) == {P4: {"mig-1g.5gb": 5, "mig-3g.20gb": 1}, P5: {"mig-1g.5gb": 3, UNKNOWN: 1}}
