# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The result of a run."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.views.plays import end


@pytest.mark.parametrize(
    ("skipped", "told"),
    [([], "--tags a,b selects no task"), (["c", "d"], "--tags a,b --skip-tags c,d selects no task")],
)
def test_tags_that_select_nothing_are_told(skipped: list[str], told: str) -> None:
    (finding,) = end.selection({"ansible_run_tags": ["a", "b"], "ansible_skip_tags": skipped}).failures
    assert finding["kind"] == "failure"
    assert finding["text"].startswith(told)


@pytest.mark.parametrize(
    ("variables", "verdict"),
    [
        ({}, ("", 0, {})),
        (
            {"hyperpod_verdict": {"status": "degraded", "pending": 2}, "hyperpod_artifact": {"clusters": [{"a": 1}]}},
            ("degraded", 2, {"clusters": [{"a": 1}]}),
        ),
    ],
)
def test_the_verdict_is_that_of_the_callback(variables: dict[str, t.Any], verdict: tuple[t.Any, ...]) -> None:
    found = end.verdict(variables)
    assert (found.status, found.pending, found.artifact) == verdict


def test_what_the_inventory_could_not_read_is_told() -> None:
    (finding,) = end.inventory({"hyperpod_inventory_failures": ["account 1", "account 2"]}).failures
    assert (finding["kind"], finding["code"]) == ("failure", "inventory-not-read")
    assert "not part of this run: account 1; account 2." in finding["text"]


@pytest.mark.parametrize("variables", [{}, {"hyperpod_inventory_failures": []}])
def test_an_inventory_that_was_read_is_no_failure(variables: dict[str, t.Any]) -> None:
    assert end.inventory(variables).failures == []
