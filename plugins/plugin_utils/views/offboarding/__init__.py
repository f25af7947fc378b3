# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the tasks of the role offboarding need."""

from __future__ import annotations

from . import declared, evidence, node, user

VIEWS = (
    declared.declared,
    declared.hooks,
    evidence.summary,
    evidence.evidence,
    evidence.files,
    evidence.verdict,
    node.places,
    node.work,
    node.outcome,
    user.known,
    user.user,
    user.other,
    user.person,
    user.record,
)
