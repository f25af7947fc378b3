# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import dataclasses
import datetime
import itertools

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.client import Api, AwsError
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.arn import ClusterArn
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import LostRace, Refused
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.wait import Clock
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._lock.api import LockStore
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._lock.model import (
    ACQUIRE,
    Claim,
    Locks,
    plan_acquire,
    plan_release,
)

ARN = ClusterArn.parse("arn:aws:sagemaker:us-west-2:111111111111:cluster/abc123def456")
PATH = "/mlfleet/hyperpod/abc123def456/lock"
NOW = datetime.datetime(2026, 11, 21, 12, tzinfo=datetime.timezone.utc)


def claim(token="ours", *, expires="2099-01-01T00:00:00Z", released=False):
    return Claim(
        owner=f"{token}@host",
        token=token,
        host="host",
        place="",
        pid=0,
        started=0,
        acquired="2026-11-21T12:00:00Z",
        expires=expires,
        released=released,
    )


def locks(*generations, gone=()):
    return Locks(path=PATH, now=NOW, generations=tuple(generations), gone=frozenset(gone))


EXPIRED = "2026-11-21T11:59:59Z"


@pytest.mark.parametrize(
    ("generations", "holder"),
    [
        ([], None),
        ([(1, claim("a"))], 1),
        ([(1, claim("a", released=True))], None),
        ([(1, claim("a", expires=EXPIRED))], None),
        ([(1, claim("a")), (2, claim("b"))], 2),
        ([(1, claim("a")), (2, claim("b", released=True))], 1),
        ([(9, claim("a")), (10, claim("b"))], 10),
    ],
)
def test_holder_is_the_highest_that_counts(generations, holder):
    found = locks(*generations).holder
    assert (found and found[0]) == holder


@pytest.mark.parametrize(
    ("seen", "force", "number"),
    [
        (locks(), False, 1),
        (locks((4, claim("a", released=True))), False, 5),
        (locks((4, claim("a", expires=EXPIRED))), False, 5),
        (locks((4, claim("a"))), False, None),
        (locks((4, claim("a"))), True, 5),
        (locks((4, claim("a")), gone=[4]), False, 5),
        (locks((3, claim("a")), (4, claim("b", released=True))), False, None),
    ],
)
def test_acquire(seen, force, number):
    plan = plan_acquire(seen, claim(), force=force)
    assert [step.arguments["number"] for step in plan.steps] == ([] if number is None else [number])
    assert plan.predicted.held_by("ours") is (number is not None)


def test_taking_over_is_said():
    assert "has ended without it" in plan_acquire(locks((1, claim("a")), gone=[1]), claim(), force=False).notes[0]
    assert "taken by force" in plan_acquire(locks((1, claim("a"))), claim(), force=True).notes[0]


@pytest.mark.parametrize(
    ("expires", "renews"),
    [("2026-11-21T12:59:00Z", False), ("2026-11-21T12:31:00Z", False), ("2026-11-21T12:29:00Z", True)],
)
def test_our_own_lock_is_renewed_after_half_of_its_time(expires, renews):
    wanted = claim(expires="2026-11-21T13:00:00Z")
    plan = plan_acquire(locks((7, claim(expires=expires))), wanted, force=False)
    assert bool(plan) is renews
    assert plan.predicted.holder[0] == 7
    assert plan.predicted.holder[1].expires == (wanted.expires if renews else expires)


@pytest.mark.parametrize(
    ("seen", "force", "released"),
    [
        (locks(), False, None),
        (locks((4, claim())), False, 4),
        (locks((4, claim("a"))), False, None),
        (locks((4, claim("a"))), True, 4),
        (locks((4, claim("a")), gone=[4]), False, 4),
        (locks((4, claim("a")), (5, claim("b")), gone=[4]), False, None),
        (locks((4, claim()), (5, claim("a"))), False, None),
    ],
)
def test_release(seen, force, released):
    plan = plan_release(seen, "ours", force=force)
    assert [step.arguments["number"] for step in plan.steps] == ([] if released is None else [released])
    if released:
        assert plan.predicted.holder is None


@pytest.mark.parametrize("text", ["", "[]", "{}", '"x"', claim().to_json().replace("2099", "year")])
def test_a_foreign_value_is_refused_by_name(text):
    with pytest.raises(Refused, match=f"Parameter {PATH}/1 is not a lock"):
        Claim.from_json(f"{PATH}/1", text)


def test_claim_survives_the_journey():
    assert Claim.from_json("name", claim().to_json()) == claim()


def listing(stubber, *generations):
    parameters = [{"Name": f"{PATH}/{number}", "Value": each.to_json()} for number, each in generations]
    stubber.add_response("get_parameters_by_path", {"Parameters": parameters}, {"Path": PATH})


def creation(stubber, number, *, fails=False):
    if fails:
        stubber.add_client_error("put_parameter", "ParameterAlreadyExists")
    else:
        stubber.add_response("put_parameter", {"Version": 1})


def acquire(client, number, seen):
    (step,) = plan_acquire(seen, claim(), force=False).steps
    assert (step.operation, step.arguments["number"]) == (ACQUIRE, number)
    store = LockStore(impatient(client), ARN, clock=Clock(sleep=lambda seconds: None))
    store.apply(step)
    return store


def impatient(client):
    api = Api(client)
    times = itertools.count(step=1000.0)
    api.clock = Clock(now=lambda: next(times), sleep=lambda seconds: None)
    return api


def test_acquire_deletes_what_is_below(stubbed):
    client, stubber = stubbed("ssm")
    old = (4, claim("a", released=True))
    creation(stubber, 5)
    listing(stubber, old, (5, claim()))
    stubber.add_response("delete_parameters", {}, {"Names": [f"{PATH}/4"]})
    assert acquire(client, 5, locks(old)).leftovers is None


def test_leftovers_do_no_harm(stubbed):
    client, stubber = stubbed("ssm")
    old = (4, claim("a", released=True))
    creation(stubber, 5)
    listing(stubber, old, (5, claim()))
    stubber.add_client_error("delete_parameters", "AccessDeniedException")
    assert "DeleteParameters" in acquire(client, 5, locks(old)).leftovers


def test_a_listing_that_lags_behind_our_own_write(stubbed):
    client, stubber = stubbed("ssm")
    """It may lack generations of others, too, so one that shows ours is waited for."""
    creation(stubber, 1)
    listing(stubber)
    listing(stubber, (1, claim()))
    acquire(client, 1, locks())


def test_a_listing_that_lags_behind_our_own_write_hides_nobody(stubbed):
    """We saw nothing; the holder's generation and ours come into sight together."""
    client, stubber = stubbed("ssm")
    creation(stubber, 1)
    listing(stubber)
    listing(stubber, (1, claim()), (2, claim("a")))
    stubber.add_response("put_parameter", {"Version": 2})
    with pytest.raises(LostRace):
        acquire(client, 1, locks())


def test_others_reach_for_the_same_generation(stubbed):
    client, stubber = stubbed("ssm")
    stubber.add_client_error("put_parameter", "TooManyUpdates")
    with pytest.raises(LostRace):
        acquire(client, 1, locks())


def test_somebody_was_faster(stubbed):
    client, stubber = stubbed("ssm")
    creation(stubber, 1, fails=True)
    listing(stubber, (1, claim("a")))
    with pytest.raises(LostRace):
        acquire(client, 1, locks())


def test_a_lost_answer_is_still_ours(stubbed):
    client, stubber = stubbed("ssm")
    creation(stubber, 1, fails=True)
    listing(stubber, (1, claim()))
    acquire(client, 1, locks())


def test_a_slow_start_gives_way(stubbed):
    """We saw 4 released; others took 5, 6 and 7 and deleted what was below, so 5 could be created again."""
    client, stubber = stubbed("ssm")
    creation(stubber, 5)
    listing(stubber, (5, claim()), (7, claim("a")))
    released = dataclasses.replace(claim(), released=True).to_json()
    stubber.add_response(
        "put_parameter",
        {"Version": 2},
        {"Name": f"{PATH}/5", "Type": "String", "Value": released, "Overwrite": True},
    )
    with pytest.raises(LostRace):
        acquire(client, 5, locks((4, claim("b", released=True))))


def test_other_errors_are_errors(stubbed):
    client, stubber = stubbed("ssm")
    stubber.add_client_error("put_parameter", "AccessDeniedException")
    with pytest.raises(AwsError, match=f"PutParameter for lock {PATH}/1 failed"):
        acquire(client, 1, locks())


def test_only_numbers_are_generations(stubbed):
    client, stubber = stubbed("ssm")
    parameters = [{"Name": f"{PATH}/note", "Value": "hello"}, {"Name": f"{PATH}/12", "Value": claim().to_json()}]
    stubber.add_response("get_parameters_by_path", {"Parameters": parameters}, {"Path": PATH})
    assert LockStore(Api(client), ARN).observe().top == 12
