# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Checks whether the wait for Karpenter is over, and describes the progress. No I/O."""

from __future__ import annotations

import typing as t

from ..._core.text import printable
from ..._hyperpod.statuses import FAILED
from ..holding import holding
from ..meta import Status
from ..model import NodeClaim
from .model import Desired, State, named

MOST = 5
"""The maximum number of names in a line."""


def unready(desired: Desired, state: State) -> list[str]:
    """The NodeClasses and NodePools that are not Ready, each with the reason."""
    inside = state.inside
    classes = {each.meta.name: each.status for each in inside.classes}
    pools = {each.meta.name: each.status for each in inside.pools}
    meant = (
        *(("HyperpodNodeClass", name, classes.get(name)) for name in named(desired.classes, classes)),
        *(("NodePool", name, pools.get(name)) for name in named(desired.pools, pools)),
    )
    return [f"{kind} {name} ({_reason(it)})" for kind, name, it in meant if it is None or not it.ready]


def unready_text(desired: Desired, state: State) -> str:
    scaler = state.outside.autoscaling
    also = "" if scaler.works else f"; the autoscaler is {scaler.status or 'off'}{_because(scaler.failure)}"
    kinds = "" if state.inside.defined else "; the API server does not have Karpenter's custom resource definitions yet"
    return f"not ready: {_list(unready(desired, state))}{also}{kinds}"


def failed(state: State) -> str | None:
    """The next step after a failure that ends the wait; None if the autoscaler has not failed. The progress has the reason."""
    scaler = state.outside.autoscaling
    return "fix the reported problem of the autoscaler, then run again" if scaler.status == FAILED else None


def left(desired: Desired, state: State) -> list[NodeClaim]:
    return [claim for claim in state.inside.claims if desired.pools is None or claim.pool in desired.pools]


def left_text(desired: Desired, state: State) -> str:
    return f"waiting for the removal of {_list([_claim(each, state) for each in left(desired, state)])}"


def _claim(claim: NodeClaim, state: State) -> str:
    held = [each.text for each in holding(claim, state.inside.on(claim), state.inside)]
    return f"NodeClaim {claim.meta.name} ({'; '.join([claim.state, *held])})"


def _reason(status: Status | None) -> str:
    if status is None:
        return "does not exist"
    return printable(status.why_not_ready) or "no reason yet"


def _because(failure: str) -> str:
    return f": {printable(failure).rstrip('.')}" if failure else ""


def _list(found: t.Sequence[str]) -> str:
    more = len(found) - MOST
    return ", ".join(found[:MOST]) + (f" and {more} more" if more > 0 else "")
