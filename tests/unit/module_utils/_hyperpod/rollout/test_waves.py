# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which clusters each wave has, and what counts as a change of the plan."""

from __future__ import annotations

import dataclasses
import datetime

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.rollout import waves
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.rollout.model import Call, DeclaredWave, Wave

NOW = datetime.datetime(2026, 11, 30, 12, 0, tzinfo=datetime.timezone.utc)
FLEET = {key: f"hash-{key}" for key in ("a", "b", "c", "d", "e")}
REST = DeclaredWave()


def call(*declared: DeclaredWave, **other: object) -> Call:
    fields = {"name": "keys", "verb": "reconcile", "variables": "v", "version": "1.0.0", "owner": "ops@bastion", "fleet": FLEET}
    return Call(**{**fields, "waves": declared, **other})


def keys(*declared: DeclaredWave) -> list[str]:
    return ["".join(wave.members) for wave in waves.planned(call(*declared), NOW).waves]


@pytest.mark.parametrize(
    ("declared", "expected"),
    [
        ([REST], ["abcde"]),
        ([DeclaredWave(clusters=("c",)), REST], ["c", "abde"]),
        ([DeclaredWave(clusters=("c", "a")), DeclaredWave(size=2)], ["ca", "bd", "e"]),  # the last size repeats
        ([DeclaredWave(size=1), DeclaredWave(size=2), REST], ["a", "bc", "de"]),
        ([DeclaredWave(size=9), DeclaredWave(size=2)], ["abcde"]),
        ([DeclaredWave(clusters=tuple("abcde"))], ["abcde"]),
    ],
)
def test_each_cluster_is_in_one_wave(declared: list[DeclaredWave], expected: list[str]) -> None:
    assert keys(*declared) == expected


@pytest.mark.parametrize(
    ("declared", "words"),
    [
        (
            [DeclaredWave(clusters=("a",))],
            r"rollout_waves: 1 waves without b, c, d, e is not allowed\. Allowed: waves with all clusters",
        ),
        ([DeclaredWave(clusters=("z",)), REST], r"rollout_waves: 'z' is not allowed\. Allowed: keys of clusters of the inventory"),
        (
            [DeclaredWave(clusters=("a",)), DeclaredWave(clusters=("a",)), REST],
            r"'a' is not allowed\. Allowed: each cluster in one wave",
        ),
    ],
)
def test_waves_that_miss_or_repeat_clusters_are_refused(declared: list[DeclaredWave], words: str) -> None:
    with pytest.raises(Refused, match=words):
        waves.planned(call(*declared), NOW)


def test_a_wave_that_does_not_fit_into_a_parameter_is_refused() -> None:
    fleet = {f"cluster-number-{number:03}": "0123456789ab" for number in range(200)}
    with pytest.raises(Refused, match=r"wave 1 with 200 clusters is not allowed\. Allowed: waves whose record has at most 4096"):
        waves.planned(call(REST, fleet=fleet), NOW)
    planned = waves.planned(call(DeclaredWave(size=50), fleet=fleet), NOW)
    worst = [wave.with_outcomes(dict.fromkeys(wave.members, "degraded"), "2026-11-30T12:00:00Z") for wave in planned.waves]
    assert len(worst) == 4 and max(len(wave.to_json()) for wave in worst) < 4096


def test_a_rollout_without_clusters_is_refused() -> None:
    with pytest.raises(Refused, match="The inventory has no cluster that the playbook reconcile supports"):
        waves.planned(call(REST, fleet={}), NOW)


@pytest.mark.parametrize(
    ("later", "expected"),
    [
        ({}, []),
        ({"variables": "w"}, ["the extra variables of reconcile"]),
        ({"version": "1.1.0"}, ["the version of this collection (1.0.0, now 1.1.0)"]),
        ({"fleet": {**FLEET, "b": "other"}}, ["the settings of b"]),
        ({"fleet": {key: FLEET[key] for key in "acde"}}, []),  # a cluster that left is no change of the plan
        ({"fleet": {**FLEET, "new": "x"}}, []),
    ],
)
def test_what_differs_from_the_plan(later: dict[str, object], expected: list[str]) -> None:
    assert waves.differences(waves.planned(call(REST), NOW), call(REST, **later)) == expected


def test_the_accepted_plan_has_no_differences_and_another_hash() -> None:
    record, later = waves.planned(call(REST), NOW), call(REST, version="2", fleet={**FLEET, "b": "other"})
    after = waves.accepted(record, later)
    assert waves.differences(after, later) == [] and after.hash != record.hash


def test_the_hash_is_about_the_plan_and_not_about_its_progress() -> None:
    record = waves.planned(call(REST), NOW)
    wave = dataclasses.replace(record.waves[0], started="2026-11-30T12:00:00Z").with_outcomes({"a": "done"}, "")
    assert record.with_wave(0, wave).hash == record.hash
    assert record.with_wave(0, dataclasses.replace(wave, approval=True)).hash != record.hash


def test_a_new_cluster_joins_the_last_wave_only_on_request_and_before_its_start() -> None:
    record, fleet = waves.planned(call(DeclaredWave(clusters=("a",)), REST), NOW), {**FLEET, "new": "x"}
    assert waves.added(record, call(fleet=fleet)) == record
    wanted = call(fleet=fleet, add_new=True)
    assert "new" in waves.added(record, wanted).waves[-1].members
    started = record.with_wave(1, dataclasses.replace(record.waves[1], started="2026-11-30T12:00:00Z"))
    assert waves.added(started, wanted) == started and waves.new_clusters(started, wanted) == ["new"]


def test_a_last_wave_that_would_not_fit_with_new_clusters_is_refused() -> None:
    record = waves.planned(call(REST), NOW)
    fleet = {**FLEET, **{f"cluster-number-{number:03}": "0123456789ab" for number in range(120)}}
    with pytest.raises(Refused, match="wave 1 with 125 clusters is not allowed"):
        waves.added(record, call(fleet=fleet, add_new=True))


def test_a_wave_ends_with_its_last_open_cluster() -> None:
    wave: Wave = waves.planned(call(REST), NOW).waves[0]
    most = wave.with_outcomes(dict.fromkeys("abcd", "done") | {"e": "locked"}, "2026-11-30T12:00:00Z")
    assert most.open == ("e",) and not most.ended
    assert most.with_outcomes({"e": "failed"}, "2026-11-30T12:30:00Z").ended == "2026-11-30T12:30:00Z"
