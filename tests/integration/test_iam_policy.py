"""The policy in docs/iam.md covers every call of a cluster's life: set up, looked at, torn down."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from harness import World

POLICY = Path(__file__).resolve().parents[2] / "docs" / "iam.md"
PREFIX = {"elbv2": "elasticloadbalancing"}
NO_PERMISSION = {"sts:GetCallerIdentity"}


def allowed() -> set[str]:
    statements = json.loads(re.search(r"```json\n(.*?)```", POLICY.read_text(), re.S)[1])["Statement"]
    actions = [statement["Action"] for statement in statements]
    return {name for action in actions for name in ([action] if isinstance(action, str) else action)}


@pytest.mark.slow
def test_the_policy_covers_every_call(bare: World):
    for verb, arguments in (("login_access", ()), ("reconcile", ()), ("teardown", ("-e", "purge_secrets=true"))):
        run = bare.playbook(verb, *arguments)
        assert run.rc == 0, run.output
    made = {f"{PREFIX.get(call['service'], call['service'])}:{call['operation']}" for call in bare.calls()}
    assert "elasticloadbalancing:DeleteLoadBalancer" in made
    assert made - allowed() - NO_PERMISSION == set()
