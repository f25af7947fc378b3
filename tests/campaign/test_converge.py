"""Runs with faults of AWS, and two runs at once: the end state is that of one undisturbed run."""

from __future__ import annotations

import pytest
from harness import HOME
from mishaps import Started
from steps import step
from worlds import assert_people_log_in, assert_same, bare_world, clean_run, snapshot


@pytest.mark.slow
def test_throttled_failing_and_lost_calls_converge():
    """Three calls in ten are throttled; each operation fails once and takes effect once without a reply."""
    with step("an undisturbed run"):
        clean = clean_run()
        world = bare_world()
    with step("a run with faults"):
        for service, operation, mutating in sorted(clean.operations):
            world.fault(kind="error500", service=service, operation=operation, times=1)
            if mutating:
                world.fault(kind="cut_after", service=service, operation=operation, times=1)
        world.fault(kind="throttle", probability=0.3, seed=7)
        run = world.playbook("login_access")
        world.clear_faults()
        assert run.rc == 0, run.log
        assert_same(snapshot(world), clean.state)
    with step("the next run"):
        world.reset_calls()
        again = world.playbook("login_access")
        assert (again.rc, again.changed) == (0, 0), again.log
        assert world.calls(mutating=True) == []


def test_two_runs_at_once_converge():
    clean = clean_run()
    world = bare_world()
    runs = [Started(world, "login_access", state_dir=HOME / ".mlfleet" / name) for name in ("one", "two")]
    ended = [run.end() for run in runs]
    for run in ended:
        assert run.rc == 0, run.log
    assert sorted(run.status for run in ended) in (["changed", "skipped"], ["changed", "unchanged"])
    for run in ended:
        assert run.status != "skipped" or run.cluster()["notes"][0].startswith("skipped, locked by ")
    assert_same(snapshot(world), clean.state)
    assert_people_log_in(world)
