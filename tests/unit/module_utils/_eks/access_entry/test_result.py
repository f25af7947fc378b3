# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is returned about an access entry."""

from __future__ import annotations

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.access_entry.model import Desired, Entry, Policy, State
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.access_entry.result import result

DESIRED = Desired("pods", "people")
ENTRY = Entry("arn", "people", "STANDARD", ("a",), "ann", (Policy("view", ("x",)), Policy("edit")), {"a": "b"})


def test_an_entry_is_returned() -> None:
    assert result(DESIRED, State(ENTRY)) == {
        "eks_access_entry": {
            "exists": True,
            "principal_arn": "people",
            "eks_cluster": "pods",
            "access_entry_arn": "arn",
            "type": "STANDARD",
            "kubernetes_groups": ["a"],
            "username": "ann",
            "access_policies": [{"policy": "view", "namespaces": ["x"]}, {"policy": "edit", "namespaces": []}],
            "tags": {"a": "b"},
        }
    }


def test_an_absent_entry_is_returned() -> None:
    assert result(DESIRED, State()) == {"eks_access_entry": {"exists": False, "principal_arn": "people", "eks_cluster": "pods"}}
