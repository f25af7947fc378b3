# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The returned nodes of the cluster."""

from __future__ import annotations

import typing as t

from .model import State


def result(state: State) -> dict[str, t.Any]:
    return {
        "nodes": [
            {"instance_id": node.instance_id, "group": node.group, "node_type": node.node_type, "status": node.status}
            for node in sorted(state.nodes, key=lambda node: (node.group, node.instance_id))
        ]
    }
