# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Applies a plan of a Client VPN endpoint, and waits after each operation. Slow operations run at the same time.

A reply can get lost after the call took effect. botocore then repeats the call, which fails with "already exists" or "not
found". These errors are ignored, because the wait that follows checks the result.
"""

from __future__ import annotations

import typing as t
import uuid
from dataclasses import dataclass

from ..._aws.statuses import Statuses
from ..._core.plan import KNOWN_AFTER_APPLY, Step
from ..._core.waits import Waits, repeated
from .. import statuses
from ..api import ClientVpn
from ..mutations import change
from .moves import TOGETHER

Arguments = t.Mapping[str, t.Any]
Seen = tuple[str, str]
"""Status and message."""

GONE = "gone"
WITH_TOKEN = ("AssociateClientVpnTargetNetwork", "AuthorizeClientVpnIngress", "CreateClientVpnRoute")


@dataclass(frozen=True)
class Watch:
    """How to wait for the end of an operation.

    Once AWS has returned the status ``during``, only a status in ``done`` may follow. Before that, a reply may be older than the
    operation. A status that is not in ``known`` means that AWS is still working.
    """

    known: Statuses
    look: t.Callable[[ClientVpn, Arguments], Seen]
    during: str
    done: tuple[str, ...]
    failed: tuple[str, ...] = ()


def _endpoint(vpn: ClientVpn, arguments: Arguments) -> Seen:
    found = vpn.endpoint(arguments["ClientVpnEndpointId"])
    return (found.status, "") if found else (GONE, "")


def _network(vpn: ClientVpn, arguments: Arguments) -> Seen:
    for each in vpn.networks(arguments["ClientVpnEndpointId"]):
        if each.subnet_id == arguments["SubnetId"] and not each.gone:
            return (each.status, each.message)
    return (GONE, "")


def _association(vpn: ClientVpn, arguments: Arguments) -> Seen:
    for each in vpn.networks(arguments["ClientVpnEndpointId"]):
        if each.association_id == arguments["AssociationId"]:
            return (each.status, each.message)
    return (GONE, "")


def _rule(vpn: ClientVpn, arguments: Arguments) -> Seen:
    key = (arguments["TargetNetworkCidr"], arguments.get("AccessGroupId"))
    for each in vpn.rules(arguments["ClientVpnEndpointId"]):
        if each.key == key:
            return (each.status, each.message)
    return (GONE, "")


def _route(vpn: ClientVpn, arguments: Arguments) -> Seen:
    key = (arguments["DestinationCidrBlock"], arguments["TargetVpcSubnetId"])
    for each in vpn.routes(arguments["ClientVpnEndpointId"]):
        if each.key == key:
            return (each.status, each.message)
    return (GONE, "")


def _revocation_list(vpn: ClientVpn, arguments: Arguments) -> Seen:
    return vpn.revocation_list(arguments["ClientVpnEndpointId"])[1] or GONE, ""


READY = (statuses.WITHOUT_NETWORK, statuses.AVAILABLE)
WATCHES: dict[str, Watch] = {
    "CreateClientVpnEndpoint": Watch(statuses.ENDPOINT, _endpoint, "pending", READY),
    "ModifyClientVpnEndpoint": Watch(statuses.ENDPOINT, _endpoint, "pending", READY),
    "DeleteClientVpnEndpoint": Watch(statuses.ENDPOINT, _endpoint, "deleting", (GONE, statuses.DELETED)),
    "AssociateClientVpnTargetNetwork": Watch(
        statuses.NETWORK, _network, "associating", (statuses.ASSOCIATED,), statuses.NETWORK.failed
    ),
    "DisassociateClientVpnTargetNetwork": Watch(statuses.NETWORK, _association, "disassociating", (GONE, "disassociated")),
    "AuthorizeClientVpnIngress": Watch(statuses.RULE, _rule, "authorizing", statuses.RULE.settled, statuses.RULE.failed),
    "RevokeClientVpnIngress": Watch(statuses.RULE, _rule, "revoking", (GONE,)),
    "CreateClientVpnRoute": Watch(statuses.ROUTE, _route, "creating", statuses.ROUTE.settled, statuses.ROUTE.failed),
    "ImportClientVpnClientCertificateRevocationList": Watch(
        statuses.REVOCATION_LIST, _revocation_list, "pending", statuses.REVOCATION_LIST.settled
    ),
    "DeleteClientVpnRoute": Watch(statuses.ROUTE, _route, "deleting", (GONE,)),
}


class Applier:
    """Applies the steps. An endpoint ID that the plan could not know is replaced by the ID of the created endpoint."""

    def __init__(self, vpn: ClientVpn, *, about: str, waits: Waits) -> None:
        self.vpn = vpn
        self.about = about
        self.waits = waits
        self.created = ""
        self.run = uuid.uuid4().hex

    def __call__(self, step: Step) -> None:
        for begun in [self._start(each) for each in step.arguments.get(TOGETHER, (step,))]:
            self._wait(*begun)

    def _start(self, step: Step) -> tuple[str, str, Arguments]:
        arguments = dict(step.arguments)
        if arguments.get("ClientVpnEndpointId") == KNOWN_AFTER_APPLY:
            arguments["ClientVpnEndpointId"] = self.created
        if step.operation in WITH_TOKEN:
            # The token is valid only for this run: the same part may have been removed after an earlier run.
            names = [str(value) for _name, value in sorted(arguments.items())]
            arguments["ClientToken"] = uuid.uuid5(uuid.UUID(self.run), "|".join([step.operation, *names])).hex
        about = _about(step, self.about)
        new = bool(self.created) and arguments.get("ClientVpnEndpointId") == self.created
        answer = change(self.vpn, step.operation, about=about, waits=self.waits, arguments=arguments, new=new)
        if step.operation == "CreateClientVpnEndpoint":
            self.created = arguments["ClientVpnEndpointId"] = answer["ClientVpnEndpointId"]
        return step.operation, about, arguments

    def _wait(self, operation: str, about: str, arguments: Arguments) -> None:
        watch = WATCHES.get(operation)
        if watch is None:
            return
        begun = False

        def odd(seen: Seen) -> str | None:
            nonlocal begun
            begun = begun or seen[0] == watch.during
            strange = seen[0] != GONE and seen[0] not in watch.known.values
            return None if not begun or strange or seen[0] == watch.during else _reason(seen)

        oddly = repeated(odd)
        self.waits.until(
            lambda: watch.look(self.vpn, arguments),
            done=lambda seen: seen[0] in watch.done,
            failed=lambda seen: _reason(seen) if seen[0] in watch.failed else oddly(seen),
            subject=about,
            state=lambda seen: seen[0],
        )


def _reason(seen: Seen) -> str:
    return f"{seen[1] or 'AWS gives no reason'}; run again to retry"


def _about(step: Step, about: str) -> str:
    """The part that the step changes, for messages."""
    named = next((change.resource for change in step.changes if change.resource != about), "")
    return f"{named} of {about}" if named and about not in named else about
