# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A fleet's topology as one document, and its printed lines."""

from __future__ import annotations

import json
import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._topology.model import Place
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._topology.document import Cluster, Document, Needed, document
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._topology.forms import lines

from ...module_utils._topology.clusters import article, place

CREATED = "2026-11-25T03:00:00Z"


def of(*places: Place, before: Document | None = None, failure: str = "", needed: Needed = Needed()) -> Document:
    cluster = Cluster("ml", "arn:ml", "111111111111", "us-west-2", places, failure)
    return document([cluster], created=CREATED, before=before, needed=needed)


def test_the_document_of_a_cluster_is_complete() -> None:
    made = of(*article(i1=("a",), i3=("a",)), place("i-9", state="unhealthy", why="cordoned"))
    cluster = made["clusters"]["ml"]
    assert (cluster["layers"], cluster["counts"], cluster["untold"]) == ([3], {"free": 5, "used": 2, "unhealthy": 1}, ["i-9"])
    assert cluster["nodes"]["i-3"]["layers"] == ["nn-1", "nn-22", "nn-32"] and len(cluster["nodes"]) == 8 and cluster["changes"] == []
    assert json.loads(json.dumps(made)) == {**made, "clusters": {"ml": json.loads(json.dumps(cluster))}}
    assert lines(made) == [
        "ml: 8 nodes: 5 free, 2 used, 1 unhealthy. Most free nodes below one network node: 5 of 5 in layer 1, "
        "4 of 5 in layer 2, 2 of 5 in layer 3. Nodes without topology data: 1.",
        "JOB  CLUSTER  NODES  COMMON NETWORK NODE  BELOW",
        "a    ml       2      nn-1                 2 network nodes",
    ]


def test_nodes_are_grouped_by_ultraserver() -> None:
    joined = [place("a", "n", ultraserver="u1"), place("b", "m", ultraserver="u1"), place("c", "m", ultraserver="u2"), place("d", "m", state="used")]
    made = of(*joined)
    assert made["clusters"]["ml"]["ultraservers"] == [
        {"ultraserver": "u1", "nodes": ("a", "b"), "free": 2},
        {"ultraserver": "u2", "nodes": ("c",), "free": 1},
    ]
    assert lines(made) == [
        "ml: 4 nodes: 3 free, 1 used, 0 unhealthy. Most free nodes below one network node: 2 of 3 in layer 1. "
        "Most free nodes in one UltraServer: 2 of 3."
    ]


def test_changes_since_the_last_run_are_listed() -> None:
    first = of(*article(), place("i-9", "nn-1"))
    second = of(*(each for each in article() if each.name != "i-7"), place("i-9", "nn-2"), place("i-8"), before=json.loads(json.dumps(first)))
    assert (first["clusters"]["ml"]["compared_with"], second["clusters"]["ml"]["compared_with"]) == ("", CREATED)
    assert second["clusters"]["ml"]["changes"] == [
        {"node": "i-8", "what": "came", "layers": []},
        {"node": "i-7", "what": "gone", "layers": ["nn-1", "nn-22", "nn-33"]},
        {"node": "i-9", "what": "moved", "layers": ["nn-2"], "before": ["nn-1"]},
    ]
    assert lines(second)[-3:] == [
        "ml: i-8 is new, without topology data",
        "ml: i-7 no longer exists; it was below nn-1 > nn-22 > nn-33",
        "ml: i-9 moved from nn-1 to nn-2",
    ]
    assert of(*article(), before=json.loads(json.dumps(of(*article()))))["clusters"]["ml"]["changes"] == []


def again(made: Document) -> t.Any:
    """The document as the next run reads it."""
    return json.loads(json.dumps(made))


def test_nodes_that_became_unhealthy_or_healthy_are_listed() -> None:
    ill = {"state": "unhealthy", "why": "it is cordoned"}
    first = of(place("a", "n"), place("b", "n", **ill), place("c", "n", **ill), place("d", "n", **ill))
    now = [place("a", "m", **ill), place("b", "n"), place("c", "n", **ill), place("e", "n", **ill)]
    second = of(*now, before=again(first))
    assert second["clusters"]["ml"]["changes"] == [
        {"node": "e", "what": "came", "layers": ["n"]},
        {"node": "d", "what": "gone", "layers": ["n"]},
        {"node": "a", "what": "moved", "layers": ["m"], "before": ["n"]},
        {"node": "a", "what": "unhealthy", "layers": ["m"], "why": "it is cordoned"},
        {"node": "e", "what": "unhealthy", "layers": ["n"], "why": "it is cordoned"},
        {"node": "b", "what": "well", "layers": ["n"]},
    ]
    assert lines(second)[-3:] == ["ml: a is unhealthy now: it is cordoned", "ml: e is unhealthy now: it is cordoned", "ml: b is healthy again"]
    assert of(*now, before=again(second))["clusters"]["ml"]["changes"] == []


def test_new_and_ended_jobs_are_listed() -> None:
    first = of(*article(i1=("old", "stays"), i2=("stays",)))
    second = of(*article(i2=("stays",), i3=("new", "newer")), before=again(first))
    assert second["clusters"]["ml"]["job_changes"] == {"came": ["new", "newer"], "gone": ["old"]} and second["clusters"]["ml"]["changes"] == []
    assert lines(second)[-2:] == ["ml: new jobs: new, newer", "ml: jobs that are no longer on a node: old"]
    third = of(*article(i2=("stays",), i3=("new", "newer")), before=again(second))
    assert third["clusters"]["ml"]["job_changes"] == {"came": [], "gone": []} and not [line for line in lines(third) if "jobs" in line]


def test_a_line_has_ten_jobs_at_most() -> None:
    busy = of(*article(i1=tuple(f"j{number:02}" for number in range(12))), before=again(of(*article())))
    assert len(busy["clusters"]["ml"]["job_changes"]["came"]) == 12
    assert lines(busy)[-1] == "ml: new jobs: " + ", ".join(f"j{number:02}" for number in range(10)) + ", and 2 more"


def test_fields_missing_in_an_earlier_release_are_not_compared() -> None:
    before = again(of(*article(i1=("old",)), place("i-9", "nn-1", state="unhealthy")))
    for name in ("unhealthy", "jobs"):
        del before["known"]["ml"][name]
    made = of(*article(i2=("new",), i3=("new",)), place("i-8", "nn-1", state="unhealthy"), before=before)["clusters"]["ml"]
    assert [(each["node"], each["what"]) for each in made["changes"]] == [("i-8", "came"), ("i-9", "gone")]
    assert made["compared_with"] == CREATED and made["job_changes"] == {"came": [], "gone": []}


def test_an_unread_cluster_is_marked() -> None:
    before = json.loads(json.dumps(of(*article())))
    made = of(failure="It was not read.", before=before)
    cluster = made["clusters"]["ml"]
    assert lines(made) == ["ml: It was not read."] and (cluster["changes"], cluster["compared_with"]) == ([], "")


def test_an_unread_cluster_is_compared_with_the_last_reading() -> None:
    """The same holds for a run about other clusters."""
    before = json.loads(json.dumps(of(*article())))
    failed = document([Cluster("ml", "arn:ml", "1", "r", (), "It was not read.")], created="2026-11-26T03:00:00Z", before=before)
    others = document([Cluster("other", "arn:other", "1", "r", article())], created="2026-11-27T03:00:00Z", before=failed)
    now = of(*article()[1:], before=json.loads(json.dumps(others)))["clusters"]["ml"]
    assert (now["compared_with"], [each["node"] for each in now["changes"]]) == (CREATED, ["i-1"])


def test_another_cluster_with_the_same_key_is_not_compared() -> None:
    before = document([Cluster("ml", "arn:old", "1", "r", article())], created=CREATED)
    assert (of(before=before)["clusters"]["ml"]["compared_with"], of(before=before)["clusters"]["ml"]["changes"]) == ("", [])


def test_the_nearest_nodes_for_a_job_are_reported() -> None:
    def nearest(nodes: int, *places: Place, instance_type: str = "") -> list[str]:
        return lines(of(*places, needed=Needed(nodes, instance_type)))[1:]

    busy = article(i1=("x",), i3=("y",), i4=("y",))
    assert nearest(2, *article()) == [
        "ml: the nearest free nodes for a job on 2 nodes are below nn-1 > nn-21 > nn-31 (the nearest possible placement): i-1, i-2."
    ]
    assert nearest(3, *busy)[:2] == [
        "ml: the nearest free nodes for a job on 3 nodes are below nn-1 > nn-22: i-5, i-6, i-7.",
        "ml: 3 nodes below nn-1 > nn-22 > nn-32 would be free if y left i-3, i-4.",
    ]
    assert nearest(8, *article(), instance_type="ml.p5.48xlarge") == [
        "ml: too few nodes are free for a job on 8 nodes of type ml.p5.48xlarge."
    ]
    assert of(*article())["clusters"]["ml"]["near"] is None
