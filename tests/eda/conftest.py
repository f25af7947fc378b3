# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""ansible-rulebook and its sources as they are shipped, against the simulated AWS."""

from __future__ import annotations

import typing as t
from pathlib import Path

import pytest
from lab.aws.control.client import Control
from lab.eda import runtime
from simulated import Simulated, simulated_aws


@pytest.fixture(scope="session")
def eda() -> runtime.Runtime:
    return runtime.ensure(print)


@pytest.fixture
def aws(tmp_path: Path) -> t.Iterator[Simulated]:
    with simulated_aws(tmp_path) as found:
        yield found


@pytest.fixture
def control(aws: Simulated) -> Control:
    return Control(aws.url)
