"""Teardown removes only objects with our tag, and the policy covers every call in the life of a cluster."""

from __future__ import annotations

import json
import typing as t
from pathlib import Path

import pytest
from harness import World
from steps import step

POLICY = Path(__file__).resolve().parents[2] / "docs/reference/iam/login-access.json"
PREFIX = {"elbv2": "elasticloadbalancing"}
NO_PERMISSION = {"sts:GetCallerIdentity"}
CONFIRMED = ("-e", "teardown_confirm=ml")
PURGED = ("-e", "purge_secrets=true", "-e", "purge_secrets_confirm=ml")


def rules(world: World) -> list[tuple]:
    """Rules of all foreign security groups, in a form to compare."""
    ec2 = world.aws("ec2")
    ours = {group["GroupId"] for group in ec2.describe_security_groups()["SecurityGroups"] if _ours(group)}
    return sorted(
        (
            rule["GroupId"],
            rule["IsEgress"],
            rule["IpProtocol"],
            rule.get("FromPort"),
            rule.get("CidrIpv4", ""),
            rule.get("ReferencedGroupInfo", {}).get("GroupId", ""),
            rule.get("Description", ""),
        )
        for rule in ec2.describe_security_group_rules()["SecurityGroupRules"]
        if rule["GroupId"] not in ours
    )


def _ours(group: dict) -> bool:
    return any(tag["Key"] == "mlfleet.hyperpod/cluster" for tag in group.get("Tags", []))


@pytest.mark.slow
def test_teardown_removes_only_our_objects():
    bare = World()
    bare.reset(login=1, compute=0)
    before = rules(bare)
    foreign = bare.aws("elbv2").create_target_group(
        Name="foreign", Protocol="TCP", Port=22, TargetType="ip", VpcId=_vpc(bare)
    )["TargetGroups"][0]["TargetGroupArn"]
    with step("login_access"):
        bare.reset_calls()
        assert bare.playbook("login_access").rc == 0
        calls = bare.calls()
        added = [rule for rule in rules(bare) if rule not in before]
        assert [rule for rule in before if rule not in rules(bare)] == []
        assert sorted(rule[3] for rule in added) == [222, 223]

    with step("check mode"):
        bare.reset_calls()
        planned = bare.playbook("teardown", "--check")
        assert planned.rc == 0, planned.log
        assert bare.calls(mutating=True) == []
        calls += bare.calls()
    with step("teardown"):
        bare.reset_calls()
        done = bare.playbook("teardown", *CONFIRMED)
        calls += bare.calls()
        assert done.rc == 0, done.log
        assert rules(bare) == before
        left = bare.aws("elbv2").describe_target_groups()["TargetGroups"]
        assert [group["TargetGroupArn"] for group in left] == [foreign]
        assert bare.aws("elbv2").describe_load_balancers()["LoadBalancers"] == []
        assert [group for group in bare.aws("ec2").describe_security_groups()["SecurityGroups"] if _ours(group)] == []
        names = [secret["Name"] for secret in bare.aws("secretsmanager").list_secrets()["SecretList"]]
        assert len(names) == 1 and names[0].endswith("/ssh-host-keys")
        node = bare.login_nodes()[0]["name"]
        assert bare.on_node(node, "test", "-e", "/etc/ssh/sshd_config.d/10-mlfleet-hyperpod.conf").returncode == 1
        assert bare.on_node(node, "id", "alice").returncode == 0

    with step("teardown again"):
        again = bare.playbook("teardown", *CONFIRMED)
        assert (again.rc, again.changed) == (0, 0), again.log
        bare.aws("elbv2").delete_target_group(TargetGroupArn=foreign)

    with step("purge"):
        bare.reset_calls()
        purged = bare.playbook("teardown", *CONFIRMED, *PURGED)
        assert (purged.rc, purged.status) == (0, "changed"), purged.log
        assert _outside_the_policy(calls + bare.calls()) == set()


def _outside_the_policy(calls: list[dict[str, t.Any]]) -> set[str]:
    made = {f"{PREFIX.get(call['service'], call['service'])}:{call['operation']}" for call in calls}
    assert {"elasticloadbalancing:DeleteLoadBalancer", "secretsmanager:DeleteSecret"} <= made
    statements = json.loads(POLICY.read_text())["Statement"]
    actions = [statement["Action"] for statement in statements]
    allowed = {name for action in actions for name in ([action] if isinstance(action, str) else action)}
    return made - allowed - NO_PERMISSION


def _vpc(world: World) -> str:
    return world.aws("ec2").describe_subnets(SubnetIds=world.subnets()[:1])["Subnets"][0]["VpcId"]
