# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The report as Prometheus metrics, whose number of time series is limited."""

from __future__ import annotations

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._accelerators import metrics
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._accelerators.document import document
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._accelerators.metrics import to_prometheus

from .fleets import CREATED, cluster, health_answer, node, of, problem

WATCHED, BAD = node(3, problem("gpu-hot", "watch")), node(1, problem())
IN_PART = node(4, health=health_answer(verdict="unknown", not_looked_at=[{"what": "nvidia-smi", "why": "it hangs"}]))
FLEET = of(WATCHED, node(5), BAD, node(2, not_read="It could not be reached."), IN_PART, node(6, has_accelerators=False))


def iid(number: int) -> str:
    return f"i-{number:017x}"


def lines(text: str, family: str) -> list[str]:
    return [line for line in text.split("\n") if line.startswith(f"mlfleet_hyperpod_accelerators_{family}")]


def test_nodes_are_counted_by_verdict() -> None:
    text = to_prometheus(FLEET)
    assert 'mlfleet_hyperpod_accelerators_nodes{cluster="ml",verdict="unknown"} 2' in lines(text, "nodes")
    assert 'mlfleet_hyperpod_accelerators_nodes{cluster="ml",verdict="unfit-replace"} 0' in lines(text, "nodes")
    assert lines(text, "problems") == [
        f'mlfleet_hyperpod_accelerators_problems{{cluster="ml",node="{iid(1)}",code="gpu-xid",verdict="unfit-reboot"}} 1',
        f'mlfleet_hyperpod_accelerators_problems{{cluster="ml",node="{iid(3)}",code="gpu-hot",verdict="watch"}} 1',
    ]
    assert lines(text, "timestamp_seconds") == ["mlfleet_hyperpod_accelerators_timestamp_seconds 1795575600"]


def test_clusters_and_accounts_that_were_not_read_are_counted() -> None:
    found = document([cluster(key="b", failure="it failed"), cluster(node(1))], created=CREATED, not_read=["eu-west-1 of 2222"])
    assert lines(to_prometheus(found), "not_read") == ["mlfleet_hyperpod_accelerators_not_read 2"]


def test_an_alert_can_name_the_node() -> None:
    verdicts = {1: "unfit-reboot", 2: "unknown", 3: "watch", 4: "unknown", 5: "fit"}
    assert lines(to_prometheus(FLEET), "verdict") == [
        f'mlfleet_hyperpod_accelerators_verdict{{cluster="ml",node="{iid(number)}",verdict="{verdict}"}} 1'
        for number, verdict in verdicts.items()
    ], "a node without accelerators has no series"


def test_the_worst_nodes_have_their_own_series(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(metrics, "MOST_NODES", 2)
    text = to_prometheus(FLEET)
    assert [line.split('"')[3] for line in lines(text, "verdict")] == [iid(1), iid(2)]
    assert lines(text, "nodes_left_out") == ['mlfleet_hyperpod_accelerators_nodes_left_out{cluster="ml"} 3']
    assert 'mlfleet_hyperpod_accelerators_nodes{cluster="ml",verdict="watch"} 1' in lines(text, "nodes{")
    other = 'mlfleet_hyperpod_accelerators_problems{cluster="ml",node="other",code="gpu-hot",verdict="watch"} 1'
    assert other in lines(text, "problems"), "the problems of the other nodes are counted together"


def test_a_node_can_not_add_any_number_of_series(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(metrics, "MOST_PROBLEMS", 1)
    hostile = node(1, problem("gpu-hot", "watch"), problem("gpu-held-back", "watch"), problem(), problem("made up", "watch"))
    labels = [line.split("node=")[1] for line in lines(to_prometheus(of(hostile)), "problems")]
    assert labels == [
        f'"{iid(1)}",code="gpu-xid",verdict="unfit-reboot"}} 1',
        f'"{iid(1)}",code="other",verdict="watch"}} 3',
    ]
