# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A reconcile of unchanged clusters calls only AWS APIs; an event on a cluster causes a full look at that cluster."""

from __future__ import annotations

import collections
import contextlib
import json
import sys
import typing as t
from pathlib import Path

import pytest
from ansible.release import __version__
from lab.aws.control.client import Control
from simulated import simulated_aws
from simulated.quiet import Fleet

QUIET = {"GetParameter": 1, "GetParametersByPath": 2, "ListClusterNodes": 1, "DescribeTargetHealth": 1}
"""Calls for a quiet cluster, without those of the inventory. Each further 100 nodes cost one call more, hence 8 for 400 nodes."""
VPN_CALLS = {
    "DescribeClientVpnEndpoints": 1,
    "DescribeClientVpnTargetNetworks": 1,
    "DescribeClientVpnAuthorizationRules": 1,
    "ExportClientVpnClientCertificateRevocationList": 1,
}
PORT = {"login_balancer_port": 22}
REFUSING = """
- ansible.builtin.import_playbook: mlfleet.hyperpod.reconcile
  vars:
    login_balancer_port: "{{ 0 if hyperpod_cluster_key == 'ml' else 22 }}"
"""
"""A full look at ml fails before a node is contacted, as there are none. A play's variable is not in hostvars."""
VOID = "TASK [mlfleet.hyperpod.full_look : Ensure the record of the last full look is void]"

PUBLIC = {
    "login_balancer_scheme": "internet-facing",
    "login_balancer_allowed_cidrs": ["0.0.0.0/0"],
    "login_balancer_public_confirm": True,
}

NEWEST = pytest.mark.skipif(__version__.startswith("2.19."), reason="modules behave the same on every ansible-core")
STORY = """
- ansible.builtin.import_playbook: mlfleet.hyperpod.reconcile
- hosts: other
  gather_facts: false
  tasks:
    - ansible.builtin.debug: {msg: "offboarded: {{ hyperpod_run.records.offboarded | join }}"}
"""


EACH_WAY = """
- hosts: other
  gather_facts: false
  module_defaults:
    group/mlfleet.hyperpod.aws: {region: "{{ hyperpod_region }}"}
  tasks:
    - mlfleet.hyperpod.cluster_look:
        cluster_arn: "{{ cluster_arn | default(hyperpod_cluster_arn) }}"
        full_look_minutes: "{{ hyperpod_full_look_minutes }}"
      register: found
      environment: "{{ variables | default({}) }}"
      ignore_errors: true
    - ansible.builtin.copy: {content: "{{ found | to_json }}", dest: "{{ file }}", mode: '0600'}
"""

LOOK = """
- hosts: other
  gather_facts: false
  tags: [reconcile, sweep]
  module_defaults:
    group/mlfleet.hyperpod.aws: {region: "{{ hyperpod_region }}"}
    group/mlfleet.hyperpod.cluster: {cluster_arn: "{{ hyperpod_cluster_arn }}"}
    group/mlfleet.hyperpod.lock: {lock: true}
  tasks:
    - ansible.builtin.include_role: {name: mlfleet.hyperpod.full_look}
"""


@pytest.fixture(scope="module")
def fleet(tmp_path_factory: pytest.TempPathFactory) -> t.Iterator[Fleet]:
    folder = tmp_path_factory.mktemp("quiet")
    with simulated_aws(folder) as aws:
        made = Fleet(folder, aws, "ml", "other")
        users = folder / "users.txt"
        users.write_text("carol,20003,/fsx/carol\n")
        made.declare(hyperpod_users=[{"name": "alice", "uid": 20001}], hyperpod_users_files=[str(users)], **PORT)
        made.declare("cluster_other", **PUBLIC)
        record = {"cluster_arn": made.arns["other"], "kind": "offboarded", "name": "eve", "value": {"uid": 20008}}
        aws.start("cluster_record", **record)
        made.record()
        yield made


def test_reconcile_of_unchanged_clusters_calls_only_aws(fleet: Fleet) -> None:
    """Such a run still knows the offboarded users, as another cluster of the VPC must not certify them."""
    playbook = fleet.folder / "story.yml"
    playbook.write_text(STORY)
    run = fleet.reconcile(str(playbook))
    looked = {name: fleet.recorded(name)["looked"] for name in fleet.names}
    assert run.rc == 0, run.output
    assert run.lines() == [
        f"ml     unchanged (AWS only, full look {looked['ml']})",
        f"other  unchanged (AWS only, full look {looked['other']})",
        "       - note: The whole internet may connect to the login balancer of other (login_balancer_public_confirm).",
    ]
    services = [(each["login_nodes_in_service"], each["login_nodes"], each["login_name"]) for each in run.report["clusters"].values()]
    assert services == [(2, 2, None)] * len(fleet.names), "monitoring needs the numbers; the name would cost a call"
    assert run.changes == [] and run.calls == {name: count * len(fleet.names) for name, count in QUIET.items()}, run.calls
    assert "[ml-i-" not in run.output and "[other-i-" not in run.output
    assert "offboarded: eve" in run.output, run.output


def test_only_the_cluster_with_a_change_gets_a_full_look(fleet: Fleet) -> None:
    """Its record is void before the look starts, because a killed run could not void it."""
    playbook = fleet.folder / "refusing.yml"
    playbook.write_text(REFUSING)
    run = fleet.reconcile(str(playbook))
    status = {key: (cluster["status"], bool(cluster["full_look"])) for key, cluster in run.report["clusters"].items()}
    assert status == {"ml": ("failed", False), "other": ("unchanged", True)}, run.output
    assert "login_balancer_port: 0 is not allowed" in run.output
    assert fleet.recorded("ml")["well"] is False and fleet.recorded("other")["well"] is True
    voided = run.output.partition(VOID)[2].partition("TASK [")[0].split("\n")
    assert "ok: [ml]" in voided and "skipping: [other]" in voided, run.output
    assert "Unknown variables" not in run.output
    assert [call["operation"] for call in run.changes] == ["PutParameter"]


@NEWEST
@pytest.mark.parametrize(
    ("how", "changes", "words"),
    [("--check", [], "skipping: [other]"), ("--tags=sweep", ["PutParameter"], "This run checks everything, as requested.")],
)
def test_check_mode_and_a_sweep_never_skip_the_full_look(fleet: Fleet, how: str, changes: list[str], words: str) -> None:
    playbook = fleet.folder / "look.yml"
    playbook.write_text(LOOK)
    run = fleet.reconcile(str(playbook), how, "-v")
    assert run.rc == 0 and "AWS only" not in run.output and words in run.output, run.output
    assert [call["operation"] for call in run.changes] == changes and bool(run.calls) is bool(changes)
    assert fleet.recorded("other")["well"] is (how == "--check")


@NEWEST
def test_an_event_before_the_last_complete_look_costs_one_read(fleet: Fleet) -> None:
    """A later event costs two reads more than a run of the timer. AWX passes the time in a file, which Ansible reads as a time."""
    fleet.record()
    event, answers = ("-e", "hyperpod_only=other", "-e"), fleet.folder / "answers.yml"
    answers.write_text("full_look_event_time: !unsafe '2026-11-21T01:02:03Z'\n")
    run = fleet.reconcile("mlfleet.hyperpod.reconcile", *event, f"@{answers}")
    since = fleet.recorded("other")["complete"]
    assert run.rc == 0 and run.calls == {"GetParameter": 1} and run.changes == [], (run.calls, run.output)
    assert f"The event of 2026-11-21 01:02:03+00:00 is handled: a full look began at {since}" in run.output
    assert run.report["clusters"]["other"]["status"] == "unchanged", run.report

    later = fleet.reconcile("mlfleet.hyperpod.reconcile", *event, "full_look_event_time=2126-11-21T01:02:03Z")
    assert later.rc == 0 and "The event of" not in later.output, later.output
    assert later.calls == {name: count + (name.startswith("GetParameter")) for name, count in QUIET.items()}, later.calls


def found(fleet: Fleet, **more: t.Any) -> tuple[dict[str, t.Any], bool]:
    """Result of the task, and whether a module ran for it."""
    playbook, file = fleet.folder / "each_way.yml", fleet.folder / "found.json"
    playbook.write_text(EACH_WAY)
    run = fleet.reconcile(str(playbook), "-vvv", "-e", json.dumps({"file": str(file), **more}))
    assert run.rc == 0 and run.changes == [], run.output
    result = json.loads(file.read_text())
    assert (result.get("seen") or {"time": "none"}).pop("time")  # differs in each run
    return result, "AnsiballZ_cluster_look.py" in run.output


def test_a_task_returns_the_modules_result_without_starting_it(fleet: Fleet) -> None:
    fleet.record("other")
    result, started = found(fleet)
    assert result["quiet"] and not started, result
    other = str(Path(sys.executable).with_name("python3"))
    assert found(fleet, ansible_python_interpreter=other) == (result, True), "with another Python, which may have another boto3, the module runs"
    assert found(fleet, variables={"AWS_MAX_ATTEMPTS": "2"}) == (result, True), "with an environment of the task, the module runs"


def test_a_failure_is_reported_by_the_module(fleet: Fleet) -> None:
    result, started = found(fleet, cluster_arn=fleet.arns["other"].replace("us-west-2", "eu-west-1"))
    assert started and result["failed"] and "region" in result["msg"], result


def record_full_look(fleet: Fleet, **more: t.Any) -> None:
    """Record a successful full look at ``ml``."""
    seen = look(fleet, **more)["seen"]
    options = {"began": seen, "well": True, "target_group": fleet.groups["ml"], **options_of(fleet), **more}
    result = fleet.aws.run("cluster_look", state="present", **options)
    assert result.get("reasons") == [], result
    assert fleet.aws.changes() == ["PutParameter"]


def look(fleet: Fleet, **more: t.Any) -> dict[str, t.Any]:
    return fleet.aws.run("cluster_look", **{**options_of(fleet), **more})


def options_of(fleet: Fleet) -> dict[str, t.Any]:
    ids = [row["instance_id"] for row in fleet.aws.control("nodes") if row["cluster"] == "ml"]
    minutes = {"full_look_minutes": fleet.minutes}
    return {"cluster_arn": fleet.arns["ml"], "instance_ids": ids, "declaration": {"variables": "same"}, **minutes}


def lock(fleet: Fleet, state: str, token: str = "another run") -> None:
    fleet.aws.start("cluster_lock", cluster_arn=fleet.arns["ml"], state=state, token=token, owner="bob@two")


@contextlib.contextmanager
def held(fleet: Fleet) -> t.Iterator[None]:
    lock(fleet, "present")
    yield
    lock(fleet, "absent")


@contextlib.contextmanager
def taken_and_released(fleet: Fleet) -> t.Iterator[None]:
    with held(fleet):
        pass
    yield


@contextlib.contextmanager
def offboarded(fleet: Fleet) -> t.Iterator[None]:
    """Without a lock, so that only the record has changed."""
    known = {"cluster_arn": fleet.arns["ml"], "kind": "offboarded", "name": "mallory"}
    fleet.aws.start("cluster_record", value={"uid": 20009}, **known)
    yield
    fleet.aws.start("cluster_record", state="absent", **known)


@contextlib.contextmanager
def silent(fleet: Fleet) -> t.Iterator[None]:
    """Close the gate of one login node."""
    gate = {"ip": fleet.nodes("ml", "login")[0]["ip"], "port": 22}
    fleet.aws.control("health", {**gate, "answers": False})
    fleet.wait_unhealthy("ml")
    yield
    fleet.aws.control("health", {**gate, "answers": True})
    fleet.wait_healthy("ml")


@contextlib.contextmanager
def deregistered(fleet: Fleet) -> t.Iterator[None]:
    elb, target = fleet.aws.client("elbv2"), {"Id": fleet.nodes("ml", "login")[0]["ip"], "Port": 22}
    elb.deregister_targets(TargetGroupArn=fleet.groups["ml"], Targets=[target])
    yield
    elb.register_targets(TargetGroupArn=fleet.groups["ml"], Targets=[target])
    fleet.wait_healthy("ml")


@contextlib.contextmanager
def replaced(fleet: Fleet) -> t.Iterator[None]:
    """Replace a node: the new one has another ID and the same address."""
    Control(fleet.aws.url).replace(fleet.nodes("ml", "compute")[0]["instance_id"])
    yield


@contextlib.contextmanager
def updated(fleet: Fleet) -> t.Iterator[None]:
    """Update a node's software: the same ID and another disk."""
    Control(fleet.aws.url).update_software("ml", "compute-group")
    yield


@contextlib.contextmanager
def voided(fleet: Fleet) -> t.Iterator[None]:
    """Record that the last full look failed."""
    fleet.aws.start("cluster_look", state="present", well=False, cluster_arn=fleet.arns["ml"])
    yield


@contextlib.contextmanager
def unanswered(fleet: Fleet) -> t.Iterator[None]:
    fleet.aws.fault(kind="error", operation="DescribeTargetHealth", code="AccessDenied")
    yield
    fleet.aws.clear_faults()


@contextlib.contextmanager
def unreadable(fleet: Fleet) -> t.Iterator[None]:
    """Write an invalid record of an offboarded user, at which a full look fails."""
    ssm, name = fleet.aws.client("ssm"), f"/mlfleet/hyperpod/{fleet.cluster_id('ml')}/records/offboarded/zoe"
    ssm.put_parameter(Name=name, Value="gone", Type="String")
    with contextlib.suppress(ssm.exceptions.ParameterNotFound):
        ssm.get_parameter(Name=name)  # the first read may come too early
    yield
    ssm.delete_parameter(Name=name)


EVENTS: dict[str, tuple[t.Callable[[Fleet], t.ContextManager[None]], str, bool]] = {
    "a run holds the lock, or was killed with it": (held, "The lock's generation changed", True),
    "another run took and released the lock": (taken_and_released, "The lock's generation changed", True),
    "another controller offboarded a user": (offboarded, "The records about nodes and users", False),
    "a record is invalid": (unreadable, "offboarded/zoe is not a valid record", False),
    "a target is not healthy": (silent, "These targets are not healthy: 10.1.", False),
    "a target is missing": (deregistered, "The registered targets changed.", False),
    "a node was replaced": (replaced, "Nodes were added, removed or replaced", False),
    "a node was updated": (updated, "Nodes were added, removed or replaced", False),
    "the last full look failed": (voided, "changed something, left something pending or failed", True),
    "a call of AWS fails": (unanswered, "DescribeTargetHealth", False),
}
"""Events: how they are caused, the reason in the result, and whether they void the record for good."""
IN_SERVICE = {"a target is not healthy": 1, "a target is missing": 1}
"""Login nodes in service after an event; unknown if the targets were not read."""


@NEWEST
@pytest.mark.parametrize("event", EVENTS)
def test_a_cluster_is_quiet_until_something_happens(fleet: Fleet, event: str) -> None:
    cause, words, lasts = EVENTS[event]
    record_full_look(fleet)
    quiet = look(fleet)
    assert quiet["quiet"] and quiet["reasons"] == [] and not quiet["counts_again"], quiet
    assert quiet["login_nodes_in_service"] == 2, quiet
    assert collections.Counter(fleet.aws.calls()) == QUIET and fleet.aws.changes() == []
    with cause(fleet):
        loud, changes = look(fleet), fleet.aws.changes()
    assert not loud["quiet"] and words in loud["reasons"][0] and changes == [], loud
    assert loud["login_nodes_in_service"] == IN_SERVICE.get(event), loud
    assert loud["counts_again"] is not lasts


@NEWEST
def test_a_vpn_costs_four_more_calls(fleet: Fleet) -> None:
    vpn = Vpn(fleet)
    record_full_look(fleet, client_vpn_endpoint_id=vpn.endpoint)
    quiet = look(fleet)
    assert quiet["quiet"] and collections.Counter(fleet.aws.calls()) == {**QUIET, **VPN_CALLS}, quiet
    vpn.revoke("alice")
    assert look(fleet)["reasons"] == ["The Client VPN changed."]
    record_full_look(fleet, client_vpn_endpoint_id=vpn.endpoint)
    vpn.ec2.authorize_client_vpn_ingress(
        ClientVpnEndpointId=vpn.endpoint, TargetNetworkCidr="10.99.0.0/16", AuthorizeAllGroups=True
    )
    assert look(fleet)["reasons"] == ["The Client VPN changed."]


class Vpn:
    """The client VPN of the cluster's VPC, created as the role does."""

    def __init__(self, fleet: Fleet) -> None:
        self.aws, self.ec2 = fleet.aws, fleet.aws.client("ec2")
        fleet.aws.control("settings", {"client_vpn_seconds": 0.05, "client_vpn_interface_seconds": 0.05, "client_vpn_linger_seconds": 0.1})
        self.vpc, subnet, group = fleet.placed["ml"]
        pki = self._made("client_vpn_pki", people=["alice"])["client_vpn_pki"]
        server = {"secret": pki["server"]["secret"], "fingerprint": pki["server"]["fingerprint"]}
        arn = self._made("client_vpn_certificate", **server)["client_vpn_certificate"]["certificate_arn"]
        made = self._made(
            "client_vpn_endpoint",
            server_certificate_arn=arn,
            authentication=[{"type": "certificate", "client_root_certificate_arn": arn}],
            client_cidr="172.20.0.0/20",
            security_groups=[group],
            subnets=[subnet],
            authorization_rules=[{"cidr": "10.1.0.0/16"}],
            poll_interval=1,
        )
        self.endpoint: str = made["client_vpn_endpoint"]["client_vpn_endpoint_id"]
        self._keep(pki)

    def revoke(self, name: str) -> None:
        self._keep(self._made("client_vpn_pki", revoked=[name])["client_vpn_pki"])

    def _keep(self, pki: dict[str, t.Any]) -> None:
        wanted = {"client_vpn_endpoint_id": self.endpoint, "crl": pki["crl"]["pem"], "allowed": True, "poll_interval": 1}
        assert "failed" not in self.aws.start("client_vpn_revocation_list", **wanted)

    def _made(self, module: str, **options: t.Any) -> dict[str, t.Any]:
        result = self.aws.start(module, vpc_id=self.vpc, **options)
        assert not result.get("failed"), result
        return result
