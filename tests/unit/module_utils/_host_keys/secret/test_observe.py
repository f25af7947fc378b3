# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.client import Api, AwsError
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._host_keys import keys as host_keys
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._host_keys.secret.model import HostKeys
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._host_keys.secret.observe import Observer
from simulated.host_keys import ARN, DESIRED, KEYS, NOW, OTHER, OURS, SECRET_ARN, TEXT, has_parameter, has_secret


@pytest.fixture
def observer(stubbed):
    secrets, secrets_stub = stubbed("secretsmanager")
    ssm, ssm_stub = stubbed("ssm")
    return Observer(Api(secrets), Api(ssm), DESIRED), secrets_stub, ssm_stub


def test_the_secret_and_the_parameter_are_read(observer):
    here, secrets, ssm = observer
    has_secret(secrets, Tags=[{"Key": "mlfleet.hyperpod/cluster", "Value": ARN.text}])
    has_parameter(ssm, OTHER)
    assert here() == HostKeys(
        secret_arn=SECRET_ARN, keys=KEYS, content=host_keys.content("name", TEXT), tags=OURS, published=OTHER
    )


def test_a_missing_secret_and_parameter_are_empty(observer):
    here, secrets, ssm = observer
    secrets.add_client_error("describe_secret", "ResourceNotFoundException")
    ssm.add_client_error("get_parameter", "ParameterNotFound")
    assert here() == HostKeys()


def test_a_secret_scheduled_for_deletion_is_not_read(observer):
    here, secrets, ssm = observer
    has_secret(secrets, DeletedDate=NOW)
    ssm.add_client_error("get_parameter", "ParameterNotFound")
    assert here().deleted.startswith("2026-11-21")


@pytest.mark.parametrize("code", ["AccessDeniedException", "InvalidRequestException", "DecryptionFailure"])
def test_an_unreadable_secret_is_an_error(observer, code):
    here, secrets, _ssm = observer
    secrets.add_client_error("describe_secret", code)
    with pytest.raises(AwsError, match="DescribeSecret for secret"):
        here()


@pytest.mark.parametrize("code", ["AccessDeniedException", "ResourceNotFoundException"])
def test_a_secret_without_a_readable_value_is_an_error(observer, code):
    here, secrets, _ssm = observer
    secrets.add_response("describe_secret", {"ARN": SECRET_ARN, "Name": DESIRED.secret_name})
    secrets.add_client_error("get_secret_value", code)
    with pytest.raises(AwsError, match="GetSecretValue for secret"):
        here()


def test_an_unreadable_parameter_is_an_error(observer):
    here, secrets, ssm = observer
    has_secret(secrets)
    ssm.add_client_error("get_parameter", "AccessDeniedException")
    with pytest.raises(AwsError, match="GetParameter"):
        here()
