# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Unknown variables in real runs: a misspelt variable stops its cluster before any API call."""

from __future__ import annotations

import json
import typing as t
from pathlib import Path

import pytest
import reported
from simulated import hostile

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> t.Iterator[hostile.World]:
    with hostile.world(tmp_path_factory.mktemp("variables")) as here:
        yield here


def test_a_misspelt_variable_stops_its_cluster_before_any_api_call(world: hostile.World) -> None:
    """The variable is in the group_vars of one cluster; the other cluster is processed."""
    (world.folder / "misspelt").mkdir()
    (world.folder / "misspelt/inventory.yml").write_text(world.inventory.read_text())
    (world.folder / "misspelt/group_vars").mkdir()
    group_vars = world.folder / "misspelt/group_vars/cluster_ml.yml"
    group_vars.write_text("login_balancer_alowed_cidrs: [10.0.0.0/8]\nhyperpod_monthly_cost: 7\n")
    run = world.playbook("mlfleet.hyperpod.access_report", "-i", str(world.folder / "misspelt/inventory.yml"))
    assert run.rc == 2, run.output
    report = json.loads((world.home / ".mlfleet/hyperpod/report-look.json").read_text())
    (failure,) = reported.cluster(report)["failures"]
    assert failure.endswith(
        "login_balancer_alowed_cidrs is not a variable of mlfleet.hyperpod; did you mean login_balancer_allowed_cidrs? Correct the name or remove the variable."
    )
    assert report["clusters"]["other"]["status"] != "failed" and run.calls, run.output
    assert world.arns["ml"] not in json.dumps(run.calls), "no call may be made for the cluster with the variable"


def test_misspelt_extra_variables_and_node_variables_are_refused_without_a_vpn(world: hostile.World) -> None:
    """client_vpn skips clusters without a range, so a misspelt range must not count as an omitted one."""
    (world.folder / "nodes/group_vars").mkdir(parents=True)
    inventory = world.folder / "nodes/inventory.yml"
    inventory.write_text(world.inventory.read_text())
    (world.folder / "nodes/group_vars/node_type_login.yml").write_text("login_node_user_keys: deny\n")
    arguments = ("-i", str(inventory), "-e", "client_vpn_client_cdr=172.20.0.0/20", "-e", "vpn_urgnt=true")
    run = world.playbook("mlfleet.hyperpod.client_vpn", *arguments)
    assert run.rc == 2 and run.calls == [], run.output
    report = " ".join(run.report.split())
    assert "client_vpn_client_cdr is not a variable of mlfleet.hyperpod; did you mean client_vpn_client_cidr?" in report
    assert "vpn_urgnt is not a variable of mlfleet.hyperpod; did you mean vpn_urgent?" in report
    assert "login_node_user_keys is not a variable of mlfleet.hyperpod; did you mean login_nodes_user_keys?" in report


TWICE = """
- ansible.builtin.import_playbook: mlfleet.hyperpod.vpn_report
- hosts: hyperpod_clusters
  gather_facts: false
  module_defaults:
    group/mlfleet.hyperpod.aws: {region: "{{ hyperpod_region }}"}
    group/mlfleet.hyperpod.cluster: {cluster_arn: "{{ hyperpod_cluster_arn }}"}
    group/mlfleet.hyperpod.lock: {lock: true}
  tasks:
    - ansible.builtin.set_fact: {__login_nodes_turn: 1, hyperpod_user: a fact of a role}
    - ansible.builtin.include_role: {name: mlfleet.hyperpod.run}
"""


def test_other_unknown_names_are_noted_and_facts_of_roles_are_not(world: hostile.World, tmp_path: Path) -> None:
    """Names are checked once in a run, before roles set facts."""
    playbook = tmp_path / "twice.yml"
    playbook.write_text(TWICE)
    run = world.playbook(str(playbook), "--limit", "cluster_ml", "-e", "client_vpn_client_cidr=172.20.0.0/20", "-e", "hyperpod_monthly_cost=7")
    assert run.rc == 0, run.output
    (line,) = [line for line in run.report.split("\n") if "Unknown variables" in line]
    assert line.endswith("Unknown variables with a prefix of mlfleet.hyperpod: hyperpod_monthly_cost")
