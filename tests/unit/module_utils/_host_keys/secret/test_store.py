# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import datetime

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.client import Api, AwsError
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.arn import ClusterArn
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import LostRace, Refused
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.plan import KNOWN_AFTER_APPLY, Step
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.wait import Clock
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._host_keys import keys as host_keys
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._host_keys.secret.model import HostKeys, Wanted
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._host_keys.secret.store import (
    CREATE,
    DELETE,
    PUBLISH,
    UNPUBLISH,
    HostKeyStore,
    plan_absent,
    plan_present,
)

ARN = ClusterArn.parse("arn:aws:sagemaker:us-west-2:111111111111:cluster/abc123def456")
WANTED = Wanted.for_cluster(ARN, key_types=("ed25519",))
SECRET_ARN = f"arn:aws:secretsmanager:us-west-2:111111111111:secret:{WANTED.secret_name}-AbCdEf"
NOW = datetime.datetime(2026, 11, 21, 12, tzinfo=datetime.timezone.utc)
TEXT = host_keys.generate(["ed25519"], now=NOW)
KEYS = host_keys.public_half("name", TEXT)
ELSEWHERE = Wanted.for_cluster(ARN, public_keys=KEYS)
OTHER = host_keys.public_half("name", host_keys.generate(["ed25519"], now=NOW))
OURS = {"mlfleet.hyperpod/cluster": ARN.text}


def operations(plan):
    return [step.operation for step in plan.steps]


@pytest.mark.parametrize(
    ("seen", "expected"),
    [
        (HostKeys(), [CREATE, PUBLISH]),
        (HostKeys(published=OTHER), [CREATE, PUBLISH]),
        (HostKeys(secret_arn=SECRET_ARN, keys=KEYS), [PUBLISH]),
        (HostKeys(secret_arn=SECRET_ARN, keys=KEYS, published=OTHER), [PUBLISH]),
        (HostKeys(secret_arn=SECRET_ARN, keys=KEYS, published=KEYS), []),
    ],
)
def test_present(seen, expected):
    assert operations(plan_present(WANTED, seen)) == expected


@pytest.mark.parametrize(
    ("seen", "expected"),
    [
        (HostKeys(), [PUBLISH]),
        (HostKeys(published=OTHER), [PUBLISH]),
        (HostKeys(published=KEYS), []),
    ],
)
def test_present_with_given_public_keys(seen, expected):
    plan = plan_present(ELSEWHERE, seen)
    assert operations(plan) == expected
    assert plan.predicted.to_result(ELSEWHERE) == {
        "host_keys": [key.to_result() for key in KEYS],
        "next_host_keys": [],
        "previous_host_keys": [],
        "rotation": None,
        "secret": {"name": None, "arn": None},
        "parameter": "/mlfleet/hyperpod/abc123def456/host-keys",
    }


def test_absent_with_given_public_keys_leaves_secrets_alone():
    assert operations(plan_absent(ELSEWHERE, HostKeys(published=KEYS))) == [UNPUBLISH]


def test_keys_to_come_are_said_to_be_unknown():
    plan = plan_present(WANTED, HostKeys())
    assert plan.predicted.to_result(WANTED) == {
        "host_keys": [{"type": "ed25519", "public_key": KNOWN_AFTER_APPLY, "fingerprint": KNOWN_AFTER_APPLY}],
        "next_host_keys": [],
        "previous_host_keys": [],
        "rotation": None,
        "secret": {"name": "mlfleet/hyperpod/abc123def456/ssh-host-keys", "arn": KNOWN_AFTER_APPLY},
        "parameter": "/mlfleet/hyperpod/abc123def456/host-keys",
    }


def test_a_missing_type_is_reported_not_added():
    seen = HostKeys(secret_arn=SECRET_ARN, keys=KEYS, published=KEYS)
    plan = plan_present(Wanted.for_cluster(ARN), seen)
    assert not plan
    assert plan.notes == (f"Secret {WANTED.secret_name} has no key of type ecdsa, rsa.",)


def test_scheduled_for_deletion_is_refused_with_the_way_back():
    seen = HostKeys(secret_arn=SECRET_ARN, deleted="2026-12-21")
    with pytest.raises(Refused, match=f"restore-secret --secret-id {WANTED.secret_name}"):
        plan_present(WANTED, seen)


@pytest.mark.parametrize(
    ("seen", "expected"),
    [
        (HostKeys(), []),
        (HostKeys(secret_arn=SECRET_ARN, tags=OURS, published=KEYS), [DELETE, UNPUBLISH]),
        (HostKeys(secret_arn=SECRET_ARN, tags=OURS), [DELETE]),
        (HostKeys(secret_arn=SECRET_ARN, tags=OURS, deleted="2026-12-21"), []),
        (HostKeys(published=KEYS), [UNPUBLISH]),
    ],
)
def test_absent(seen, expected):
    assert operations(plan_absent(WANTED, seen)) == expected


@pytest.mark.parametrize("tags", [{}, {"mlfleet.hyperpod/cluster": ARN.text.replace("abc", "xyz")}])
def test_absent_leaves_what_is_not_ours(tags):
    with pytest.raises(Refused, match="was not made for this cluster"):
        plan_absent(WANTED, HostKeys(secret_arn=SECRET_ARN, tags=tags, published=KEYS))


@pytest.fixture
def store(stubbed):
    secrets, secrets_stub = stubbed("secretsmanager")
    ssm, ssm_stub = stubbed("ssm")
    return HostKeyStore(Api(secrets), Api(ssm), WANTED), secrets_stub, ssm_stub


def has_secret(stub, text=TEXT, **about):
    stub.add_response("describe_secret", {"ARN": SECRET_ARN, "Name": WANTED.secret_name, **about}, {"SecretId": WANTED.secret_name})
    if "DeletedDate" not in about:
        stub.add_response("get_secret_value", {"SecretString": text}, {"SecretId": WANTED.secret_name})


def has_parameter(stub, keys):
    value = {"Parameter": {"Name": WANTED.parameter, "Value": host_keys.publication(host_keys.Publication(keys))}}
    stub.add_response("get_parameter", value, {"Name": WANTED.parameter})


def test_observe_what_is_there(store):
    here, secrets, ssm = store
    has_secret(secrets, Tags=[{"Key": "mlfleet.hyperpod/cluster", "Value": ARN.text}])
    has_parameter(ssm, OTHER)
    assert here.observe() == HostKeys(
        secret_arn=SECRET_ARN, keys=KEYS, content=host_keys.content("name", TEXT), tags=OURS, published=OTHER
    )


def test_given_public_keys_need_no_secret(stubbed):
    secrets, _unused = stubbed("secretsmanager")
    ssm, ssm_stub = stubbed("ssm")
    here = HostKeyStore(Api(secrets), Api(ssm), ELSEWHERE)
    has_parameter(ssm_stub, OTHER)
    assert here.observe() == HostKeys(published=OTHER)
    has_parameter(ssm_stub, OTHER)
    ssm_stub.add_response(
        "put_parameter",
        {"Version": 2},
        {
            "Name": WANTED.parameter,
            "Type": "String",
            "Description": "Public SSH host keys of the login nodes",
            "Value": host_keys.publication(host_keys.Publication(KEYS)),
            "Overwrite": True,
        },
    )
    here.apply(Step(PUBLISH, {"exists": True}, ()))


def test_observe_nothing(store):
    here, secrets, ssm = store
    secrets.add_client_error("describe_secret", "ResourceNotFoundException")
    ssm.add_client_error("get_parameter", "ParameterNotFound")
    assert here.observe() == HostKeys()


def test_a_secret_scheduled_for_deletion_is_not_read(store):
    here, secrets, ssm = store
    has_secret(secrets, DeletedDate=NOW)
    ssm.add_client_error("get_parameter", "ParameterNotFound")
    assert here.observe().deleted.startswith("2026-11-21")


@pytest.mark.parametrize("code", ["AccessDeniedException", "InvalidRequestException", "DecryptionFailure"])
def test_an_unreadable_secret_is_not_a_missing_one(store, code):
    here, secrets, _ssm = store
    secrets.add_client_error("describe_secret", code)
    with pytest.raises(AwsError, match="DescribeSecret for secret"):
        here.observe()


@pytest.mark.parametrize("code", ["AccessDeniedException", "ResourceNotFoundException"])
def test_a_secret_without_a_readable_value_is_an_error(store, code):
    here, secrets, _ssm = store
    secrets.add_response("describe_secret", {"ARN": SECRET_ARN, "Name": WANTED.secret_name})
    secrets.add_client_error("get_secret_value", code)
    with pytest.raises(AwsError, match="GetSecretValue for secret"):
        here.observe()


def test_an_unreadable_parameter_is_an_error(store):
    here, secrets, ssm = store
    has_secret(secrets)
    ssm.add_client_error("get_parameter", "AccessDeniedException")
    with pytest.raises(AwsError, match="GetParameter"):
        here.observe()


def test_the_first_to_create_wins(store):
    here, secrets, _ssm = store
    secrets.add_client_error("create_secret", "ResourceExistsException")
    secrets.add_response("get_secret_value", {"SecretString": TEXT}, {"SecretId": WANTED.secret_name})
    with pytest.raises(LostRace):
        here.apply(Step(CREATE, {}, ()))


def test_publishing_a_parameter_that_appeared_meanwhile(store):
    here, secrets, ssm = store
    has_secret(secrets)
    ssm.add_client_error("put_parameter", "ParameterAlreadyExists")
    has_parameter(ssm, OTHER)
    ssm.add_response("put_parameter", {"Version": 2})
    here.apply(Step(PUBLISH, {"exists": False}, ()))


def test_publishing_after_a_lost_answer_writes_once(store):
    here, secrets, ssm = store
    has_secret(secrets)
    ssm.add_client_error("put_parameter", "ParameterAlreadyExists")
    has_parameter(ssm, KEYS)
    here.apply(Step(PUBLISH, {"exists": False}, ()))


@pytest.fixture
def patient(stubbed, monkeypatch):
    """A store that makes the keys of TEXT, and whose pauses cost nothing."""
    secrets, secrets_stub = stubbed("secretsmanager")
    ssm, ssm_stub = stubbed("ssm")
    monkeypatch.setattr(HostKeyStore, "new_text", lambda self: TEXT)
    made = HostKeyStore(Api(secrets), Api(ssm), WANTED, clock=Clock(sleep=lambda seconds: None))
    return made, secrets_stub, ssm_stub


def created(stub):
    stub.add_response("create_secret", {"ARN": SECRET_ARN, "Name": WANTED.secret_name})
    stub.add_response("get_secret_value", {"SecretString": TEXT}, {"SecretId": WANTED.secret_name})


def test_a_new_secret_that_is_told_late_is_published_all_the_same(patient):
    here, secrets, ssm = patient
    created(secrets)
    here.apply(Step(CREATE, {}, ()))
    secrets.add_client_error("describe_secret", "ResourceNotFoundException")
    secrets.add_response("describe_secret", {"ARN": SECRET_ARN, "Name": WANTED.secret_name})
    secrets.add_client_error("get_secret_value", "ResourceNotFoundException")
    has_secret(secrets)
    ssm.add_response("put_parameter", {"Version": 1})
    here.apply(Step(PUBLISH, {"exists": False}, ()))
    secrets.add_client_error("describe_secret", "ResourceNotFoundException")
    has_secret(secrets)
    ssm.add_client_error("get_parameter", "ParameterNotFound")
    seen = here.observe()
    assert (seen.keys, seen.published) == (KEYS, KEYS)


def test_a_deleted_secret_that_is_still_told_is_looked_at_again(patient):
    here, secrets, ssm = patient
    secrets.add_response("delete_secret", {})
    here.apply(Step(DELETE, {"force": True, "days": 30}, ()))
    secrets.add_response("describe_secret", {"ARN": SECRET_ARN, "Name": WANTED.secret_name})
    secrets.add_client_error("describe_secret", "ResourceNotFoundException")
    ssm.add_client_error("get_parameter", "ParameterNotFound")
    assert here.observe(read=False) == HostKeys()


@pytest.mark.parametrize(
    ("force", "request_"), [(False, {"RecoveryWindowInDays": 30}), (True, {"ForceDeleteWithoutRecovery": True})]
)
def test_delete(store, force, request_):
    here, secrets, _ssm = store
    secrets.add_response("delete_secret", {}, {"SecretId": WANTED.secret_name, **request_})
    here.apply(Step(DELETE, {"force": force, "days": 30}, ()))


def test_a_certificate_authority_lives_in_a_secret_and_parameter_of_its_own():
    its = Wanted.for_cluster(ARN, purpose="host_ca")
    assert (its.secret_name, its.parameter) == (
        "mlfleet/hyperpod/abc123def456/ssh-host-ca",
        "/mlfleet/hyperpod/abc123def456/host-ca",
    )
    assert (WANTED.secret_name, WANTED.parameter) == (
        "mlfleet/hyperpod/abc123def456/ssh-host-keys",
        "/mlfleet/hyperpod/abc123def456/host-keys",
    )
