# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Benchmarks start their server on a free port, and wait for it."""

from __future__ import annotations

import contextlib
import importlib
import os
import socket
import sys
from pathlib import Path

import pytest
from lab.cli import home
from simulated import COLLECTIONS

BENCHMARKS = Path(__file__).resolve().parents[3] / "benchmarks"
FORMER_PORT = 5999


@pytest.fixture
def controller(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The AWS profiles of a lab, and the collection."""
    folder = tmp_path / ".aws"
    folder.mkdir()
    (folder / "config").write_text(home.AWS_CONFIG)
    (folder / "credentials").write_text(home.AWS_CREDENTIALS)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("ANSIBLE_COLLECTIONS_PATH", str(COLLECTIONS))
    monkeypatch.setenv("AWS_ENDPOINT_URL", "")
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}:{os.environ['PATH']}")
    monkeypatch.syspath_prepend(str(BENCHMARKS))


def test_the_inventory_is_measured_although_a_port_is_taken(controller: None, monkeypatch: pytest.MonkeyPatch) -> None:
    measure = importlib.import_module("measure")
    monkeypatch.setattr(measure, "CLUSTERS", 1)
    monkeypatch.setattr(measure, "NODES", 5)
    with contextlib.closing(socket.create_server(("127.0.0.1", FORMER_PORT))):
        ((description, figure),) = measure.inventory()
    assert description == "inventory of 1 clusters, 5 nodes" and "ListClusterNodes" in figure
