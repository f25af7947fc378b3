# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Reads a load balancer and a target group, each by name or ARN."""

from __future__ import annotations

from ..api import Balancing
from ..load_balancer import observe as load_balancer
from ..target_group import observe as target_group
from .model import Desired, State


def observe(balancing: Balancing, desired: Desired) -> State:
    return State(
        load_balancer.observe(balancing, desired.load_balancer), target_group.observe(balancing, desired.target_group)
    )
