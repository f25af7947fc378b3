# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The step in the progress output."""

from __future__ import annotations

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._training.job.training_progress import last_step, waits

STEP = '{"mlfleet_training": "step", "rank": 0, "step": 7, "loss": 3.25}'


@pytest.mark.parametrize(
    ("log", "expected"),
    [
        ("", ""),
        (STEP, ", step 7, loss 3.25"),
        (f"{STEP}\n{STEP.replace('7', '8').replace('3.25', '3.12345')}\nNCCL INFO\n", ", step 8, loss 3.12"),
        (f'{STEP}\n{{"mlfleet_training": "step", "ste', ", step 7, loss 3.25"),
        (STEP.replace("}", ', "tokens": 16384, "seconds": 0.25}'), ", step 7, loss 3.25, 65536 tokens/s"),
        (STEP.replace("}", ', "tokens": 16384, "seconds": 0}'), ", step 7, loss 3.25"),
        (STEP + "\n" + STEP.replace("7", "8").replace("}", ', "tokens": [1], "seconds": 1}'), ", step 7, loss 3.25"),
        (f'{STEP}\n{{"mlfleet_training": "step", "step": "x", "loss": 1}}', ", step 7, loss 3.25"),
        (f'{STEP}\n{{"mlfleet_training": "step", "step": 1}}', ", step 7, loss 3.25"),
        (f'{STEP}\n{{"mlfleet_training": "step", "step": 1e999, "loss": 1}}', ", step 7, loss 3.25"),
        (f'{STEP}\n{{"mlfleet_training": "step", "step": [1], "loss": 1}}', ", step 7, loss 3.25"),
        (f'{{"mlfleet_training": "step", "step": {"9" * 4000}, "loss": 1}}', f", step {'9' * 93}"),
        ('{"mlfleet_training": "saved", "step": 7, "loss": 3.25}', ""),
    ],
)
def test_the_last_step_is_shown(log: str, expected: str) -> None:
    assert last_step(log) == expected


@pytest.mark.parametrize(
    ("log", "expected"),
    [
        ("", False),
        (STEP, False),
        (f'{STEP}\n{{"mlfleet_training": "held", "rank": 0, "step": 8}}\nNCCL INFO\n', True),
        (f'{STEP}\nprint {{"mlfleet_training": "held"}}', False),
        ('{"mlfleet_training": "killed", "step": 8}', False),
    ],
)
def test_processes_that_wait_to_be_killed_are_recognised(log: str, expected: bool) -> None:
    assert waits(log) is expected
