# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The lock of a module that runs for hours, against the simulated API, with a clock that only pauses move."""

from __future__ import annotations

import contextlib
import datetime
import types
import typing as t
import zlib

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws import client as _aws
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.client import Api
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.arn import ClusterArn
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.converge import Resource
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.plan import Change, Plan, Step
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.times import iso_seconds
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.wait import Clock, wait_for
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._lock import run as lock_run
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._lock.apply import Applier
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._lock.keep import LockKeeper
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._lock.model import Claim
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._lock.observe import Observer
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._lock.plan import plan_acquire, plan_release
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._lock.process import RunProcess
from simulated import REGION, Simulated, simulator

BEGIN = datetime.datetime(2026, 11, 21, 12, tzinfo=datetime.timezone.utc)
HOUR = 3600


@pytest.fixture(scope="module")
def running(tmp_path_factory) -> t.Iterator[Simulated]:
    with simulator(tmp_path_factory.mktemp("lab")) as url:
        yield Simulated(url)


class World:
    """A cluster, its lock, and a clock."""

    def __init__(self, lab: Simulated, cluster_id: str) -> None:
        self.lab = lab
        self.arn = ClusterArn.parse(f"arn:aws:sagemaker:{REGION}:111111111111:cluster/{cluster_id}")
        self.changes = [f"/changed/{cluster_id}/{number}" for number in range(2)]
        self.seconds = 0.0
        self.clock = Clock(now=lambda: self.seconds, sleep=self.pass_time, jitter=lambda: 0.0)
        self.api = Api(lab.client("ssm"))
        self.api.clock = self.clock

    def pass_time(self, seconds: float) -> None:
        self.seconds += seconds

    def now(self) -> datetime.datetime:
        return BEGIN + datetime.timedelta(seconds=self.seconds)

    @property
    def observer(self) -> Observer:
        return Observer(self.api, self.arn, now=self.now, clock=self.clock)

    @property
    def applier(self) -> Applier:
        return Applier(self.api, self.arn, self.observer, clock=self.clock)

    def claim(self, token: str = "ours") -> Claim:
        ends = self.now() + datetime.timedelta(seconds=HOUR)
        place = {"host": "elsewhere", "place": "", "pid": 0, "started": 0}
        return Claim(f"{token}@host", token, **place, acquired=iso_seconds(self.now()), expires=iso_seconds(ends))

    def take(self, token: str = "ours", *, force: bool = False) -> tuple[int, Claim]:
        seen = self.observer()
        plan = plan_acquire(seen, self.claim(token), force=force)
        for step in plan.steps:
            self.applier(step)
        taken = plan.after(seen)
        assert taken.held_by(token)
        return taken.holder

    def release_by_force(self) -> None:
        for step in plan_release(self.observer(), None, force=True).steps:
            self.applier(step)

    def keep(self, held: tuple[int, Claim]) -> LockKeeper:
        keeper = LockKeeper(self.observer, self.applier, held, renewed=self.claim, clock=self.clock)
        _aws.BEFORE_CALLS.append(keeper)
        return keeper

    def holder(self) -> tuple[int, Claim] | None:
        with elsewhere():
            return self.observer().holder

    def poll(self, hours: float) -> None:
        """Poll AWS like a module that waits."""
        wait_for(
            lambda: self.api.call("DescribeParameters", about="anything"),
            done=lambda seen: self.seconds >= hours * HOUR,
            subject="anything",
            timeout=100 * HOUR,
            interval=15,
            clock=self.clock,
        )

    def change(self) -> None:
        self.api.call("PutParameter", about="a change", Name=self.changes[0], Value="1", Type="String")

    def made(self) -> list[str]:
        for _read in range(2):  # the first may lag behind
            found = self.lab.client("ssm").get_parameters(Names=self.changes)["Parameters"]
        return [parameter["Name"] for parameter in found]


@contextlib.contextmanager
def elsewhere() -> t.Iterator[None]:
    """As in another process, which does not renew the lock of this one."""
    here = _aws.BEFORE_CALLS[:]
    _aws.BEFORE_CALLS.clear()
    yield
    _aws.BEFORE_CALLS[:] = here


@pytest.fixture
def world(running: Simulated, request) -> t.Iterator[World]:
    running.control("settings", {"parameter_lag_seconds": 0, "parameter_rest_seconds": 0})
    yield World(running, f"{zlib.crc32(request.node.name.encode()):012x}")
    _aws.BEFORE_CALLS.clear()
    running.clear_faults()


def test_the_lock_is_renewed_while_a_module_waits(world):
    held = world.take()
    world.keep(held)
    world.poll(hours=2.5)
    number, claim = world.holder()
    assert (number, claim.token) == (held[0], "ours")
    assert claim.expires > iso_seconds(world.now() + datetime.timedelta(minutes=29))
    world.change()
    assert world.made()


def test_the_lock_is_written_every_half_hour_and_read_every_minute(world):
    world.keep(world.take())
    world.lab.control("reset-calls", {})
    world.poll(hours=1)
    calls = world.lab.calls()
    assert calls.count("PutParameter") == 1
    assert 50 <= calls.count("GetParametersByPath") <= 62


def test_a_module_that_ended_renews_no_lock(world):
    world.keep(world.take())
    _aws.BEFORE_CALLS.clear()  # ends with the process
    world.poll(hours=1.1)
    assert world.holder() is None


def lose_to_others(world: World) -> None:
    with elsewhere():
        world.take("eve", force=True)


def lose_by_release(world: World) -> None:
    with elsewhere():
        world.release_by_force()


def lose_by_deletion(world: World) -> None:
    world.lab.client("ssm").delete_parameter(Name=f"/mlfleet/hyperpod/{world.arn.id}/lock/1")


def let_it_expire(world: World) -> None:
    world.pass_time(1.5 * HOUR)


@pytest.mark.parametrize(
    ("lose", "words"),
    [
        (lose_to_others, "eve@host acquired it at 2026-11-21T12:00:00Z"),
        (lose_by_release, "it was released by force"),
        (lose_by_deletion, "it was released by force, or its parameter was deleted"),
        (let_it_expire, "it expired at 2026-11-21T13:00:00Z while this run was suspended"),
    ],
)
def test_nothing_is_changed_after_the_lock_was_lost(world, lose, words):
    world.keep(world.take())
    lose(world)
    world.pass_time(61)
    for _again in range(2):
        with pytest.raises(Refused, match=f"lock/1, which this run acquired at .*, is lost: {words}"):
            world.change()
    assert not world.made()
    if lose is lose_to_others:
        assert world.holder()[1].token == "eve"


def test_one_listing_without_the_lock_is_not_enough(world):
    """The first listing lags behind the creation of the lock."""
    world.keep(world.take())
    ssm, name = world.lab.client("ssm"), f"/mlfleet/hyperpod/{world.arn.id}/lock/1"
    text = ssm.get_parameter(Name=name)["Parameter"]["Value"]
    ssm.delete_parameter(Name=name)
    world.lab.control("settings", {"parameter_lag_seconds": 60})
    ssm.put_parameter(Name=name, Type="String", Value=text)
    world.pass_time(61)
    world.change()
    assert world.made()


def test_a_failed_read_is_tolerated_until_the_lock_expires(world):
    world.keep(world.take())
    world.lab.fault(kind="deny", operation="GetParametersByPath")
    world.poll(hours=0.9)
    world.change()
    assert world.made()
    world.pass_time(0.2 * HOUR)
    with pytest.raises(_aws.AwsError, match="GetParametersByPath for lock"):
        world.change()


def test_a_module_stops_between_changes_if_the_lock_is_lost(world, monkeypatch):
    """``converge_locked`` as a module calls it, with a read of the lock before each API call instead of each minute."""
    process = RunProcess(host="elsewhere", place="", pid=1, started=1)
    monkeypatch.setattr(RunProcess, "current", classmethod(lambda cls: process))
    monkeypatch.setattr("ansible_collections.mlfleet.hyperpod.plugins.module_utils._lock.keep.LOOK_SECONDS", 0.0)
    monkeypatch.setattr(lock_run, "connect", lambda module, service: Api(world.lab.client(service)))
    module = types.SimpleNamespace(
        params={"cluster_arn": world.arn.text, "lock": True}, region=REGION, check_mode=False, warn=lambda note: None
    )
    done = []
    step = Step("PutParameter", {}, (Change("create", "one"),))

    def apply(step: Step) -> None:
        if done:
            world.seconds = (datetime.datetime.now(datetime.timezone.utc) - BEGIN).total_seconds()
            lose_to_others(world)
        world.api.call("PutParameter", about="a change", Name=world.changes[len(done)], Value="1", Type="String")
        done.append(step)

    with pytest.raises(Refused, match="eve@host acquired it"):
        lock_run.converge_locked(
            module,
            Resource(
                observe=lambda: None, plan=lambda seen: Plan(steps=(step, step)), apply=apply, result=lambda seen: {}
            ),
        )
    assert world.made() == world.changes[:1]


def test_a_lock_of_another_region_is_refused(world):
    elsewhere = world.arn.text.replace(REGION, "eu-west-1")
    with pytest.raises(Refused, match="region: 'us-west-2' is not allowed: cluster .* is in eu-west-1"):
        change_under_the_lock({"cluster_arn": elsewhere, "lock": True})


def test_a_lock_without_a_cluster_is_refused():
    with pytest.raises(Refused, match="cluster_arn: missing; lock=true requires the ARN"):
        change_under_the_lock({"cluster_arn": None, "lock": True})


def change_under_the_lock(params: dict[str, t.Any]) -> None:
    """Run a change that must not be executed."""
    step = Step("PutParameter", {}, ())
    lock_run.converge_locked(
        types.SimpleNamespace(params=params, region=REGION, check_mode=False),
        Resource(
            observe=lambda: None,
            plan=lambda seen: Plan(steps=(step,)),
            apply=lambda step: pytest.fail("applied"),
            result=lambda seen: {},
        ),
    )
