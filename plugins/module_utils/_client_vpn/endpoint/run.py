# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The module ``client_vpn_endpoint`` from its options to its result."""

from __future__ import annotations

import typing as t

from ..._aws import client as _aws
from ..._core import finding
from ..._core.converge import Resource
from ..._core.plan import Plan
from ..._lock.run import converge_locked
from ..api import Certificates, ClientVpn
from ..waits import Progress, Waits
from . import options as endpoint_options, plan as endpoint_plan
from .apply import ApplyEndpoint
from .model import Desired, State, to_result
from .moves import Deferred
from .observe import Observer


class Run:
    """Keeps what the plan held back, since a result needs it and a state does not have it."""

    def __init__(self, desired: Desired, *, present: bool) -> None:
        self.desired = desired
        self.present = present
        self.deferred: tuple[Deferred, ...] = ()

    def plan(self, state: State) -> Plan:
        planned = endpoint_plan.plan_present if self.present else endpoint_plan.plan_absent
        outcome = planned(self.desired, state)
        self.deferred = outcome.deferred
        return outcome.plan

    def result(self, state: State) -> dict[str, t.Any]:
        return {
            "client_vpn_endpoint": to_result(self.desired.vpc_id, state),
            "deferred": [each.to_result() for each in self.deferred],
            **finding.to_result(each.finding for each in self.deferred),
        }


def converge_endpoint(module: t.Any) -> t.NoReturn:
    params = module.params
    desired = endpoint_options.desired(params)
    vpn = ClientVpn(_aws.connect(module, "ec2").client)
    waits = Waits(
        timeout=params["wait_timeout"],
        interval=params["poll_interval"],
        progress=Progress(params["progress_file"]),
    )
    apply = ApplyEndpoint(vpn, about=desired.resource, waits=waits)
    observer = Observer(
        vpn,
        lambda: Certificates(_aws.connect(module, "acm").client),
        desired,
        waits=None if module.check_mode else waits,
        made=lambda: apply.created,
    )
    run = Run(desired, present=params["state"] == "present")
    converge_locked(
        module,
        Resource(observe=observer.present if run.present else observer.absent,
        plan=run.plan,
        apply=apply,
        result=run.result),
    )
