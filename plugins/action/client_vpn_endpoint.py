# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The control node's part of ``client_vpn_endpoint``, which shows progress during waits."""

from __future__ import annotations

from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.watch import Watched


class ActionModule(Watched):
    """Runs the module of the same name."""
