# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""One change to a Client VPN endpoint, retried until AWS accepts it.

AWS allows few concurrent changes to one endpoint, returns new objects only after a moment, and can apply a call although its
reply is lost.
"""

from __future__ import annotations

import typing as t
from dataclasses import dataclass

from .._aws.client import Api, AwsError
from .._core.waits import Waits

NO_ENDPOINT = "InvalidClientVpnEndpointId.NotFound"
BUSY = "ConcurrentMutationLimitExceeded"
ALREADY: dict[str, tuple[str, ...]] = {
    "AssociateClientVpnTargetNetwork": ("InvalidClientVpnDuplicateAssociationException",),
    "AuthorizeClientVpnIngress": ("InvalidClientVpnDuplicateAuthorizationRule",),
    "CreateClientVpnRoute": ("InvalidClientVpnDuplicateRoute",),
    "DisassociateClientVpnTargetNetwork": ("InvalidClientVpnAssociationIdNotFound", NO_ENDPOINT),
    "RevokeClientVpnIngress": ("InvalidClientVpnEndpointAuthorizationRuleNotFound", NO_ENDPOINT),
    "DeleteClientVpnRoute": ("InvalidClientVpnRouteNotFound", NO_ENDPOINT),
    "TerminateClientVpnConnections": ("InvalidClientVpnConnection.IdNotFound", NO_ENDPOINT),
    "DeleteClientVpnEndpoint": (NO_ENDPOINT,),
}
"""Errors that mean that the change was made before, by a call whose reply was lost or by a concurrent call."""


@dataclass(frozen=True)
class Passing:
    """A temporary error."""

    code: str
    state: str
    words: str = ""
    """A part of the error's message. Without this part, the code has a different meaning."""
    seconds: float | None = None
    """Seconds after which the error is no longer temporary; None if it is temporary during the whole wait."""


_BUSY = Passing(BUSY, "blocked by other changes to the endpoint")
PASSING: dict[str, tuple[Passing, ...]] = {
    "CreateClientVpnEndpoint": (
        Passing("OperationNotPermitted", "blocked by the creation of a different endpoint", "is being created"),
    ),
    "CreateClientVpnRoute": (
        Passing("InvalidClientVpnActiveAssociationNotFound", "waiting until EC2 returns the new association", "", 120),
    ),
}
_NEW = Passing(NO_ENDPOINT, "waiting until EC2 returns the new endpoint", "", 120)


def change(
    api: Api, operation: str, *, about: str, waits: Waits, arguments: t.Mapping[str, t.Any], new: bool = False
) -> dict[str, t.Any]:
    """The reply; empty if the change was already made. ``new``: whether this run created the endpoint.

    :raises AwsError: for an error that is not temporary.
    :raises WaitTimeout: with the last temporary error.
    """
    passing = (_BUSY, *PASSING.get(operation, ()), *((_NEW,) if new else ()))
    began, reason = waits.clock.now(), ""

    def called() -> dict[str, t.Any] | None:
        nonlocal reason
        try:
            return api.call(operation, about=about, **arguments)
        except AwsError as error:
            known = next((each for each in passing if _is(each, error)), None)
            if known is None or (known.seconds is not None and waits.clock.now() - began > known.seconds):
                if error.code in ALREADY.get(operation, ()):
                    return {}
                raise
            reason = known.state
            return None

    answer = waits.until(called, done=lambda reply: reply is not None, subject=about, state=lambda reply: reason)
    return answer or {}


def _is(passing: Passing, error: AwsError) -> bool:
    response = getattr(error.exception, "response", None) or {}
    return error.code == passing.code and passing.words in response.get("Error", {}).get("Message", "")
