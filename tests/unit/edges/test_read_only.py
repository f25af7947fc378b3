# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""docs/reference/iam/read-only.json allows all calls of read-only runs; only check mode with keys needs the content of secrets."""

from __future__ import annotations

import json
import typing as t
from pathlib import Path

import pytest
from simulated import hostile

POLICY = Path(__file__).resolve().parents[3] / "docs/reference/iam/read-only.json"
PREFIX = {"elbv2": "elasticloadbalancing"}
NO_PERMISSION = {"sts:GetCallerIdentity"}
VPN = ("-e", '{"client_vpn_client_cidr": "172.20.0.0/20"}')

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> t.Iterator[hostile.World]:
    with hostile.world(tmp_path_factory.mktemp("read-only")) as made:
        yield made


def allowed() -> set[str]:
    actions = [statement["Action"] for statement in json.loads(POLICY.read_text())["Statement"]]
    return {action for each in actions for action in ([each] if isinstance(each, str) else each)}


@pytest.mark.parametrize(
    ("playbook", "arguments", "calls"),
    [
        ("status", ("--limit", "cluster_ml", *VPN), "secretsmanager:DescribeSecret"),
        ("client_vpn", ("--check", "--limit", "cluster_ml", *VPN), "ec2:DescribeClientVpnEndpoints"),
        ("access_report", (), "ssm:StartSession"),
        ("verify", (), "ec2:DescribeInstanceTypes"),
        ("topology", (), "sagemaker:ListClusterNodes"),
        ("placement", ("-e", "topology_job_measure_gain=true"), "ec2:DescribeInstanceTypes"),
    ],
)
def test_the_read_only_policy_allows_all_calls(world: hostile.World, playbook: str, arguments: tuple[str, ...], calls: str) -> None:
    """login_access takes longest and is left to tests/unit/docs/test_iam.py, which checks the policy for all read calls."""
    run = world.playbook(f"mlfleet.hyperpod.{playbook}", *arguments)
    called = {f"{PREFIX.get(call['service'], call['service'])}:{call['operation']}" for call in run.calls}
    assert calls in called, run.output
    assert called - allowed() - NO_PERMISSION == set()
    assert [call["operation"] for call in run.calls if call["mutating"]] == []
    documents = {call["arguments"].get("DocumentName") for call in run.calls if call["operation"] == "StartSession"}
    assert documents <= {"AWS-StartSSHSession"}


def test_check_mode_needs_the_content_of_secrets(world: hostile.World) -> None:
    world.aws.fault(kind="deny", operation="GetSecretValue")
    try:
        run = world.playbook("mlfleet.hyperpod.login_access", "--check", "--limit", "cluster_ml")
    finally:
        world.aws.clear_faults()
    assert run.rc == 2 and "ml  failed" in run.output and "GetSecretValue" in run.report, run.output
