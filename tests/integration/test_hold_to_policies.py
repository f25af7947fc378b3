"""The documented policies allow all calls of the controller, and a missing action fails the run: the lab's API checks every call."""

from __future__ import annotations

import pytest
from harness import World
from lab.aws import permissions
from steps import step

DENIED = ("AccessDenied", "AccessDeniedException", "UnauthorizedOperation")
READ_ONLY_RUNS = (
    ("status",),
    ("access_report",),
    ("login_access", "--check"),
    ("drift", "--check"),
    ("events", "--check"),
    ("replace_nodes", "--check", "-e", "drain_reason=x", "-e", "replace_nodes=NODE"),
    ("update_software", "--check", "-e", "drain_reason=x", "-e", "update_groups=worker-group-1"),
)
REMOVED_ACTIONS = (
    ("login-access", "ssm:StartSession", ("login_access",)),
    ("login-access", "secretsmanager:GetSecretValue", ("login_access",)),
    ("login-access", "elasticloadbalancing:RegisterTargets", ("login_access",)),
    ("client-vpn", "ec2:CreateClientVpnEndpoint", ("client_vpn", "-e", "client_vpn_client_cidr=172.20.0.0/20")),
    ("events", "events:PutTargets", ("events",)),
    ("clusters", "sagemaker:BatchReplaceClusterNodes", ("replace_nodes", "-e", "drain_reason=x", "-e", "replace_nodes=NODE")),
)
"""Policy, removed action and run, in the order in which a cluster needs them: a run does not repeat what an earlier one reached."""
HEALED_AFTER = REMOVED_ACTIONS[2][:2]
"""After this action a run with all policies configures the whole cluster."""


@pytest.fixture
def policies(ready: World):
    """A function that replaces the policies for all calls."""
    yield lambda documents: ready.settings(policies=documents)
    ready.settings(policies=permissions.documented())


@pytest.mark.slow
def test_a_read_only_role_can_run_all_reports_and_check_modes(ready: World, policies):
    node = ready.hosts("worker-group-1")[0]["instance_id"]
    policies(permissions.documented("read-only"))
    for playbook, *arguments in READ_ONLY_RUNS:
        with step(playbook):
            ready.reset_calls()
            run = ready.playbook(playbook, *(each.replace("NODE", node) for each in arguments))
            assert run.rc == 0 and ready.calls(mutating=True) == [], run.log
            assert [call for call in ready.calls() if call["error"] in DENIED] == []


def test_a_read_only_role_is_denied_changes(ready: World, policies):
    node = ready.login_nodes()[0]["instance_id"]
    policies(permissions.documented("read-only"))
    refused = ready.playbook("drain", "-e", f"drain_nodes={node}", "-e", "drain_reason=x", "-e", "drain_settle=0")
    assert refused.rc == 2, refused.log
    assert "is not authorized to perform: ssm:PutParameter" in " ".join(refused.cluster()["failures"])
    assert [call["error"] for call in ready.calls(mutating=True)] == ["AccessDeniedException"]


@pytest.mark.slow
def test_a_missing_action_is_named(bare: World):
    node = bare.hosts("worker-group-1")[0]["instance_id"]
    for name, action, (playbook, *arguments) in REMOVED_ACTIONS:
        with step(action):
            bare.settings(policies=permissions.without(name, action))
            run = bare.playbook(playbook, *(each.replace("NODE", node) for each in arguments))
            assert run.rc == 2 or run.status in ("failed", "degraded"), run.log
            assert f"is not authorized to perform: {action} on resource: arn:" in " ".join(run.output.split()), run.log
        if (name, action) == HEALED_AFTER:
            bare.settings(policies=permissions.documented())
            healed = bare.playbook("login_access")
            assert (healed.rc, healed.status) == (0, "changed"), healed.log
    bare.settings(policies=permissions.documented())
