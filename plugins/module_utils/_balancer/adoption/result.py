# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Return values of an adopted load balancer and target group."""

from __future__ import annotations

import typing as t

from ..._aws.tags import owned
from ..load_balancer.result import load_balancer_result
from ..target_group.result import target_group_result
from .model import Desired, State


def result(desired: Desired, state: State) -> dict[str, t.Any]:
    balancer, group = state.load_balancer, state.target_group
    missing = {"exists": False}
    ours = [found is not None and owned(found.tags, desired.cluster_arn) for found in (balancer, group)]
    return {
        "balancer_adoption": {
            "adopted": all(ours),
            "load_balancer": missing if balancer is None else load_balancer_result(balancer),
            "target_group": missing if group is None else target_group_result(group),
        }
    }
