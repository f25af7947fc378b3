# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs ``accounts`` on a node; see the module's documentation."""

from __future__ import annotations

from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.node_action import NodeAction


class ActionModule(NodeAction):
    """See ``NodeAction``."""
