# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How many nodes of a partition are drained for their accelerators at once."""

from __future__ import annotations

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.hooks.program import brake
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.hooks.program.brake import Member

OURS = "mlfleet.hyperpod: accelerators: unfit-reboot: gpu-missing"


def partition(size: int, *drained: int, reason: str = OURS, state: str = "drained", name: str = "gpu") -> list[Member]:
    """A partition with the nodes n000, n001 and so on."""
    return [
        Member(f"n{number:03}", name, state if number in drained else "idle", reason if number in drained else "")
        for number in range(size)
    ]


@pytest.mark.parametrize(
    ("size", "most"), [(1, 1), (2, 1), (4, 1), (5, 1), (9, 1), (10, 2), (14, 2), (15, 3), (99, 19), (100, 20), (1000, 200)]
)
def test_one_node_or_a_fifth_of_the_partition_may_be_drained(size: int, most: int) -> None:
    own = f"n{size - 1:03}"
    assert not brake.held(partition(size, *range(most - 1)), own)
    assert bool(brake.held(partition(size, *range(most)), own)) == (size > 1)


@pytest.mark.parametrize(
    ("others", "held"),
    [
        (partition(5, 1), True),
        (partition(5, 1, state="draining"), True),
        (partition(5, 1, reason="mlfleet.hyperpod: accelerators: unfit-replace: gpu-lost"), True),
        (partition(5, 1, state="idle"), False),
        (partition(5, 1, state="mixed"), False),
        (partition(5, 1, reason="Action:Replace"), False),
        (partition(5, 1, reason="mlfleet.hyperpod: new software: "), False),
        (partition(5, 1, reason="Prolog error"), False),
        (partition(5, 1, reason=f"not {OURS}"), False),
        (partition(5, 0), False),
        ([*partition(10, 1), *partition(5, 1, name="small")], True),
        ([*partition(10, 1), *(each for each in partition(5, 1, name="small") if each.name != "n000")], False),
    ],
    ids=[
        "drained",
        "draining",
        "another health reason",
        "resumed by hand",
        "runs jobs",
        "drained by the service",
        "drained by another run",
        "drained by a prolog",
        "not our prefix",
        "the node itself",
        "full in one of two partitions",
        "full in a partition of others",
    ],
)
def test_only_nodes_of_the_same_partition_that_these_programs_drained_count(others: list[Member], held: bool) -> None:
    assert bool(brake.held(others, "n000")) == held


def test_the_reason_names_the_partition() -> None:
    assert brake.held(partition(10, 3, 4), "n000") == "2 of 10 nodes of partition gpu are already drained because of their accelerators"


@pytest.mark.parametrize(
    ("before", "after", "undone"),
    [
        ((), (0,), []),
        ((), (0, 1), []),
        ((), (0, 1, 2), [2]),
        ((7,), (0, 1, 7), [1]),
        ((7, 8), (0, 7, 8), [0]),
        ((), range(10), range(2, 10)),
    ],
)
def test_drains_at_the_same_moment_beyond_the_limit_are_undone(
    before: tuple[int, ...], after: tuple[int, ...], undone: list[int]
) -> None:
    new = [number for number in after if number not in before]
    found = [number for number in new if brake.undone(partition(10, *before), partition(10, *after), f"n{number:03}")]
    assert found == list(undone)


def test_the_output_of_sinfo_is_parsed() -> None:
    text = f"n0|gpu|drained*|{OURS}|more\n n1|gpu|idle~|none\nn1|all|mixed|none\nslurm_load_node error\n"
    assert brake.parse(text) == [
        Member("n0", "gpu", "drained", f"{OURS}|more"),
        Member("n1", "gpu", "idle", ""),
        Member("n1", "all", "mixed", ""),
    ]
