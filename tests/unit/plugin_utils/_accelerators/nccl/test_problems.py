# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What tests say of each node: never that it is unfit, and a pair blames one of the two only beside a known good one."""

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


def test_what_passed_is_no_problem() -> None:
    assert of(test("a"), test("b"), test("ab", direct=True), test("abcd", direct=True)) == {}


def test_a_node_by_itself() -> None:
    assert of(test("a", "slow")) == {"a": [("nccl-slow", "watch", "fabric")]}
    assert of(test("a", "failed", "hardware")) == {"a": [("nccl-failed", "watch", "hardware")]}
    assert of(test("a", "failed", "wrong-values")) == {"a": [("nccl-failed", "watch", "hardware")]}
    assert of(test("a", "not_run", "image")) == {"a": [("nccl-not-run", "fit", "service")]}


def test_a_pair_with_a_known_good_node_blames_the_other() -> None:
    assert of(test("ab"), test("ac", "slow")) == {"c": [("nccl-slow", "watch", "fabric")]}
    found = problems([test("ab"), test("ac", "slow", evidence="x")], TYPES)["c"][0]
    assert found["text"] == "NCCL test with a: It says so." and (found["key"], found["evidence"]) == ("NCCL with a", "x")


def test_a_pair_of_which_nobody_is_known_blames_none() -> None:
    slow = ("nccl-slow", "watch", "fabric")
    assert of(test("a"), test("b"), test("ab", "slow")) == {"a": [slow], "b": [slow]}
    assert "Either of the two may be the cause" in problems([test("ab", "slow")], TYPES)["a"][0]["text"]


def test_nodes_that_passed_with_others_and_not_together() -> None:
    assert of(test("ab"), test("cd"), test("ac", "slow")) == {}


def test_all_of_them_blame_none() -> None:
    found = of(test("ab"), test("ac"), test("abc", "slow"))
    assert found == {iid: [("nccl-slow", "fit", "fabric")] for iid in "abc"}
    text = problems([test("abc", "slow")], TYPES)["a"][0]["text"]
    assert text == "NCCL test with 2 others: It says so. All of them passed with another node."


def test_sockets_are_a_matter_of_setting_up() -> None:
    assert of(test("ab", "failed", "no-efa"))["a"] == [("nccl-no-efa", "watch", "config")]


def test_efa_without_the_memory_of_gpus() -> None:
    assert of(test("ab", direct=False))["b"] == [("nccl-no-gdr", "watch", "config")]
    assert of(test("ab", direct=False), types=dict.fromkeys("ab", "ml.g6e.48xlarge")) == {}
    assert of(test("ab", direct=False), types=dict.fromkeys("ab", "ml.p5.4xlarge")) == {}


def test_no_test_makes_a_node_unfit() -> None:
    failures = ("", "hardware", "wrong-values", "no-efa", "image", "timeout", "splendid")
    done = [
        test(names, verdict, why) for names in ("a", "ab", "abc") for verdict in ("slow", "failed", "not_run") for why in failures
    ]
    assert {verdict for rows in of(*done).values() for _code, verdict, _cause in rows} == {"watch", "fit"}
