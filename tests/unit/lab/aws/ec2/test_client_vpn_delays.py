# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Delays of AWS as settings of the simulator."""

from __future__ import annotations

import time
import typing as t

import pytest
from client_vpn_account import pair, refused


@pytest.fixture
def slow(account: t.Any) -> t.Iterator[t.Any]:
    """An account in which everything takes a while, listings an hour."""
    account.control.settings(forced_deletion_seconds=0.2, acm_seconds=0.2, listing_lag_seconds=3600)
    yield account
    account.control.settings(listing_lag_seconds=0, forced_deletion_seconds=0, acm_seconds=0)


def until(condition: t.Callable[[], t.Any], seconds: float = 60) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "the condition did not become true in time"
        time.sleep(0.05)


def names(secrets: t.Any) -> list[str]:
    return [each["Name"] for each in secrets.list_secrets(IncludePlannedDeletion=True)["SecretList"]]


def test_a_listing_of_secrets_is_late(slow):
    secrets = slow.client("secretsmanager")
    secrets.create_secret(Name="a", SecretString="x")
    assert names(secrets) == [] and secrets.describe_secret(SecretId="a")["Name"] == "a"
    slow.control.settings(listing_lag_seconds=0)
    assert names(secrets) == ["a"]


def test_a_permanent_deletion_takes_a_while(slow):
    secrets = slow.client("secretsmanager")
    secrets.create_secret(Name="b", SecretString="x")
    with slow.held("forced_deletion_seconds"):
        secrets.delete_secret(SecretId="b", ForceDeleteWithoutRecovery=True)
        refused("InvalidRequestException", secrets.create_secret, Name="b", SecretString="y")
        refused("InvalidRequestException", secrets.restore_secret, SecretId="b")
        refused("InvalidRequestException", secrets.get_secret_value, SecretId="b")
    until(lambda: not _exists(secrets, "b"))
    secrets.create_secret(Name="b", SecretString="y")


def _exists(secrets: t.Any, name: str) -> bool:
    try:
        return bool(secrets.describe_secret(SecretId=name))
    except secrets.exceptions.ResourceNotFoundException:
        return False


def test_a_new_certificate_is_shown_later(slow):
    acm = slow.client("acm")
    with slow.held("acm_seconds"):
        arn = acm.import_certificate(**pair())["CertificateArn"]
        refused("ResourceNotFoundException", acm.describe_certificate, CertificateArn=arn)
        assert arn not in str(acm.list_certificates())
    until(lambda: arn in str(acm.list_certificates()))
    assert acm.describe_certificate(CertificateArn=arn)["Certificate"]["Type"] == "IMPORTED"


def test_an_association_adds_routes_for_the_current_networks_of_the_vpc(vpn):
    vpn.ec2.associate_vpc_cidr_block(VpcId=vpn.vpc, CidrBlock="10.2.0.0/16")
    endpoint = vpn.associated()
    vpn.ec2.associate_vpc_cidr_block(VpcId=vpn.vpc, CidrBlock="10.3.0.0/16")
    assert sorted(each["DestinationCidr"] for each in vpn.routes(endpoint)) == ["10.1.0.0/16", "10.2.0.0/16"]
