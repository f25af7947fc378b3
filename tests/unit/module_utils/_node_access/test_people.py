# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which nodes have what is declared of people, as the record of a cluster tells it."""

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
    """``alice="key"``; an entry that begins with "absent" is of somebody without an account."""
    option = {
        name: {"state": "absent" if entry.startswith("absent") else "present", "digest": entry}
        for name, entry in entries.items()
    }
    declared = Declared.from_option(option)
    assert declared is not None
    return declared


def kept(given: Given) -> Given:
    """As the next run reads it."""
    found = Given.from_json(given.to_json())
    assert found == given and len(given.to_json()) <= LIMIT
    return found


def run(given: Given | None, declared: Declared, seen: t.Sequence[str], listed: t.Sequence[str] = NODES) -> Given:
    """What a run leaves that reaches ``seen``."""
    announced = None if given is None else kept(declare(given, declared))
    return kept(settle(announced, declared, listed=listed, seen=seen))


OLD = people(alice="two keys", bob="one key")
NEW = people(alice="one key", bob="one key")


def test_a_run_that_reached_every_node_leaves_none_behind() -> None:
    given = run(None, OLD, NODES)
    assert not any(map(given.lacks, NODES)) and pending(given, OLD, listed=NODES) == []
    assert run(given, OLD, []) == given  # and a run that passes nodes over loses nothing


@pytest.mark.parametrize(
    ("declared", "told"),
    [
        (NEW, "alice (changed)"),
        (people(alice="two keys", bob="absent"), "bob (removed)"),
        (people(alice="other", bob="absent"), "alice (changed), bob (removed)"),
    ],
    ids=["a key was withdrawn", "a person was removed", "both"],
)
def test_nodes_that_were_not_looked_at_since_are_named_with_the_people(declared: Declared, told: str) -> None:
    given = run(run(None, OLD, NODES), declared, NODES[:4])
    assert [each for each in NODES if given.lacks(each)] == NODES[4:]
    assert [each.text for each in pending(given, declared, listed=NODES)] == [
        f"Access of {told}: 2 of 6 nodes were not verified since then: {NODES[4]}, {NODES[5]}"
    ]
    later = run(given, declared, NODES[4:])
    assert pending(later, declared, listed=NODES) == [] and not later.owed


def test_a_new_person_is_brought_everywhere_but_nobodys_access_waits_to_end() -> None:
    declared = people(alice="two keys", bob="one key", carol="key")
    given = run(run(None, OLD, NODES), declared, NODES[:5])
    assert given.lacks(NODES[5]) and pending(given, declared, listed=NODES) == []


def test_what_one_declaration_left_is_still_owed_after_the_next() -> None:
    given = run(run(None, OLD, NODES), people(alice="two keys", bob="absent"), NODES[:5])
    last = people(alice="one key", bob="absent")
    given = run(given, last, NODES[:5])
    assert dict(given.owed) == {"alice": "changed", "bob": "removed"}
    assert run(given, last, NODES[5:]).owed == {}


def test_a_declaration_that_was_taken_back_has_to_reach_all_nodes_again() -> None:
    """A run with another one may have died between nodes."""
    announced = declare(run(None, OLD, NODES), NEW)
    assert all(map(declare(announced, OLD).lacks, NODES))


def test_what_was_seen_counts_no_more_when_another_run_declared_otherwise_meanwhile() -> None:
    others = run(None, NEW, NODES)
    assert all(map(settle(others, OLD, listed=NODES, seen=NODES).lacks, NODES))


def test_nodes_that_are_gone_owe_nothing() -> None:
    given = run(run(None, OLD, NODES), NEW, NODES[:5])
    assert pending(run(given, NEW, [], listed=NODES[:5]), NEW, listed=NODES[:5]) == []


def test_clusters_of_before_there_were_records_are_looked_at_once_and_owe_only_who_is_gone() -> None:
    declared = people(alice="key", mallory="absent")
    given = run(None, declared, NODES[:5])
    assert [each.text for each in pending(given, declared, listed=NODES)] == [
        f"Access of mallory (removed): 1 of 6 nodes was not verified since then: {NODES[5]}"
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


def test_ten_people_are_shown() -> None:
    many = {f"person{number:02}": "key" for number in range(12)}
    given = run(run(None, people(**many), NODES), people(**dict.fromkeys(many, "absent")), [])
    (sentence,) = pending(given, people(**dict.fromkeys(many, "absent")), listed=NODES)
    assert "person09 (removed) and 2 more: 6 of 6 nodes" in sentence.text


def test_no_key_and_no_new_sign_is_in_the_record() -> None:
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
def test_a_record_that_can_not_be_read_is_none(text: str) -> None:
    assert Given.from_json(text) is None


@pytest.mark.parametrize("entry", ["text", {}, {"state": "present"}, {"state": "present", "digest": 7}])
def test_other_forms_are_refused(entry: t.Any) -> None:
    with pytest.raises(Refused, match=r"people\.alice: .* is not allowed\. Allowed: .*people_digests"):
        Declared.from_option({"alice": entry})
