# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Nested settings: one table checks, compares, merges and writes them."""

from __future__ import annotations

import datetime
import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core import settings
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.settings import Setting, Table

DISK: Table = (Setting("size", "Size", "int", low=1, high=9), Setting("key", "Key", required=True), Setting("path", "Path"))
TABLE: Table = (
    Setting("name", "Name", pattern="[a-z]+", allowed="small letters", required=True, immutable=True),
    Setting("count", "Count", "int", low=0, high=5, answers=("TargetCount", "CurrentCount")),
    Setting("type", "Type", instead_of="types"),
    Setting("types", "Types", "list", low=1, high=2, ordered=True, instead_of="type"),
    Setting("checks", "Checks", "list", low=1, high=3, choices=("a", "b")),
    Setting("labels", "Labels", "map", low=0, high=2, pattern="[a-z]*", allowed="small letters"),
    Setting("disks", "Disks", "list", parts=DISK, low=0, high=2),
    Setting("patch", "Patch", "dict", parts=(Setting("when", "When", "time"), Setting("mode", "Mode", choices=("on", "off")))),
)


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"name": "A"}, "at.name: 'A' is not allowed. Allowed: small letters."),
        ({"count": 6}, "at.count: 6 is not allowed. Allowed: 0 to 5."),
        ({"count": -1}, "at.count: -1 is not allowed. Allowed: 0 to 5."),
        ({"type": "x", "types": ["x"]}, "at.type: 'x' is not allowed: types is also given. Allowed: either type or types."),
        ({"types": ["x", "y", "z"]}, "at.types: 3 is not allowed. Allowed: 1 to 2 entries."),
        ({"checks": ["c"]}, "at.checks: 'c' is not allowed. Allowed: a, b."),
        ({"labels": {"k": "V"}}, "at.labels.k: 'V' is not allowed. Allowed: small letters."),
        ({"disks": [{"size": 1}, {"size": 10}]}, "at.disks[1].size: 10 is not allowed. Allowed: 1 to 9."),
        ({"patch": {"when": "soon"}}, "at.patch.when: 'soon' is not allowed. Allowed: a time such as 2026-12-01T02:00:00Z."),
    ],
)
def test_an_invalid_value_is_refused_with_its_path(given: dict[str, t.Any], sentence: str) -> None:
    with pytest.raises(Refused) as caught:
        settings.checked(TABLE, given, within="at")
    assert str(caught.value) == sentence


def test_omitted_settings_are_left_out() -> None:
    given = {"name": "a", "count": None, "checks": [], "patch": {"when": "2026-12-01T02:00:00+01:00", "mode": None}}
    patch = {"when": "2026-12-01T01:00:00.000Z"}
    assert settings.checked(TABLE, given, within="") == {"name": "a", "checks": [], "patch": patch}


@pytest.mark.parametrize(
    ("values", "missing"),
    [({}, "at.name"), ({"name": "a", "disks": [{"key": "k"}, {"size": 1}]}, "at.disks[1].key")],
)
def test_a_missing_required_setting_is_refused_with_its_path(values: dict[str, t.Any], missing: str) -> None:
    with pytest.raises(Refused) as caught:
        settings.require(TABLE, values, within="at", what="it")
    assert str(caught.value).startswith(f"{missing}: missing; ")


def test_responses_may_have_other_names() -> None:
    moment = datetime.datetime(2026, 12, 1, 1, tzinfo=datetime.timezone.utc)
    answer = {"Name": "a", "CurrentCount": 1, "TargetCount": 2, "Disks": [{"Size": 1}], "Patch": {"When": moment}, "More": 1}
    assert settings.observed(TABLE, answer) == {
        "name": "a",
        "count": 2,
        "disks": [{"size": 1}],
        "patch": {"when": "2026-12-01T01:00:00.000Z"},
    }
    assert settings.observed(TABLE, {"CurrentCount": 1}) == {"count": 1}


HAVE = {
    "name": "a",
    "type": "x",
    "checks": ["a", "b"],
    "labels": {"k": "v"},
    "disks": [{"key": "one", "path": "/a"}, {"key": "two", "path": "/b"}],
    "patch": {"mode": "on", "when": "now"},
}


@pytest.mark.parametrize(
    ("want", "after"),
    [
        ({"name": "a", "checks": ["b", "a"]}, {}),
        ({"disks": [{"key": "two"}, {"key": "one"}]}, {}),
        ({"patch": {"mode": "on"}}, {}),
        ({"types": ["y"]}, {"type": None, "types": ["y"]}),
        ({"checks": []}, {"checks": None}),
        ({"labels": {"k": "v", "l": "w"}}, {"labels": {"k": "v", "l": "w"}}),
        ({"labels": {}}, {"labels": {}}),
        ({"disks": [{"key": "one"}, {"key": "new"}]}, {"disks": [{"key": "one", "path": "/a"}, {"key": "new"}]}),
        ({"disks": []}, {"disks": None}),
        ({"patch": {"mode": "off"}}, {"patch": {"mode": "off", "when": "now"}}),
    ],
)
def test_settings_that_are_not_given_are_kept(want: dict[str, t.Any], after: dict[str, t.Any]) -> None:
    """:param after: The values that differ from before, None for removed ones."""
    expected = {name: value for name, value in {**HAVE, **after}.items() if value is not None}
    assert settings.merged(TABLE, HAVE, want) == expected
    assert settings.has(TABLE, HAVE, want) == (after == {})
    assert settings.has(TABLE, expected, want)
    assert bool(settings.changes("it", TABLE, HAVE, expected)) == bool(after)


def test_changes_have_paths() -> None:
    (change,) = settings.changes("it", TABLE, HAVE, {**HAVE, "patch": {"mode": "off", "when": "now"}}, within="at")
    assert (change.action, change.resource, change.field, change.before, change.after) == ("update", "it", "at.patch.mode", "on", "off")


def test_the_order_of_ordered_lists_counts() -> None:
    assert not settings.has(TABLE, {"types": ["x", "y"]}, {"types": ["y", "x"]})


def test_a_request_has_the_names_of_the_api_and_no_empty_lists() -> None:
    values = {"name": "a", "checks": [], "labels": {}, "disks": [{"key": "k"}], "patch": {"mode": "on"}}
    assert settings.request(TABLE, values) == {"Name": "a", "Labels": {}, "Disks": [{"Key": "k"}], "Patch": {"Mode": "on"}}


def test_a_change_of_an_immutable_setting_is_refused() -> None:
    settings.refuse_immutable("it", TABLE, {"name": "a"}, {"name": "a", "count": 1}, within="", way="another one")
    with pytest.raises(Refused) as caught:
        settings.refuse_immutable("it", TABLE, {"name": "a"}, {"name": "b"}, within="", way="another one")
    assert str(caught.value) == "name: 'b' is not allowed: it has 'a', and AWS cannot change that. Allowed: 'a', or another one."


def test_the_argument_spec_is_nested() -> None:
    spec = settings.argument_spec(TABLE)
    assert spec["labels"] == {"type": "dict"} and spec["patch"]["options"]["when"] == {"type": "str"}
    assert spec["checks"] == {"type": "list", "elements": "str", "choices": ["a", "b"]}
    assert spec["disks"]["elements"] == "dict" and set(spec["disks"]["options"]) == {"size", "key", "path"}


def test_parameters_are_the_paths_of_used_settings() -> None:
    used = set(settings.parameters(TABLE, {"disks": [{"key": "k"}, {"path": "/"}], "patch": {}}, ("In",)))
    assert used == {("In", "Disks"), ("In", "Disks", "Key"), ("In", "Disks", "Path"), ("In", "Patch")}


FULL: Table = (
    Setting("share", "Share", "float", low=0, high=2),
    Setting("about", "About", sends_empty=True),
    Setting("disks", "Disks", "list", parts=DISK, low=0, high=2, sends_empty=True),
)


def test_settings_that_may_be_empty_are_sent_empty() -> None:
    empty: dict[str, t.Any] = {"about": "", "disks": []}
    have = {"share": 1.5, "about": "x", "disks": [{"key": "k"}]}
    assert settings.request(FULL, empty) == {"About": "", "Disks": []}
    assert settings.merged(FULL, have, empty) == {"share": 1.5, **empty}
    assert settings.merged(FULL, {"share": 1.5}, empty) == {"share": 1.5} and settings.has(FULL, {}, empty)


def test_a_fraction_has_bounds() -> None:
    assert settings.checked(FULL, {"share": 0.5}, within="") == {"share": 0.5}
    with pytest.raises(Refused, match=r"share: 2\.5 is not allowed\. Allowed: 0 to 2\."):
        settings.checked(FULL, {"share": 2.5}, within="")
