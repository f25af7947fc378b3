# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A login node that fails, hangs or returns hostile values is taken out of service, and the same run heals the other nodes."""

from __future__ import annotations

import itertools
import json
import typing as t

import pytest
from simulated import one_hostile
from simulated.one_hostile import BEHAVIOURS, CONFLICT, LIMIT

pytestmark = pytest.mark.slow

uids = itertools.count(20001)


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> t.Iterator[one_hostile.World]:
    with one_hostile.world(tmp_path_factory.mktemp("one")) as made:
        run = made.playbook("mlfleet.hyperpod.login_access", *LIMIT)
        assert run.rc == 0 and made.targets() == {node.ip for node in made.nodes("login")}, run.output
        yield made


def newcomer() -> tuple[str, tuple[str, str]]:
    """Name of a new user, and the arguments that declare it."""
    name = f"user{next(uids)}"
    return name, ("-e", json.dumps({"hyperpod_users": [{"name": name, "uid": int(name[4:])}]}))


@pytest.mark.parametrize("how", BEHAVIOURS)
def test_the_other_nodes_of_the_cluster_are_healed(world: one_hostile.World, how: str) -> None:
    bad, *good = world.nodes("login")
    world.remove_listener()
    name, declared = newcomer()
    with world.misbehaving(BEHAVIOURS[how], bad):
        run = world.playbook("mlfleet.hyperpod.login_access", *LIMIT, *declared)
    assert run.rc == 0 and "ml  degraded" in run.report, run.output
    assert world.listeners() == 1, run.output
    assert world.targets() == {node.ip for node in good}, run.output
    others = [*good, *world.nodes("controller"), *world.nodes("compute")]
    assert [node.people for node in others] == [{name}] * len(others) and name not in bad.people, run.output
    assert f"({bad.instance_id}) is out of service: this run could not verify the node." in run.report, run.report


@pytest.mark.parametrize("kind", ["compute", "controller"])
@pytest.mark.parametrize("how", ["no room to write", "no answer to anything", "values of other types"])
def test_a_faulty_node_without_logins_does_not_block_the_others(world: one_hostile.World, kind: str, how: str) -> None:
    bad = world.nodes(kind)[0]
    world.remove_listener()
    name, declared = newcomer()
    with world.misbehaving(BEHAVIOURS[how], bad):
        run = world.playbook("mlfleet.hyperpod.login_access", *LIMIT, *declared)
    assert run.rc == 0 and "ml  degraded" in run.report, run.output
    assert world.listeners() == 1 and world.targets() == {node.ip for node in world.nodes("login")}, run.output
    others = [node for each in ("login", "controller", "compute") for node in world.nodes(each) if node != bad]
    assert [node.people for node in others] == [{name}] * len(others), run.output


def test_the_next_run_puts_the_node_back_into_service(world: one_hostile.World) -> None:
    run = world.playbook("mlfleet.hyperpod.login_access", *LIMIT, *newcomer()[1])
    assert run.rc == 0 and "ml  changed" in run.report, run.output
    assert world.targets() == {node.ip for node in world.nodes("login")}, run.output


@pytest.mark.parametrize("how", ["no plan", "no connection"])
def test_a_failure_of_all_login_nodes_fails_the_run_and_removes_none(world: one_hostile.World, how: str) -> None:
    login = world.nodes("login")
    world.remove_listener()
    name, declared = newcomer()
    with world.misbehaving(BEHAVIOURS[how], *login):
        run = world.playbook("mlfleet.hyperpod.login_access", *LIMIT, *declared)
    assert run.rc == 2 and "Every login node of ml failed or was unreachable" in run.report, run.output
    assert world.targets() == {node.ip for node in login} and world.listeners() == 1, run.output
    assert {name} == world.nodes("compute")[0].people, run.output


def test_a_declaration_that_conflicts_with_most_nodes_stops_the_cluster(world: one_hostile.World) -> None:
    """The run stops before the first change."""
    world.remove_listener()
    name, declared = newcomer()
    nodes = [node for kind in ("login", "controller", "compute") for node in world.nodes(kind)]
    with world.misbehaving({"accounts": {"answer": CONFLICT}}, *nodes[:4]):
        run = world.playbook("mlfleet.hyperpod.login_access", *LIMIT, *declared)
    assert run.rc == 2 and "No node of ml was changed because the declared users and groups conflict with" in run.report
    assert world.listeners() == 0 and not any(name in node.people for node in nodes), run.output
