# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

from pathlib import Path

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.waits import Progress
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._ecr.image.steps import Steps


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("STEP 2/4: COPY a b", "step 2 of 4"),
        ("[1/2] STEP 2/3: COPY a b", "step 2 of 3"),
        ("Step 3/9 : RUN true", "step 3 of 9"),
        ("#5 [2/3] COPY a b", "step 2 of 3"),
        ("#5 [base 2/3] COPY a b", "step 2 of 3"),
        ("#5 [linux/amd64 base 2/3] COPY a b", "step 2 of 3"),
        ("echo STEP 1/2:", ""),
        ("#5 [internal] load metadata", ""),
    ],
)
def test_steps(tmp_path: Path, line: str, expected: str) -> None:
    file, now = tmp_path / "progress", [0.0]
    steps = Steps(Progress(str(file), now=lambda: now[0]), "image a")
    now[0] = 10
    steps(line)
    steps("more output")
    steps.pushing("")
    shown = f"being built ({expected})" if expected else "being built"
    assert file.read_text() == f"image a is {shown} after 10 s\nimage a is being pushed after 10 s\n"
