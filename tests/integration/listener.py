# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""ansible-rulebook in the lab, with the rulebook that the playbook ``events`` writes: with and without AWX."""

from __future__ import annotations

import contextlib
import os
import shutil
import typing as t
from pathlib import Path

from harness import HOME, World
from lab.aws import permissions
from lab.awx.server import Server
from lab.eda import runtime
from lab.eda.rulebook import Rulebook, running

LAB = Path(__file__).resolve().parents[2] / "inventories/lab"
FOLDER = HOME / "events"
RULEBOOK = FOLDER / "events.yml"
PLAYBOOK = "- name: Reconcile\n  ansible.builtin.import_playbook: mlfleet.hyperpod.reconcile\n"
ENDED = "HYPERPOD REPORT"
"""Printed at the end of each run without AWX."""


def prepare(world: World) -> None:
    """Make an empty folder, and give the identity of ansible-rulebook its documented policy, besides those of operators."""
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir()
    world.settings(policies=[*permissions.documented(), *permissions.documented("events-listener")])


@contextlib.contextmanager
def with_playbooks() -> t.Iterator[Rulebook]:
    """ansible-rulebook that runs the playbook itself, once its first run over all clusters has ended."""
    folder = FOLDER / "rulebook"
    variables = folder / "inventory/group_vars/all"
    variables.mkdir(parents=True)
    shutil.copy(LAB / "hyperpod.yml", folder / "inventory")
    shutil.copy(LAB / "group_vars/all.yml", variables / "lab.yml")
    shutil.copy(HOME / "inventory/group_vars/all.yml", variables / "own.yml")
    (folder / "reconcile.yml").write_text(PLAYBOOK)
    with _running(folder, "--inventory", "inventory") as process:
        process.wait_for(ENDED, seconds=600)
        yield process


@contextlib.contextmanager
def with_awx(awx: Server) -> t.Iterator[Rulebook]:
    """ansible-rulebook that starts job templates of AWX."""
    with _running(FOLDER / "rulebook", EDA_CONTROLLER_URL=awx.url, EDA_CONTROLLER_TOKEN=awx.token) as process:
        yield process


@contextlib.contextmanager
def _running(folder: Path, *options: str, **environment: str) -> t.Iterator[Rulebook]:
    found = runtime.ensure(print)
    own = {name: value for name, value in os.environ.items() if name.startswith(("AWS_", "LAB_", "ANSIBLE_")) or name == "HOME"}
    own["AWS_PROFILE"] = "lab"
    own["PATH"] = os.pathsep.join((found.environment["PATH"], os.environ["PATH"]))
    with running(folder, found, RULEBOOK.read_text(), *options, **own, **environment) as process:
        yield process
