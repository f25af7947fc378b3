# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Secrets Manager by boto3 against the simulator."""

from __future__ import annotations

import typing as t

import pytest
from refusals import code

TOKEN = "0123456789abcdef0123456789abcdef"


@pytest.fixture(scope="module")
def secrets(account: t.Any) -> t.Any:
    return account.client("secretsmanager")


def test_secret_is_created_once(secrets):
    made = secrets.create_secret(Name="keys", SecretString="1", ClientRequestToken=TOKEN)
    second = secrets.create_secret(Name="keys", SecretString="1", ClientRequestToken=TOKEN)
    assert second["ARN"] == made["ARN"] and second["VersionId"] == TOKEN
    assert code(secrets.create_secret, Name="keys", SecretString="1") == "ResourceExistsException"
    other = {"Name": "keys", "SecretString": "2", "ClientRequestToken": TOKEN}
    assert code(secrets.create_secret, **other) == "ResourceExistsException"


def test_secret_scheduled_for_deletion_is_not_listed(secrets):
    secrets.create_secret(Name="doomed", SecretString="1")
    secrets.delete_secret(SecretId="doomed", RecoveryWindowInDays=7)
    assert code(secrets.get_secret_value, SecretId="doomed") == "InvalidRequestException"
    assert code(secrets.create_secret, Name="doomed", SecretString="1") == "InvalidRequestException"
    assert "DeletedDate" in secrets.describe_secret(SecretId="doomed")
    secrets.restore_secret(SecretId="doomed")
    assert secrets.get_secret_value(SecretId="doomed")["SecretString"] == "1"
    secrets.delete_secret(SecretId="doomed", ForceDeleteWithoutRecovery=True)
    assert code(secrets.get_secret_value, SecretId="doomed") == "ResourceNotFoundException"


def test_secret_versions_move_their_stages(secrets):
    secrets.create_secret(Name="rotated", SecretString="1")
    secrets.put_secret_value(SecretId="rotated", SecretString="2", ClientRequestToken=TOKEN)
    stages = {
        stage: secrets.get_secret_value(SecretId="rotated", VersionStage=stage)["SecretString"]
        for stage in ("AWSCURRENT", "AWSPREVIOUS")
    }
    assert stages == {"AWSCURRENT": "2", "AWSPREVIOUS": "1"}
