"""Round after round of mishaps while people log in: one reconcile heals, and the next finds nothing to do.

CAMPAIGN_ROUNDS says how many rounds, CAMPAIGN_SEED where their seeds begin (else the commit does). A round again:
`CAMPAIGN_ROUNDS=1 CAMPAIGN_SEED=4711 .venv/bin/python tests/campaign/run.py tests/campaign/test_soak.py`.
"""

from __future__ import annotations

import os
import random
import time
import typing as t

import pytest
from choice import head, seed_of
from harness import World
from people import People
from upsets import LOGIN_NODES, TROUBLES, UPSETS
from worlds import assert_same, ready_world, snapshot

ROUNDS = int(os.environ.get("CAMPAIGN_ROUNDS") or 20)
SEED = int(os.environ.get("CAMPAIGN_SEED") or seed_of(head()))
WATCHED_SECONDS = 60 + 10  # within a minute a node closes itself whose host keys were tampered with; and a login takes a while


class Fleet:
    """The cluster that all rounds share, as long as each leaves it sound."""

    sound = False

    def __init__(self) -> None:
        self.world = World()

    def ready(self) -> World:
        if not Fleet.sound:
            self.world = ready_world(login=LOGIN_NODES, compute=1)
        Fleet.sound = False
        return self.world


@pytest.mark.parametrize("seed", range(SEED, SEED + ROUNDS))
def test_one_reconcile_heals(seed: int, capsys: pytest.CaptureFixture[str]):
    chance, world = random.Random(seed), Fleet().ready()
    before = shape(world)
    upsets, trouble = chance.sample(UPSETS, chance.randint(1, 3)), chance.choice(TROUBLES)
    tampered = None
    with People(world) as people:
        for upset in upsets:
            upset.act(world, chance)
            tampered = time.monotonic() if upset.another_key else tampered
        with trouble.during(world, chance):
            run = world.playbook("reconcile")
        world.eventually(lambda: expect_targets(world))
    with capsys.disabled():
        print(f"\nseed {seed}: {', '.join(upset.name for upset in upsets)}; {trouble.name}; {people.told()}")
    done_before = trouble.killed or all(upset.heals for upset in upsets)
    assert run.rc == 0 and run.status in {"changed"} | ({"unchanged"} if done_before else set()), run.told
    assert people.met["served"], people.words
    late = [when for when in people.strangers if tampered is None or when > tampered + WATCHED_SECONDS]
    assert late == [], people.words
    if sum(upset.out for upset in upsets) < LOGIN_NODES:
        cut = sum(upset.cuts for upset in upsets)
        assert any(upset.felt for upset in upsets) or people.met["refused"] <= cut, people.words
    world.expect_all_serve()
    world.reset_calls()
    again = world.playbook("reconcile")
    assert (again.rc, again.changed, again.status) == (0, 0, "unchanged"), again.told
    assert world.calls(mutating=True) == []
    assert_same(shape(world), before)
    Fleet.sound = True


def shape(world: World) -> dict[str, t.Any]:
    """What a round leaves as it was. A replaced node may have another name and address."""
    found = snapshot(world)
    found["nodes"] = sorted(map(str, found["nodes"].values()))
    found["parameters"].pop("lock, released", None)
    for group in found["target groups"]:
        group["targets"] = len(world.login_nodes())
    return found


def expect_targets(world: World) -> None:
    """The login nodes and nothing else, all of them healthy."""
    found = {ip: state for ip, state in world.target_health().items() if state != "draining"}
    assert found == {node["ip"]: "healthy" for node in world.login_nodes()}, found
