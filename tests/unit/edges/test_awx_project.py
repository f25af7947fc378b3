# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The project that the playbook awx writes: ansible-playbook can run every playbook in it."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.verbs import verbs
from simulated.controller import ansible

LIMIT = 120


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("controller")


@pytest.fixture(scope="module")
def project(folder: Path) -> Path:
    """A project with an inventory of the user's own."""
    path = folder / "project"
    path.mkdir()
    (path / "hyperpod.yml").write_text("plugin: mine\n")
    assert "changed=2" in write(folder, path)
    return path


def write(folder: Path, project: str | Path, *arguments: str) -> str:
    command = ("mlfleet.hyperpod.awx", "-i", "localhost,", "-e", f"awx_project_dir={project}", *arguments)
    done = ansible("playbook", *command, home=folder, temporary=folder / "tmp", limit=LIMIT, ANSIBLE_INVENTORY_ENABLED="host_list")
    return done.stdout + done.stderr


def test_the_project_has_each_verb_and_keeps_existing_files(project: Path) -> None:
    imported = {path.stem: yaml.safe_load(path.read_text()) for path in project.glob("*.yml") if path.stem in verbs()}
    assert {name: found[0]["ansible.builtin.import_playbook"] for name, found in imported.items()} == {
        name: f"mlfleet.hyperpod.{name}" for name in verbs()
    }
    assert (project / "hyperpod.yml").read_text() == "plugin: mine\n"
    (requirement,) = yaml.safe_load((project / "collections/requirements.yml").read_text())["collections"]
    assert requirement["name"] == "mlfleet.hyperpod" and requirement["version"].count(".") == 2


def test_a_second_run_changes_nothing(folder: Path, project: Path) -> None:
    assert "changed=0" in write(folder, project)


def test_check_mode_writes_nothing(folder: Path) -> None:
    output = write(folder, folder / "other", "--check", "--diff")
    assert "+  ansible.builtin.import_playbook: mlfleet.hyperpod.reconcile" in output and not (folder / "other").exists()


def test_a_relative_folder_is_refused(folder: Path) -> None:
    assert "awx_project_dir: 'project' is not allowed. Allowed: the absolute path of a folder." in write(folder, "project")


def test_ansible_accepts_all_playbooks_and_the_configuration(folder: Path, project: Path) -> None:
    names = sorted(str(project / f"{name}.yml") for name in verbs())
    inventory = project / "definitions.yml"
    inventory.write_text("hyperpod_definitions: {hosts: {ml: {training_cluster_name: ml}}}\n")
    checked = ("--syntax-check", "-i", str(inventory), *names)
    done = ansible(
        "playbook", *checked, home=project, temporary=folder / "tmp", limit=LIMIT, ANSIBLE_CONFIG=str(project / "ansible.cfg")
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("playbook: ") == len(names) and "report callback is off" not in done.stderr
