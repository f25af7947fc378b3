# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The plan of a Client VPN endpoint: steps, their order, withheld steps and refusals."""

from __future__ import annotations

import dataclasses

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._client_vpn.connections.model import Connection
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._client_vpn.endpoint import (
    options as endpoint_options,
    settings as endpoint_settings,
)
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._client_vpn.endpoint.model import (
    Certificate,
    Desired,
    Endpoint,
    Network,
    Route,
    Rule,
    State,
    Subnet,
    Vpc,
    own_tags,
)
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._client_vpn.endpoint.plan import (
    plan,
)
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.plan import KNOWN_AFTER_APPLY

VPC = "vpc-0123456789abcdef0"
A, B, A2 = "subnet-0000000a", "subnet-0000000b", "subnet-000000a2"
ARN = "arn:aws:acm:us-west-2:111111111111:certificate/01234567-89ab-cdef-0123-456789abcdef"
OTHER = ARN[:-1] + "0"
SETTINGS = {
    "server_certificate_arn": ARN,
    "authentication": ({"type": "certificate", "client_root_certificate_arn": ARN},),
    "client_cidr": "172.20.0.0/20",
}
SUBNETS = {
    A: Subnet(A, VPC, "us-west-2a", "10.1.1.0/24", 200),
    B: Subnet(B, VPC, "us-west-2b", "10.1.2.0/24", 200),
    A2: Subnet(A2, VPC, "us-west-2a", "10.1.3.0/24", 200),
}
GOOD = Certificate(ARN, "RSA_2048", ("server.vpn.example.com",))
NOTHING = State(vpc=Vpc(VPC, ("10.1.0.0/16",)), subnets=SUBNETS, certificates={ARN: GOOD}, generation="run")
LOCAL = Route("10.1.0.0/16", A, "Default Route", "associate")
ALICE = Connection("cvpn-connection-1", "alice", "", "172.20.0.2", "2026-11-21 09:00:00", "", "active", 1, 1)
MALLORY = dataclasses.replace(ALICE, id="cvpn-connection-2", common_name="mallory", status="terminated")


def endpoint(**more) -> Endpoint:
    given = {
        "settings": {**endpoint_settings.defaults(), **SETTINGS, "security_groups": ("sg-00000001",)},
        "tags": own_tags(VPC),
        "networks": (Network("cvpn-assoc-1", A, "associated", "", ("sg-00000001",)),),
        "rules": (Rule("10.1.0.0/16", None, ""),),
        "routes": (LOCAL,),
        **more,
    }
    return Endpoint("cvpn-endpoint-1", "available", "*.cvpn-endpoint-1.example", VPC, **given)


def there(*people: Connection, **more) -> State:
    return dataclasses.replace(NOTHING, endpoint=endpoint(**more), connections=people)


def desired(*, settings=None, **more) -> Desired:
    return Desired(VPC, settings=SETTINGS if settings is None else settings, **more)


def operations(outcome) -> list[str]:
    """Names of the calls, including those of steps that start together."""
    return [each.operation for step in outcome.steps for each in step.arguments.get("Together", (step,))]


def test_a_creation_follows_the_order_that_aws_requires():
    want = desired(
        subnets=(A, B), rules=(Rule("10.1.0.0/16"),), routes=(Route("10.9.0.0/16", A, "lab"),), disruptive=False
    )
    outcome = plan(want, NOTHING)
    assert operations(outcome) == [
        "CreateClientVpnEndpoint",
        "AssociateClientVpnTargetNetwork",
        "AssociateClientVpnTargetNetwork",
        "AuthorizeClientVpnIngress",
        "CreateClientVpnRoute",
    ]
    created = outcome.steps[0].arguments
    assert created["SplitTunnel"] is True and created["ConnectionLogOptions"] == {"Enabled": False}
    assert created["VpcId"] == VPC and len(created["ClientToken"]) == 64
    assert {tag["Key"]: tag["Value"] for tag in created["TagSpecifications"][0]["Tags"]} == own_tags(VPC)
    assert outcome.steps[-1].arguments["ClientVpnEndpointId"] == KNOWN_AFTER_APPLY
    found = outcome.after(NOTHING).endpoint
    assert (found.status, found.subnets) == ("available", (A, B))
    assert [(route.cidr, route.subnet) for route in found.routes][-1] == ("10.9.0.0/16", A)
    assert outcome.deferred == ()
    again = plan(want, dataclasses.replace(NOTHING, endpoint=found))
    assert operations(again) == []


def test_a_token_is_stable_within_one_run_only():
    first, same = plan(desired(), NOTHING), plan(desired(), NOTHING)
    later = plan(desired(), dataclasses.replace(NOTHING, generation="another run"))
    tokens = [outcome.steps[0].arguments["ClientToken"] for outcome in (first, same, later)]
    assert tokens[0] == tokens[1] != tokens[2]


@pytest.mark.parametrize(
    ("settings", "arguments"),
    [
        ({"split_tunnel": False}, {"SplitTunnel": False}),
        ({"dns_servers": ("10.1.0.2",)}, {"DnsServers": {"CustomDnsServers": ["10.1.0.2"], "Enabled": True}}),
        ({"vpn_port": 1194}, {"VpnPort": 1194}),
        ({"description": "people"}, {"Description": "people"}),
        (
            {"connection_log": {"log_group": "/vpn", "log_stream": ""}},
            {"ConnectionLogOptions": {"Enabled": True, "CloudwatchLogGroup": "/vpn"}},
        ),
        ({"security_groups": ("sg-00000002",)}, {"SecurityGroupIds": ["sg-00000002"], "VpcId": VPC}),
        ({"session_hours": 8}, {"SessionTimeoutHours": 8}),
        ({"login_banner": "hello"}, {"ClientLoginBannerOptions": {"Enabled": True, "BannerText": "hello"}}),
        ({"route_enforcement": True}, {"ClientRouteEnforcementOptions": {"Enforced": True}}),
        ({"disconnect_on_session_timeout": False}, {"DisconnectOnSessionTimeout": False}),
    ],
)
def test_only_the_setting_that_differs_is_changed(settings, arguments):
    outcome = plan(desired(settings=settings), there())
    step = outcome.steps[0]
    assert step.operation == "ModifyClientVpnEndpoint"
    assert step.arguments == {"ClientVpnEndpointId": "cvpn-endpoint-1", **arguments}
    assert [change.field for change in step.changes] == list(settings)
    after = dataclasses.replace(NOTHING, endpoint=outcome.after(there()).endpoint)
    assert operations(plan(desired(settings=settings), after)) == []


def test_new_security_groups_are_applied_to_existing_interfaces():
    outcome = plan(desired(settings={"security_groups": ("sg-00000002",)}), there())
    assert operations(outcome) == ["ModifyClientVpnEndpoint", "ApplySecurityGroupsToClientVpnTargetNetwork"]


@pytest.mark.parametrize(
    ("have", "want", "same"),
    [
        ({"log_group": "/vpn", "log_stream": "picked"}, {"log_group": "/vpn", "log_stream": ""}, True),
        ({"log_group": "/vpn", "log_stream": "picked"}, {"log_group": "/vpn", "log_stream": "own"}, False),
        ({"log_group": "/vpn", "log_stream": "picked"}, None, False),
        (None, None, True),
    ],
)
def test_only_the_declared_parts_of_the_connection_log_are_compared(have, want, same):
    state = there(settings={**endpoint_settings.defaults(), **SETTINGS, "connection_log": have})
    assert bool(plan(desired(settings={"connection_log": want}), state)) is not same


@pytest.mark.parametrize(
    ("want", "people", "done", "kept"),
    [
        ({"settings": {"dns_servers": ("10.1.0.2",)}}, (ALICE,), [], ["dns_servers"]),
        ({"settings": {"dns_servers": ("10.1.0.2",)}}, (MALLORY,), ["ModifyClientVpnEndpoint"], []),
        ({"settings": {"dns_servers": (), "session_hours": 8}}, (ALICE,), ["ModifyClientVpnEndpoint"], []),
        ({"settings": {"vpn_port": 1194}}, (), [], ["vpn_port"]),
        ({"settings": {"server_certificate_arn": OTHER}}, (ALICE,), [], ["server_certificate_arn"]),
        ({"settings": {"client_cidr": "172.24.0.0/20"}, "recreate": True}, (), [], ["client_cidr"]),
        ({"rules": (Rule("10.8.0.0/16"),)}, (ALICE,), ["AuthorizeClientVpnIngress"], []),
        ({"routes": (Route("10.9.0.0/16", A),)}, (ALICE,), [], [None]),
        (
            {"routes": (Route("10.9.0.0/16", A),), "settings": {"split_tunnel": False}},
            (ALICE,),
            [],
            ["split_tunnel", None],
        ),
        ({"subnets": (A, B), "routes": (Route("10.9.0.0/16", B),)}, (ALICE,), [], [None, None]),
        ({"subnets": (B,), "purge_subnets": True}, (ALICE,), [], [None, None]),
        ({"rules": (Rule("10.1.0.0/16", None, "why"),)}, (ALICE,), [], ["description"]),
    ],
)
def test_steps_that_disconnect_people_are_withheld(want, people, done, kept):
    want = desired(**{"settings": {}, **want, "disruptive": False})
    state = dataclasses.replace(there(*people), certificates={OTHER: dataclasses.replace(GOOD, arn=OTHER)})
    outcome = plan(want, state)
    assert operations(outcome) == done
    assert [each.change.field for each in outcome.deferred] == kept
    for each in outcome.deferred:
        assert each.disconnects == tuple(person.common_name for person in people if person is ALICE)
        assert "is deferred, because it would" in each.finding.text
    if not done:
        assert outcome.after(state).endpoint == state.endpoint
    loud = plan(dataclasses.replace(want, disruptive=True), state)
    assert loud.deferred == () and bool(loud) is bool(done or kept)
    assert bool(loud.notes) is bool(kept)


def test_full_tunnel_routes_disconnect_no_one():
    full = {**endpoint_settings.defaults(), **SETTINGS, "split_tunnel": False}
    want = desired(settings={}, routes=(Route("0.0.0.0/0", A),), disruptive=False)
    assert operations(plan(want, there(ALICE, settings=full))) == ["CreateClientVpnRoute"]


def test_a_route_waits_for_its_network():
    full = {**endpoint_settings.defaults(), **SETTINGS, "split_tunnel": False}
    want = desired(settings={}, subnets=(A2,), purge_subnets=True, routes=(Route("10.9.0.0/16", A2),), disruptive=False)
    outcome = plan(want, there(ALICE, settings=full))
    assert operations(outcome) == [] and len(outcome.deferred) == 3


@pytest.mark.parametrize(
    ("want", "state", "expected"),
    [
        ({"subnets": (B,)}, there(), ["AssociateClientVpnTargetNetwork"]),
        (
            {"subnets": (B,), "purge_subnets": True},
            there(routes=(LOCAL, Route("10.9.0.0/16", A, ""))),
            ["AssociateClientVpnTargetNetwork", "DeleteClientVpnRoute", "DisassociateClientVpnTargetNetwork"],
        ),
        (
            {"subnets": (A2,), "purge_subnets": True},
            there(),
            ["DisassociateClientVpnTargetNetwork", "AssociateClientVpnTargetNetwork"],
        ),
        ({"subnets": (A,)}, there(networks=(Network("cvpn-assoc-1", A, "associating"),)), []),
        (
            {"subnets": (A,)},
            there(networks=(Network("cvpn-assoc-1", A, "disassociating"),)),
            ["AssociateClientVpnTargetNetwork"],
        ),
        (
            {"subnets": (A,)},
            there(networks=(Network("cvpn-assoc-1", A, "association-failed"),)),
            ["DisassociateClientVpnTargetNetwork", "AssociateClientVpnTargetNetwork"],
        ),
        ({"rules": (Rule("10.1.0.0/16"),)}, there(), []),
        ({"rules": (Rule("10.1.0.0/16", "S-1-5"),)}, there(), ["AuthorizeClientVpnIngress"]),
        ({"rules": (), "purge_rules": True}, there(), ["RevokeClientVpnIngress"]),
        ({"rules": None, "purge_rules": True}, there(), []),
        (
            {"rules": (Rule("10.1.0.0/16", None, "why"),)},
            there(),
            ["RevokeClientVpnIngress", "AuthorizeClientVpnIngress"],
        ),
        (
            {"rules": (Rule("10.1.0.0/16"),)},
            there(rules=(Rule("10.1.0.0/16", None, "", "failed"),)),
            ["RevokeClientVpnIngress", "AuthorizeClientVpnIngress"],
        ),
        (
            {"rules": (Rule("10.1.0.0/16"),)},
            there(rules=(Rule("10.1.0.0/16", None, "", "revoking"),)),
            ["AuthorizeClientVpnIngress"],
        ),
        ({"routes": (Route("10.1.0.0/16", A),)}, there(), []),
        ({"routes": (), "purge_routes": True}, there(), []),
        (
            {"routes": (), "purge_routes": True},
            there(routes=(LOCAL, Route("10.9.0.0/16", A, ""))),
            ["DeleteClientVpnRoute"],
        ),
        (
            {"routes": (Route("10.9.0.0/16", A, "new"),)},
            there(routes=(LOCAL, Route("10.9.0.0/16", A, "old"))),
            ["DeleteClientVpnRoute", "CreateClientVpnRoute"],
        ),
        ({"tags": {**own_tags(VPC), "team": "a"}}, there(), ["CreateTags"]),
        ({"tags": own_tags(VPC)}, there(tags={**own_tags(VPC), "team": "a", "aws:x": "y"}), ["DeleteTags"]),
        ({"tags": own_tags(VPC), "purge_tags": False}, there(tags={**own_tags(VPC), "team": "a"}), []),
        ({"tags": None}, there(tags={**own_tags(VPC), "team": "a"}), []),
    ],
)
def test_parts_are_added_and_removed(want, state, expected):
    want = desired(settings={}, **want)
    outcome = plan(want, state)
    assert operations(outcome) == expected
    settled = dataclasses.replace(state, endpoint=outcome.after(state).endpoint)
    assert operations(plan(want, settled)) == []


def test_a_replacement_keeps_undeclared_settings():
    old = there(
        ALICE,
        routes=(LOCAL, Route("10.9.0.0/16", A, "lab")),
        rules=(Rule("10.1.0.0/16", None, "all"), Rule("10.9.0.0/16", None, "")),
        settings={**endpoint_settings.defaults(), **SETTINGS, "login_banner": "hello"},
        tags={**own_tags(VPC), "team": "research"},
    )
    state = dataclasses.replace(old, revocation_list="-----BEGIN X509 CRL-----")
    want = desired(
        settings={"client_cidr": "172.24.0.0/20"}, rules=(Rule("10.1.0.0/16"),), recreate=True, disruptive=True
    )
    outcome = plan(want, state)
    assert operations(outcome) == [
        "TerminateClientVpnConnections",
        "DeleteClientVpnRoute",
        "DisassociateClientVpnTargetNetwork",
        "DeleteClientVpnEndpoint",
        "CreateClientVpnEndpoint",
        "ImportClientVpnClientCertificateRevocationList",
        "AssociateClientVpnTargetNetwork",
        "AuthorizeClientVpnIngress",
        "AuthorizeClientVpnIngress",
        "CreateClientVpnRoute",
    ]
    found = outcome.after(state).endpoint
    assert found.settings["client_cidr"] == "172.24.0.0/20" and found.settings["login_banner"] == "hello"
    assert found.tags["team"] == "research" and found.rules[0].description == "all"
    assert any("profile" in note for note in outcome.notes)


def test_absent_removes_in_order_and_keeps_the_route_created_by_aws():
    state = there(ALICE, MALLORY, routes=(LOCAL, Route("10.9.0.0/16", A, "")))
    outcome = plan(desired(settings={}, present=False), state)
    assert operations(outcome) == [
        "TerminateClientVpnConnections",
        "DeleteClientVpnRoute",
        "DisassociateClientVpnTargetNetwork",
        "DeleteClientVpnEndpoint",
    ]
    assert outcome.after(state).endpoint is None
    assert operations(plan(desired(settings={}, present=False), NOTHING)) == []


def both(**more) -> State:
    networks = tuple(Network(f"cvpn-assoc-{each[-1]}", each, "associated", "", ("sg-00000001",)) for each in (A, B))
    return there(networks=networks, **more)


@pytest.mark.parametrize(
    ("outcome", "steps"),
    [
        (plan(desired(subnets=(A, B)), NOTHING), ["CreateClientVpnEndpoint", "AssociateClientVpnTargetNetwork"]),
        (
            plan(desired(settings={}, present=False), both()),
            ["DisassociateClientVpnTargetNetwork", "DeleteClientVpnEndpoint"],
        ),
        (
            plan(desired(settings={}, subnets=(), purge_subnets=True), both(routes=(Route("10.9.0.0/16", B, ""),))),
            ["DeleteClientVpnRoute", "DisassociateClientVpnTargetNetwork"],
        ),
        (
            plan(desired(settings={}, subnets=(A2,), purge_subnets=True), both()),
            ["DisassociateClientVpnTargetNetwork", "AssociateClientVpnTargetNetwork", "DisassociateClientVpnTargetNetwork"],
        ),
    ],
)
def test_slow_steps_start_together(outcome, steps):
    assert [step.operation for step in outcome.steps] == steps


TWO = Vpc(VPC, ("10.1.0.0/16", "10.9.0.0/16"))


@pytest.mark.parametrize(
    ("want", "state", "missing"),
    [
        ({"rules": (Rule("10.1.0.0/16"), Rule("10.9.0.0/16"))}, there(), True),
        ({}, there(rules=(Rule("10.9.1.0/24"),)), True),
        ({}, there(), False),  # no one may use that network
        ({"rules": (Rule("10.9.0.0/16"),)}, there(routes=(LOCAL, Route("10.9.0.0/16", A))), False),
        ({"rules": (Rule("10.9.0.0/16"),)}, there(routes=(LOCAL, Route("10.0.0.0/8", A))), False),
        ({"rules": (Rule("10.9.0.0/16"),), "routes": (Route("10.9.0.0/16", A),)}, there(), False),
        ({"rules": (Rule("10.9.0.0/16"),)}, both(routes=(LOCAL, Route("10.9.0.0/16", A), Route("10.1.0.0/16", B))), True),
    ],
)
def test_a_network_added_to_the_vpc_later_is_reported(want, state, missing):
    outcome = plan(desired(settings={}, **want), dataclasses.replace(state, vpc=TWO))
    notes = [note for note in outcome.notes if "there is no route to 10.9.0.0/16 through " in note]
    assert bool(notes) is missing and len(outcome.notes) == len(notes)


def test_a_new_endpoint_has_routes_to_all_networks_of_the_vpc():
    want = desired(subnets=(A,), rules=(Rule("10.1.0.0/16"), Rule("10.9.0.0/16")))
    state = dataclasses.replace(NOTHING, vpc=TWO)
    outcome = plan(want, state)
    assert outcome.notes == ()
    assert [each.cidr for each in outcome.after(state).endpoint.routes] == list(TWO.cidrs)


def certified(**fields) -> State:
    return dataclasses.replace(NOTHING, certificates={ARN: dataclasses.replace(GOOD, **fields)})


@pytest.mark.parametrize(
    ("want", "state", "words"),
    [
        ({"settings": {"client_cidr": "172.20.0.0/20"}}, NOTHING, "server_certificate_arn: missing; .* a new endpoint requires this option"),
        ({}, dataclasses.replace(NOTHING, others=5), "endpoint_quota: 5 is not allowed: .* is already 5. Allowed: 6 or more"),
        ({}, dataclasses.replace(NOTHING, vpc=None), "vpc_id: .* does not exist"),
        ({}, dataclasses.replace(NOTHING, vpc=Vpc(VPC, (), "dedicated")), "dedicated tenancy"),
        ({"settings": {**SETTINGS, "client_cidr": "10.0.0.0/12"}}, NOTHING, "client_cidr: '10.0.0.0/12' .*10.1.0.0/16"),
        (
            {"subnets": (A,), "routes": (Route("172.20.4.0/24", A),)},
            NOTHING,
            "client_cidr: .* overlaps the route to 172.20.4.0/24",
        ),
        ({"subnets": ("subnet-0000000c",)}, NOTHING, "subnets: 'subnet-0000000c' is not allowed: it does not exist"),
        ({"subnets": (A, A2)}, NOTHING, f"subnets: '{A2}' is not allowed: {A} is in the same zone, us-west-2a. Allowed: .*one per zone"),
        ({"subnets": (A2,)}, there(), "is in the same zone, us-west-2a. .*purge_subnets"),
        (
            {"subnets": (A,)},
            dataclasses.replace(NOTHING, subnets={A: Subnet(A, VPC, "us-west-2a", "10.1.1.0/28", 11)}),
            "subnets: .* is a /28. .* at least /27",
        ),
        (
            {"subnets": (A,)},
            dataclasses.replace(NOTHING, subnets={A: Subnet(A, VPC, "us-west-2a", "10.1.1.0/27", 19)}),
            "19 free addresses. .* at least 20",
        ),
        (
            {"subnets": (A,)},
            dataclasses.replace(NOTHING, subnets={A: Subnet(A, "vpc-00000001", "us-west-2a", "10.1.1.0/24", 200)}),
            "is in vpc-00000001. Allowed: subnets of vpc-",
        ),
        ({"subnets": (A,), "routes": (Route("10.9.0.0/16", B),)}, NOTHING, f"routes.subnet: '{B}'"),
        ({"subnets": (A,), "routes": (Route("0.0.0.0/0", A),)}, NOTHING, "not allowed: with split_tunnel"),
        ({"settings": {**SETTINGS, "self_service_portal": True}}, NOTHING, "self_service_portal"),
        ({}, certified(key_algorithm="EC_prime256v1"), "its key is EC_prime256v1"),
        ({}, certified(key_algorithm="RSA_4096"), "its key is RSA_4096"),
        ({}, certified(names=("server",)), "it is for server. .* domain form"),
        ({}, certified(status="EXPIRED"), "its state is EXPIRED"),
        ({}, dataclasses.replace(NOTHING, certificates={ARN: None}), "does not exist in this account"),
        ({"settings": {"client_cidr": "172.24.0.0/20"}}, there(), "client_cidr: .* AWS cannot change that.*recreate"),
        ({"settings": {"transport_protocol": "tcp"}}, there(), "transport_protocol: .* AWS cannot change"),
        (
            {"settings": {"authentication": ({"type": "directory", "directory_id": "d-1"},)}},
            there(),
            "authentication: .* AWS cannot change",
        ),
    ],
)
def test_a_refusal_precedes_every_change(want, state, words):
    with pytest.raises(Refused, match=words):
        plan(desired(**want), state)


OPTIONS = {
    "vpc_id": VPC,
    "state": "present",
    **dict.fromkeys([setting.option for setting in endpoint_settings.SETTINGS]),
    "tags": None,
    "purge_tags": True,
    "subnets": None,
    "purge_subnets": False,
    "authorization_rules": None,
    "purge_authorization_rules": False,
    "routes": None,
    "purge_routes": False,
    "recreate": False,
    "disruptive": True,
    "endpoint_quota": 5,
    "wait_timeout": 1800,
    "poll_interval": 10,
}


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"vpc_id": "vpc"}, "vpc_id: 'vpc' is not allowed"),
        ({"client_cidr": "172.20.0.0/23"}, "client_cidr: '172.20.0.0/23' .* /12 to /22"),
        ({"client_cidr": "172.20.0.1/20"}, "without host bits"),
        ({"client_cidr": "fd00::/16"}, "IPv4 network"),
        ({"server_certificate_arn": "arn:aws:iam::1:x"}, "certificate in ACM"),
        ({"authentication": []}, "authentication: .* one entry"),
        ({"authentication": [{"type": "directory"}]}, "authentication.type: 'directory' .* together with directory_id"),
        (
            {"authentication": [{"type": "directory", "directory_id": "d-1"}, {"type": "federated"}]},
            "authentication: .*together with one",
        ),
        (
            {"authentication": [{"type": "directory", "directory_id": "d-1", "saml_provider_arn": "x"}]},
            "authentication.saml_provider_arn: 'x' .* does not support this option",
        ),
        ({"dns_servers": ["10.1.0.2", "10.1.0.3", "10.1.0.4"]}, "at most 2"),
        ({"dns_servers": ["resolver"]}, "dns_servers: 'resolver'"),
        ({"security_groups": []}, "security_groups"),
        ({"security_groups": ["default"]}, "security_groups: 'default'"),
        ({"subnets": [A, A]}, "subnets: .* each value once"),
        ({"authorization_rules": [{"cidr": "10.1.0.1/16", "group": None, "description": None}]}, "rules.cidr"),
        ({"login_banner": "x" * 1401}, "login_banner: .* it has 1401 characters.*at most 1400"),
        ({"connection_log": {"log_group": None, "log_stream": "connections"}}, "connection_log.log_stream: .* together with log_group"),
        ({"tags": {"mlfleet.hyperpod/client-vpn": "vpc-00000001"}}, "runs find the endpoint by this tag"),
        ({"tags": {"aws:x": "y"}}, "do not begin with aws:"),
        ({"poll_interval": 0}, "poll_interval: 0 is not allowed"),
    ],
)
def test_invalid_options_are_refused_by_name(options, words):
    with pytest.raises(Refused, match=words):
        endpoint_options.desired({**OPTIONS, **options})


def test_options_are_normalised():
    way = {"type": "federated", "saml_provider_arn": "arn:saml", "directory_id": None}
    certificate = {"type": "certificate", "client_root_certificate_arn": ARN, "directory_id": None}
    got = endpoint_options.desired(
        {
            **OPTIONS,
            "authentication": [way, certificate],
            "connection_log": {"log_group": None, "log_stream": None},
            "tags": {"team": "research"},
            "security_groups": [KNOWN_AFTER_APPLY],
        }
    )
    assert [each["type"] for each in got.settings["authentication"]] == ["certificate", "federated"]
    assert got.settings["connection_log"] is None and "login_banner" not in got.settings
    assert got.tags == {**own_tags(VPC), "team": "research"}
