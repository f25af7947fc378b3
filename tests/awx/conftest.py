# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The playbook ``awx`` against the stand-in of AWX, with the real collection awx.awx."""

from __future__ import annotations

import typing as t
from pathlib import Path

import pytest
from awx_fleet import SCM_URL, Controller, project
from lab.awx import collection
from lab.awx.server import running


@pytest.fixture(scope="session")
def collections() -> Path:
    return collection.ensure(print)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    return project(tmp_path / "repository")


@pytest.fixture
def controller(tmp_path: Path, collections: Path, repository: Path) -> t.Iterator[Controller]:
    with running(tmp_path / "awx", {SCM_URL: repository}) as server:
        yield Controller(tmp_path, collections, repository, server)


@pytest.fixture
def built(controller: Controller) -> Controller:
    """A control node whose fleet exists. Few verbs, because each object takes a second."""
    controller.variables["awx_verbs"] = ["access_report"]
    made = controller.run()
    assert made.rc == 0, made.output
    return controller
