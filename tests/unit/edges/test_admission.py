# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Access to the login balancer: checks of the declared ranges, and the rules that the role applies."""

from __future__ import annotations

import json
import typing as t
from pathlib import Path

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.findings.verdict import NOTHING_CHECKED
from simulated import REGION, Simulated, simulator
from simulated.limits import Run, cluster, inventory, playbook

ONE = inventory(cluster("ml"))
PUBLIC: dict[str, t.Any] = {"login_balancer_scheme": "internet-facing", "login_balancer_allowed_cidrs": ["0.0.0.0/0"]}
OURS = {"Name": "tag-key", "Values": ["mlfleet.hyperpod/cluster"]}
TASKS = """
- hosts: hyperpod_clusters
  gather_facts: false
  module_defaults:
    group/amazon.aws.aws: {region: us-west-2}
    group/mlfleet.hyperpod.aws: {region: us-west-2}
    group/mlfleet.hyperpod.cluster: {cluster_arn: "{{ hyperpod_cluster_arn }}"}
  tasks:
    - ansible.builtin.include_role: {name: mlfleet.hyperpod.login_balancer, tasks_from: TASKS_FROM}
"""


def run(folder: Path, tasks_from: str, variables: dict[str, t.Any], **environment: str) -> Run:
    path = folder / "playbook.yml"
    path.write_text(TASKS.replace("TASKS_FROM", tasks_from))
    return playbook(folder, str(path), "-e", json.dumps(variables), source=ONE, **environment)


BARE = {"load_balancer": {"name": "foreign", "arn": "arn", "security_groups": []}}


@pytest.mark.parametrize(
    "variables",
    [PUBLIC, {"login_balancer_scheme": "internet-facing", "hyperpod_run": {"records": {"adopted": {"balancer": BARE}}}}],
    ids=["by its ranges", "by a load balancer without security groups"],
)
def test_access_from_the_whole_internet_is_refused_before_any_api_call(tmp_path: Path, variables: dict[str, t.Any]) -> None:
    done = run(tmp_path, "cluster/declared", variables)
    assert done.rc == 2 and "or login_balancer_public_confirm: true." in done.output, done.output


@pytest.mark.parametrize(
    ("variables", "note"),
    [
        ({**PUBLIC, "login_balancer_public_confirm": True}, "The whole internet may connect to the login balancer of ml"),
        ({"login_balancer_allowed_cidrs": []}, "login_balancer_allowed_cidrs is empty, so only users of a Client VPN"),
        ({}, None),
    ],
    ids=["the whole internet", "an empty list", "not set"],
)
def test_the_report_notes_who_is_admitted(tmp_path: Path, variables: dict[str, t.Any], note: str | None) -> None:
    done = run(tmp_path, "cluster/declared", variables)
    assert done.rc == 0 and done.clusters is not None, done.output
    notes = [each for each in done.clusters["ml"]["notes"] if each != NOTHING_CHECKED]
    assert [each for each in notes if note and each.startswith(note)] == notes and len(notes) == (note is not None), notes


@pytest.mark.slow
def test_an_empty_list_removes_the_rules(tmp_path: Path) -> None:
    with simulator(tmp_path) as url:
        ec2 = Simulated(url).client("ec2")
        vpc = ec2.create_vpc(CidrBlock="10.1.0.0/16")["Vpc"]["VpcId"]
        nodes = ec2.create_security_group(GroupName="nodes", Description="nodes", VpcId=vpc)["GroupId"]
        network = {"id": vpc, "cidr_block_association_set": [{"cidr_block": "10.1.0.0/16"}]}
        environment = {
            "AWS_ENDPOINT_URL": url,
            "AWS_DEFAULT_REGION": REGION,
            "AWS_ACCESS_KEY_ID": "AKIAEXAMPLE",
            "AWS_SECRET_ACCESS_KEY": "example",
        }
        admitted = []
        for more in ({}, {"login_balancer_allowed_cidrs": []}):
            cluster = {"subnets": [], "security_groups": [nodes], "groups": [{"name": "login", "node_type": "login"}]}
            known = {"__login_balancer_vpc": network, "hyperpod_run": {"cluster": cluster}, "hyperpod_profile": ""}
            known["__login_targets_read"] = {"ports": [], "draining_ports": [], "health_check_port": None}
            done = run(tmp_path, "cluster/security_groups", {**known, **more}, **environment)
            assert done.rc == 0, done.output
            (group,) = ec2.describe_security_groups(Filters=[OURS])["SecurityGroups"]
            admitted.append([each["CidrIp"] for rule in group["IpPermissions"] for each in rule["IpRanges"]])
        assert admitted == [["10.1.0.0/16"], []]
