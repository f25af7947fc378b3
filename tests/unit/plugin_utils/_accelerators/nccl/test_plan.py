# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The order of tests: single nodes, pairs with a known good node, all nodes; and which nodes are known to be good."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._accelerators.nccl.model import Node, Outcome
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._accelerators.nccl.plan import WAVES, good, next_tests

P5, P4 = "ml.p5.48xlarge", "ml.p4d.24xlarge"


def nodes(names: str, instance_type: str = P5, gpus: int = 8) -> list[Node]:
    return [Node(name, f"10.0.0.{ord(name)}", instance_type, gpus, True) for name in names]


def walk(of: t.Sequence[Node], bad: t.Mapping[str, str]) -> tuple[list[list[str]], list[Outcome]]:
    """All waves and their outcomes: a test that contains a bad node or pair has its verdict."""
    done: list[Outcome] = []
    waves = []
    while tests := next_tests(of, done):
        waves.append(["".join(test.ids) for test in tests])
        done += [Outcome(test.ids, _verdict(test.ids, bad)) for test in tests]
        assert len(waves) <= WAVES
    return waves, done


def _verdict(ids: t.Sequence[str], bad: t.Mapping[str, str]) -> str:
    found = [verdict for names, verdict in bad.items() if names == "".join(ids) or (names.startswith("-") and names[1:] in ids[:] and len(ids) > 1)]
    return found[0] if found else "passed"


@pytest.mark.parametrize(
    ("names", "bad", "waves", "known"),
    [
        ("", {}, [], ""),
        ("a", {}, [["a"]], ""),
        ("ab", {}, [["a", "b"], ["ab"]], "ab"),
        ("abcd", {}, [["a", "b", "c", "d"], ["ab", "ac", "ad"], ["abcd"]], "abcd"),
        ("abcd", {"a": "slow"}, [["a", "b", "c", "d"], ["bc", "bd"], ["bcd"]], "bcd"),
        ("dbca", {"a": "slow"}, [["a", "b", "c", "d"], ["bc", "bd"], ["bcd"]], "bcd"),
        ("abcd", {"c": "not_run"}, [["a", "b", "c", "d"], ["ab", "ad"], ["abd"]], "abd"),
        ("abcd", {"-c": "slow"}, [["a", "b", "c", "d"], ["ab", "ac", "ad"], ["abd"]], "abd"),
        ("abcd", {"-a": "slow"}, [["a", "b", "c", "d"], ["ab", "ac", "ad"], ["bc", "bd"], ["bcd"]], "bcd"),
        ("abc", {"-a": "failed"}, [["a", "b", "c"], ["ab", "ac"], ["bc"]], "bc"),
        ("ab", {"ab": "slow"}, [["a", "b"], ["ab"]], ""),
        ("abc", {"-a": "slow", "-b": "slow"}, [["a", "b", "c"], ["ab", "ac"], ["bc"]], ""),
        ("abc", {"ab": "not_run", "ac": "not_run"}, [["a", "b", "c"], ["ab", "ac"]], ""),
        ("abc", {"a": "not_run", "b": "not_run", "c": "not_run"}, [["a", "b", "c"]], ""),
        ("abcd", {"abcd": "slow"}, [["a", "b", "c", "d"], ["ab", "ac", "ad"], ["abcd"]], "abcd"),
    ],
)
def test_tests_run_in_the_expected_order(names: str, bad: dict[str, str], waves: list[list[str]], known: str) -> None:
    found, done = walk(nodes(names), bad)
    assert (found, "".join(sorted(good(set(names), done)))) == (waves, known)


def test_each_instance_type_is_tested_separately() -> None:
    waves, _done = walk([*nodes("ab"), *nodes("xy", P4)], {})
    assert waves == [["x", "y", "a", "b"], ["xy", "ab"]]


def test_a_node_with_one_gpu_is_not_tested_alone() -> None:
    waves, _done = walk(nodes("abc", "ml.g5.8xlarge", gpus=1), {})
    assert waves == [["ab", "ac"], ["abc"]]


def test_a_node_that_is_no_longer_idle_is_left_out() -> None:
    _waves, done = walk(nodes("abcd"), {})
    assert next_tests(nodes("abc"), done[:7]) != [] and all("d" not in test.ids for test in next_tests(nodes("abc"), done[:7]))
