# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Real runs about people and records, on a simulated AWS with folders as nodes."""

from __future__ import annotations

import json
import re
import typing as t
from pathlib import Path

import pytest
from simulated import hostile, people

KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAICAPSL0Skya4hv55isK/lq7KgIVoqLRwBCsfmvLmwAEg"

pytestmark = pytest.mark.slow


def declared(*users: dict[str, t.Any]) -> tuple[str, str]:
    return "-e", json.dumps({"hyperpod_users": users})


ALICE = {"name": "alice", "uid": 20001, "authorized_keys": [{"key": KEY}]}
BOB = {"name": "bob", "uid": 20002}
WITHDRAWN = {**ALICE, "authorized_keys": []}
MALLORY = {"name": "mallory", "uid": 20009}
GONE = {"name": "bob", "state": "absent"}
PUBLIC = {
    "login_balancer_scheme": "internet-facing",
    "login_balancer_allowed_cidrs": ["0.0.0.0/0"],
    "login_balancer_public_confirm": True,
}


@pytest.fixture(scope="module", name="world")
def _world(tmp_path_factory: pytest.TempPathFactory) -> t.Iterator[people.World]:
    with people.world(tmp_path_factory.mktemp("people")) as here:
        yield here


# The part of reconcile about people. Balancer and VPN take most of its time; tests on the lab run all of it.
RECONCILE = """
- hosts: hyperpod_clusters
  gather_facts: false
  module_defaults:
    group/mlfleet.hyperpod.aws: {region: "{{ hyperpod_region }}"}
    group/mlfleet.hyperpod.cluster: {cluster_arn: "{{ hyperpod_cluster_arn }}"}
    group/mlfleet.hyperpod.lock: {lock: true}
  vars: {hyperpod_scope: changed}
  tasks:
    - ansible.builtin.include_role: {name: mlfleet.hyperpod.run}
    - ansible.builtin.include_role: {name: mlfleet.hyperpod.login_nodes, tasks_from: cluster/declared}
    - ansible.builtin.include_role: {name: mlfleet.hyperpod.accounts, tasks_from: cluster/declared}
    - ansible.builtin.include_role: {name: mlfleet.hyperpod.host_keys, tasks_from: cluster/secret}
    - ansible.builtin.include_role: {name: mlfleet.hyperpod.node_access}
    - ansible.builtin.set_fact: {hyperpod_run: "{{ lookup('mlfleet.hyperpod.run_state', ready=true) }}"}
- hosts: hyperpod_nodes
  gather_facts: false
  tasks:
    - ansible.builtin.include_role: {name: mlfleet.hyperpod.node_access, tasks_from: node/reach}
    - ansible.builtin.include_role: {name: mlfleet.hyperpod.login_nodes, tasks_from: node/plan}
      vars: {login_nodes_planning: true}
- hosts: hyperpod_clusters
  gather_facts: false
  module_defaults:
    group/mlfleet.hyperpod.aws: {region: "{{ hyperpod_region }}"}
    group/mlfleet.hyperpod.cluster: {cluster_arn: "{{ hyperpod_cluster_arn }}"}
    group/mlfleet.hyperpod.lock: {lock: true}
  tasks:
    - ansible.builtin.include_role: {name: mlfleet.hyperpod.run, tasks_from: cluster/judge}
    - ansible.builtin.set_fact: {hyperpod_run: "{{ lookup('mlfleet.hyperpod.run_state', writing=true) }}"}
- hosts: hyperpod_nodes:!node_type_login
  gather_facts: false
  tasks:
    - ansible.builtin.meta: end_host
      when: not hyperpod_run.dirty | default(false)
    - ansible.builtin.include_role: {name: mlfleet.hyperpod.accounts}
    - ansible.builtin.set_fact:
        hyperpod_run: "{{ lookup('mlfleet.hyperpod.run_state', configured=true, users_seen=not hyperpod_run.accounts.held) }}"
- hosts: node_type_login
  gather_facts: false
  tasks:
    - ansible.builtin.meta: end_host
      when: not hyperpod_run.dirty | default(false)
    - ansible.builtin.include_role: {name: mlfleet.hyperpod.login_nodes}
- hosts: hyperpod_clusters
  gather_facts: false
  module_defaults:
    group/mlfleet.hyperpod.aws: {region: "{{ hyperpod_region }}"}
    group/mlfleet.hyperpod.cluster: {cluster_arn: "{{ hyperpod_cluster_arn }}"}
    group/mlfleet.hyperpod.lock: {lock: true}
  tasks:
    - ansible.builtin.include_role: {name: mlfleet.hyperpod.node_access, tasks_from: cluster/configured}
    - ansible.builtin.include_role: {name: mlfleet.hyperpod.client_vpn, tasks_from: cluster/found}
      vars: {client_vpn_reads: [endpoint, users]}
    - mlfleet.hyperpod.finding:
        code: profiles-written
        texts: ["Certified for the VPC: {{ hyperpod_run.vpn_users | join(', ') }}"]
    - ansible.builtin.include_role: {name: mlfleet.hyperpod.run, tasks_from: cluster/end}
"""


def reconcile(world: people.World, *users: dict[str, t.Any]) -> hostile.Run:
    world.forget_contacts()
    playbook = world.folder / "reconcile.yml"
    playbook.write_text(RECONCILE)
    run = world.playbook(str(playbook), "--limit", "cluster_ml", *declared(*users))
    assert run.rc == 0, run.output
    return run


def pending_access(run: hostile.Run) -> list[str]:
    return [line.strip() for line in run.report.split("\n") if "Access of" in line]


class TestRemovedAccessIsPendingUntilEveryNodeIsVerified:
    """The tests run in this order."""

    def test_a_first_run_reaches_every_node_and_nothing_is_pending(self, world: people.World) -> None:
        run = reconcile(world, ALICE, BOB)
        assert world.contacted() == set(people.KINDS) and pending_access(run) == []
        assert world.accounts("compute")["alice"]["authorized_keys"][0]["key"] == KEY

    def test_an_unreachable_node_is_named_with_the_people(self, world: people.World) -> None:
        """One key was withdrawn and one person removed, so the run contacts compute nodes as well."""
        world.put(world.path("records", "offboarded", "mallory", cluster="other"), json.dumps({"owner": "ops", "uid": 20009}))
        with world.silent("compute"):
            run = reconcile(world, WITHDRAWN, GONE, MALLORY)
        assert world.contacted() == {"controller", "login"}
        assert "- note: Certified for the VPC: alice\n" in f"{run.report}\n", "mallory was offboarded from a cluster outside the run"
        assert pending_access(run) == [
            "- pending: Access of alice (changed), bob (removed) has not been verified on 1 of 3 nodes since the change: "
            f"{world.nodes['compute']}."
        ]
        assert "ml  degraded" in run.report

    def test_a_later_run_reaches_the_node_and_nothing_is_pending(self, world: people.World) -> None:
        """A record of a drained node with a host name instead of an instance ID does not stop the run."""
        ssm, record = world.aws.client("ssm"), world.path("records", "drained", f"ml-{world.nodes['login']}")
        world.put(record, "{}")
        ssm.delete_parameter(Name=world.path("records", "offboarded", "mallory", cluster="other"))
        run = reconcile(world, WITHDRAWN, GONE, MALLORY)
        ssm.delete_parameter(Name=record)
        assert f"/records/drained/ml-{world.nodes['login']} is not a valid record" in run.report, run.report
        assert pending_access(run) == [] and "compute" in world.contacted()
        assert f"- note: {world.nodes['login']}: Open for logins although /fsx is silent." in run.report, "the node's finding must be in the report"
        assert set(world.accounts("compute")) == {"alice", "mallory"} and not world.accounts("compute")["alice"]["authorized_keys"]


def by_hand(world: people.World, name: str, *arguments: str) -> hostile.Run:
    return world.playbook(f"mlfleet.hyperpod.{name}", *arguments)


def evidence(world: people.World, action: str) -> list[dict[str, t.Any]]:
    files = sorted((world.home / ".mlfleet/hyperpod/evidence").glob(f"{action}-*.json"))
    assert {file.stat().st_mode & 0o777 for file in files} <= {0o600}
    return [json.loads(file.read_text()) for file in files]


def mutating(run: hostile.Run) -> list[str]:
    return [call["operation"] for call in run.calls if call["mutating"]]


def test_unlock_requires_the_generation_and_the_owner_of_the_lock(world: people.World) -> None:
    world.aws.start("cluster_lock", cluster_arn=world.arns["ml"], owner="ops@elsewhere", token="another-run")
    (number,) = [each.rpartition("/")[2] for each in world.parameters("lock")]
    refused = by_hand(world, "unlock")
    assert refused.rc != 0 and mutating(refused) == []
    assert f"unlock_confirm='ml:{number}:ops@elsewhere'" in " ".join(refused.report.split()), refused.report
    assert evidence(world, "unlock") == []
    run = by_hand(world, "unlock", "-e", f"unlock_confirm=ml:{number}:ops@elsewhere")
    assert run.rc == 0, run.output
    (found,) = evidence(world, "unlock")
    assert (found["cluster"], found["holder"]["owner"]) == ("ml", "ops@elsewhere") and found["by"].startswith("operator@")
    assert world.aws.start("cluster_lock", cluster_arn=world.arns["ml"], state="query")["holder"] is None
    assert "other  unchanged" in run.report or "other" not in run.report


def test_forget_node_requires_the_name_of_the_cluster(world: people.World) -> None:
    node = world.nodes["login"]
    drained = world.path("records", "drained", node)
    world.put(drained, json.dumps({"owner": "ops", "since": "today", "reason": "fans"}))
    refused = by_hand(world, "forget_node", "-e", f"forget_nodes=ml-{node}")
    assert refused.rc != 0 and mutating(refused) == [] and "-e forget_confirm=ml" in refused.report, refused.report
    wrong = by_hand(world, "forget_node", "-e", f"forget_nodes=i-0123456789abcdef0,{node} forget_confirm=ml")
    assert wrong.rc != 0 and "forget_nodes: i-0123456789abcdef0 is not allowed" in wrong.report, wrong.report
    assert mutating(wrong) == [] == evidence(world, "forget_node")
    run = by_hand(world, "forget_node", "-e", f"forget_nodes=ml-{node} forget_confirm=ml forget_reason=ssh-keygen")
    assert run.rc == 0, run.output
    assert world.path("trust", node) not in world.parameters() and len(world.parameters("trust")) == 2
    (found,) = evidence(world, "forget_node")
    assert (found["trust_records"], found["drained_records"], found["reason"]) == ([node], [], "ssh-keygen")
    assert drained in world.parameters(), "the node must stay drained"
    assert world.aws.start("cluster_lock", cluster_arn=world.arns["ml"], state="query")["holder"] is None


def test_a_user_is_readmitted_to_the_clusters_of_the_offboarding(world: people.World) -> None:
    record = world.path("records", "offboarded", "mallory")
    world.put(record, json.dumps({"owner": "ops", "since": "2026-11-01T00:00:00Z", "uid": 20009}))
    unknown = by_hand(world, "readmit", "-e", "readmit_name=nobody readmit_reason=back")
    assert unknown.rc != 0 and mutating(unknown) == [], unknown.output
    assert re.search("readmit_name: nobody is not allowed: .* Allowed: mallory", " ".join(unknown.report.split()))
    planned = by_hand(world, "readmit", "-e", "readmit_name=mallory readmit_reason=back", "--check")
    assert planned.rc == 0 and mutating(planned) == [] == evidence(world, "readmit"), planned.output
    assert "mallory would be readmitted to ml" in planned.report
    run = by_hand(world, "readmit", "-e", "readmit_name=mallory readmit_reason=back")
    assert run.rc == 0, run.output
    assert record not in world.parameters()
    (found,) = evidence(world, "readmit")
    assert (found["cluster"], found["name"], found["reason"], found["record"]["uid"]) == ("ml", "mallory", "back", 20009)
    assert "with UID 20009" in " ".join(run.report.split())


def test_a_failing_hook_leaves_no_lock(world: people.World, tmp_path: Path) -> None:
    hook = tmp_path / "hook.yml"
    hook.write_text("- ansible.builtin.fail: {msg: the directory is away}\n")
    variables = {"offboard_name": "mallory", "offboard_uid": 20009, "offboard_hooks": [str(hook)]}
    run = by_hand(world, "offboard", "-e", json.dumps(variables))
    assert run.rc != 0 and "the directory is away" in run.report, run.output
    assert world.aws.start("cluster_lock", cluster_arn=world.arns["ml"], state="query")["holder"] is None


def test_status_reports_on_all_clusters_and_changes_nothing(world: people.World) -> None:
    """The lock is held by another run, a record is wrong, and a node does not respond."""
    world.aws.start("cluster_lock", cluster_arn=world.arns["ml"], owner="ops@elsewhere", token="another-run")
    world.put(world.path("records", "drained", world.nodes["login"]), json.dumps({"owner": "ops", "since": "today", "reason": "fans"}))
    world.put(world.path("records", "offboarded", "mallory", cluster="other"), "no json")
    try:
        with world.silent("login"):
            own = {"hyperpod_operations_public_key_file": "/nowhere", "hyperpod_monthly_cost": 7}
            run = by_hand(world, "status", "-e", json.dumps({**PUBLIC, **own}))
    finally:
        world.aws.client("ssm").delete_parameter(Name=world.path("records", "offboarded", "mallory", cluster="other"))
    assert run.rc == 0, run.output
    assert mutating(run) == []
    assert run.report.count("note: The whole internet may connect to the login balancer of") == len(world.arns), run.report
    assert "Unknown variables with a prefix of mlfleet.hyperpod: hyperpod_monthly_cost" in " ".join(run.report.split())
    found = json.loads((world.home / ".mlfleet/hyperpod/status.json").read_text())["clusters"]
    ml, other = found["ml"], found["other"]
    assert (ml["state"], ml["in_service"], ml["lock"]["owner"]) == ("InService", 0, "ops@elsewhere")
    assert ml["drained"][world.nodes["login"]]["reason"] == "fans" and ml["host_keys"]["fingerprints"]
    assert [each["instance_id"] for each in ml["login_nodes"]] == [world.nodes["login"]], ml["not_read"]
    assert any("records/offboarded/mallory is not a valid record" in each for each in other["not_read"]), other
    assert re.search(r"\nother +degraded\n +- pending: this part of the status could not be read: the records of operators' decisions", run.report), run.report
    assert f"{world.nodes['login']} by ops, since today: fans" in run.output


def test_a_login_node_with_unreadable_certificates_is_a_finding(world: people.World) -> None:
    """With certificates, status reads them from the login nodes; these nodes return none."""
    folder = world.home / "foreign"
    folder.mkdir(mode=0o755)
    own = f"host_keys_identity=certificates status_json={folder}/status.json"
    run = by_hand(world, "status", "--check", "--limit", "cluster_ml", "-e", own)
    assert run.rc == 0 and mutating(run) == [], run.output
    assert (folder / "status.json").exists() and folder.stat().st_mode & 0o777 == 0o755, "the mode of an existing folder must not change"
    assert f"login node {world.nodes['login']}: its host certificates could not be read" in run.output, run.output
