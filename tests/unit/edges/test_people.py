# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Real runs about people and records, on a simulated AWS whose nodes are folders."""

from __future__ import annotations

import json
import typing as t
from pathlib import Path

import pytest
from simulated import hostile, people

KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAICAPSL0Skya4hv55isK/lq7KgIVoqLRwBCsfmvLmwAEg"


def declared(*users: dict[str, t.Any]) -> tuple[str, str]:
    return "-e", json.dumps({"hyperpod_users": users})


ALICE = {"name": "alice", "uid": 20001, "authorized_keys": [{"key": KEY}]}
BOB = {"name": "bob", "uid": 20002}
WITHDRAWN = {**ALICE, "authorized_keys": []}
GONE = {"name": "bob", "state": "absent"}


@pytest.fixture(scope="module", name="world")
def _world(tmp_path_factory: pytest.TempPathFactory) -> t.Iterator[people.World]:
    with people.world(tmp_path_factory.mktemp("people")) as here:
        yield here


def reconcile(world: people.World, *users: dict[str, t.Any]) -> hostile.Run:
    world.forget_looks()
    run = world.playbook("mlfleet.hyperpod.reconcile", "--limit", "cluster_ml", *declared(*users))
    assert run.rc == 0, run.output
    return run


def owed(run: hostile.Run) -> list[str]:
    return [line.strip() for line in run.report.split("\n") if "Access of" in line]


class TestWhoseAccessEndsIsPendingUntilEveryNodeWasSeen:
    """In this order."""

    def test_a_first_run_looks_at_every_node_and_owes_nothing(self, world: people.World) -> None:
        run = reconcile(world, ALICE, BOB)
        assert world.looked_at() == set(people.KINDS) and owed(run) == []
        assert world.accounts("compute")["alice"]["authorized_keys"][0]["key"] == KEY

    def test_a_node_that_is_silent_is_named_with_the_people(self, world: people.World) -> None:
        """One key was withdrawn, one person removed; neither is a login node or new, and the run reaches for it."""
        with world.silent("compute"):
            run = reconcile(world, WITHDRAWN, GONE)
        assert world.looked_at() == {"controller", "login"}
        assert owed(run) == [
            "- pending: Access of alice (changed), bob (removed): 1 of 3 nodes was not found as declared since then: "
            + world.nodes["compute"]
        ]
        assert "ml  degraded" in run.report

    def test_a_later_run_goes_there_by_itself_and_owes_nothing_then(self, world: people.World) -> None:
        """And a host's name among the records of drained nodes is no reason to stop."""
        world.put(world.path("records", "drained", f"ml-{world.nodes['login']}"), "{}")
        run = reconcile(world, WITHDRAWN, GONE)
        assert f"/records/drained/ml-{world.nodes['login']} is no record of this collection" in run.report, run.report
        assert owed(run) == [] and "compute" in world.looked_at()
        assert set(world.accounts("compute")) == {"alice"} and not world.accounts("compute")["alice"]["authorized_keys"]
