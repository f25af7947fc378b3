"""A run that is killed at any point is simply run again: same end state, nothing doubled."""

from __future__ import annotations

from pathlib import Path

import pytest
from harness import World
from mishaps import Started, assert_people_log_in, assert_same, clean_run, held, release, run_until, snapshot

LIMIT = ("--limit", "hyperpod_clusters")  # kills between AWS calls need no tasks on nodes

# Each is waited for, the calls that come with taking the lock apart: those come first in every run.
CALLS = (
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
    "RegisterTargets",
)
LOCK = ("PutParameter", "DeleteParameters")


def killed_at_next(world: World, *operations: str, parameter: int = 2, limit: bool) -> str:
    """Kill a run when its next of these calls took effect and the reply is still under way; the call, or nothing.

    ``parameter``: which PutParameter counts. The first of a run is its lock, so waiting for that gets no further.
    """
    for operation in operations:
        world.fault(kind="hold", operation=operation, nth=parameter if operation == "PutParameter" else 1)
    run = Started(world, "login_access", *(LIMIT if limit else ()))
    if run_until(run, lambda: bool(held(world))):
        call = held(world)[0]["operation"]
        run.kill()
        release(world)
        return call
    release(world)
    done = run.end()
    assert done.rc == 0, done.output
    return ""


@pytest.mark.slow
def test_killed_after_each_mutating_call(bare: World):
    killed = [killed_at_next(bare, call, parameter=1, limit=True) for call in LOCK]
    for limit, records in ((True, 3), (False, 1)):  # of each kind of record one stands for all
        while call := killed_at_next(bare, *CALLS, *(["PutParameter"] if records else []), limit=limit):
            killed.append(call)
            records -= call == "PutParameter"
            assert len(killed) < 40, killed
    assert {call["operation"] for call in bare.calls(mutating=True)} == set(killed) == {*CALLS, *LOCK}
    _same_as_uninterrupted(bare)


# What stands on the first login node when the run dies.
MOMENTS = {
    "accounts on one node": "etc/ssh/authorized_keys.d/alice",
    "sshd not confirmed": "etc/ssh/sshd_config.d/10-mlfleet-hyperpod.conf",
}


@pytest.mark.slow
def test_killed_in_the_middle_of_a_node(bare: World):
    world = bare
    for moment, path in MOMENTS.items():
        roots = [Path("/proc", str(node["pid"]), "root") for node in world.login_nodes()]
        run = Started(world, "login_access")
        there = run_until(run, lambda path=path, roots=roots: any((root / path).exists() for root in roots))
        assert there, run.end().output
        assert not all((root / path).exists() for root in roots), moment
        run.kill()
    done = world.playbook("login_access")
    assert done.rc == 0, done.output
    _same_as_uninterrupted(world)


def _same_as_uninterrupted(world: World) -> None:
    assert_people_log_in(world)
    world.reset_calls()
    again = world.playbook("login_access")
    assert (again.rc, again.changed, again.status) == (0, 0, "unchanged"), again.output
    assert world.calls(mutating=True) == []
    found = snapshot(world)
    assert_same(found, clean_run(world).state)
