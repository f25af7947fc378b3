# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The record of a cluster about which nodes have the declared people."""

from __future__ import annotations

import json
import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node_access.people import (
    LIMIT,
    Declared,
    Given,
    declare,
    pending,
    settle,
)

NODES = [f"i-{number:017x}" for number in range(6)]


def people(**entries: str) -> Declared:
    """:param entries: As ``alice="key"``. An entry that begins with "absent" has the state absent."""
    option = {
        name: {"state": "absent" if entry.startswith("absent") else "present", "digest": entry}
        for name, entry in entries.items()
    }
    declared = Declared.from_option(option)
    assert declared is not None
    return declared


def kept(given: Given) -> Given:
    """The record as the next run reads it."""
    found = Given.from_json(given.to_json())
    assert found == given and len(given.to_json()) <= LIMIT
    return found


def run(given: Given | None, declared: Declared, seen: t.Sequence[str], listed: t.Sequence[str] = NODES) -> Given:
    """The record after a run that reached the nodes ``seen``."""
    announced = None if given is None else kept(declare(given, declared))
    return kept(settle(announced, declared, listed=listed, seen=seen))


OLD = people(alice="two keys", bob="one key")
NEW = people(alice="one key", bob="one key")


def test_a_run_that_reached_every_node_leaves_none_behind() -> None:
    given = run(None, OLD, NODES)
    assert not any(map(given.lacks, NODES)) and pending(given, OLD, listed=NODES) == []
    assert run(given, OLD, []) == given  # and a run that skips nodes changes nothing


@pytest.mark.parametrize(
    ("declared", "change"),
    [
        (NEW, "alice (changed)"),
        (people(alice="two keys", bob="absent"), "bob (removed)"),
        (people(alice="other", bob="absent"), "alice (changed), bob (removed)"),
    ],
    ids=["a key was withdrawn", "a person was removed", "both"],
)
def test_nodes_not_verified_since_a_change_are_reported_with_the_people(declared: Declared, change: str) -> None:
    given = run(run(None, OLD, NODES), declared, NODES[:4])
    assert [each for each in NODES if given.lacks(each)] == NODES[4:]
    assert [each.text for each in pending(given, declared, listed=NODES)] == [
        f"Access of {change} has not been verified on 2 of 6 nodes since the change: {NODES[4]}, {NODES[5]}."
    ]
    later = run(given, declared, NODES[4:])
    assert pending(later, declared, listed=NODES) == [] and not later.owed


def test_a_new_person_is_not_reported_as_pending() -> None:
    declared = people(alice="two keys", bob="one key", carol="key")
    given = run(run(None, OLD, NODES), declared, NODES[:5])
    assert given.lacks(NODES[5]) and pending(given, declared, listed=NODES) == []


def test_changes_of_an_earlier_declaration_stay_pending() -> None:
    given = run(run(None, OLD, NODES), people(alice="two keys", bob="absent"), NODES[:5])
    last = people(alice="one key", bob="absent")
    given = run(given, last, NODES[:5])
    assert dict(given.owed) == {"alice": "changed", "bob": "removed"}
    assert run(given, last, NODES[5:]).owed == {}


def test_a_reverted_declaration_must_reach_all_nodes_again() -> None:
    """A run with the other declaration may have been killed between nodes."""
    announced = declare(run(None, OLD, NODES), NEW)
    assert all(map(declare(announced, OLD).lacks, NODES))


def test_verified_nodes_do_not_count_after_a_concurrent_declaration() -> None:
    others = run(None, NEW, NODES)
    assert all(map(settle(others, OLD, listed=NODES, seen=NODES).lacks, NODES))


def test_removed_nodes_are_not_pending() -> None:
    given = run(run(None, OLD, NODES), NEW, NODES[:5])
    assert pending(run(given, NEW, [], listed=NODES[:5]), NEW, listed=NODES[:5]) == []


def test_without_a_record_only_removed_people_are_pending() -> None:
    declared = people(alice="key", mallory="absent")
    given = run(None, declared, NODES[:5])
    assert [each.text for each in pending(given, declared, listed=NODES)] == [
        f"Access of mallory (removed) has not been verified on 1 of 6 nodes since the change: {NODES[5]}."
    ]


@pytest.mark.parametrize("count", [300, 3000])
def test_a_record_fits_for_hundreds_of_people_and_nodes(count: int) -> None:
    nodes = [f"i-{number:017x}" for number in range(500)]
    many = {f"person{number}": "key" for number in range(count)}
    given = run(run(None, people(**many), nodes, nodes), people(**{**many, "person7": "absent"}), nodes[1:], nodes)
    assert given.lacks(nodes[0]) and not given.lacks(nodes[1])
    every = people(**dict.fromkeys(many, "another key"))
    given = run(given, every, nodes[400:], nodes)
    assert all(map(given.lacks, nodes[:400]))
    (sentence,) = pending(given, every, listed=nodes)
    assert "400 of 500 nodes" in sentence.text and "and 390 more" in sentence.text and len(sentence.text) < 500


def test_at_most_ten_people_are_shown() -> None:
    many = {f"person{number:02}": "key" for number in range(12)}
    given = run(run(None, people(**many), NODES), people(**dict.fromkeys(many, "absent")), [])
    (sentence,) = pending(given, people(**dict.fromkeys(many, "absent")), listed=NODES)
    assert "person09 (removed) and 2 more has not been verified on 6 of 6 nodes" in sentence.text


def test_the_record_contains_no_keys() -> None:
    given = run(run(None, OLD, NODES), NEW, NODES[:3])
    assert "key" not in given.to_json().replace('"tokens"', "") and "alice" in given.to_json()


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        '{"version": 1}',
        json.dumps({"version": "a b", "tokens": "", "behind": "", "owed": {}}),
        json.dumps({"version": "a", "tokens": "", "behind": "", "owed": {"\x1b[2J": "removed"}}),
        json.dumps({"version": "a", "tokens": "", "behind": "", "owed": []}),
    ],
)
def test_an_unreadable_record_is_none(text: str) -> None:
    assert Given.from_json(text) is None


@pytest.mark.parametrize("entry", ["text", {}, {"state": "present"}, {"state": "present", "digest": 7}])
def test_other_forms_are_refused(entry: t.Any) -> None:
    with pytest.raises(Refused, match=r"people\.alice: .* is not allowed\. Allowed: .*people_digests"):
        Declared.from_option({"alice": entry})
