# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Waiting for an endpoint: progress messages, states that end the wait at once, and retries."""

from __future__ import annotations

import pathlib
import typing as t

import boto3
import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.client import AwsError
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._client_vpn.api import ClientVpn
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._client_vpn.endpoint import moves as endpoint_moves
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._client_vpn.endpoint.apply import Applier
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.plan import KNOWN_AFTER_APPLY, Change, Step
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.wait import Clock, WaitFailed, WaitTimeout
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.waits import Progress, Waits
from botocore.stub import Stubber

BUSY = "ConcurrentMutationLimitExceeded"
ENDPOINT, SUBNET, ASSOCIATION = "cvpn-endpoint-1", "subnet-0000000a", "cvpn-assoc-1"


class Time:
    """A clock that advances only while the code waits."""

    def __init__(self) -> None:
        self.at = 0.0
        self.clock = Clock(now=lambda: self.at, sleep=self._sleep, jitter=lambda: 0.0)

    def _sleep(self, seconds: float) -> None:
        self.at += seconds


@pytest.fixture
def passing() -> Time:
    return Time()


def waits(passing: Time, path: pathlib.Path | None = None, *, timeout: float = 600) -> Waits:
    progress = Progress(str(path) if path else None, now=passing.clock.now)
    return Waits(timeout=timeout, interval=10, progress=progress, clock=passing.clock)


def test_a_new_state_is_printed_at_once_and_repeated_now_and_then(passing, tmp_path):
    states = iter(["associating"] * 15 + ["failing", "associated"])
    waits(passing, tmp_path / "lines").until(lambda: next(states), done=lambda seen: seen == "associated", subject="it")
    lines = (tmp_path / "lines").read_text().split("\n")[:-1]
    assert [line.split(" after ")[0] for line in lines] == ["it is associating"] * 2 + ["it is failing"]


def test_a_quick_step_prints_nothing_and_a_missing_progress_file_is_ignored(passing, tmp_path):
    states = iter(["associating"] * 3 + ["associated"])
    waits(passing, tmp_path / "lines").until(lambda: next(states), done=lambda seen: seen == "associated", subject="it")
    assert not (tmp_path / "lines").exists()
    states = iter(["associating"] * 9 + ["associated"])
    missing = tmp_path / "missing" / "lines"
    waits(passing, missing).until(lambda: next(states), done=lambda seen: seen == "associated", subject="it")


@pytest.fixture
def stubbed() -> t.Iterator[tuple[ClientVpn, Stubber]]:
    client = boto3.client("ec2", region_name="us-west-2", aws_access_key_id="x", aws_secret_access_key="x")
    with Stubber(client) as stubber:
        yield ClientVpn(client), stubber
        stubber.assert_no_pending_responses()


def network(code: str, message: str = "") -> dict[str, t.Any]:
    status = {"Code": code, "Message": message}
    return {"ClientVpnTargetNetworks": [{"AssociationId": ASSOCIATION, "TargetNetworkId": SUBNET, "Status": status}]}


GONE = {"ClientVpnTargetNetworks": []}


def step(operation: str, **arguments: t.Any) -> Step:
    change = Change("create", f"target network {SUBNET}")
    return Step(operation, {"ClientVpnEndpointId": ENDPOINT, **arguments}, (change,))


ASSOCIATE = step("AssociateClientVpnTargetNetwork", SubnetId=SUBNET)
DISASSOCIATE = step("DisassociateClientVpnTargetNetwork", AssociationId=ASSOCIATION)


@pytest.mark.parametrize(
    ("of", "answers", "error"),
    [
        (ASSOCIATE, [GONE, network("associating"), network("associated")], None),
        (ASSOCIATE, [network("associating"), network("association-failed", "no room")], "association-failed: no room"),
        (ASSOCIATE, [network("associating"), GONE, GONE, GONE], "is gone"),
        (ASSOCIATE, [network("associating"), GONE, GONE, network("associating"), GONE, network("associated")], None),
        (DISASSOCIATE, [network("associated"), network("disassociating"), GONE], None),
        (DISASSOCIATE, [network("disassociating"), network("disassociated")], None),
        (DISASSOCIATE, [network("disassociating"), *[network("associated")] * 3], "is associated"),
        (DISASSOCIATE, [network("disassociating"), network("associated"), GONE], None),
        (ASSOCIATE, [network("associating"), *[network("splendid")] * 5, network("associated")], None),
    ],
)
def test_terminal_states_end_a_wait_at_once_and_unknown_ones_after_three_in_a_row(stubbed, passing, of, answers, error):
    vpn, stubber = stubbed
    stubber.add_response(f"{'dis' if of is DISASSOCIATE else ''}associate_client_vpn_target_network", {})
    for answer in answers:
        stubber.add_response("describe_client_vpn_target_networks", answer)
    apply = Applier(vpn, about="client VPN endpoint of vpc-1", waits=waits(passing))
    if error is None:
        apply(of)
    else:
        with pytest.raises(WaitFailed, match=f"target network {SUBNET} of client VPN endpoint of vpc-1 .*{error}"):
            apply(of)


def test_the_last_state_is_in_the_error(stubbed, passing):
    vpn, stubber = stubbed
    stubber.add_response("associate_client_vpn_target_network", {})
    for _attempt in range(3):
        stubber.add_response("describe_client_vpn_target_networks", network("associating"))
    apply = Applier(vpn, about="client VPN endpoint of vpc-1", waits=waits(passing, timeout=1.5))
    with pytest.raises(WaitTimeout, match="is still associating after 2 s"):
        apply(ASSOCIATE)


def test_a_call_to_a_busy_endpoint_is_retried_with_the_same_token(stubbed, passing):
    vpn, stubber = stubbed
    tokens: list[str] = []
    vpn.client.meta.events.register(
        "provide-client-params.ec2.AssociateClientVpnTargetNetwork",
        lambda params, **_others: tokens.append(params["ClientToken"]),
    )
    stubber.add_client_error("associate_client_vpn_target_network", BUSY)
    stubber.add_client_error("associate_client_vpn_target_network", "InvalidClientVpnDuplicateAssociationException")
    stubber.add_response("describe_client_vpn_target_networks", network("associated"))
    Applier(vpn, about="client VPN endpoint of vpc-1", waits=waits(passing))(ASSOCIATE)
    assert len(tokens) == 2 and tokens[0] == tokens[1] and passing.at > 0


@pytest.mark.parametrize(
    ("operation", "code", "message", "passes"),
    [
        ("CreateClientVpnRoute", "InvalidClientVpnActiveAssociationNotFound", "", True),
        (
            "CreateClientVpnEndpoint",
            "OperationNotPermitted",
            "Endpoint cannot be created while another endpoint is being created",
            True,
        ),
        ("CreateClientVpnEndpoint", "OperationNotPermitted", "You are not subscribed", False),
        ("AuthorizeClientVpnIngress", "InvalidClientVpnActiveAssociationNotFound", "", False),
    ],
)
def test_transient_errors_are_retried(stubbed, passing, operation, code, message, passes):
    vpn, stubber = stubbed
    stubber.add_client_error(SNAKE[operation], code, message)
    apply = Applier(vpn, about="client VPN endpoint of vpc-1", waits=waits(passing))
    if not passes:
        with pytest.raises(AwsError) as error:
            apply(parameters(operation))
        assert error.value.code == code
        return
    stubber.add_client_error(SNAKE[operation], code, message)
    stubber.add_response(SNAKE[operation], {"ClientVpnEndpointId": ENDPOINT} if "Endpoint" in operation else {})
    described = {"ClientVpnEndpointId": ENDPOINT, "Status": {"Code": "pending-associate"}}
    if operation == "CreateClientVpnEndpoint":
        stubber.add_response("describe_client_vpn_endpoints", {"ClientVpnEndpoints": [described]})
    else:
        route = {"DestinationCidr": "10.9.0.0/16", "TargetSubnet": SUBNET, "Status": {"Code": "active"}}
        stubber.add_response("describe_client_vpn_routes", {"Routes": [route]})
    apply(parameters(operation))
    assert passing.at > 0


SNAKE = {
    "CreateClientVpnEndpoint": "create_client_vpn_endpoint",
    "CreateClientVpnRoute": "create_client_vpn_route",
    "AuthorizeClientVpnIngress": "authorize_client_vpn_ingress",
}


def parameters(operation: str) -> Step:
    given: dict[str, dict[str, t.Any]] = {
        "CreateClientVpnEndpoint": {
            "ServerCertificateArn": "x",
            "AuthenticationOptions": [],
            "ConnectionLogOptions": {"Enabled": False},
        },
        "CreateClientVpnRoute": {"DestinationCidrBlock": "10.9.0.0/16", "TargetVpcSubnetId": SUBNET},
        "AuthorizeClientVpnIngress": {"TargetNetworkCidr": "10.9.0.0/16"},
    }
    where = {} if operation == "CreateClientVpnEndpoint" else {"ClientVpnEndpointId": ENDPOINT}
    return Step(operation, {**where, **given[operation]}, ())


def test_a_route_that_is_refused_persistently_is_an_error(stubbed, passing):
    """A new association takes up to two minutes; a wait of half an hour would not help."""
    vpn, stubber = stubbed
    for _try in range(20):
        stubber.add_client_error("create_client_vpn_route", "InvalidClientVpnActiveAssociationNotFound")
    apply = Applier(vpn, about="client VPN endpoint of vpc-1", waits=waits(passing, timeout=1800))
    with pytest.raises(AwsError):
        apply(parameters("CreateClientVpnRoute"))
    assert 120 < passing.at < 150
    stubber.deactivate()
    stubber._queue.clear()


@pytest.mark.parametrize("operation", ["DisassociateClientVpnTargetNetwork", "RevokeClientVpnIngress", "DeleteClientVpnRoute"])
def test_parts_deleted_with_the_endpoint_count_as_removed(stubbed, passing, operation):
    vpn, stubber = stubbed
    steps = {
        "DisassociateClientVpnTargetNetwork": ("disassociate_client_vpn_target_network", {"AssociationId": ASSOCIATION}),
        "RevokeClientVpnIngress": ("revoke_client_vpn_ingress", {"TargetNetworkCidr": "10.9.0.0/16"}),
        "DeleteClientVpnRoute": (
            "delete_client_vpn_route",
            {"DestinationCidrBlock": "10.9.0.0/16", "TargetVpcSubnetId": SUBNET},
        ),
    }
    listings = {
        "DisassociateClientVpnTargetNetwork": "describe_client_vpn_target_networks",
        "RevokeClientVpnIngress": "describe_client_vpn_authorization_rules",
        "DeleteClientVpnRoute": "describe_client_vpn_routes",
    }
    call, arguments = steps[operation]
    stubber.add_client_error(call, "InvalidClientVpnEndpointId.NotFound")
    stubber.add_client_error(listings[operation], "InvalidClientVpnEndpointId.NotFound")
    Applier(vpn, about="client VPN endpoint of vpc-1", waits=waits(passing))(step(operation, **arguments))


def test_all_associations_begin_before_one_is_waited_for(stubbed, passing):
    """The stub replies in this order only."""
    vpn, stubber = stubbed
    other = "subnet-0000000b"
    stubber.add_response("associate_client_vpn_target_network", {}, None)
    stubber.add_response("associate_client_vpn_target_network", {}, None)
    done = network("associated")["ClientVpnTargetNetworks"]
    done.append({**done[0], "AssociationId": "cvpn-assoc-2", "TargetNetworkId": other})
    stubber.add_response("describe_client_vpn_target_networks", network("associating"))
    stubber.add_response("describe_client_vpn_target_networks", {"ClientVpnTargetNetworks": done})
    stubber.add_response("describe_client_vpn_target_networks", {"ClientVpnTargetNetworks": done})
    second = step("AssociateClientVpnTargetNetwork", SubnetId=other)
    apply = Applier(vpn, about="client VPN endpoint of vpc-1", waits=waits(passing))
    for each in endpoint_moves.together([ASSOCIATE, second]):
        apply(each)


def test_parts_are_added_to_the_endpoint_created_before_them(stubbed, passing):
    vpn, stubber = stubbed
    created = {"ClientVpnEndpointId": ENDPOINT}
    described = {"ClientVpnEndpoints": [{**created, "Status": {"Code": "pending-associate"}}]}
    stubber.add_response("create_client_vpn_endpoint", created)
    stubber.add_response("describe_client_vpn_endpoints", described)
    stubber.add_response("modify_client_vpn_endpoint", {}, {**created, "VpnPort": 443})
    stubber.add_response("describe_client_vpn_endpoints", described)
    apply = Applier(vpn, about="client VPN endpoint of vpc-1", waits=waits(passing))
    needed = {"ServerCertificateArn": "x", "AuthenticationOptions": [], "ConnectionLogOptions": {"Enabled": False}}
    apply(Step("CreateClientVpnEndpoint", needed, ()))
    apply(Step("ModifyClientVpnEndpoint", {"ClientVpnEndpointId": KNOWN_AFTER_APPLY, "VpnPort": 443}, ()))


def networks(*associations: tuple[str, str, str]) -> dict[str, t.Any]:
    """By association, subnet and state."""
    return {
        "ClientVpnTargetNetworks": [
            {"AssociationId": association, "TargetNetworkId": subnet, "Status": {"Code": code}} for association, subnet, code in associations
        ]
    }


OTHER, BEFORE = ("cvpn-assoc-2", "subnet-0000000b", "associated"), ("cvpn-assoc-0", SUBNET, "disassociated")


@pytest.mark.parametrize(
    ("of", "answers"),
    [
        (ASSOCIATE, [networks(OTHER), networks(OTHER, (ASSOCIATION, SUBNET, "associated"))]),
        (ASSOCIATE, [networks(OTHER, BEFORE), networks(OTHER, BEFORE, (ASSOCIATION, SUBNET, "associated"))]),
        (DISASSOCIATE, [networks(BEFORE, (ASSOCIATION, SUBNET, "disassociating")), networks(BEFORE, OTHER)]),
    ],
)
def test_other_associations_of_the_endpoint_are_not_waited_for(stubbed, passing, of, answers):
    vpn, stubber = stubbed
    stubber.add_response(f"{'dis' if of is DISASSOCIATE else ''}associate_client_vpn_target_network", {})
    for answer in answers:
        stubber.add_response("describe_client_vpn_target_networks", answer)
    Applier(vpn, about="client VPN endpoint of vpc-1", waits=waits(passing))(of)
