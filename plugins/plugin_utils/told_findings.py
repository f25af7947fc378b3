# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Findings as values of views, for the action ``finding``."""

from __future__ import annotations

import typing as t

from .finding_texts import in_words, of_texts

Findings = list[dict[str, str]]


def told(says: str, **values: t.Any) -> Findings:
    """One, in the words of ``texts``."""
    return [in_words(says, values).to_result()]


def refused(problems: t.Sequence[str]) -> Findings:
    """One for each sentence about an option."""
    return [each.to_result() for each in of_texts("option-refused", None, problems)]
