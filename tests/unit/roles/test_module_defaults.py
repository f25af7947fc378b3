# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Modules receive the defaults of their groups in module_defaults, as applied by this ansible-core."""

from __future__ import annotations

import json
import subprocess
import sys
import typing as t
from pathlib import Path

import pytest
import yaml
from simulated import COLLECTIONS

ROOT = Path(__file__).resolve().parents[3]
OURS = "mlfleet.hyperpod."
LISTED = yaml.safe_load((ROOT / "meta/runtime.yml").read_text())["action_groups"]
SET: dict[str, dict[str, t.Any]] = {
    "aws": {"region": "us-west-2"},
    "internal_aws": {"profile": "research"},
    "cluster": {"cluster_arn": "arn"},
    "lock": {"lock": True},
}
OTHER_MODULE, NODE_MODULE = "amazon.aws.ec2_instance", f"{OURS}accounts"
PROGRAM = """
import json, sys
from ansible.plugins.loader import init_plugin_loader
init_plugin_loader([sys.argv[1]])
from ansible.executor.module_common import _apply_action_arg_defaults
from ansible.parsing.dataloader import DataLoader
from ansible.playbook.play import Play
from ansible.template import Templar

loader, play = DataLoader(), json.load(sys.stdin)
tasks = [task for block in Play.load(play, loader=loader).tasks for task in block.block]
print(json.dumps({task.action: _apply_action_arg_defaults(task.action, task, {}, Templar(loader)) for task in tasks}))
"""


def members(group: str) -> set[str]:
    return {each if each.startswith("amazon.aws.") else OURS + each for each in LISTED[group] if isinstance(each, str)}


@pytest.fixture(scope="module")
def applied() -> dict[str, t.Any]:
    """Arguments that a task without arguments gets, by module."""
    actions = [*members("internal_aws"), OTHER_MODULE, NODE_MODULE]
    defaults = {f"group/{OURS}{group}": arguments for group, arguments in SET.items()}
    play = {"hosts": "all", "gather_facts": False, "module_defaults": defaults, "tasks": [{each: {}} for each in actions]}
    command = [sys.executable, "-c", PROGRAM, str(COLLECTIONS)]
    done = subprocess.run(command, input=json.dumps(play), check=True, stdout=subprocess.PIPE, text=True)
    found: dict[str, t.Any] = json.loads(done.stdout)
    return found


def test_every_module_receives_the_defaults_of_its_groups(applied: dict[str, t.Any]) -> None:
    groups = {name: [group for group in ("internal_aws", "cluster", "lock") if name in members(group)] for name in members("internal_aws")}
    expected = {name: {key: value for group in ("aws", *own) for key, value in SET[group].items()} for name, own in groups.items()}
    assert {name: applied[name] for name in expected} == expected


def test_other_modules_receive_only_the_defaults_of_the_public_group(applied: dict[str, t.Any]) -> None:
    assert applied[OTHER_MODULE] == SET["aws"] and applied[NODE_MODULE] == {}
