# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Whether a second training job continued the first one. No I/O."""

from __future__ import annotations

import typing as t

from .model import Figures, Problem, numbers

TOLERANCES = {"float32": 1e-6}
"""The allowed relative difference of the validation loss, keyed by dtype."""
TOLERANCE = 1e-2
"""The allowed relative difference for all other dtypes."""


def resumed(first: Figures, second: Figures) -> tuple[Problem, ...]:
    """The problems with how the second job resumed the first one. The verdict on each job is separate."""
    if not first.checkpoints or second.first_step is None:
        text = "The logs do not prove which checkpoint the second job resumed. Read the logs of both jobs."
        return (Problem("resume-unproven", text),)
    step, before = first.checkpoints[-1]
    return (*_steps(first, second, step, second.first_step), *_validation(first, second, step, before))


def _steps(first: Figures, second: Figures, step: int, start: int) -> t.Iterator[Problem]:
    earlier = {number for number, _loss in first.losses if number <= step}
    later = {number for number, _loss in second.losses}
    twice = sorted(earlier & later)
    if start < step or twice:
        text = f"The second job resumed step {start}, but the last checkpoint is of step {step}: steps were counted twice."
        yield Problem("steps-counted-twice", f"{text} Check that both jobs use the same checkpoint directory.")
    missing = set(range(step + 1, max(later, default=step) + 1)) - later
    if start > step or missing:
        text = f"Steps between the jobs are missing: {numbers(missing) or f'{step + 1} to {start}'}."
        yield Problem("steps-missing", f"{text} Check that no other job writes to the checkpoint directory.")


def _validation(first: Figures, second: Figures, step: int, before: float) -> t.Iterator[Problem]:
    after, dtypes = second.validation, {*first.dtypes, *second.dtypes}
    if after is None:
        text = "The second job reported no validation loss for the loaded checkpoint. Read the log of its Pod with rank 0."
        yield Problem("validation-unproven", text)
    elif second.first_step == step:
        tolerance = max((TOLERANCES.get(dtype, TOLERANCE) for dtype in dtypes), default=min(TOLERANCES.values()))
        if abs(after - before) > tolerance * abs(before):
            text = f"The validation loss was {before:.8g} before saving and is {after:.8g} after loading step {step}."
            yield Problem("validation-differs", f"{text} Check the storage, and that both jobs use the same image and GPUs.")
