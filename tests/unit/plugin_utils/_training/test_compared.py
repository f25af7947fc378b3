# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Rates compared with the last run, if it was equal."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._training import compared
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._training.compared import Measured, measured, measured_before
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._training.report import of_cluster
from simulated.training_report import BEFORE, CREATED, checks, cluster, job


def seen(rate: float = 200_000.0, created: str = BEFORE, **changes: t.Any) -> Measured:
    given = {"write_mib_per_second": None, **changes, "tokens_per_second": rate}
    found = measured(of_cluster(cluster(job(**given)), created=created), created)
    assert found is not None
    return found


def test_the_rates_of_a_run_are_collected() -> None:
    found = seen(write_mib_per_second=1834.2)
    assert (found.created, found.instance_type, found.nodes, found.ranks, found.parameters, found.dtypes) == (
        *(BEFORE, "ml.p5.48xlarge", 2, 16, 235_000_000, ("bfloat16",)),
    )
    assert found.rates == {"tokens_per_second": 200_000.0, "bus_gb_per_second": 466.0, "write_mib_per_second": 1834.2}


@pytest.mark.parametrize(
    "changes",
    [
        *({"tokens_per_second": rate} for rate in (None, 0.0, float("inf"))),
        *({"pods": []}, {"nodes": []}, {"parameters": None}, {"dtypes": None}),
    ],
)
def test_a_job_without_figures_measured_nothing(changes: dict[str, t.Any]) -> None:
    assert measured(of_cluster(cluster(job(**changes)), created=CREATED), CREATED) is None


def test_a_cluster_without_jobs_measured_nothing() -> None:
    assert measured(of_cluster(cluster(why="No node."), created=CREATED), CREATED) is None


@pytest.mark.parametrize(
    ("now", "slower"), [(200_000.0, False), (180_000.0, False), (179_999.0, True), (10.0, True), (900_000.0, False)]
)
def test_a_drop_of_more_than_a_tenth_is_slower(now: float, slower: bool) -> None:
    found = compared.compared(seen(), seen(now, CREATED))
    assert found is not None and (found["since"], found["slower"]) == (BEFORE, slower)
    assert found["rates"][0] == {"name": "tokens_per_second", "before": 200_000.0, "now": now}


@pytest.mark.parametrize("changes", [{"nodes": ["a"]}, {"pods": job()["pods"][:8]}, {"parameters": 1}, {"dtypes": ["float32"]}])
def test_other_nodes_ranks_models_and_types_are_not_compared(changes: dict[str, t.Any]) -> None:
    assert compared.compared(seen(), seen(10.0, CREATED, **changes)) is None
    assert compared.compared(seen(**changes), seen(10.0, CREATED)) is None


def test_other_instance_types_are_not_compared_and_neither_is_nothing() -> None:
    other = Measured(**{**seen().to_report(), "instance_type": "ml.p4d.24xlarge", "dtypes": ("bfloat16",)})
    assert compared.compared(other, seen()) is None
    assert compared.compared(None, seen()) is None and compared.compared(seen(), None) is None


def test_only_rates_that_both_runs_measured_are_compared() -> None:
    found = compared.compared(seen(write_mib_per_second=100.0), seen(created=CREATED, read_mib_per_second=3.0))
    assert found is not None and [each["name"] for each in found["rates"]] == ["tokens_per_second", "bus_gb_per_second"]


def test_a_slower_network_alone_is_shown_and_no_finding() -> None:
    slow = measured(of_cluster(cluster(job(), before=checks(12.0)), created=CREATED), CREATED)
    found = compared.compared(seen(283_900.0), slow)
    assert (
        found is not None
        and found["slower"] is False
        and found["rates"][1] == {"name": "bus_gb_per_second", "before": 466.0, "now": 12.0}
    )


def test_the_finding_has_its_values() -> None:
    found = compared.compared(seen(371_000.4), seen(283_900.0, CREATED))
    assert found is not None
    assert compared.slowdown(found) == {"since": "2026-11-25 02:30 UTC", "before": "371000", "now": "283900", "percent": "23"}


def test_a_written_file_is_read_back() -> None:
    assert measured_before({"measured": {"ml": seen().to_report()}}) == {"ml": seen()}


GOOD = seen().to_report()


@pytest.mark.parametrize(
    "row",
    [
        None, [], "x", {}, {**GOOD, "created": "yesterday"}, {**GOOD, "created": 5}, {**GOOD, "ranks": float("inf")}, {**GOOD, "dtypes": None},
        *({**GOOD, "nodes": value} for value in ("two", 0, -2)), {**GOOD, "rates": []}, {**GOOD, "rates": {}},
        *({**GOOD, "rates": {"tokens_per_second": value}} for value in ("fast", float("nan"), -5.0)),
        {**GOOD, "rates": {**GOOD["rates"], "bus_gb_per_second": float("nan")}}, {key: each for key, each in GOOD.items() if key != "parameters"},
    ],
)  # fmt: skip
def test_a_damaged_row_is_no_earlier_run(row: t.Any) -> None:
    assert measured_before({"measured": {"ml": row, "other": GOOD}}) == {"other": seen()}


@pytest.mark.parametrize("document", [None, {}, {"measured": None}, {"measured": []}, {"measured": "x"}])
def test_without_an_earlier_run_nothing_is_compared(document: t.Any) -> None:
    assert measured_before(document) == {}


def test_a_file_with_too_many_clusters_is_read_partially() -> None:
    found = measured_before({"measured": {str(number): GOOD for number in range(2_000)}})
    assert len(found) == compared.MOST_CLUSTERS
