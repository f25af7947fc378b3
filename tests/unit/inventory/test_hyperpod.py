# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The inventory plugin: sources that cannot be read, the cache, and variables of a run."""

from __future__ import annotations

import contextlib
import typing as t

import pytest
from ansible.inventory.data import InventoryData
from ansible_collections.mlfleet.hyperpod.plugins.inventory.hyperpod import InventoryModule, NothingRead
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused


class Inventory(InventoryModule):
    """An inventory plugin whose options come from the test."""

    def __init__(self, **options: t.Any) -> None:
        super().__init__()
        self.given = options

    def get_option(self, option: str, hostvars: t.Any = None) -> t.Any:
        return self.given[option]


def read(*, hosts: bool = False, failures: t.Sequence[str] = (), empty: t.Sequence[str] = ()) -> dict[str, t.Any]:
    return {"hosts": {"ml": {}} if hosts else {}, "failures": failures, "empty": empty}


@pytest.mark.parametrize(
    ("strict", "result", "problem"),
    [
        (True, read(hosts=True), ""),
        (True, read(hosts=True, failures=["a", "b"]), "could not read a; b"),
        (True, read(empty=["c", "d"]), "no cluster matches: c; d"),
        (True, read(failures=["a"], empty=["c"]), "could not read a"),
        (False, read(hosts=True, failures=["a"]), ""),
        (False, read(failures=["a"]), "could not read a"),
        (False, read(empty=["c"]), ""),
    ],
)
def test_a_source_fails_by_its_failures_empty_results_and_strict(strict, result, problem):
    assert Inventory(strict=strict)._problem(result) == problem


@pytest.mark.parametrize(
    ("options", "wants"),
    [
        ({}, False),
        ({"tags": True}, True),
        ({"compose": {"team": "hyperpod_tags.team"}}, True),
        ({"groups": {"a": "'a' in hyperpod_tags"}}, True),
        ({"keyed_groups": [{"key": "hyperpod_tags.team"}]}, True),
        ({"keyed_groups": [{"key": "hyperpod_region"}]}, False),
    ],
)
def test_tags_are_read_only_if_an_option_uses_them(options, wants):
    options = {"tags": False, "compose": {}, "groups": {}, "keyed_groups": [], **options}
    assert Inventory(**options)._wants_tags() is wants


SOURCE = {"profile": "lab", "regions": ["us-west-2"], "filters": {}, "clusters": [], "node_types": {}, "connection": "ssm", "accounts": []}
HOSTS = {"operations_user": "ops", "private_key_file": None, "state_dir": "~/state"}
TAGS = {"tags": False, "compose": {}, "groups": {}, "keyed_groups": []}


@pytest.mark.parametrize(
    "edited",
    [*({name: "other"} for name in (*SOURCE, *HOSTS)), {"tags": True}, {"compose": {"a": "hyperpod_tags.a"}}],
    ids="".join,
)
def test_an_edited_source_has_another_cache_key(edited):
    def key(**options):
        made = Inventory(**{**SOURCE, **HOSTS, **TAGS, **options})
        made.get_cache_key = lambda path: f"of_{path}"
        return made._cache_key("hyperpod.yml")

    assert key().startswith("of_hyperpod.yml_") and key() == key(compose={"a": "b"})
    assert key(**edited) != key()


def test_the_minimum_is_one_thread():
    """A source without clusters calls no API."""
    options = {**SOURCE, **HOSTS, **TAGS, "profile": None, "clusters": None, "accounts": [{"regions": ["us-west-2"], "clusters": []}]}
    assert Inventory(**options, threads=1)._discover()["hosts"] == {}
    with pytest.raises(Refused, match="^threads: 0 is not allowed. Allowed: 1 or more"):
        Inventory(**options, threads=0)._discover()


@pytest.mark.parametrize(("others", "alone"), [([], True), (["group_vars", "hosts.ini"], True), (["second.hyperpod.yml"], False)])
def test_a_source_is_alone_without_other_sources_in_its_folder(tmp_path, others, alone):
    for name in ("hyperpod.yml", *others):
        (tmp_path / name).write_text("")
    assert Inventory()._is_alone(str(tmp_path / "hyperpod.yml")) is alone


def test_a_source_without_a_folder_is_in_the_current_one(tmp_path, monkeypatch):
    (tmp_path / "hyperpod.yml").write_text("")
    monkeypatch.chdir(tmp_path)
    assert Inventory()._is_alone("hyperpod.yml")


@pytest.mark.parametrize("failures", [[], ["account 111111111111: timeout"]])
def test_variables_list_what_was_read_and_what_failed(monkeypatch, tmp_path, failures):
    """They are set even if the source has no other result."""
    source = tmp_path / "hyperpod.yml"
    source.write_text("plugin: mlfleet.hyperpod.hyperpod\n")
    made = Inventory(strict=False)
    made.inventory = InventoryData()
    monkeypatch.setattr(made, "_read_config_data", lambda path: {})
    monkeypatch.setattr(made, "get_options", dict)
    monkeypatch.setattr(made, "_cached", lambda path, cache: {**read(failures=failures), "read": ["one cluster"], "odd": []})
    monkeypatch.setattr(made, "_populate", lambda result: None)
    monkeypatch.setattr(made, "_clusters_of_others", list)
    with contextlib.suppress(NothingRead):
        made._read_source(str(source), cache=False)
    variables = made.inventory.groups["all"].get_vars()
    assert (variables["hyperpod_inventory_failures"], variables["hyperpod_inventory_read"]) == (failures, [f"{source}: one cluster"])
