# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Return values of ``login_targets``: an entry for each target, and the findings."""

from __future__ import annotations

import typing as t

from ..._core.finding import WARNING, Finding, note, pending, to_result
from .decision import FAILED, HOLD, IN, OUT, Decision, all_unhealthy, all_verified, decide, is_complete
from .model import DRAINING, HEALTHY, INITIAL, NEVER_HEALTHY, SICK_SECONDS, UNHEALTHY, Desired, State
from .service import service

FAIL_OPEN = (
    "All targets of {resource} are unhealthy, so the load balancer sends logins to all of them, "
    "including unverified nodes."
)
AT_WORK = (
    "was registered and is {state}. The node gets logins after some minutes, and the next run checks it."
)
FORMER = (
    "{targets} of {resource} still get logins at a previous login port. A run removes each of these targets once its node is "
    "healthy at the current port {port}. The next run checks again."
)


def result(
    desired: Desired, state: State, *, waited: int | None, registered: t.Collection[tuple[str, int]] = ()
) -> dict[str, t.Any]:
    """
    :param waited: the seconds that this run waited for healthy targets; None if it did not wait.
    :param registered: the addresses and ports that this run registered.
    """
    if not desired.present:
        return _absent_result(desired, state)
    decisions = decide(desired, state)
    out_of_service = [] if desired.phase == "deregister" else _out_of_service(decisions, waited=waited)
    fresh = [each for each in out_of_service if each.health == INITIAL and (each.ip, each.port) in registered]
    found = [
        *_held(desired, decisions),
        *_failed(desired, decisions),
        *(_unserved(each, waited) for each in out_of_service if each not in fresh),
        *_alarm(desired, state),
        *(_starting(each, waited) for each in fresh),
        *_former(desired, decisions),
    ]
    return {
        "targets": [each.to_result() for each in decisions],
        "target_group_arn": state.target_group_arn,
        "complete": is_complete(state),
        "all_unhealthy": all_unhealthy(state),
        "login_service": service(desired, state, registered),
        **_ports(state),
        "all_verified": all_verified(desired, state),
        **to_result(found),
    }


def _absent_result(desired: Desired, state: State) -> dict[str, t.Any]:
    return {
        "targets": [each.to_result() for each in decide(desired, state)],
        "target_group_arn": state.target_group_arn,
        "complete": True,
        "all_unhealthy": False,
        **_ports(state),
        "all_verified": not any(target.active for target in state.registered),
        **to_result([]),
    }


def _ports(state: State) -> dict[str, t.Any]:
    return {
        "health_check_port": state.health_check_port,
        "ports": sorted({target.port for target in state.registered if target.active}),
        "draining_ports": sorted({target.port for target in state.registered if target.health == DRAINING}),
    }


def _alarm(desired: Desired, state: State) -> list[Finding]:
    if not all_unhealthy(state):
        return []
    return [note("targets-all-unhealthy", FAIL_OPEN.format(resource=desired.resource), severity=WARNING)]


def _unserved(each: Decision, waited: int | None) -> Finding:
    return _about(pending, "target-not-healthy", each, f"is registered but {_state(each, waited)}.")


def _starting(each: Decision, waited: int | None) -> Finding:
    return _about(note, "target-starting", each, AT_WORK.format(state=_state(each, waited)))


def _former(desired: Desired, decisions: tuple[Decision, ...]) -> list[Finding]:
    """Targets at former ports. In phase ``deregister`` they are expected, because the nodes are not configured yet."""
    left = [f"{each.ip}:{each.port}" for each in decisions if each.former]
    if not left or desired.phase == "deregister":
        return []
    text = FORMER.format(resource=desired.resource, targets=", ".join(left), port=desired.port)
    return [note("targets-at-former-port", text)]


def _held(desired: Desired, decisions: tuple[Decision, ...]) -> list[Finding]:
    """Targets that stay as they are. In phase ``deregister``, only a removal that did not happen is reported."""
    if desired.phase == "deregister":
        return [
            _about(pending, "target-stays", each, f"stays a target of {desired.resource}: {each.reason}.")
            for each in decisions
            if each.withheld
        ]
    held = (each for each in decisions if each.decision == HOLD and not each.former)
    return [
        _about(pending, "target-held", each, f"{'stays' if each.serving else 'is not'} registered: {each.reason}.") for each in held
    ]


def _failed(desired: Desired, decisions: tuple[Decision, ...]) -> list[Finding]:
    out = (each for each in decisions if each.decision == OUT and each.reason == FAILED and each.port == desired.port)
    return [_about(pending, "login-node-out", each, f"is out of service: {each.reason}.") for each in out]


def _about(kind: t.Callable[..., Finding], code: str, each: Decision, text: str) -> Finding:
    """A finding about the node of a target, or about the address if no node has it."""
    subject = f"port {each.port}" if each.instance_id else f"{each.ip}:{each.port}"
    return kind(code, f"{each.subject} {text}", node=each.instance_id or "", subject=subject, brief=text)


def _out_of_service(decisions: tuple[Decision, ...], *, waited: int | None) -> list[Decision]:
    """Targets that should get logins but do not. A target in state initial is included only after a wait."""
    fine = (HEALTHY, INITIAL) if waited is None else (HEALTHY,)
    return [each for each in decisions if each.decision == IN and each.health not in fine]


def _state(each: Decision, waited: int | None) -> str:
    state = each.health or "not listed by AWS yet"
    reason = f" ({each.health_reason})" if each.health_reason else ""
    if waited is not None and each.health in UNHEALTHY:
        waited = min(waited, int(SICK_SECONDS))
    time = "" if waited is None or each.health in NEVER_HEALTHY else f" after {waited} s"
    return state + reason + time
