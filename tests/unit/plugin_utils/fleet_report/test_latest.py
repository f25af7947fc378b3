# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The latest real run and the latest check, from as few objects as possible."""

from __future__ import annotations

import typing as t
from pathlib import Path

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.fleet_report.latest import FOUND, NEVER, UNKNOWN, Choice, OfVerb
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.report_store.listing import DEPTH, listing
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.report_store.place import Folder
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.report_store.source import LATE, Reading, source
from simulated.fleet_store import NOW, add, of_cluster


def chosen(folder: Path) -> tuple[dict[tuple[str, str], OfVerb], int]:
    """The result, and the number of objects that were read."""
    reading = Reading(source(Folder(str(folder))))
    choice = Choice(listing(reading.source, late=lambda: False).pairs, reading, NOW)
    choice.latest()
    return choice.with_histories(), reading.count


def at(number: int) -> str:
    return f"2026-11-29T{number // 60:02d}:{number % 60:02d}:00Z"


def runs(folder: Path, *checks: bool, verb: str = "reconcile", **more: t.Any) -> list[str]:
    """Add runs, the oldest one first."""
    return [add(Folder(str(folder)), at(number), verb, of_cluster("ml"), check=check, **more) for number, check in enumerate(checks)]


def states(found: dict[tuple[str, str], OfVerb]) -> tuple[str, str]:
    (each,) = found.values()
    return each.real.state, each.check.state


@pytest.mark.parametrize(
    ("checks", "expected"),
    [
        ([False], (FOUND, NEVER)),
        ([True], (NEVER, FOUND)),
        ([False, True, False], (FOUND, FOUND)),
        ([False] * DEPTH, (FOUND, NEVER)),
        ([True] + [False] * DEPTH, (FOUND, UNKNOWN)),
        ([True] + [False] * (DEPTH - 1), (FOUND, FOUND)),
    ],
    ids=["real only", "check only", "both", "all read", "too far back", "just near enough"],
)
def test_never_is_said_only_if_all_reports_were_read(tmp_path: Path, checks: list[bool], expected: tuple[str, str]) -> None:
    runs(tmp_path, *checks)
    assert states(chosen(tmp_path)[0]) == expected


def test_the_latest_of_each_mode_is_chosen(tmp_path: Path) -> None:
    names = runs(tmp_path, False, True, False, True, True)
    (found,) = chosen(tmp_path)[0].values()
    assert [each.report.key.rpartition("/")[2] for each in (found.real, found.check)] == [f"{names[2]}.json", f"{names[4]}.json"]
    assert [(each[0], each[1]) for each in found.history] == [(at(number), check) for number, check in enumerate((False, True, False, True, True))]


def test_the_documents_of_runs_are_read_once_for_all_clusters(tmp_path: Path) -> None:
    """40 clusters with 2 runs: 2 documents of runs, and 2 reports of each cluster."""
    clusters = [of_cluster(f"c{number}") for number in range(40)]
    for number, check in enumerate((False, True)):
        add(Folder(str(tmp_path)), at(number), "reconcile", *clusters, check=check)
    found, count = chosen(tmp_path)
    assert {(each.real.state, each.check.state) for each in found.values()} == {(FOUND, FOUND)} and count == 2 + 80


def test_the_newest_reports_are_read_first(tmp_path: Path) -> None:
    """The time is over after the document of the newest run and its report."""
    runs(tmp_path, True, False)
    of_folder = source(Folder(str(tmp_path)))
    counts: list[Reading] = []
    reading = Reading(of_folder, clock=lambda: 1000 if counts and counts[0].count > 2 else 0)
    counts.append(reading)
    (found,) = Choice(listing(of_folder, late=lambda: False).pairs, reading, NOW).latest().values()
    assert (found.real.state, found.real.problem, found.check.state) == (FOUND, None, UNKNOWN)
    assert found.check.problem.reason == LATE


def test_an_interrupted_run_has_no_document_and_is_found(tmp_path: Path) -> None:
    (name,) = runs(tmp_path, True)
    (tmp_path / f"v1/runs/{name}.json").unlink()
    found, _count = chosen(tmp_path)
    assert states(found) == (NEVER, FOUND)
    assert found["ml", "reconcile"].check.report.started == at(0) and found["ml", "reconcile"].history == []


@pytest.mark.parametrize("with_run", [True, False], ids=["known mode", "unknown mode"])
def test_a_broken_latest_report_is_never_replaced_silently(tmp_path: Path, with_run: bool) -> None:
    old, new = runs(tmp_path, False, False)
    (tmp_path / f"v1/clusters/ml/reconcile/{new}.json").write_text('{"schema": 3, "sta')
    if not with_run:
        (tmp_path / f"v1/runs/{new}.json").unlink()
    (found,) = chosen(tmp_path)[0].values()
    assert found.real.problem.reason == "is not JSON, for example because it is truncated"
    assert [each[2] for each in found.history] == ["unchanged", *(["not known"] if with_run else [])]
    if with_run:
        assert (found.real.state, found.real.report, found.check.state) == (UNKNOWN, None, NEVER)
    else:  # the broken report could also be a check
        assert (found.real.state, found.real.report.key.rpartition("/")[2]) == (FOUND, f"{old}.json") and found.check.state == UNKNOWN


def test_a_report_that_contradicts_its_run_is_not_used(tmp_path: Path) -> None:
    (name,) = runs(tmp_path, False)
    path = tmp_path / f"v1/clusters/ml/reconcile/{name}.json"
    path.write_text(path.read_text().replace('"check_mode": false', '"check_mode": true'))
    (found,) = chosen(tmp_path)[0].values()
    assert (found.real.state, found.real.problem.reason) == (UNKNOWN, "contradicts the document of its run")


def test_a_report_from_the_future_is_named_and_not_used(tmp_path: Path) -> None:
    runs(tmp_path, False)
    add(Folder(str(tmp_path)), "2027-01-01T00:00:00Z", "reconcile", of_cluster("ml", "failed"))
    (found,) = chosen(tmp_path)[0].values()
    assert (found.real.state, found.real.report.started, found.real.problem.reason) == (FOUND, at(0), "has a time in the future")
    assert found.check.state == UNKNOWN and [each[0] for each in found.history] == [at(0)]


def test_files_of_other_folders_are_never_read(tmp_path: Path) -> None:
    (name,) = runs(tmp_path, False, files={"accelerators.json": {}})
    path = tmp_path / f"v1/runs/{name}.json"
    own = f"v1/runs/{name}/accelerators.json"
    path.write_text(path.read_text().replace(f'"{own}"', f'"{own}", "../../etc/passwd", "v1/runs/{name}/../x", "v1/runs/{name}/.."'))
    assert chosen(tmp_path)[0]["ml", "reconcile"].real.files == (own,)
