# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Variables of the role task_governance, checked before any request."""

from __future__ import annotations

import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.gathering import refusals
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.addon.options import VERSION
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.pod_security import LEVELS
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.declared_people import plain

from . import limits
from .variables import Known

LONGEST = 86400
LONGEST_READY = 1800
"""The longest wait in seconds. The cluster's lock is not renewed during the wait (docs/design/decisions/02-lazy-lock.md)."""
NUMBERS = {
    "task_governance_wait_timeout": (1, LONGEST),
    "task_governance_ready_timeout": (1, LONGEST_READY),
}
TEXTS = {
    "task_governance_addon_version": {
        "pattern": rf"^(default|latest|{VERSION})$",
        "allowed": "default, latest, or a version such as v1.6.1-eksbuild.1",
    },
    "task_governance_pod_security": {
        "pattern": rf"^({'|'.join(LEVELS)})?$",
        "allowed": f"{', '.join(LEVELS)}, or nothing",
    },
}


def offline(values: t.Mapping[str, t.Any], known: Known) -> list[str]:
    """Problems of the variables, the declared teams and the scheduler configuration."""
    # Checks of teams need tables of Kubernetes, which take longer to load than this whole file.
    from .._governance import declared  # pylint: disable=import-outside-toplevel

    found = problems(values, known)
    for option, read in ((declared.TEAMS, declared.teams), (declared.SCHEDULING, declared.scheduler)):
        given = known.get(option)
        if given:
            found += refusals(read, plain(given))
    return found


def problems(values: t.Mapping[str, t.Any], known: Known) -> list[str]:
    return [*limits.range_problems(values, NUMBERS, known), *limits.text_problems(values, TEXTS, known)]
