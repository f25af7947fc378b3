"""The policy in docs/iam.md, the modules' notes and the roles' READMEs say the same."""

from __future__ import annotations

import importlib.util
import json
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
SPEC = importlib.util.spec_from_file_location("role_docs", ROOT / "tools" / "role_docs.py")
role_docs = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(role_docs)

# Asked by AWS of who creates the first balancer or VPN endpoint of an account; no call of ours.
ON_BEHALF = {"iam:CreateServiceLinkedRole"}


def policy() -> list[dict]:
    blocks = re.findall(r"```json\n(.*?)```", (ROOT / "docs" / "iam.md").read_text(), re.S)
    return [statement for block in blocks for statement in json.loads(block)["Statement"]]


def as_list(value: str | list[str]) -> list[str]:
    return [value] if isinstance(value, str) else value


def allowed() -> set[str]:
    return {action for statement in policy() for action in as_list(statement["Action"])}


def needed() -> set[str]:
    roles = [path.parents[1] for path in ROOT.glob("roles/*/meta/argument_specs.yml")]
    found = {action for role in roles for action in role_docs.actions(role_docs.modules(role))}
    return found | role_docs.documented_actions(ROOT / "plugins" / "inventory" / "hyperpod.py")


def test_the_policy_allows_what_the_notes_name_and_nothing_else():
    assert needed() - allowed() == set(), "named by a module, not in docs/iam.md"
    assert allowed() - needed() - ON_BEHALF == set(), "in docs/iam.md, named by no module"


def test_no_wildcard_action_and_no_writing_everywhere():
    for statement in policy():
        assert not [action for action in as_list(statement["Action"]) if "*" in action]
        if "*" in as_list(statement["Resource"]):
            writing = [action for action in as_list(statement["Action"]) if not re.search(r":(Describe|List)", action)]
            assert writing == [], f"{statement['Sid']}: {writing} on all resources"


def test_every_aws_module_names_its_actions():
    names = re.findall(r"^    - ([a-z_]+)$", (ROOT / "meta" / "runtime.yml").read_text(), re.M)
    assert "node_access" in names
    for name in names:
        assert role_docs.documented_actions(ROOT / "plugins" / "modules" / f"{name}.py"), name
