# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A lost connection in plays whose nodes fail alone, and in others."""

from __future__ import annotations

import importlib
from pathlib import Path

import pytest
from ansible.errors import AnsibleConnectionFailure
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.node_action import ISOLATES, LOST, NodeAction

PLUGINS = Path(__file__).resolve().parents[3] / "plugins"
LOST_CONNECTION = AnsibleConnectionFailure("timed out")
NEVER_ISOLATED = {
    "accelerator_info": "in no play of ours",
    "host_certificate": "runs on the controller",
    "nccl_jobs": "runs on the controller",
    "offboarded_home": "its play ignores unreachable nodes",
    "slurm_job_info": "of a controller, without which its play has nothing to do",
    "slurm_user": "its play ignores unreachable nodes",
    "ssh_endpoint_info": "its task ignores unreachable nodes",
}
"""Modules that use code of nodes, and why a lost connection is no failure of theirs."""


def _of_nodes() -> list[str]:
    paths = sorted((PLUGINS / "modules").glob("*.py"))
    return [path.stem for path in paths if "module_utils._node." in path.read_text() and path.stem not in NEVER_ISOLATED]


@pytest.mark.parametrize("isolates", [True, False])
def test_a_lost_connection(action, isolates):
    made, node = action(NodeAction, {"name": "a"}, LOST_CONNECTION)
    if isolates:
        answer = made.run(task_vars={ISOLATES: True})
        assert (answer["failed"], answer[LOST], answer["msg"]) == (True, True, "timed out")
    else:
        with pytest.raises(AnsibleConnectionFailure):
            made.run(task_vars={})
    assert node.asked == [{"name": "a"}]


@pytest.mark.parametrize("module", _of_nodes())
def test_each_module_of_nodes_can_fail_alone(module):
    """With an action plugin of its own: what Ansible has for other modules makes the node unreachable."""
    found = importlib.import_module(f"ansible_collections.mlfleet.hyperpod.plugins.action.{module}")
    assert issubclass(found.ActionModule, NodeAction)
