# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How long a run waits for HyperPod's own work on a node, before a person must investigate. Pure.

By AWS's documentation (NodeClass page) a deep health check takes 60 to 90 minutes. By its field notes (hyperpod-mental-model.md) a
software update takes 30 to 60 minutes and more, a replacement 20 to 30, tried again for up to 90, and a reboot 1 to 3.
"""

from __future__ import annotations

import datetime

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.statuses import (
    CHECKING,
    LEAVING,
    MOVING_GROUPS,
    PENDING,
    UPDATING_SOFTWARE,
)
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.nodes.model import ASKS
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.slurm.nodes.model import WORDS
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._accelerators.service import CHECKS, by_label, by_reason, by_status

SHORT, REPLACEMENT, LONG = (datetime.timedelta(minutes=each) for each in (40, 90, 180))
DEFAULT = REPLACEMENT
"""Also for statuses that are in no list."""

BY_STATUS = {
    CHECKING: LONG,
    UPDATING_SOFTWARE: LONG,
    PENDING: REPLACEMENT,
    **dict.fromkeys(MOVING_GROUPS, REPLACEMENT),
    LEAVING: SHORT,
}
PATIENCE = {
    **{by_status(status): patience for status, patience in BY_STATUS.items()},
    **{by_reason(WORDS[act]): patience for act, patience in (("reboot", SHORT), ("replace", REPLACEMENT))},
    **{by_label(ASKS[act]): patience for act, patience in (("reboot", SHORT), ("replace", REPLACEMENT))},
    CHECKS: LONG,
}
"""By the sentences of ``service``."""


def patience_for(does: str) -> datetime.timedelta:
    return PATIENCE.get(does, DEFAULT)
