# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Looks at a load balancer and at what its listeners and subnets refer to, and waits where waiting was asked for."""

from __future__ import annotations

from ..._aws.network import Network
from ..._core.wait import wait_for
from ..api import Balancing
from .model import Desired, LoadBalancer, State

INTERVAL = 3.0
READY = ("active", "active_impaired")


class Observer:
    """``timeout`` 0 means: do not wait."""

    def __init__(self, balancing: Balancing, network: Network, desired: Desired, *, timeout: float) -> None:
        self._balancing = balancing
        self._network = network
        self._desired = desired
        self._timeout = timeout

    def __call__(self) -> State:
        return self._present() if self._desired.present else self._absent()

    def _present(self) -> State:
        """As it is now, or as it is when it has been provisioned."""
        desired = self._desired
        found = self._balancing.load_balancer(desired.name)
        if found is not None and found.type == "network" and self._timeout:
            found = self._provisioned(found)
        there = {mapping.subnet_id for mapping in found.subnets} if found is not None else set()
        wanted = {mapping.subnet_id for mapping in desired.subnets or ()}
        references = {listener.target_group for listener in desired.listeners or ()}
        return State(
            load_balancer=found,
            target_groups=self._balancing.target_group_arns(sorted(references)),
            subnets=self._network.subnets(wanted - there),
        )

    def _absent(self) -> State:
        """As it is now; once it is gone, waits for its interfaces, which hold on to its security groups."""
        found = self._balancing.load_balancer(self._desired.name)
        if found is None and self._timeout:
            wait_for(
                lambda: self._network.interfaces_of(self._desired.name),
                done=lambda interfaces: not interfaces,
                subject=f"{self._desired.resource} (deleted)",
                timeout=self._timeout,
                interval=INTERVAL,
                state=lambda interfaces: f"holding {', '.join(interfaces)}",
            )
        return State(load_balancer=found)

    def _provisioned(self, found: LoadBalancer) -> LoadBalancer | None:
        if found.status in READY:
            return found
        wait_for(
            self._status,
            done=lambda status: status in READY,
            failed=lambda status: "delete it and run again" if status in ("failed", "gone") else None,
            subject=self._desired.resource,
            timeout=self._timeout,
            interval=INTERVAL,
        )
        return self._balancing.load_balancer(self._desired.name)

    def _status(self) -> str:
        found = self._balancing.find_load_balancer(self._desired.name)
        return found.get("State", {}).get("Code", "") if found is not None else "gone"
