# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""A network interface and its node."""

from __future__ import annotations

from dataclasses import dataclass

AVAILABLE = "available"


@dataclass(frozen=True)
class Desired:
    cluster_arn: str
    node_id: str
    interface_id: str

    @property
    def resource(self) -> str:
        return f"network interface {self.interface_id}"


@dataclass(frozen=True)
class State:
    """``holder``: ID of the instance that the interface is attached to; empty if EC2 does not return the ID."""

    cluster: str
    nodes: frozenset[str]
    status: str
    holder: str = ""
    attachment_id: str = ""
