"""What the controller does in AWS, the documented policies allow, and no less will do: the lab's API holds every call to them."""

from __future__ import annotations

import pytest
from harness import World
from lab.aws import permissions
from steps import step

DENIED = ("AccessDenied", "AccessDeniedException", "UnauthorizedOperation")
LOOKS = (
    ("status",),
    ("access_report",),
    ("login_access", "--check"),
    ("drift", "--check"),
    ("replace_nodes", "--check", "-e", "drain_reason=x", "-e", "replace_nodes=NODE"),
    ("update_software", "--check", "-e", "drain_reason=x", "-e", "update_groups=worker-group-1"),
)
TAKEN = (
    ("login-access", "ssm:StartSession", ("login_access",)),
    ("login-access", "secretsmanager:GetSecretValue", ("login_access",)),
    ("login-access", "elasticloadbalancing:RegisterTargets", ("login_access",)),
    ("client-vpn", "ec2:CreateClientVpnEndpoint", ("client_vpn", "-e", "client_vpn_client_cidr=172.20.0.0/20")),
    ("clusters", "sagemaker:BatchReplaceClusterNodes", ("replace_nodes", "-e", "drain_reason=x", "-e", "replace_nodes=NODE")),
)
"""In the order in which a cluster needs them: what one run has reached, the next need not ask for."""
RUNS_AFTER = TAKEN[2][:2]
"""With all of the policies back, the cluster is made what it shall be."""


@pytest.fixture
def policies(ready: World):
    """Holds calls to other policies."""
    yield lambda documents: ready.settings(policies=documents)
    ready.settings(policies=permissions.documented())


@pytest.mark.slow
def test_a_role_that_only_looks_sees_all_and_changes_nothing(ready: World, policies):
    node = ready.hosts("worker-group-1")[0]["instance_id"]
    policies(permissions.documented("read-only"))
    for playbook, *arguments in LOOKS:
        with step(playbook):
            ready.reset_calls()
            told = ready.playbook(playbook, *(each.replace("NODE", node) for each in arguments))
            assert told.rc == 0 and ready.calls(mutating=True) == [], told.log
            assert [call for call in ready.calls() if call["error"] in DENIED] == []


def test_a_role_that_only_looks_is_refused_what_changes(ready: World, policies):
    node = ready.login_nodes()[0]["instance_id"]
    policies(permissions.documented("read-only"))
    refused = ready.playbook("drain", "-e", f"drain_nodes={node}", "-e", "drain_reason=x", "-e", "drain_settle=0")
    assert refused.rc == 2, refused.log
    assert "is not authorized to perform: ssm:PutParameter" in " ".join(refused.cluster()["failures"])
    assert [call["error"] for call in ready.calls(mutating=True)] == ["AccessDeniedException"]


@pytest.mark.slow
def test_an_action_that_is_missing_is_named(bare: World):
    node = bare.hosts("worker-group-1")[0]["instance_id"]
    for name, action, (playbook, *arguments) in TAKEN:
        with step(action):
            bare.settings(policies=permissions.without(name, action))
            told = bare.playbook(playbook, *(each.replace("NODE", node) for each in arguments))
            assert told.rc == 2 or told.status in ("failed", "degraded"), told.log
            assert f"is not authorized to perform: {action} on resource: arn:" in " ".join(told.output.split()), told.log
        if (name, action) == RUNS_AFTER:
            bare.settings(policies=permissions.documented())
            healed = bare.playbook("login_access")
            assert (healed.rc, healed.status) == (0, "changed"), healed.log
    bare.settings(policies=permissions.documented())
