# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Whether logins work: the login nodes that get connections, and a finding if there are none. No I/O."""

from __future__ import annotations

import typing as t

from ..._core.finding import Finding, failure, pending
from .decision import GOES, IN, Decision, decide
from .model import HEALTHY, INITIAL, Desired, State

NAMED = 5
"""The maximum number of nodes that the finding names if no login node is in service."""


def service(desired: Desired, state: State, registered: t.Collection[tuple[str, int]] = ()) -> dict[str, t.Any]:
    """The number of login nodes, the nodes in service, and the finding if there are none, as the module returns them.

    ``registered``: addresses and ports that this run registered, to which AWS may not send logins yet.
    """
    decisions = decide(desired, state)
    nodes = [node.instance_id for node in state.nodes if node.status not in GOES]
    serving = sorted({each.instance_id for each in decisions if each.instance_id and each.health == HEALTHY})
    starting = [each.subject for each in decisions if each.health == INITIAL and (each.ip, each.port) in registered]
    found: Finding | None = None
    if not serving and starting:
        text = f"No login node is in service yet: AWS is still registering {', '.join(starting[:NAMED])}."
        found = pending("login-service-starting", text)
    elif not serving and nodes and desired.drained.issuperset(nodes):
        text = "No login node is in service, because all of them are drained. Run undrain to put them back into service."
        found = pending("login-nodes-all-drained", text)
    elif not serving:
        found = failure("no-login-service", f"No login node is in service, so logins are impossible: {_reasons(decisions)}.")
    return {"login_nodes": len(nodes), "in_service": serving, "finding": found.to_result() if found else None}


def _reasons(decisions: t.Iterable[Decision]) -> str:
    reasons = [f"{each.subject} {_reason(each)}" for each in decisions if each.instance_id]
    more = [f"and {len(reasons) - NAMED} more"] if len(reasons) > NAMED else []
    return "; ".join(reasons[:NAMED] + more) or "the cluster has no login node"


def _reason(each: Decision) -> str:
    if each.decision != IN:
        return f"gets no logins ({each.reason})"
    if each.health is None:
        return "is not registered"
    return f"is {each.health}" + (f" ({each.health_reason})" if each.health_reason else "")
