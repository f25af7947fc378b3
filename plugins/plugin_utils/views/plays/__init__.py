# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the playbooks need. They have no file of variables, so they name the lookup where they use it."""

from __future__ import annotations

from . import asked, begin, end, fleet

VIEWS = (
    begin.begin,
    begin.left_out,
    begin.definitions,
    begin.callback,
    begin.scope,
    asked.tags,
    asked.rotation,
    asked.adoption,
    asked.teardown,
    asked.karpenter,
    asked.task_governance,
    asked.client_vpn,
    fleet.unchanged,
    fleet.node,
    fleet.out,
    fleet.drain,
    fleet.maintained,
    fleet.turn,
    fleet.hooks,
    fleet.repairs,
    fleet.vpn,
    end.verdict,
    end.result,
    end.inventory,
)
