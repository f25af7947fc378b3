# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import dataclasses
import typing as t
from dataclasses import dataclass

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.client import Api
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import LostRace
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.plan import Step
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.wait import Clock
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._host_keys import keys as host_keys
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._host_keys.secret.apply import Applier
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._host_keys.secret.model import Desired, HostKeys
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._host_keys.secret.observe import Observer
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._host_keys.secret.plan import CREATE, DELETE, PUBLISH
from simulated.host_keys import DESIRED, ELSEWHERE, KEYS, OTHER, SECRET_ARN, TEXT, has_parameter, has_secret


@dataclass
class World:
    """The secret and the parameter of stubbed clients, without pauses."""

    stubbed: t.Callable[[str], tuple[t.Any, t.Any]]
    desired: Desired = DESIRED
    text: str = TEXT

    def __post_init__(self):
        secrets, self.secrets = self.stubbed("secretsmanager")
        ssm, self.ssm = self.stubbed("ssm")
        self.observe = Observer(Api(secrets), Api(ssm), self.desired, clock=Clock(sleep=lambda seconds: None))
        self.apply = Applier(self.desired, self.observe, new_text=lambda: self.text)


@pytest.fixture
def world(stubbed):
    return World(stubbed)


def test_given_public_keys_need_no_secret(stubbed):
    world = World(stubbed, ELSEWHERE)
    has_parameter(world.ssm, OTHER)
    assert world.observe() == HostKeys(published=OTHER)
    has_parameter(world.ssm, OTHER)
    world.ssm.add_response(
        "put_parameter",
        {"Version": 2},
        {
            "Name": DESIRED.parameter,
            "Type": "String",
            "Description": "Public SSH host keys of the login nodes",
            "Value": host_keys.publication(host_keys.Publication(KEYS)),
            "Overwrite": True,
        },
    )
    world.apply(Step(PUBLISH, {"exists": True}, ()))


def test_a_secret_that_another_run_created_first_is_a_lost_race(stubbed):
    world = World(stubbed, text="of another secret")
    world.secrets.add_client_error("create_secret", "ResourceExistsException")
    world.secrets.add_response("get_secret_value", {"SecretString": TEXT}, {"SecretId": DESIRED.secret_name})
    with pytest.raises(LostRace):
        world.apply(Step(CREATE, {}, ()))


def test_a_parameter_created_meanwhile_is_overwritten(world):
    has_secret(world.secrets)
    world.ssm.add_client_error("put_parameter", "ParameterAlreadyExists")
    has_parameter(world.ssm, OTHER)
    world.ssm.add_response("put_parameter", {"Version": 2})
    world.apply(Step(PUBLISH, {"exists": False}, ()))


def test_publishing_after_a_lost_response_writes_once(world):
    has_secret(world.secrets)
    world.ssm.add_client_error("put_parameter", "ParameterAlreadyExists")
    has_parameter(world.ssm, KEYS)
    world.apply(Step(PUBLISH, {"exists": False}, ()))


def created(stub):
    stub.add_response("create_secret", {"ARN": SECRET_ARN, "Name": DESIRED.secret_name})
    stub.add_response("get_secret_value", {"SecretString": TEXT}, {"SecretId": DESIRED.secret_name})


def test_a_new_secret_that_is_listed_late_is_published(world):
    created(world.secrets)
    world.apply(Step(CREATE, {}, ()))
    world.secrets.add_client_error("describe_secret", "ResourceNotFoundException")
    world.secrets.add_response("describe_secret", {"ARN": SECRET_ARN, "Name": DESIRED.secret_name})
    world.secrets.add_client_error("get_secret_value", "ResourceNotFoundException")
    has_secret(world.secrets)
    world.ssm.add_response("put_parameter", {"Version": 1})
    world.apply(Step(PUBLISH, {"exists": False}, ()))
    world.secrets.add_client_error("describe_secret", "ResourceNotFoundException")
    has_secret(world.secrets)
    world.ssm.add_client_error("get_parameter", "ParameterNotFound")
    seen = world.observe()
    assert (seen.keys, seen.published) == (KEYS, KEYS)


def test_a_deleted_secret_that_is_still_listed_is_read_again(stubbed):
    world = World(stubbed, dataclasses.replace(DESIRED, state="absent"))
    world.secrets.add_response("delete_secret", {})
    world.apply(Step(DELETE, {"force": True, "days": 30}, ()))
    world.secrets.add_response("describe_secret", {"ARN": SECRET_ARN, "Name": DESIRED.secret_name})
    world.secrets.add_client_error("describe_secret", "ResourceNotFoundException")
    world.ssm.add_client_error("get_parameter", "ParameterNotFound")
    assert world.observe() == HostKeys()


@pytest.mark.parametrize(
    ("force", "request_"), [(False, {"RecoveryWindowInDays": 30}), (True, {"ForceDeleteWithoutRecovery": True})]
)
def test_a_secret_is_deleted_with_the_given_delay(world, force, request_):
    world.secrets.add_response("delete_secret", {}, {"SecretId": DESIRED.secret_name, **request_})
    world.apply(Step(DELETE, {"force": force, "days": 30}, ()))
