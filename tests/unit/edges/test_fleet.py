# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A drift check of several clusters prints only the report, and does not start unnecessary modules."""

from __future__ import annotations

import collections
import typing as t
from pathlib import Path

import pytest
from simulated import simulated_aws
from simulated.quiet import Fleet, Run

MODULES = {"node_access": 2, "ec2_vpc_subnet_info": 1, "ec2_vpc_net_info": 1, "ec2_security_group": 1}
"""Modules that are started for each cluster. All others run in the process of their task."""
pytestmark = pytest.mark.slow
SETTINGS = {"ANSIBLE_STDOUT_CALLBACK": "mlfleet.hyperpod.brief", "ANSIBLE_KEEP_REMOTE_FILES": "1"}


@pytest.fixture(scope="module")
def fleet(tmp_path_factory: pytest.TempPathFactory) -> t.Iterator[Fleet]:
    folder = tmp_path_factory.mktemp("fleet")
    with simulated_aws(folder) as aws:
        yield Fleet(folder, aws, "ml", "other")


@pytest.fixture(scope="module")
def drift(fleet: Fleet) -> Run:
    return fleet.reconcile("mlfleet.hyperpod.drift", "--check", **SETTINGS)


def test_only_the_report_is_printed(drift: Run) -> None:
    title, *lines = [line for line in drift.output.split("\n") if line]
    assert drift.rc == 2 and title.startswith("HYPERPOD REPORT"), drift.output
    clusters = [line.split()[0] for line in lines if not line.startswith(" ")]
    assert clusters == ["ml", "other", "drift:"] and all(line.lstrip().startswith("- note:") for line in lines if line[0] == " "), lines
    assert len(lines) == 7


def test_modules_that_change_nothing_are_not_started(fleet: Fleet, drift: Run) -> None:
    assert drift.changes == []
    started = collections.Counter(path.stem.removeprefix("AnsiballZ_") for path in Path(fleet.folder, "tmp/remote").rglob("AnsiballZ_*"))
    assert started == {name: count * len(fleet.names) for name, count in MODULES.items()}
