# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The gain from near nodes: the nodes that are measured, or the reason why none are, and both figures."""

from __future__ import annotations

import dataclasses
import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._topology.model import Place
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._accelerators.nccl.model import Outcome
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._topology import gain
from unit.module_utils._topology.clusters import article, place

P5, P4, M5 = "ml.p5.48xlarge", "ml.p4d.24xlarge", "ml.m5.large"
NEAR_AND_FAR = f"The nearest and the farthest 2 idle nodes of type {P5}"
BUSY = dict.fromkeys(("i1", "i2", "i3", "i4", "i5"), ("a",))
KINDS = {P5: gain.Kind(8, efa=True), P4: gain.Kind(8, efa=True), M5: gain.Kind(0, efa=False), "ml.p9.large": gain.NOTHING}
FAST, FAR = Outcome((), "passed", bandwidth=466.0, bytes=2**32, carried_by="EFA"), 402.1


def of_type(name: str, places: t.Iterable[Place]) -> list[Place]:
    return [dataclasses.replace(each, instance_id=each.name.replace("i-", "i-0"), instance_type=name) for each in places]


def planned(places: t.Sequence[Place], count: int = 2, requested: str = "") -> gain.Plan:
    found = gain.plan(places, count, requested, KINDS)
    assert isinstance(found, gain.Plan), found
    return found


def names(found: gain.Plan) -> dict[str, list[str]]:
    return {name: [each.name for each in side.places] for name, side in found.sides.items()}


def test_near_and_spread_nodes_are_chosen() -> None:
    found = planned(of_type(P5, article()))
    assert names(found) == {"near": ["i-1", "i-2"], "spread": ["i-1", "i-3"]}
    assert found.sides["spread"].ids == ("i-01", "i-03") and (found.instance_type, found.kind.gpus) == (P5, 8)
    busy = planned(of_type(P5, article(i1=("a",))), 3)
    assert names(busy) == {"near": ["i-3", "i-4", "i-5"], "spread": ["i-2", "i-3", "i-6"]}


def test_the_gpu_type_with_the_most_free_nodes_is_chosen() -> None:
    many = [place(f"m{number}", "n", str(number), instance_type=M5) for number in range(9)]
    two = of_type(P4, [place("a", "n", "m"), place("b", "n", "m"), place("c", "n", "k")])
    assert planned([*many, *of_type(P5, article()), *two]).instance_type == P5
    assert planned([*many, *of_type(P5, article()), *two], requested=P4).instance_type == P4
    assert planned([*many, *two, *of_type(P5, article()[4:])]).instance_type == P4, "by name, if as many are free"
    assert planned([*many, *two, *of_type(P5, article(**BUSY))]).instance_type == P4


@pytest.mark.parametrize(
    ("places", "count", "requested", "why", "later"),
    [
        (of_type(P5, article()), 8, "", f"The test needs 8 idle nodes of type {P5}, and the cluster has 7.", True),
        (of_type(P5, article(**BUSY)), 2, "", f"All 2 idle nodes of type {P5} with topology data are below nn-33.", False),
        (of_type(P5, [place("a", "n", "m"), place("b", "n", "k")]), 2, "", f"{NEAR_AND_FAR} are below the same number of network nodes: 2.", False),
        (of_type(P5, [place("a", "n", "m"), place("b"), place("c")]), 2, "", f"Topology data is missing for 2 of the 3 idle nodes of type {P5}.", False),
        (of_type(P5, [place("a", "n", "m", state="used", jobs=("j",))]), 2, "", "No compute node with GPUs is idle.", True),
        (of_type(M5, article()), 2, "", "No compute node has GPUs.", False),
        ([], 2, "", "No compute node has GPUs.", False),
        (of_type("ml.p9.large", article()), 2, "", "The number of GPUs of compute nodes is unknown.", False),
        (of_type(M5, article()), 2, M5, f"Nodes of type {M5} have no GPUs.", False),
        (of_type("ml.p9.large", article()), 2, "ml.p9.large", "The number of GPUs of type ml.p9.large is unknown.", False),
        (of_type(P5, article()), 2, "ml.p6.large", "The cluster has no compute nodes of type ml.p6.large.", False),
    ],
)  # fmt: skip
def test_the_reason_why_nothing_is_measured_is_given(places: list[Place], count: int, requested: str, why: str, later: bool) -> None:
    assert gain.plan(places, count, requested, KINDS) == gain.Unmeasured(why, later=later)


def test_nodes_without_topology_data_are_left_out() -> None:
    assert names(planned([*of_type(P5, article()), *of_type(P5, [place("i-0")])])) == {"near": ["i-1", "i-2"], "spread": ["i-1", "i-3"]}


def test_a_test_without_a_figure_is_the_last() -> None:
    nothing = dataclasses.replace(FAST, verdict="not_run", bandwidth=None)
    assert [gain.next_side(each) for each in ({}, {"near": FAST}, {"near": nothing}, {"near": FAST, "spread": FAST})] == ["near", "spread", "", ""]


def test_check_mode_describes_the_tests() -> None:
    wanted = "Check mode starts no tests. They would run on 2 nodes below nn-31, then on 2 nodes below nn-31 and nn-32."
    assert gain.foreseen(planned(of_type(P5, article()))) == wanted


def measured(near: Outcome | None = FAST, spread: Outcome | None = None) -> tuple[gain.Document, str]:
    done = {"near": near, "spread": spread or dataclasses.replace(FAST, bandwidth=FAR)}
    found = gain.measured(planned(of_type(P5, article())), {side: each for side, each in done.items() if each})
    return found, gain.line(found)


def test_both_figures_are_reported() -> None:
    found, line = measured()
    assert line == (
        "nearby nodes: 2 nodes below nn-31, 466.0 GB/s over EFA with 4 GiB; "
        "spread nodes: 2 nodes below nn-31 and nn-32, 402.1 GB/s over EFA with 4 GiB; "
        f"the nearby nodes are 1.16 times as fast (all_reduce of 4 GiB, {P5})"
    )
    assert (found["ratio"], found["not_measured"], found["instance_type"]) == (1.16, "", P5)
    assert found["near"] == {
        "nodes": ["i-1", "i-2"],
        "network_nodes": [["nn-1", "nn-21", "nn-31"]],
        "bandwidth": 466.0,
        "bytes": 2**32,
        "carried_by": "EFA",
        "verdict": "passed",
        "text": "",
    }
    assert (found["spread"]["nodes"], found["spread"]["bandwidth"]) == (["i-1", "i-3"], FAR)


def test_a_near_figure_below_the_spread_one_is_reported_unchanged() -> None:
    found, line = measured(dataclasses.replace(FAST, verdict="slow", bandwidth=201.05))
    assert found["ratio"] == 0.5 and "the nearby nodes are 0.50 times as fast" in line and "201.1 GB/s over EFA with 4 GiB (slow)" in line


def test_a_test_without_a_figure_is_reported() -> None:
    failed = Outcome((), "not_run", "image", "No all_reduce_perf.", bytes=2**32)
    found, line = measured(failed)
    assert (found["ratio"], found["near"]["bandwidth"], found["near"]["text"]) == (None, None, "No all_reduce_perf.")
    assert line.startswith("nearby nodes: 2 nodes below nn-31, not_run; ") and line.endswith(f"was not measured. {found['not_measured']}")
    assert found["not_measured"] == "The test on nearby nodes returned no bandwidth: image: No all_reduce_perf."
    assert "on spread nodes returned no bandwidth: image" in measured(spread=failed)[0]["not_measured"]
    alone, line = measured(None)
    assert alone["near"] is None and alone["not_measured"] == "The test on nearby nodes did not run." and "466" not in line


@pytest.mark.parametrize(
    ("other", "why"),
    [
        ({"carried_by": "sockets", "verdict": "failed"}, "The results are not comparable: EFA and sockets carried the data."),
        ({"carried_by": "", "verdict": "not_run"}, "The results are not comparable: EFA and an unknown transport carried the data."),
        ({"bytes": 2**24}, "The results are not comparable: the messages have different sizes."),
        ({"bandwidth": 0.0}, "The test on spread nodes returned no bandwidth: passed: "),
    ],
)
def test_figures_of_different_tests_are_shown_and_not_compared(other: dict[str, t.Any], why: str) -> None:
    found, line = measured(spread=dataclasses.replace(FAST, **other))
    assert (found["ratio"], found["not_measured"]) == (None, why)
    assert "466.0 GB/s over EFA with 4 GiB; " in line and f"{found['spread']['bandwidth']:.1f} GB/s over" in line


def test_a_missing_measurement_has_the_same_form() -> None:
    nothing = gain.unmeasured("Because.")
    assert nothing.keys() == measured()[0].keys() and gain.line(nothing) == "the gain from nearby nodes was not measured. Because."


@pytest.mark.parametrize(
    ("paths", "text"),
    [
        ([("a", "x")], "1 nodes below x, "),
        ([("a", "x"), ("b", "x")], "2 nodes below a > x and b > x, "),
        ([(each,) for each in "abc"], "3 nodes below a, b and c, "),
        ([(each,) for each in "abcde"], "5 nodes below 5 network nodes, "),
    ],
)
def test_names_of_network_nodes_are_shortened(paths: list[tuple[str, ...]], text: str) -> None:
    places = of_type(P5, [place(f"n{number}", *path) for number, path in enumerate(paths)])
    side = gain.Side(tuple(places))
    line = gain.line(gain.measured(gain.Plan(P5, KINDS[P5], {"near": side, "spread": side}), {"near": FAST, "spread": FAST}))
    assert line.startswith(f"nearby nodes: {text}466.0 GB/s")


@pytest.mark.parametrize(("count", "text"), [(2**30, "1 GiB"), (3 * 2**20, "3 MiB"), (1000, "1000 bytes"), (None, "an unknown number of bytes")])
def test_sizes_are_formatted(count: int | None, text: str) -> None:
    each = dataclasses.replace(FAST, bytes=count)
    assert f"(all_reduce of {text}, " in measured(each, each)[1]
