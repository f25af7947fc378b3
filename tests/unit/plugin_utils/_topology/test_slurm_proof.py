# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._topology import slurm_proof

LAYERS = {"a": ("x", "y", "l1"), "b": ("x", "y", "l1"), "c": ("x", "y", "l2"), "d": ("x", "z", "l1"), "u": ()}


def job(*nodes: str, **given: t.Any) -> slurm_proof.Job:
    details = {"id": 7, "name": "llama", "user": "alice", "ours": True, "state": "running", "placement": "required", "switches": 1}
    return slurm_proof.job_of({**details, "nodes": list(nodes), **given})


@pytest.mark.parametrize(
    ("nodes", "given", "verdict", "text"),
    [
        ("ab", {}, "kept", "its 2 nodes are below l1 (2)"),
        ("a", {}, "kept", "its node is below l1 (1)"),
        ("u", {}, "kept", "its node is below one leaf switch"),
        ("ac", {}, "left", "its 2 nodes are below 2 leaf switches instead of 1: l1 (1), l2 (1)"),
        ("ac", {"switches_wait": 20}, "left", "l1 (1), l2 (1); Slurm ignores the request after 20 s"),
        ("ad", {}, "left", "its 2 nodes are below 2 leaf switches instead of 1: l1 (1), l1 (1)"),
        ("ac", {"placement": "preferred"}, "spilled", "below 2 leaf switches instead of 1"),
        ("ac", {"placement": ""}, "spilled", "below 2 leaf switches instead of 1"),
        ("ac", {"switches": 2}, "kept", "its 2 nodes are below l1 (1), l2 (1)"),
        ("ac", {"switches": 0}, "", ""),
        ("acu", {}, "left", "its 3 nodes are below 2 leaf switches instead of 1"),
        ("au", {}, "unknown", "the leaf switches above 1 of its nodes are unknown; the others are below l1 (1)"),
        ("u?", {}, "unknown", "the leaf switches above 2 of its nodes are unknown"),
        ("", {}, "unknown", "Slurm reports no nodes for the job"),
    ],
)
def test_the_placement_of_a_job_is_judged(nodes, given, verdict, text):
    found = slurm_proof.proof(job(*nodes, **given), LAYERS)
    assert found["verdict"] == verdict and text in found["told"] and bool(text) is bool(found["told"])
    assert [each["node"] for each in found["rows"]] == sorted(nodes) and len(found["table"]) == (len(nodes) + 1 if nodes else 0)


def test_the_request_counts_and_not_the_answer_of_the_controller():
    assert slurm_proof.proof(job("a", "c", switches=0), LAYERS, switches=1)["verdict"] == "left"


def test_the_table_contains_all_layers():
    assert slurm_proof.proof(job("c", "u"), LAYERS)["table"] == [
        "NODE  LEAF SWITCH  LAYERS",
        "c     l2           x > y > l2",
        "u     unknown",
    ]


@pytest.mark.parametrize(
    ("names", "count"), [("ab", 1), ("abc", 2), ("ad", 2), ("", 0), ("u", 0), ("au", 0), ("acu", 2)]
)
def test_leaf_switches_are_counted(names, count):
    assert slurm_proof.leaves({name: LAYERS[name] for name in names}) == count


@pytest.mark.parametrize("value", [{}, {"id": "7", "nodes": "ab", "ours": "yes", "switches": -1, "switches_wait": True, "name": "x\x1b[2J"}])
def test_invalid_answers_of_a_node_are_replaced(value):
    found = slurm_proof.job_of(value)
    assert (found.id, found.nodes, found.ours, found.switches, found.switches_wait) == (0, (), False, 0, 0) and "\x1b" not in found.name


def test_each_job_has_a_row():
    row = slurm_proof.row(job("a", "c", why="?"), LAYERS)
    assert (row["kind"], row["namespace"], row["name"], row["id"], row["why"], row["problem"]) == ("Slurm job", "alice", "llama", 7, "", "")
    assert row["placement"]["verdict"] == "left" and slurm_proof.row(job(state="waiting", why="no room"), LAYERS)["why"] == "no room"
