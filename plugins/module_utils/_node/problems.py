# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""All problems of the input, reported in one message before any change."""

from __future__ import annotations

import typing as t

from .._core.failure import Refused


class Problems(Refused):
    """Several refusals in one exception. ``sentences`` has one sentence for each refusal."""

    def __init__(self, sentences: t.Sequence[str]) -> None:
        self.sentences = tuple(sentences)
        count = "One problem" if len(self.sentences) == 1 else f"{len(self.sentences)} problems"
        listed = "".join(f"\n- {sentence}" for sentence in self.sentences)
        super().__init__(f"{count}; nothing was changed:{listed}")
