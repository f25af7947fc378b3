# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One Prometheus for all tests of this folder, with the rules and with example files of all metrics."""

from __future__ import annotations

import time
import typing as t
from pathlib import Path

import pytest
from monitoring import examples, programs, stack

SHIPPED = Path(__file__).resolve().parents[2] / "extensions/monitoring"


@pytest.fixture(scope="session")
def bin_folder() -> Path:
    return programs.ensure(print)


@pytest.fixture(scope="session")
def metrics(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("metrics")
    examples.write(folder, now=int(time.time()))
    return folder


@pytest.fixture(scope="session")
def prometheus(bin_folder: Path, metrics: Path, tmp_path_factory: pytest.TempPathFactory) -> t.Iterator[stack.Prometheus]:
    with stack.running(bin_folder, metrics, SHIPPED / "rules.yml", tmp_path_factory.mktemp("prometheus")) as found:
        yield found
