# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads the record of a rollout.

Each parameter is read by its name, because a listing can be outdated, and an outdated record would run a wave again.
"""

from __future__ import annotations

from ..._aws.parameters import Parameters
from .model import Head, Record, Wave, head_name, wave_name


class Observer:
    def __init__(self, parameters: Parameters, name: str) -> None:
        self._parameters = parameters
        self._rollout = name

    def __call__(self) -> Record | None:
        """None if the rollout does not exist.

        :raises Refused: for an invalid or missing part of the record.
        """
        name = head_name(self._rollout)
        text = self._parameters.text(name, about=f"rollout {self._rollout}")
        if text is None:
            return None
        head = Head.from_json(name, text)
        return Record(head, tuple(self._wave(number) for number in range(1, head.waves + 1)))

    def _wave(self, number: int) -> Wave:
        name = wave_name(self._rollout, number)
        return Wave.from_json(name, self._parameters.text(name, about=f"rollout {self._rollout}") or "")
