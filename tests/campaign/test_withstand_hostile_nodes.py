"""Playbooks that look at everything or change clusters, run against nodes that lie; tests/unit/strangers has the others.

It stands on a simulated AWS of its own: the machines of the lab are not asked.
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

LOOKS: dict[str, tuple[str, ...]] = {
    "access_report": (),
    "adopt": ("-e", "adopt_load_balancer="),
    "offboard": ("-e", "offboard_name=mallory", "-e", "offboard_uid=20009"),
    "reconcile": ("--tags", "sweep"),
    "verify": (),
}
"""What may run again and again, with the same questions to nodes. In these clusters status asks none."""


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> t.Iterator[hostile.World]:
    with hostile.world(tmp_path_factory.mktemp("strangers")) as here:
        yield here


@pytest.mark.parametrize("name", RUNS)
def test_nothing_is_theirs_to_choose(world: hostile.World, name: str) -> None:
    chosen = ("-e", f"undrain_nodes={world.login}") if name == "undrain" else ()
    hostile.check(world, f"mlfleet.hyperpod.{name}", *RUNS[name], *chosen)


def test_drift_goes_where_its_options_say(world: hostile.World) -> None:
    state = world.home / ".mlfleet/hyperpod"
    hostile.check(world, "mlfleet.hyperpod.drift", "--check", "-e", f"drift_json={state}/mine.json", "-e", "drift_junit=")
    assert {path.name for path in state.iterdir() if path.name.startswith(("mine", "drift"))} == {"mine.json", "drift.prom"}


@pytest.fixture(scope="module")
def lone(tmp_path_factory: pytest.TempPathFactory) -> t.Iterator[one_hostile.World]:
    with one_hostile.world(tmp_path_factory.mktemp("one")) as here:
        run = here.playbook("mlfleet.hyperpod.login_access", *one_hostile.LIMIT)
        assert run.rc == 0, run.output
        yield here


@pytest.mark.parametrize("name", LOOKS)
def test_one_node_keeps_no_other_from_being_asked(lone: one_hostile.World, name: str) -> None:
    bad, *good = lone.nodes("login")
    good += [*lone.nodes("controller"), *lone.nodes("compute")]

    def asked() -> tuple[hostile.Run, list[set[str]]]:
        for node in (bad, *good):
            node.modules()
        run = lone.playbook(f"mlfleet.hyperpod.{name}", *one_hostile.LIMIT, *LOOKS[name])
        assert run.report and "Traceback" not in run.output, run.output
        return run, [node.modules() for node in good]

    expected = asked()[1]
    assert any(expected)
    for how in ("no JSON", "values of other types", "no connection", "no answer to anything"):
        with lone.misbehaving(one_hostile.BEHAVIOURS[how], bad):
            run, found = asked()
        assert found == expected, f"{how}: {run.output}"
