# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import dataclasses
import itertools

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.client import Api, AwsError
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import LostRace
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.wait import Clock
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._lock.apply import Applier
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._lock.observe import Observer
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._lock.plan import ACQUIRE, plan_acquire
from simulated.locks import ARN, PATH, claim, locks


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
    ssm, clock, warnings = impatient(client), Clock(sleep=lambda seconds: None), []
    Applier(ssm, ARN, Observer(ssm, ARN, clock=clock), warn=warnings.append, clock=clock)(step)
    return warnings


def impatient(client):
    api = Api(client)
    times = itertools.count(step=1000.0)
    api.clock = Clock(now=lambda: next(times), sleep=lambda seconds: None)
    return api


def test_acquire_deletes_lower_generations(stubbed):
    client, stubber = stubbed("ssm")
    old = (4, claim("a", released=True))
    creation(stubber, 5)
    listing(stubber, old, (5, claim()))
    stubber.add_response("delete_parameters", {}, {"Names": [f"{PATH}/4"]})
    assert acquire(client, 5, locks(old)) == []


def test_lower_generations_that_cannot_be_deleted_are_a_warning(stubbed):
    client, stubber = stubbed("ssm")
    old = (4, claim("a", released=True))
    creation(stubber, 5)
    listing(stubber, old, (5, claim()))
    stubber.add_client_error("delete_parameters", "AccessDeniedException")
    (sentence,) = acquire(client, 5, locks(old))
    assert "were not deleted: DeleteParameters" in sentence


def test_a_listing_without_our_own_write_is_read_again(stubbed):
    """It may also lack generations of others."""
    client, stubber = stubbed("ssm")
    creation(stubber, 1)
    listing(stubber)
    listing(stubber, (1, claim()))
    acquire(client, 1, locks())


def test_a_holder_that_is_listed_late_is_respected(stubbed):
    """The first listing was empty; the next one shows the holder's generation and ours."""
    client, stubber = stubbed("ssm")
    creation(stubber, 1)
    listing(stubber)
    listing(stubber, (1, claim()), (2, claim("a")))
    stubber.add_response("put_parameter", {"Version": 2})
    with pytest.raises(LostRace):
        acquire(client, 1, locks())


def test_a_concurrent_write_of_the_same_generation_is_a_lost_race(stubbed):
    client, stubber = stubbed("ssm")
    stubber.add_client_error("put_parameter", "TooManyUpdates")
    with pytest.raises(LostRace):
        acquire(client, 1, locks())


def test_a_generation_that_others_created_is_a_lost_race(stubbed):
    client, stubber = stubbed("ssm")
    creation(stubber, 1, fails=True)
    listing(stubber, (1, claim("a")))
    with pytest.raises(LostRace):
        acquire(client, 1, locks())


def test_a_generation_we_created_with_a_lost_response_is_ours(stubbed):
    client, stubber = stubbed("ssm")
    creation(stubber, 1, fails=True)
    listing(stubber, (1, claim()))
    acquire(client, 1, locks())


def test_an_outdated_generation_is_released(stubbed):
    """We saw 4 released. Others took 5, 6 and 7 and deleted the lower ones, so that we could create 5 again."""
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


def test_other_errors_are_reported(stubbed):
    client, stubber = stubbed("ssm")
    stubber.add_client_error("put_parameter", "AccessDeniedException")
    with pytest.raises(AwsError, match=f"PutParameter for lock {PATH}/1 failed"):
        acquire(client, 1, locks())


def test_a_lock_is_held_even_if_a_listing_lacks_it(stubbed):
    client, stubber = stubbed("ssm")
    creation(stubber, 1)
    listing(stubber, (1, claim()))
    listing(stubber)
    (step,) = plan_acquire(locks(), claim(), force=False).steps
    observer = Observer(impatient(client), ARN)
    Applier(impatient(client), ARN, observer)(step)
    assert observer().held_by(claim().token)
