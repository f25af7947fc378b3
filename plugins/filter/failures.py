# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The reason why a task failed, for the rescue sections of roles."""

from __future__ import annotations

import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils import reasons


class FilterModule:
    def filters(self) -> dict[str, t.Callable[..., t.Any]]:
        return {"failure_reason": reasons.failure_reason}
