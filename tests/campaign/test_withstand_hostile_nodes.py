"""Playbooks that look at everything or change clusters, run against nodes that lie; tests/unit/strangers has the others.

It stands on a simulated AWS of its own: the machines of the lab are not asked.
"""

from __future__ import annotations

import os
import sys
import typing as t

import pytest

sys.path.insert(0, os.environ["ANSIBLE_COLLECTIONS_PATH"])

from simulated import hostile

RUNS: dict[str, tuple[str, ...]] = {
    "login_access": (),
    "reconcile": ("--tags", "sweep"),
    "rotate_host_keys": ("-e", "rotation=start"),
    "undrain": (),
    "teardown": ("-e", "teardown_confirm=ml"),
}


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
