"""A run that is killed at any point can be repeated: it has the same end state and creates nothing twice."""

from __future__ import annotations

import typing as t
from pathlib import Path

import pytest
from harness import World
from mishaps import ALWAYS, Started, killed_at_each, run_until
from steps import step
from worlds import assert_people_log_in, assert_same, bare_world, clean_run, snapshot

# Kills between AWS calls need no tasks on nodes.
LIMIT = ("--limit", "hyperpod_clusters", "-e", "hyperpod_internal_without_nodes=true")


def _parameter(description: str | None, *, overwrite: bool | None = None) -> dict[str, t.Any]:
    """A rule for PutParameter by purpose: trust records and public keys have a description, locks have none."""
    where = {"Description": description, **({} if overwrite is None else {"Overwrite": overwrite})}
    return {"operation": "PutParameter", "where": where}


TRUST = "a trust record is written"
CONFIGURED = "a node is noted as configured"
GIVE_BACK = "the lock is given back"
RECORD = _parameter("Public host keys of a HyperPod node, trusted through an SSM session")

# Where runs are killed, and how many of them: a call at the start of every run must not kill all of them.
BETWEEN_CALLS = {
    "the lock is taken": (1, _parameter(None, overwrite=False)),
    "older locks are deleted": (1, {"operation": "DeleteParameters"}),
    TRUST: (2, RECORD),
    "the public host keys are written": (ALWAYS, _parameter("Public SSH host keys of the login nodes")),
    **{
        operation: (ALWAYS, {"operation": operation})
        for operation in (
            "CreateSecret",
            "CreateSecurityGroup",
            "RevokeSecurityGroupEgress",
            "AuthorizeSecurityGroupIngress",
            "AuthorizeSecurityGroupEgress",
            "CreateTargetGroup",
            "ModifyTargetGroupAttributes",
            "CreateLoadBalancer",
            "ModifyLoadBalancerAttributes",
            "CreateListener",
        )
    },
}
WITH_NODES = {
    "RegisterTargets": (ALWAYS, {"operation": "RegisterTargets"}),
    CONFIGURED: (1, RECORD),
    GIVE_BACK: (1, _parameter(None, overwrite=True)),
}


# Files that exist on the first login node when the run is killed.
MOMENTS = {
    "accounts on one node": "etc/ssh/authorized_keys.d/alice",
    "sshd not confirmed": "etc/ssh/sshd_config.d/10-mlfleet-hyperpod.conf",
}


def killed_in_the_middle_of_a_node(world: World, moment: str) -> None:
    roots = [Path("/proc", str(node["pid"]), "root", MOMENTS[moment]) for node in world.login_nodes()]
    run = Started(world, "login_access")
    there = run_until(run, lambda: any(path.exists() for path in roots))
    assert there, run.end().output
    assert not all(path.exists() for path in roots), moment
    run.kill()


@pytest.mark.slow
def test_runs_killed_after_each_mutating_call_and_in_the_middle_of_a_node_converge():
    """Runs on one cluster are killed one after the other, each a little later than the one before."""
    clean = clean_run()
    world = bare_world()
    with step("between calls"):
        assert set(killed_at_each(world, "login_access", BETWEEN_CALLS, *LIMIT)) == set(BETWEEN_CALLS)
    with step("in the middle of a node"):
        for moment in MOMENTS:
            killed_in_the_middle_of_a_node(world, moment)
    with step("calls about nodes"):
        assert set(killed_at_each(world, "login_access", WITH_NODES)) == set(WITH_NODES)
        operations = {rule["operation"] for _times, rule in (*BETWEEN_CALLS.values(), *WITH_NODES.values())}
        assert {call["operation"] for call in world.calls(mutating=True)} == operations, "a run must be killed after each kind of call"
        assert_people_log_in(world)
    with step("the next run"):
        world.reset_calls()
        again = world.playbook("login_access")
        assert (again.rc, again.changed, again.status) == (0, 0, "unchanged"), again.log
        assert world.calls(mutating=True) == []
        assert_same(snapshot(world), clean.state)
