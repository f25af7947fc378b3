# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Looks at a load balancer and at what its listeners and subnets refer to, and waits where waiting was asked for."""

from __future__ import annotations

from ..._core.wait import wait_for
from ..api import Balancing
from ..network import Network
from .model import Desired, LoadBalancer, State

INTERVAL = 3.0
READY = ("active", "active_impaired")


class Observer:
    """``timeout`` 0 means: do not wait."""

    def __init__(self, balancing: Balancing, network: Network, desired: Desired, *, timeout: float) -> None:
        self.balancing = balancing
        self.network = network
        self.desired = desired
        self.timeout = timeout

    def present(self) -> State:
        """As it is now, or as it is when it has been provisioned."""
        desired = self.desired
        found = self.balancing.load_balancer(desired.name)
        if found is not None and found.type == "network" and self.timeout:
            found = self._provisioned(found)
        there = {mapping.subnet_id for mapping in found.subnets} if found is not None else set()
        wanted = {mapping.subnet_id for mapping in desired.subnets or ()}
        references = {listener.target_group for listener in desired.listeners or ()}
        return State(
            load_balancer=found,
            target_groups=self.balancing.target_group_arns(sorted(references)),
            subnets=self.network.subnets(wanted - there),
        )

    def absent(self) -> State:
        """As it is now; once it is gone, waits for its interfaces, which hold on to its security groups."""
        found = self.balancing.load_balancer(self.desired.name)
        if found is None and self.timeout:
            wait_for(
                lambda: self.network.interfaces_of(self.desired.name),
                done=lambda interfaces: not interfaces,
                subject=f"{self.desired.resource} (deleted)",
                timeout=self.timeout,
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
            subject=self.desired.resource,
            timeout=self.timeout,
            interval=INTERVAL,
        )
        return self.balancing.load_balancer(self.desired.name)

    def _status(self) -> str:
        found = self.balancing.find_load_balancer(self.desired.name)
        return found.get("State", {}).get("Code", "") if found is not None else "gone"
