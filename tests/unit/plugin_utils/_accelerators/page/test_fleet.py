# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Nodes, their positions on the page, and unknown verdicts."""

from __future__ import annotations

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._accelerators.page.fleet import Fleet, known
from simulated.accelerator_report import documented, node


def _fleet(**clusters: dict) -> Fleet:
    named = {key: {"arn": "", "account": "", "region": "", "failure": "", "nodes": nodes} for key, nodes in clusters.items()}
    return Fleet(documented(named))


def test_nodes_are_sorted_by_cluster_group_and_id() -> None:
    fleet = _fleet(b={"i-1": node(1)}, a={"i-3": node(3), "i-2": node(2), "i-9": node(9, instance_group="early")})
    assert [(each.cluster, each.iid) for each in fleet.nodes] == [("a", "i-9"), ("a", "i-2"), ("a", "i-3"), ("b", "i-1")]
    assert [each.anchor for each in fleet.nodes] == ["n0", "n1", "n2", "n3"]
    assert [fleet.number(key) for key in ("a", "b")] == [0, 1]


def test_two_clusters_may_have_nodes_with_equal_names() -> None:
    fleet = _fleet(a={"i-1": node(1)}, b={"i-1": node(2)})
    assert fleet.find("b", "i-1") is fleet.nodes[1]
    assert fleet.find("c", "i-1") is None


@pytest.mark.parametrize(("verdict", "counts_as"), [("fit", "fit"), ("", ""), ("unfit-replace", "unfit-replace"), ("FIT", "unknown"), ("missing", "unknown")])
def test_an_unlisted_verdict_is_unknown(verdict: str, counts_as: str) -> None:
    assert known(verdict) == counts_as


def test_an_unread_node_may_lack_fields() -> None:
    unread = {"verdict": "unknown", "not_read": "no answer", "software": None}
    (found,) = _fleet(a={"i-1": {**node(1), **unread}}).nodes
    assert (found.text("nothing"), found.part("software"), found.parts("nothing")) == ("", {}, ())
