"""A run of client_vpn that is killed after any call can be repeated, and creates nothing twice."""

from __future__ import annotations

import pytest
from harness import World
from mishaps import killed_at_each
from vpn_places import DECLARED, LOCK, PLACES, our_groups, secrets


@pytest.fixture
def bare() -> World:
    world = World()
    world.reset(login=1, compute=0)
    return world


def assert_whole(world: World) -> None:
    """Assert that each resource exists once and that the next run changes nothing."""
    ec2, acm = world.aws("ec2"), world.aws("acm")
    [endpoint] = ec2.describe_client_vpn_endpoints()["ClientVpnEndpoints"]
    which = {"ClientVpnEndpointId": endpoint["ClientVpnEndpointId"]}
    assert endpoint["Status"]["Code"] == "available"
    networks = ec2.describe_client_vpn_target_networks(**which)["ClientVpnTargetNetworks"]
    assert [network["Status"]["Code"] for network in networks] == ["associated"] * 2
    rules = ec2.describe_client_vpn_authorization_rules(**which)["AuthorizationRules"]
    assert [(rule["DestinationCidr"], rule["Status"]["Code"]) for rule in rules] == [("10.1.0.0/16", "active")]
    revoked = ec2.export_client_vpn_client_certificate_revocation_list(**which)
    assert "BEGIN X509 CRL" in revoked["CertificateRevocationList"]
    [ours] = acm.list_certificates()["CertificateSummaryList"]
    assert ours["CertificateArn"] == endpoint["ServerCertificateArn"]
    assert secrets(world) == {"authority", "server", "people/alice", "people/bob"}
    [log] = world.aws("logs").describe_log_groups()["logGroups"]
    assert log["retentionInDays"] == 365
    assert len(our_groups(world)) == 1

    world.reset_calls()
    again = world.playbook("client_vpn", *DECLARED)
    assert (again.rc, again.changed, again.status) == (0, 0, "unchanged"), again.log
    assert world.calls(mutating=True) == []


@pytest.mark.parametrize("first", range(3))
def test_runs_killed_after_each_mutating_call_converge(bare: World, first: int):
    """One third of the places, so that a slice takes no longer than others."""
    places = dict(list(PLACES.items())[first::3])
    assert set(killed_at_each(bare, "client_vpn", places, *DECLARED)) == set(places)
    operations = {call["operation"] for call in bare.calls(mutating=True)}
    assert operations - LOCK == set(PLACES), "a run must be killed after each kind of call"
    assert_whole(bare)
