# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs ``client_vpn_pki`` without writing its arguments to a disk; see the module's documentation."""

from __future__ import annotations

from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.in_memory import InMemoryAction


class ActionModule(InMemoryAction):
    """See ``InMemoryAction``."""
