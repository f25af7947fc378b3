# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Playbooks and roles, run with hostile nodes; tests/campaign has the playbooks that take longer."""

from __future__ import annotations

import typing as t
from pathlib import Path

import pytest
import yaml
from ansible.release import __version__
from simulated import hostile

PLAYBOOKS = Path(__file__).resolve().parents[3] / "playbooks"
LAST = "end.yml"
"""The playbook that the others import last; it contacts no cluster and no node."""
WITHOUT_NODES = ("awx.yml", "cluster.yml", "training_cluster.yml")
"""They contact no node: ``awx`` writes files, and the hosts of the others are definitions of clusters."""
OLDEST = __version__.startswith("2.19.")
NEWEST = pytest.mark.skipif(OLDEST, reason="one ansible-core is enough; only the handling of facts is tested on both")
VPN = ("-e", "client_vpn_client_cidr=172.20.0.0/20")
RUNS: dict[str, tuple[str, ...]] = {
    "access_report": (),
    "adopt": ("-e", "adopt_load_balancer="),
    "drain": ("-e", "drain_reason=kernel", "-e", "drain_timeout=0"),
    "offboard": ("-e", "offboard_name=mallory", "-e", "offboard_uid=20009"),
    "placement": ("-e", "topology_job_measure_gain=true"),
    "submit": (
        *("-e", "topology_job_cluster=ml", "-e", "topology_job_src=/etc/hostname", "-e", "topology_job_name=llama"),
        *("-e", "topology_job_user=alice", "-e", "topology_job_placement=required", "-e", "topology_job_timeout=1"),
    ),
    "client_vpn": VPN,
    "vpn_profiles": VPN,
    "vpn_report": VPN,
    "verify": (),
}
ROLES = """
- hosts: hyperpod_clusters
  gather_facts: false
  module_defaults:
    group/mlfleet.hyperpod.aws: {region: "{{ hyperpod_region }}"}
    group/mlfleet.hyperpod.cluster: {cluster_arn: "{{ hyperpod_cluster_arn }}"}
    group/mlfleet.hyperpod.lock: {lock: true}
  tasks:
    - ansible.builtin.include_role: {name: mlfleet.hyperpod.host_keys, tasks_from: cluster/secret}
    - ansible.builtin.set_fact:
        hyperpod_run: >-
          {{ lookup('mlfleet.hyperpod.run_state', ready=true, node_access=dict(ids | zip([{'access': 'ready'}] * ids | length))) }}
      vars:
        ids: "{{ groups['hyperpod_nodes'] | map('extract', hostvars, 'hyperpod_instance_id') }}"
- hosts: hyperpod_nodes
  gather_facts: false
  tasks:
    - ansible.builtin.include_role: {name: mlfleet.hyperpod.node_access, tasks_from: node/reach}
    - ansible.builtin.include_role: {name: mlfleet.hyperpod.login_nodes, tasks_from: node/plan}
"""
LOOK = """
- hosts: node_type_login
  gather_facts: false
  tasks:
    - ansible.builtin.set_fact: {hyperpod_run: "{{ lookup('mlfleet.hyperpod.run_state', ready=true) }}"}
- hosts: hyperpod_clusters
  gather_facts: false
  module_defaults:
    group/mlfleet.hyperpod.aws: {region: "{{ hyperpod_region }}"}
    group/mlfleet.hyperpod.cluster: {cluster_arn: "{{ hyperpod_cluster_arn }}"}
    group/mlfleet.hyperpod.lock: {lock: true}
  tasks:
    - block:
        - ansible.builtin.include_role: {name: mlfleet.hyperpod.run}
        - ansible.builtin.include_role: {name: mlfleet.hyperpod.host_keys, tasks_from: cluster/secret}
        - ansible.builtin.include_role: {name: mlfleet.hyperpod.host_keys, tasks_from: cluster/verify}
        - ansible.builtin.debug: {msg: "verified {{ hyperpod_run.verified_nodes | length }}"}
      rescue:
        - ansible.builtin.include_role: {name: mlfleet.hyperpod.run, tasks_from: cluster/failed}
"""
REFUSED = [
    ("login_access", ("--limit", "hyperpod_nodes")),
    ("reconcile", ("--tags", "sweep")),
    ("offboard", ("--skip-tags", "reconcile", "-e", "offboard_name=mallory")),
    ("drift", ("--check",)),
]


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> t.Iterator[hostile.World]:
    with hostile.world(tmp_path_factory.mktemp("strangers")) as here:
        yield here


def _first(playbook: str) -> str:
    """The first play of the playbook."""
    first = yaml.safe_load((PLAYBOOKS / playbook).read_text())[0]
    imported = first.get("ansible.builtin.import_playbook")
    return _first(imported) if imported else f"{playbook}: {first['name']}"


@pytest.mark.parametrize("playbook", sorted(path.name for path in PLAYBOOKS.glob("*.yml") if path.name not in (LAST, *WITHOUT_NODES)))
def test_every_playbook_starts_with_the_validation_of_the_run(playbook: str) -> None:
    assert _first(playbook) == "begin.yml: Validate Ansible's settings and --limit"


@pytest.mark.parametrize(("name", "arguments"), REFUSED, ids=[name for name, _arguments in REFUSED])
def test_runs_with_facts_as_variables_are_refused(
    world: hostile.World, name: str, arguments: tuple[str, ...]
) -> None:
    run = world.playbook(f"mlfleet.hyperpod.{name}", *arguments, injected=True)
    assert run.rc == (1 if name == "drift" else 2), run.output
    assert "inject_facts_as_vars: true is not allowed" in run.output
    assert (run.received, run.calls, world.strays()) == ({}, [], [])


def test_a_refused_drift_writes_no_file(world: hostile.World) -> None:
    run = world.playbook("mlfleet.hyperpod.drift", "-e", f"drift_json={world.outside}/drift.json")
    assert run.rc == 1 and "Run it with --check" in run.output, run.output
    assert (run.received, world.strays()) == ({}, [])
    assert not list((world.home / ".mlfleet").rglob("drift.*"))


@pytest.mark.slow
@pytest.mark.parametrize("injected", [False, True], ids=["facts apart", "facts as variables"])
def test_roles_resist_hostile_facts_with_any_setting(world: hostile.World, tmp_path: Path, injected: bool) -> None:
    """Only login nodes receive keys, those of their own cluster, although no playbook of the collection refuses the run."""
    playbook = tmp_path / "roles.yml"
    playbook.write_text(ROLES)
    hostile.check(world, str(playbook), injected=injected)


@pytest.mark.slow
@NEWEST
def test_a_checking_node_cannot_report_about_another_name(world: hostile.World, tmp_path: Path) -> None:
    playbook = tmp_path / "look.yml"
    playbook.write_text(LOOK)
    run = world.playbook(str(playbook), "--limit", "cluster_ml")
    assert run.rc == 0 and "verified 0" in run.output, run.output
    assert any("-ssh_endpoint_info-" in file for file in run.received)  # the module ran on a node
    assert "presents host keys that differ" not in run.report, run.report


@pytest.mark.slow
@NEWEST
def test_a_node_that_fails_to_check_cannot_pretend_that_another_run_holds_the_lock(world: hostile.World, tmp_path: Path) -> None:
    """Its result names a holder of the lock, as modules on the controller do."""
    playbook = tmp_path / "look.yml"
    playbook.write_text(LOOK)
    with world.failing("ssh_endpoint_info"):
        run = world.playbook(str(playbook), "--limit", "cluster_ml")
    assert "failure: No node could read the host keys of the login nodes: " in run.report and "verified 0" in run.output, run.output
    assert "ml  failed" in run.report and "skipped" not in run.report, run.report


@pytest.mark.slow
@NEWEST
@pytest.mark.parametrize("name", RUNS)
def test_hostile_nodes_control_nothing(world: hostile.World, name: str) -> None:
    chosen = ("-e", f"drain_nodes={world.login}") if name == "drain" else ()
    if name.startswith("vpn_"):
        world.playbook("mlfleet.hyperpod.client_vpn", "--limit", "cluster_ml", *VPN)  # they fail without an endpoint
    hostile.check(world, f"mlfleet.hyperpod.{name}", *RUNS[name], *chosen)
