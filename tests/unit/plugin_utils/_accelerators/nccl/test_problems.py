# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Problems of nodes after tests: never unfit, and a failed pair blames one node only if the other is known to be good."""

from __future__ import annotations

import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._accelerators.nccl.model import Outcome
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._accelerators.nccl.problems import problems
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.findings.codes import CODES

TYPES = dict.fromkeys("abcd", "ml.p5.48xlarge")


def of(*done: Outcome, types: t.Mapping[str, str] | None = None) -> dict[str, list[tuple[str, str, str]]]:
    found = problems(done, TYPES if types is None else types)
    assert all(each["code"] in CODES for rows in found.values() for each in rows)
    return {iid: [(each["code"], each["verdict"], each["cause"]) for each in rows] for iid, rows in found.items()}


def test(names: str, verdict: str = "passed", failure: str = "", **more: t.Any) -> Outcome:
    return Outcome(tuple(names), verdict, failure, "It says so.", **more)


test.__test__ = False  # type: ignore[attr-defined]


def test_passed_tests_are_no_problem() -> None:
    assert of(test("a"), test("b"), test("ab", direct=True), test("abcd", direct=True)) == {}


def test_a_test_of_a_single_node_blames_the_node() -> None:
    assert of(test("a", "slow")) == {"a": [("nccl-slow", "watch", "fabric")]}
    assert of(test("a", "failed", "hardware")) == {"a": [("nccl-failed", "watch", "hardware")]}
    assert of(test("a", "failed", "wrong-values")) == {"a": [("nccl-failed", "watch", "hardware")]}
    assert of(test("a", "not_run", "image")) == {"a": [("nccl-not-run", "fit", "service")]}


def test_a_pair_with_a_known_good_node_blames_the_other() -> None:
    assert of(test("ab"), test("ac", "slow")) == {"c": [("nccl-slow", "watch", "fabric")]}
    found = problems([test("ab"), test("ac", "slow", evidence="x")], TYPES)["c"][0]
    assert found["text"] == "NCCL test with a: It says so." and (found["key"], found["evidence"]) == ("NCCL with a", "x")


def test_a_pair_without_a_known_good_node_blames_neither() -> None:
    slow = ("nccl-slow", "watch", "fabric")
    assert of(test("a"), test("b"), test("ab", "slow")) == {"a": [slow], "b": [slow]}
    assert "Either node may be the cause" in problems([test("ab", "slow")], TYPES)["a"][0]["text"]


def test_a_pair_that_passed_only_with_others_is_reported() -> None:
    assert of(test("ab"), test("cd"), test("ac", "slow")) == {}


def test_a_test_of_all_nodes_blames_no_single_node() -> None:
    found = of(test("ab"), test("ac"), test("abc", "slow"))
    assert found == {iid: [("nccl-slow", "fit", "fabric")] for iid in "abc"}
    text = problems([test("abc", "slow")], TYPES)["a"][0]["text"]
    assert text == "NCCL test with 2 others: It says so. In a pair with another node, each of the nodes passed."


def test_traffic_over_sockets_is_a_setup_problem() -> None:
    assert of(test("ab", "failed", "no-efa"))["a"] == [("nccl-no-efa", "watch", "config")]


def test_efa_without_gpu_direct_is_reported() -> None:
    assert of(test("ab", direct=False))["b"] == [("nccl-no-gdr", "watch", "config")]
    assert of(test("ab", direct=False), types=dict.fromkeys("ab", "ml.g6e.48xlarge")) == {}
    assert of(test("ab", direct=False), types=dict.fromkeys("ab", "ml.p5.4xlarge")) == {}


def test_no_test_makes_a_node_unfit() -> None:
    failures = ("", "hardware", "wrong-values", "no-efa", "image", "timeout", "splendid")
    done = [
        test(names, verdict, why) for names in ("a", "ab", "abc") for verdict in ("slow", "failed", "not_run") for why in failures
    ]
    assert {verdict for rows in of(*done).values() for _code, verdict, _cause in rows} == {"watch", "fit"}
