"""Playbooks that check or change whole clusters, run with hostile nodes; tests/unit/strangers has the others.

They use a separate simulated AWS, not the machines of the lab.
"""

from __future__ import annotations

import os
import sys
import typing as t

import pytest

sys.path.insert(0, os.environ["ANSIBLE_COLLECTIONS_PATH"])

from simulated import hostile, one_hostile

RUNS: dict[str, tuple[str, ...]] = {
    "login_access": (),
    "reconcile": ("--tags", "sweep"),
    "rotate_host_keys": ("-e", "rotation=start"),
    "undrain": (),
    "teardown": ("-e", "teardown_confirm=ml"),
}

REPEATABLE: dict[str, tuple[str, ...]] = {
    "access_report": (),
    "adopt": ("-e", "adopt_load_balancer="),
    "offboard": ("-e", "offboard_name=mallory", "-e", "offboard_uid=20009"),
    "reconcile": ("--tags", "sweep"),
    "verify": (),
}
"""Playbooks that may run repeatedly and send the same modules to nodes. In these clusters status sends none."""


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> t.Iterator[hostile.World]:
    with hostile.world(tmp_path_factory.mktemp("strangers")) as here:
        yield here


@pytest.mark.parametrize("name", RUNS)
def test_hostile_nodes_control_nothing(world: hostile.World, name: str) -> None:
    chosen = ("-e", f"undrain_nodes={world.login}") if name == "undrain" else ()
    hostile.check(world, f"mlfleet.hyperpod.{name}", *RUNS[name], *chosen)


def test_drift_writes_only_the_files_of_its_options(world: hostile.World) -> None:
    state = world.home / ".mlfleet/hyperpod"
    hostile.check(world, "mlfleet.hyperpod.drift", "--check", "-e", f"drift_json={state}/mine.json", "-e", "drift_junit=")
    assert {path.name for path in state.iterdir() if path.name.startswith(("mine", "drift"))} == {"mine.json", "drift.prom"}


@pytest.fixture(scope="module")
def lone(tmp_path_factory: pytest.TempPathFactory) -> t.Iterator[one_hostile.World]:
    with one_hostile.world(tmp_path_factory.mktemp("one")) as here:
        run = here.playbook("mlfleet.hyperpod.login_access", *one_hostile.LIMIT)
        assert run.rc == 0, run.output
        yield here


@pytest.mark.parametrize("name", REPEATABLE)
def test_one_hostile_node_does_not_block_the_others(lone: one_hostile.World, name: str) -> None:
    bad, *good = lone.nodes("login")
    good += [*lone.nodes("controller"), *lone.nodes("compute")]

    def modules_sent() -> tuple[hostile.Run, list[set[str]]]:
        for node in (bad, *good):
            node.modules()
        run = lone.playbook(f"mlfleet.hyperpod.{name}", *one_hostile.LIMIT, *REPEATABLE[name])
        assert run.report and "Traceback" not in run.output, run.output
        return run, [node.modules() for node in good]

    expected = modules_sent()[1]
    assert any(expected)
    for how in ("no JSON", "values of other types", "no connection", "no answer to anything"):
        with lone.misbehaving(one_hostile.BEHAVIOURS[how], bad):
            run, found = modules_sent()
        assert found == expected, f"{how}: {run.output}"
