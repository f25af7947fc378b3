# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which clusters a run must include, and whether a run knows all queues."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.events import selection
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.events.places import Place

PLACES = {"a": "us-west-2", "b": "us-west-2", "c": "us-east-1"}
WEST, EAST = (Place("111111111111", region) for region in ("us-west-2", "us-east-1"))
ALL = ["a", "b", "c"]


def given(run: t.Sequence[str] = ALL, left: t.Sequence[str] | None = None, **more: t.Any) -> dict[str, t.Any]:
    hostvars = {key: {"hyperpod_cluster_arn": f"arn:aws:sagemaker:{region}:111111111111:cluster/{key:0<12}"} for key, region in PLACES.items()}
    for key, value in more.pop("hosts", {}).items():
        hostvars[key] |= value
    return {
        "ansible_play_hosts_all": list(run),
        "ansible_play_hosts": list(run if left is None else left),
        "groups": {"hyperpod_clusters": ALL, "orchestrator_slurm": ["a", "c"]},
        "hostvars": hostvars,
        **more,
    }


@pytest.mark.parametrize(
    ("variables", "parts"),
    [
        (given(), []),
        (given(["a"]), []),
        (given(events_state="absent"), []),
        (given(["c"], events_state="absent"), []),
        (given(["a", "b"], events_state="absent"), []),
        (given(["b"], events_state="absent"), ["hyperpod_only: b is not allowed", "which this run would remove", "Region us-west-2: a, b."]),
        (given(events_rulebook="/x"), []),
        (given(["b", "c"], events_rulebook="/x"), []),
        (given(["a", "b"], events_rulebook="/x"), ["leaves out account 111111111111, Region us-east-1 (c)", "or no events_rulebook"]),
        (given(events_state="absent", events_rulebook="/x"), ["events_rulebook: '/x' is not allowed: events_state is absent"]),
    ],
)
def test_a_selection_that_cuts_a_queue_or_the_rulebook_is_refused(variables: dict[str, t.Any], parts: list[str]) -> None:
    found = selection.problems(variables)
    assert len(found) == (1 if parts else 0) and all(part in found[0] for part in parts), found


@pytest.mark.parametrize(
    ("variables", "reasons"),
    [
        (given(), []),
        (given(["b", "c"]), []),
        (given(left=["a", "c"]), []),
        (given(left=["b", "c"]), ["the setup failed for account 111111111111, Region us-west-2"]),
        (given(left=["a", "b"]), ["the setup failed for account 111111111111, Region us-east-1"]),
        (given(hyperpod_inventory_failures=["account x: denied"]), ["the inventory could not be read: account x: denied"]),
    ],
)
def test_a_queue_that_was_not_set_up_keeps_the_rulebook(variables: dict[str, t.Any], reasons: list[str]) -> None:
    """The first host of the run represents its account and Region; the others may fail."""
    assert selection.not_set_up(variables) == reasons


def test_each_account_and_region_may_have_another_queue() -> None:
    variables = given(["b", "c"], hosts={"a": {"events_queue_name": "of-a"}, "b": {"events_queue_name": "of-b"}})
    assert names(variables) == {WEST: "of-b", EAST: "usual"}
    assert names(given(["c"])) == {WEST: "usual", EAST: "usual"}


def names(variables: dict[str, t.Any]) -> dict[Place, str]:
    return {place: each.name for place, each in selection.queues(variables, default="usual").items()}


def test_the_rulebook_knows_the_clusters_that_reconcile_supports() -> None:
    tables = {place: each.clusters for place, each in selection.queues(given(["c"]), default="usual").items()}
    arn = "arn:aws:sagemaker:{}:111111111111:cluster/{:0<12}"
    assert tables == {WEST: {arn.format("us-west-2", "a"): "a"}, EAST: {arn.format("us-east-1", "c"): "c"}}
