# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Every play of every playbook uses the selected clusters only, and every report about access names who is admitted."""

from __future__ import annotations

import typing as t
from pathlib import Path

import pytest
import yaml

FOLDER = Path(__file__).resolve().parents[3] / "playbooks"
PLAYBOOKS = sorted(FOLDER.glob("*.yml"))
SELECTED = "{{ lookup('mlfleet.hyperpod.hosts', "
GROUPS_OF_THE_RUN = ("hyperpod_draining", "hyperpod_repaired:&orchestrator_slurm", "hyperpod_slurm")
"""Groups that earlier plays of the run create."""
WITHOUT_CLUSTERS = ("awx",)
OF_EACH_RUN = ("begin", "end")
VIEWS = {
    "cluster": ("definitions_hosts",),
    "begin": ("begin_hosts", "left_out.hosts"),
    "end": ("end_hosts",),
    "training_cluster": ("definitions_hosts",),
    "verify_training": ("training_hosts",),
}
"""Views that choose the hosts of playbooks, whose own tests show that they exclude other clusters."""
ABOUT_ACCESS = {f"mlfleet.hyperpod.{role}" for role in ("access_report", "client_vpn", "login_nodes", "login_targets", "offboarding", "status")}
REMOVES_ACCESS = "teardown"
WHO_IS_ADMITTED = {("mlfleet.hyperpod.login_balancer", "cluster/admitted"), ("mlfleet.hyperpod.login_balancer", "cluster/declared")}


def plays() -> t.Iterator[tuple[str, str, str]]:
    for path in sorted(FOLDER.rglob("*.yml")):
        for play in yaml.safe_load(path.read_text()):
            if "hosts" in play:
                yield path.stem, play["name"], play["hosts"]


@pytest.mark.parametrize(("playbook", "name", "hosts"), list(plays()))
def test_a_play_excludes_clusters_that_are_not_selected(playbook: str, name: str, hosts: str) -> None:
    if playbook in WITHOUT_CLUSTERS:
        assert hosts == "localhost"
    elif playbook in VIEWS:
        assert hosts in [f"{{{{ lookup('mlfleet.hyperpod.view', 'plays').{view} }}}}" for view in VIEWS[playbook]]
    else:
        assert hosts in GROUPS_OF_THE_RUN or hosts.startswith(SELECTED), f"{playbook}: {name}: {hosts}"


def included(entries: t.Iterable[dict[str, t.Any]]) -> t.Iterator[tuple[str, str]]:
    """Roles and their entries, also those in blocks and in imported playbooks, except the one that a rollout chooses in each run."""
    for entry in entries:
        for part in ("tasks", "block"):
            yield from included(entry.get(part, ()))
        if "ansible.builtin.include_role" in entry:
            role = entry["ansible.builtin.include_role"]
            yield role["name"], role.get("tasks_from", "main")
        imported = entry.get("ansible.builtin.import_playbook", "{{")
        if "{{" not in imported:
            yield from included(yaml.safe_load((FOLDER / imported).read_text()))


def about_access(path: Path) -> bool:
    return path.stem != REMOVES_ACCESS and bool(ABOUT_ACCESS & {role for role, _entry in included(yaml.safe_load(path.read_text()))})


@pytest.mark.parametrize("path", list(filter(about_access, PLAYBOOKS)), ids=lambda path: path.stem)
def test_every_report_about_access_notes_access_from_the_whole_internet(path: Path) -> None:
    assert WHO_IS_ADMITTED & set(included(yaml.safe_load(path.read_text())))
