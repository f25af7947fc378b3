# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which parts of login access a run is about. Pure."""

from __future__ import annotations

import typing as t

PARTS = ("people", "balancer", "verify")


def asked_parts(run_tags: t.Sequence[str]) -> list[str]:
    """Those that ``--tags`` names; all of them where it names none, as without tags or with those of a playbook around ours."""
    return [part for part in PARTS if part in run_tags] or list(PARTS)
