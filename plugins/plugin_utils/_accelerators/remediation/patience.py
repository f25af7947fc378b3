# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How long HyperPod's own work on a node may take before a person must investigate.

AWS's documentation (page on NodeClass) states 60 to 90 minutes for a deep health check. AWS's field notes
(hyperpod-mental-model.md) state 30 to 60 minutes or more for a software update, and 1 to 3 minutes for a reboot. They state 20 to
30 minutes for a replacement, which HyperPod retries for up to 90 minutes.
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
"""The time for work that ``PATIENCE`` does not contain, such as an unknown status."""

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
"""The time for each kind of work, keyed by the sentence about the work from ``service``."""


def patience_for(does: str) -> datetime.timedelta:
    return PATIENCE.get(does, DEFAULT)
