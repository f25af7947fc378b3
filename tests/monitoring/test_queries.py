# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Prometheus answers each query of the rules and of the dashboard, from metrics that node_exporter reads in files."""

from __future__ import annotations

import json
import re
import typing as t
from pathlib import Path

import pytest
from monitoring import examples, stack

from .conftest import SHIPPED

DASHBOARD = json.loads((SHIPPED / "dashboard.json").read_text())
QUERIES = [
    (f"{panel['title']} {target['refId']}", target["expr"]) for panel in DASHBOARD["panels"] for target in panel["targets"]
]
ALL_CLUSTERS = next(each for each in DASHBOARD["templating"]["list"] if each["name"] == "cluster")
NAME = re.compile(r"mlfleet_hyperpod_\w+")


def samples(folder: Path) -> dict[str, int]:
    """The number of samples of each metric in the files."""
    lines = [line for path in folder.glob("*.prom") for line in path.read_text().split("\n") if line and line[0] != "#"]
    found: dict[str, int] = {}
    for line in lines:
        name = re.split("[ {]", line, maxsplit=1)[0]
        found[name] = found.get(name, 0) + 1
    return found


def test_all_samples_of_the_files_arrive(prometheus: stack.Prometheus, metrics: Path) -> None:
    assert prometheus.query("node_textfile_scrape_error")[0]["value"][1] == "0"
    counted = prometheus.query('count by (__name__) ({__name__=~"mlfleet_hyperpod_.+"})')
    assert {each["metric"]["__name__"]: int(each["value"][1]) for each in counted} == samples(metrics)
    clusters = {each["metric"]["cluster"] for each in prometheus.query("mlfleet_hyperpod_last_run_status")}
    assert clusters == {"ml", "gone", examples.HOSTILE}


def test_the_rules_are_evaluated_without_an_error(prometheus: stack.Prometheus) -> None:
    rules = prometheus.rules()
    assert {rule["health"]: rule.get("lastError") for rule in rules.values()} == {"ok": None}
    assert {name for name, rule in rules.items() if rule["alerts"]} == examples.ACTIVE
    (vanished,) = rules["HyperPodClusterVanished"]["alerts"]
    assert vanished["labels"]["cluster"] == "gone" and vanished["annotations"]["summary"].startswith("Runs of reconcile have missed gone for 2d")


@pytest.mark.parametrize(("title", "expression"), QUERIES, ids=[title for title, _expression in QUERIES])
@pytest.mark.parametrize("cluster", [ALL_CLUSTERS["allValue"], "ml"])
def test_each_query_of_the_dashboard_has_an_answer(prometheus: stack.Prometheus, title: str, expression: str, cluster: str) -> None:
    assert prometheus.query(expression.replace("$cluster", cluster)), title


def test_the_dashboard_lists_the_clusters(prometheus: stack.Prometheus) -> None:
    match = re.fullmatch(r"label_values\((\w+), (\w+)\)", ALL_CLUSTERS["query"]["query"])
    assert match is not None
    found: t.Any = prometheus.get(f"label/{match[2]}/values", **{"match[]": match[1]})
    assert set(found) == {"ml", "gone", examples.HOSTILE}


def test_rules_and_dashboard_read_only_metrics_that_exist(metrics: Path) -> None:
    """A misspelled name would be a query without an answer."""
    read = {name for path in SHIPPED.iterdir() for name in NAME.findall(path.read_text())}
    assert read <= set(samples(metrics))


def test_the_page_has_all_metrics(metrics: Path) -> None:
    page = (SHIPPED.parents[1] / "docs/use/monitoring.md").read_text()
    assert set(samples(metrics)) <= set(NAME.findall(page))
