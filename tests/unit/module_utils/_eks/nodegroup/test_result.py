# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The return values of a node group."""

from __future__ import annotations

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.nodegroup.health import Issue
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.nodegroup.model import Desired, Nodegroup, State
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.nodegroup.result import result
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.nodegroup.table import SETTINGS


def test_an_absent_group_has_only_its_name() -> None:
    assert result(Desired("pods", "gpu"), State()) == {"eks_nodegroup": {"exists": False, "name": "gpu", "eks_cluster": "pods"}}


def test_every_setting_is_returned_and_an_unknown_one_is_null() -> None:
    group = Nodegroup("arn", "ACTIVE", {"version": "1.34"}, (Issue("NewCode"),), ("eks-1",), {"a": "b"})
    found = result(Desired("pods", "gpu"), State(group))["eks_nodegroup"]
    assert found == {
        "exists": True,
        "name": "gpu",
        "eks_cluster": "pods",
        "nodegroup_arn": "arn",
        "status": "ACTIVE",
        "issues": [{"code": "NewCode", "message": "", "resources": [], "next_step": "correct the problem that EKS reports"}],
        **dict.fromkeys(setting.option for setting in SETTINGS),
        "version": "1.34",
        "auto_scaling_groups": ["eks-1"],
        "tags": {"a": "b"},
    }
