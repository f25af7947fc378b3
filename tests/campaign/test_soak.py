"""Rounds of mishaps while people log in: one reconcile heals the cluster, and the next one changes nothing.

CAMPAIGN_ROUNDS is the number of rounds, CAMPAIGN_SEED their first seed (default: from the commit). As many rounds as PAIRS run all
pairs. To repeat round 4718 of the 20 rounds from 4711 on:
`CAMPAIGN_SEED=4711 .venv/bin/python tests/campaign/run.py tests/campaign/test_soak.py -k 4718`.
"""

from __future__ import annotations

import itertools
import os
import random
import time
import typing as t

import pytest
from choice import dealt, head, seed_of
from harness import Run, World
from mishaps import close_connections
from people import People
from steps import step
from upsets import LOGIN_NODES, OF_OPERATIONS, TROUBLES, UPSETS, Upset
from worlds import assert_same, ready_world, snapshot

ROUNDS = int(os.environ.get("CAMPAIGN_ROUNDS") or 20)
SEED = int(os.environ.get("CAMPAIGN_SEED") or seed_of(head()))
PAIRS = tuple(itertools.product(UPSETS, (True, False)))  # each mishap, with open and with new connections
DEALT = dict(zip(range(SEED, SEED + ROUNDS), dealt(PAIRS, SEED)))
WATCHED_SECONDS = 60 + 10  # a node with changed host keys closes its gate within a minute; a login takes up to ten seconds


class Fleet:
    """The cluster that rounds share; after a failed round the next one starts with a new cluster."""

    sound = False

    def __init__(self) -> None:
        self.world = World()

    def ready(self) -> World:
        if not Fleet.sound:
            self.world = ready_world(login=LOGIN_NODES, compute=1)
        Fleet.sound = False
        return self.world


@pytest.mark.parametrize("seed", DEALT)
def test_one_reconcile_heals(seed: int, capsys: pytest.CaptureFixture[str]):
    chance, world = random.Random(seed), Fleet().ready()
    before = shape(world)
    first, connected = DEALT[seed]
    upsets, trouble, tampered = with_others(first, chance), chance.choice(TROUBLES), None
    lasting = any(upset.lasts for upset in upsets)
    with capsys.disabled():
        how = "over open connections" if connected else "over new connections"
        others = ", ".join(each.name for each in (*upsets[1:], trouble))
        print(f"\nround {seed} of seed {SEED}: {first.name}, {how}; with {others}", flush=True)
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
            if changed := nodes_with_another_key(run):
                assert any(upset.another_key for upset in upsets) and any(upset in OF_OPERATIONS for upset in upsets), run.log
                run = trusted_again(world, changed)
            world.eventually(lambda: expect_targets(world))
        with capsys.disabled():
            print(people.counted())
    with step("the logins"):
        done_before = trouble.killed or lasting or all(upset.heals for upset in upsets)
        assert run.rc == 0 and run.status in {"changed"} | ({"unchanged"} if done_before else set()), run.log
        assert people.met["served"], people.words
        late = [when for when in people.strangers if tampered is None or when > tampered + WATCHED_SECONDS]
        assert late == [], people.words
        if sum(upset.out for upset in upsets) < LOGIN_NODES:
            cut = sum(upset.cuts for upset in upsets)
            assert any(upset.felt for upset in upsets) or people.met["refused"] <= cut, people.words
    with step("all login nodes serve"):
        world.expect_all_serve()
    with step("reconcile again"):
        world.reset_calls()
        again = world.playbook("reconcile")
        assert (again.rc, again.changed, again.status) == (0, 0, "unchanged"), again.log
        assert world.calls(mutating=True) == []
        assert_same(shape(world), before)
        Fleet.sound = True


def with_others(first: Upset, chance: random.Random) -> list[Upset]:
    """Up to two further mishaps, and at most one lasting fault: a run fails if all login nodes of a cluster are faulty."""
    found = [first]
    for upset in chance.sample(UPSETS, chance.randint(0, 2)):
        if upset is not first and not (upset.lasts and any(each.lasts for each in found)):
            found.append(upset)
    return found


def connect(world: World) -> None:
    """Open a multiplexed connection to each node for later commands."""
    done = world.run(["ansible", "hyperpod_nodes", "-m", "ansible.builtin.ping"])
    assert done.returncode == 0, done.stdout


def expect_others_healed(run: Run) -> None:
    """Assert that at most one node is pending, the one with the lasting fault."""
    assert run.rc == 0 and run.status in ("degraded", "changed", "unchanged"), run.log
    pending = {each["node"] for each in run.cluster()["findings"] if each["kind"] == "pending"}
    assert len(pending) <= 1, run.log


def nodes_with_another_key(run: Run) -> list[str]:
    """Instance IDs of nodes whose host key changed and which refuse the operations account, so that no run trusts them."""
    return [each["node"] for each in run.cluster()["findings"] if each["code"] == "host-key-changed"]


def trusted_again(world: World, nodes: list[str]) -> Run:
    """Follow the next step of the finding, as a person does who changed the key."""
    forgotten = world.playbook("forget_node", "-e", f"forget_nodes={','.join(nodes)} forget_confirm=ml")
    assert forgotten.rc == 0, forgotten.log
    return world.playbook("reconcile")


def shape(world: World) -> dict[str, t.Any]:
    """The state that a round must restore. A replaced node may have another name and address; files that were set aside stay."""
    found = snapshot(world)
    for node in found["nodes"].values():
        node["keys"] = {name: text for name, text in node["keys"].items() if ".set-aside-" not in name}
    found["nodes"] = sorted(map(str, found["nodes"].values()))
    found["parameters"].pop("lock, released", None)
    for group in found["target groups"]:
        group["targets"] = len(world.login_nodes())
    return found


def expect_targets(world: World) -> None:
    """Assert that the targets are exactly the login nodes, all healthy."""
    found = {ip: state for ip, state in world.target_health().items() if state != "draining"}
    assert found == {node["ip"]: "healthy" for node in world.login_nodes()}, found
