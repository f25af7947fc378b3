"""Task governance while runs are killed, and AWS throttles, fails and loses replies: one of each, nothing doubled, nobody let in twice."""

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
    """A run dies at each of ``places``, as often as they say, and then one comes to its end."""
    governed.forget()
    rules = {place: (times, {"operation": place}) for place, times in places.items()}
    died = killed_at_each(governed.world.world, "task_governance", rules, "-e", governed.given(**variables))
    assert collections.Counter(died) == collections.Counter(places)
    changed = [call["operation"] for call in governed.world.world.calls(mutating=True) if call["operation"] not in LOCK]
    assert collections.Counter(changed) == collections.Counter(places), "each change once, and no place at which no run dies"


def test_killed_after_each_call_to_aws(governed: Governed) -> None:
    alice, bob = governed.people["alice"], governed.people["bob"]
    with step("on the way from nothing to two teams"):
        made = {f"POST {ADDONS}": 1, "CreateClusterSchedulerConfig": 1, "CreateComputeQuota": 2, f"POST {ENTRIES}": 2}
        killed(governed, made)
        two_teams(governed)
    with step("while one grows and one shrinks, and somebody moves"):
        moved = [governed.team("research", 1), governed.team("vision", 2, "alice", "bob", fair_share_weight=40)]
        fair = {**FAIR, "fair_share": "Disabled"}
        changed = {"UpdateClusterSchedulerConfig": 1, "UpdateComputeQuota": 2, f"POST {ENTRIES}/{alice}": 2}
        killed(governed, changed, hyperpod_teams=moved, task_governance_scheduler=fair)
        assert governed.counts() == {"research": 1, "vision": 2} and governed.groups()["alice"] == ["mlfleet-hyperpod:vision"]
        governed.unchanged(hyperpod_teams=moved, task_governance_scheduler=fair)
    with step("and back"):
        entries = {f"DELETE {ENTRIES}/{who}": 1 for who in (alice, bob)}
        removed = {**entries, "DeleteComputeQuota": 2, "DeleteClusterSchedulerConfig": 1, f"DELETE {ADDONS}/{ADDON}": 1}
        killed(governed, removed, hyperpod_teams=moved, **GONE)
        nothing_left(governed)


def test_killed_after_each_change_in_kubernetes(governed: Governed) -> None:
    world = governed.world.world
    made = killed_at_each_change(world, governed.world.front, "task_governance", "-e", governed.given())
    assert {resource for _verb, resource, _name in made} == RBAC and len(made) == 2 * len(RBAC), "each once for each team"
    two_teams(governed)
    gone = killed_at_each_change(world, governed.world.front, "task_governance", "-e", governed.given(**GONE))
    assert {(verb, resource) for verb, resource, _name in gone} <= {("delete", each) for each in RBAC} and gone, gone
    nothing_left(governed)


def test_throttled_and_failing(governed: Governed) -> None:
    world = governed.world.world
    with step("three calls in ten are throttled, and each that changes something fails once"):
        for operation in ("CreateClusterSchedulerConfig", "CreateComputeQuota", f"POST {ADDONS}", f"POST {ENTRIES}"):
            world.fault(kind="error500", operation=operation, times=1)
        world.fault(kind="throttle", probability=0.3, seed=7)
        done = governed.run()
        world.clear_faults()
        assert done.rc == 0, done.log
        two_teams(governed)
    with step("and back"):
        world.fault(kind="throttle", probability=0.3, seed=8)
        done = governed.run(**GONE)
        world.clear_faults()
        assert done.rc == 0, done.log
        nothing_left(governed)


def test_replies_that_are_lost(governed: Governed) -> None:
    """AWS has done what it was asked for, and whoever asked does not hear of it."""
    alice, bob = governed.people["alice"], governed.people["bob"]
    with step("each of them once, on the way to two teams"):
        loses(governed, "CreateClusterSchedulerConfig", "CreateComputeQuota", f"POST {ADDONS}", f"POST {ENTRIES}")
        two_teams(governed)
    with step("where no reply to an update ever comes, its version tells that it is done"):
        governed.world.world.fault(kind="cut_after", operation="UpdateComputeQuota")
        moved = governed.teams(1, 2)
        done = governed.run(hyperpod_teams=moved)
        governed.world.world.clear_faults()
        assert done.rc == 0 and governed.counts() == {"research": 1, "vision": 2}, done.log
        governed.unchanged(hyperpod_teams=moved)
    with step("and back"):
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
    asked = {call["operation"] for call in governed.world.world.calls(mutating=True)}
    assert asked >= set(operations), "a call that is not made loses no reply"


def two_teams(governed: Governed) -> None:
    """What one run makes that nothing happens to, and no more."""
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
