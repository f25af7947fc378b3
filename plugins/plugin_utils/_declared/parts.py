# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Parts of login access that a run selects."""

from __future__ import annotations

import typing as t

PARTS = ("people", "balancer", "verify")


def asked_parts(run_tags: t.Sequence[str]) -> list[str]:
    """The parts that ``--tags`` names, or all parts if no tag names a part, for example if an outer playbook uses other tags."""
    return [part for part in PARTS if part in run_tags] or list(PARTS)
