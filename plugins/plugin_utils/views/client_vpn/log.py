# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The log group of the connection log."""

from __future__ import annotations

import typing as t
from dataclasses import dataclass

from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.declared_people import plain

from .. import Variables, view
from .network import names


@dataclass(frozen=True)
class Log:
    due: bool
    """Whether the retention or the tags of the log group will change."""
    retention: int | None
    """None in check mode for an existing log group, because amazon.aws would change it even in check mode."""
    ours: bool


@view
def log(variables: Variables) -> Log:
    named = names(variables)
    groups = variables["__client_vpn_logs"]["log_groups"]
    found: dict[str, t.Any] = next((each for each in groups if each["log_group_name"] == named.log_group), {})
    tags = plain(found.get("tags") or {}).items()
    days = int(variables["client_vpn_log_retention_days"])
    return Log(
        due=found.get("retention_in_days") != days or not named.tags.items() <= tags,
        retention=None if found and variables["ansible_check_mode"] else days,
        ours=named.identity.items() <= tags,
    )
