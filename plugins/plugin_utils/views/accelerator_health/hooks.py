# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Health checks that Slurm itself starts."""

from __future__ import annotations

from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.run import fleet

from .. import Variables, view


@view
def is_controller(variables: Variables) -> bool:
    return variables["inventory_hostname"] in variables["groups"].get(fleet.CONTROLLERS, ())
