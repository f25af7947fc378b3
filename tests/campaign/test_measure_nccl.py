"""The NCCL bandwidth of idle nodes, measured by jobs of the lab's Slurm: a healthy fleet, a slow node, a busy node, no EFA."""

from __future__ import annotations

import json
import typing as t

import pytest
from harness import STATE_DIR, World
from lab.accelerators.story import Story, healthy
from steps import step
from work import controller, jobs, shell, submit, until_no_job
from worlds import ready_world

pytestmark = pytest.mark.slow
TYPE = "ml.p5.48xlarge"
MEASURED = ("-e", "accelerator_health_nccl=true")
SLOW = 100.0


@pytest.fixture(scope="module")
def fleet() -> t.Iterator[World]:
    world = ready_world(login=1, compute=3)
    yield world
    for entry in world.hosts("worker-group-1"):
        world.decelerate(entry["name"])


def slow_network() -> Story:
    """A node with a slow network and healthy NVLink."""
    return healthy(TYPE, all_reduce=(475.0, SLOW))


def assign(world: World, *stories: Story) -> list[str]:
    """Assign a story to each node; returns the nodes' instance IDs."""
    entries = world.hosts("worker-group-1")
    for entry, story in zip(entries, stories, strict=True):
        world.accelerate(entry["name"], story)
    return [entry["instance_id"] for entry in entries]


def verified(world: World) -> dict[str, t.Any]:
    run = world.playbook("verify", *MEASURED)
    assert run.rc == 0, run.log
    return dict(json.loads((STATE_DIR / "accelerators.json").read_text())["clusters"]["ml"])


def owners(world: World) -> list[str]:
    """Accounts of all tests that Slurm has run so far."""
    command = "sacct --allusers --noheader --allocations --starttime=2020-01-01 --format=User%20,JobName%40"
    rows = [line.split() for line in shell(world, controller(world), command).stdout.splitlines()]
    return [row[0] for row in rows if row[-1].startswith("mlfleet-nccl-test-")]


def figures(cluster: dict[str, t.Any]) -> dict[frozenset[str], tuple[str, float | None]]:
    return {frozenset(each["nodes"]): (each["verdict"], each["bandwidth"]) for each in cluster["nccl"]}


def codes(cluster: dict[str, t.Any]) -> dict[str, list[str]]:
    return {iid: [each["code"] for each in node["problems"]] for iid, node in cluster["nodes"].items() if node["problems"]}


def test_a_healthy_fleet_passes(fleet: World) -> None:
    ids = assign(fleet, *(healthy(TYPE) for _node in range(3)))
    with step("check mode starts no job"):
        foreseen = fleet.playbook("verify", *MEASURED, "--check")
        assert foreseen.rc == 0 and owners(fleet) == [], foreseen.log

    with step("single nodes, pairs and all nodes together pass"):
        found = verified(fleet)
        one, two, three = sorted(ids)  # the first is the partner of the others
        alone, together = ("passed", 475.0), ("passed", 466.0)
        assert figures(found) == {
            **{frozenset((iid,)): alone for iid in ids},
            frozenset((one, two)): together,
            frozenset((one, three)): together,
            frozenset(ids): together,
        }, found["nccl"]
        assert codes(found) == {}, codes(found)
        fleet.eventually(lambda: _tests(fleet, 6))
        until_no_job(fleet)
        assert all(found["nodes"][iid]["verdict"] == "fit" and found["nodes"][iid]["not_looked_at"] == [] for iid in ids), found["nodes"]
        assert "466 GB/s with 4294967296 bytes; at least 302.9 GB/s is expected." in (STATE_DIR / "accelerators.html").read_text()


@pytest.mark.parametrize("place", [0, 1])
def test_a_slow_node_is_reported_and_its_partner_is_not(fleet: World, place: int) -> None:
    ids = assign(fleet, *(slow_network() if number == place else healthy(TYPE) for number in range(3)))
    found = verified(fleet)
    good = [iid for iid in ids if iid != ids[place]]
    assert set(codes(found)) == {ids[place]} and set(codes(found)[ids[place]]) == {"nccl-slow"}, codes(found)
    assert found["nodes"][ids[place]]["verdict"] == "watch" and all(found["nodes"][iid]["verdict"] == "fit" for iid in good)
    tests = figures(found)
    assert tests[frozenset(good)] == ("passed", 466.0), "the good nodes must be tested together, also if the first node is the slow one"
    assert {each for names, each in tests.items() if len(names) == 2 and ids[place] in names} == {("slow", SLOW)}, tests
    (problem, *_more) = found["nodes"][ids[place]]["problems"]
    assert f"{SLOW:g} GB/s with 4294967296 bytes, below 302.9 GB/s." in problem["text"], problem


def test_a_node_with_slow_nvlink_is_reported_and_tested_alone(fleet: World) -> None:
    ids = assign(fleet, healthy(TYPE, all_reduce=(120.0, 466.0)), healthy(TYPE), healthy(TYPE))
    found = verified(fleet)
    assert codes(found) == {ids[0]: ["nccl-slow"]}, codes(found)
    assert frozenset(ids[1:]) in figures(found) and not [each for each in figures(found) if len(each) > 1 and ids[0] in each]


def test_a_node_whose_traffic_uses_sockets_is_reported(fleet: World) -> None:
    """The node has EFA devices, but NCCL's plugin does not find them."""
    ids = assign(fleet, healthy(TYPE), healthy(TYPE, ofi=False), healthy(TYPE))
    found = verified(fleet)
    assert {iid: set(each) for iid, each in codes(found).items()} == {ids[1]: {"nccl-no-efa"}}, codes(found)


def test_a_busy_node_is_not_tested(fleet: World) -> None:
    ids = assign(fleet, healthy(TYPE), healthy(TYPE), slow_network())
    third = fleet.hosts("worker-group-1")[2]["name"]
    submit(fleet, third, 600)
    before = jobs(fleet)
    try:
        found = verified(fleet)
        assert not [each for each in figures(found) if ids[2] in each], found["nccl"]
        (gap,) = found["nodes"][ids[2]]["not_looked_at"]
        assert gap["what"] == "NCCL" and gap["why"].startswith("the node has jobs: "), gap
        assert codes(found) == {} and figures(found)[frozenset(ids[:2])] == ("passed", 466.0)
        fleet.eventually(lambda: _has(fleet, before))
    finally:
        shell(fleet, controller(fleet), "scancel -u alice")
        until_no_job(fleet)


def _tests(world: World, count: int) -> None:
    """The accounting lags slightly."""
    assert owners(world) == ["nobody"] * count


def _has(world: World, expected: list[str]) -> None:
    assert jobs(world) == expected
