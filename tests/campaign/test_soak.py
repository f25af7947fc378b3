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
from harness import Run, World
from mishaps import close_connections
from people import People
from steps import step
from upsets import LOGIN_NODES, TROUBLES, UPSETS, Upset
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
    upsets, trouble = drawn(chance), chance.choice(TROUBLES)
    connected, tampered = chance.random() < 0.5, None
    lasting = any(upset.lasts for upset in upsets)
    with step("mishaps, and reconcile"):
        connect(world)
        with People(world) as people:
            mends = []
            for upset in upsets:
                mends.append(upset.act(world, chance))
                tampered = time.monotonic() if upset.another_key else tampered
            if not connected:
                close_connections()
            with trouble.during(world, chance):
                run = world.playbook("reconcile")
            if lasting:
                expect_others_healed(run)
                for mend in filter(None, mends):
                    mend()
                run = world.playbook("reconcile")
            world.eventually(lambda: expect_targets(world))
        with capsys.disabled():
            how = "over open connections" if connected else "over new connections"
            print(f"\nseed {seed}: {', '.join(upset.name for upset in upsets)}; {trouble.name}, {how}; {people.told()}")
    with step("what people met"):
        done_before = trouble.killed or lasting or all(upset.heals for upset in upsets)
        assert run.rc == 0 and run.status in {"changed"} | ({"unchanged"} if done_before else set()), run.told
        assert people.met["served"], people.words
        late = [when for when in people.strangers if tampered is None or when > tampered + WATCHED_SECONDS]
        assert late == [], people.words
        if sum(upset.out for upset in upsets) < LOGIN_NODES:
            cut = sum(upset.cuts for upset in upsets)
            assert any(upset.felt for upset in upsets) or people.met["refused"] <= cut, people.words
    with step("everybody is served"):
        world.expect_all_serve()
    with step("reconcile again"):
        world.reset_calls()
        again = world.playbook("reconcile")
        assert (again.rc, again.changed, again.status) == (0, 0, "unchanged"), again.told
        assert world.calls(mutating=True) == []
        assert_same(shape(world), before)
        Fleet.sound = True


def drawn(chance: random.Random) -> list[Upset]:
    """At most one fault that lasts: a run fails if all login nodes of a cluster are faulty."""
    found: list[Upset] = []
    for upset in chance.sample(UPSETS, chance.randint(1, 3)):
        if not (upset.lasts and any(each.lasts for each in found)):
            found.append(upset)
    return found


def connect(world: World) -> None:
    """Open a multiplexed connection to each node, which later commands use."""
    done = world.run(["ansible", "hyperpod_nodes", "-m", "ansible.builtin.ping"])
    assert done.returncode == 0, done.stdout


def expect_others_healed(run: Run) -> None:
    """As long as a fault lasts, its node may be out of service, and nothing else is wrong."""
    assert run.rc == 0 and run.status in ("degraded", "changed", "unchanged"), run.told
    told = {(each["code"], each["node"]) for each in run.cluster()["findings"] if each["kind"] == "pending"}
    assert len({node for _code, node in told}) <= 1, run.told


def shape(world: World) -> dict[str, t.Any]:
    """What a round leaves as it was. A replaced node may have another name and address; files that were set aside stay."""
    found = snapshot(world)
    for node in found["nodes"].values():
        node["keys"] = {name: text for name, text in node["keys"].items() if ".set-aside-" not in name}
    found["nodes"] = sorted(map(str, found["nodes"].values()))
    found["parameters"].pop("lock, released", None)
    for group in found["target groups"]:
        group["targets"] = len(world.login_nodes())
    return found


def expect_targets(world: World) -> None:
    """The login nodes and nothing else, all of them healthy."""
    found = {ip: state for ip, state in world.target_health().items() if state != "draining"}
    assert found == {node["ip"]: "healthy" for node in world.login_nodes()}, found
