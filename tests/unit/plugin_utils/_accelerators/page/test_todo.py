# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Next actions: the most urgent first, each with its nodes and their jobs."""

from __future__ import annotations

from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._accelerators.page.fleet import Fleet
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._accelerators.page.todo import MOST, common, todo
from simulated.accelerator_report import documented, iid, report, shared
from simulated.read_html import Element, read


def _items(found: Element) -> list[Element]:
    return found.having("data-action")


def test_actions_keep_their_order_and_have_their_nodes() -> None:
    document = shared(report(64))
    items = _items(read(todo(Fleet(document)).markup))
    assert [each.attributes["data-action"] for each in items] == ["stop", "replace", "reboot", "look-again", "watch"]
    assert [each.named("b")[0].text for each in items] == ["!", "R", "B", "?", "W"]
    assert document["actions"][1]["text"] in items[1].text
    assert f"{iid(7)} · ip-10-1-0-7 · Slurm drain: NHC: gpu · runs 4711 of alice, 4720 of bob" in items[1].text
    assert items[3].number("action-look-again") == 3


def test_many_nodes_are_collapsed() -> None:
    document = report(1000)
    first = _items(read(todo(Fleet(document)).markup))[0]
    many = len(document["actions"][0]["nodes"])
    assert many > MOST
    assert len(first.named("a")) == many
    assert len(first.named("details")[0].named("a")) == many - MOST
    assert first.named("summary")[0].text == f"and {many - MOST} more nodes"


def test_unknown_nodes_and_actions_are_shown_without_links() -> None:
    action = {"action": "dance", "cluster": "gone", "nodes": ["i-1"], "text": "Dance."}
    (item,) = _items(read(todo(Fleet({**documented({}), "actions": [action]})).markup))
    assert item.text == "- dance · gone · 1 nodeDance.i-1"
    assert item.named("a") == []


def test_without_actions_none_is_shown() -> None:
    assert read(todo(Fleet(documented({}))).markup).text == "What to do nowNothing."


def test_a_problem_of_many_nodes_is_shown() -> None:
    found = read(common(Fleet(shared(report(64)))).markup)
    assert (found.number("common-nodes"), found.number("common-of")) == (16, 48)
    assert len(found.named("a")) == 16
    assert "The same finding makes many nodes unfit." in found.text and " new" not in found.text
    assert common(Fleet(report(64))).markup == ""


def test_the_shared_xid_is_shown() -> None:
    document = shared(report(64))
    document["common"][0] |= {"code": "gpu-xid", "event": "Xid 119"}
    assert "gpu-xid · Xid 119 · research · 16 of 48 nodes" in read(common(Fleet(document)).markup).text
