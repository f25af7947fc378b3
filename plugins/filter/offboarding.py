# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The evidence of an offboarding, for the role of that name."""

from __future__ import annotations

import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils import offboarding


class FilterModule:
    """Registers the filters."""

    def filters(self) -> dict[str, t.Callable[..., t.Any]]:
        return {
            "offboarding_summary": offboarding.summary,
            "offboarding_failures": offboarding.verdict,
            "offboarding_evidence": offboarding.evidence,
            "offboarding_markdown": offboarding.markdown,
        }
