"""Task governance with killed runs, throttling, failures and lost replies: nothing is created or granted twice."""

from __future__ import annotations

import collections
import typing as t

import pytest
from eks_world import EKS, EksWorld
from governed import ABSENT, FAIR, Governed
from lab.kueue.governance import ADDON
from mishaps import killed_at_each, killed_at_each_change
from steps import step

pytestmark = pytest.mark.slow
LOCK = {"PutParameter", "DeleteParameters", "AddTagsToResource"}
ADDONS, ENTRIES = f"/clusters/{EKS}/addons", f"/clusters/{EKS}/access-entries"
GONE = {**ABSENT, "task_governance_remove_addon": True}
RBAC = {"clusterroles", "clusterrolebindings", "roles", "rolebindings"}


@pytest.fixture(scope="module")
def governed() -> t.Iterator[Governed]:
    with EksWorld("1.34") as world:
        yield Governed(world)


def killed(governed: Governed, places: t.Mapping[str, int], **variables: t.Any) -> None:
    """Kill a run at each of ``places``, as often as their numbers, then let one run finish."""
    governed.forget()
    rules = {place: (times, {"operation": place}) for place, times in places.items()}
    died = killed_at_each(governed.world.world, "task_governance", rules, "-e", governed.given(**variables))
    assert collections.Counter(died) == collections.Counter(places)
    changed = [call["operation"] for call in governed.world.world.calls(mutating=True) if call["operation"] not in LOCK]
    assert collections.Counter(changed) == collections.Counter(places), "each change is made once, and a run was killed at each place"


def test_runs_killed_after_each_call_to_aws_converge(governed: Governed) -> None:
    alice, bob = governed.people["alice"], governed.people["bob"]
    with step("two teams are created"):
        made = {f"POST {ADDONS}": 1, "CreateClusterSchedulerConfig": 1, "CreateComputeQuota": 2, f"POST {ENTRIES}": 2}
        killed(governed, made)
        two_teams(governed)
    with step("one team grows, one shrinks, and a member moves"):
        moved = [governed.team("research", 1), governed.team("vision", 2, "alice", "bob", fair_share_weight=40)]
        scheduler = {**FAIR, "fair_share": "Disabled"}
        changed = {"UpdateClusterSchedulerConfig": 1, "UpdateComputeQuota": 2, f"POST {ENTRIES}/{alice}": 2}
        killed(governed, changed, hyperpod_teams=moved, task_governance_scheduler=scheduler)
        assert governed.counts() == {"research": 1, "vision": 2} and governed.groups()["alice"] == ["mlfleet-hyperpod:vision"]
        governed.unchanged(hyperpod_teams=moved, task_governance_scheduler=scheduler)
    with step("everything is removed"):
        entries = {f"DELETE {ENTRIES}/{who}": 1 for who in (alice, bob)}
        removed = {**entries, "DeleteComputeQuota": 2, "DeleteClusterSchedulerConfig": 1, f"DELETE {ADDONS}/{ADDON}": 1}
        killed(governed, removed, hyperpod_teams=moved, **GONE)
        nothing_left(governed)


def test_runs_killed_after_each_change_in_kubernetes_converge(governed: Governed) -> None:
    world = governed.world.world
    made = killed_at_each_change(world, governed.world.front, "task_governance", "-e", governed.given())
    assert {resource for _verb, resource, _name in made} == RBAC and len(made) == 2 * len(RBAC), "each once for each team"
    two_teams(governed)
    gone = killed_at_each_change(world, governed.world.front, "task_governance", "-e", governed.given(**GONE))
    assert {(verb, resource) for verb, resource, _name in gone} <= {("delete", each) for each in RBAC} and gone, gone
    nothing_left(governed)


def test_throttled_and_failing_calls_are_retried(governed: Governed) -> None:
    world = governed.world.world
    with step("three calls in ten are throttled, and each mutating operation fails once"):
        for operation in ("CreateClusterSchedulerConfig", "CreateComputeQuota", f"POST {ADDONS}", f"POST {ENTRIES}"):
            world.fault(kind="error500", operation=operation, times=1)
        world.fault(kind="throttle", probability=0.3, seed=7)
        done = governed.run()
        world.clear_faults()
        assert done.rc == 0, done.log
        two_teams(governed)
    with step("everything is removed"):
        world.fault(kind="throttle", probability=0.3, seed=8)
        done = governed.run(**GONE)
        world.clear_faults()
        assert done.rc == 0, done.log
        nothing_left(governed)


def test_calls_without_a_reply_take_effect_once(governed: Governed) -> None:
    """The calls take effect, but their replies are lost."""
    alice, bob = governed.people["alice"], governed.people["bob"]
    with step("two teams are created, and each reply is lost once"):
        loses(governed, "CreateClusterSchedulerConfig", "CreateComputeQuota", f"POST {ADDONS}", f"POST {ENTRIES}")
        two_teams(governed)
    with step("an update whose reply is always lost is recognised by its version"):
        governed.world.world.fault(kind="cut_after", operation="UpdateComputeQuota")
        moved = governed.teams(1, 2)
        done = governed.run(hyperpod_teams=moved)
        governed.world.world.clear_faults()
        assert done.rc == 0 and governed.counts() == {"research": 1, "vision": 2}, done.log
        governed.unchanged(hyperpod_teams=moved)
    with step("everything is removed"):
        entries = [f"DELETE {ENTRIES}/{who}" for who in (alice, bob)]
        loses(governed, *entries, "DeleteComputeQuota", "DeleteClusterSchedulerConfig", f"DELETE {ADDONS}/{ADDON}", **GONE)
        nothing_left(governed)


def loses(governed: Governed, *operations: str, **variables: t.Any) -> None:
    governed.forget()
    for operation in operations:
        governed.world.world.fault(kind="cut_after", operation=operation, times=1)
    done = governed.run(**variables)
    governed.world.world.clear_faults()
    assert (done.rc, done.status) == (0, "changed"), done.log
    made = {call["operation"] for call in governed.world.world.calls(mutating=True)}
    assert made >= set(operations), "each of these calls must be made"


def two_teams(governed: Governed) -> None:
    """Assert the state that one undisturbed run leaves."""
    assert governed.counts() == {"research": 2, "vision": 1}
    assert [each["Name"] for each in governed.configurations()] == ["fair"]
    assert governed.groups() == {"alice": ["mlfleet-hyperpod:research"], "bob": ["mlfleet-hyperpod:vision"]}
    governed.unchanged()


def nothing_left(governed: Governed) -> None:
    assert (governed.quotas(), governed.configurations(), governed.groups()) == ({}, [], {})
    assert governed.eks.list_addons(clusterName=EKS)["addons"] == []
    ours = "--selector=app.kubernetes.io/managed-by=mlfleet.hyperpod"
    assert [governed.world.seen(kind, ours)["items"] for kind in ("clusterroles", "clusterrolebindings")] == [[], []]
    governed.unchanged(**GONE)
