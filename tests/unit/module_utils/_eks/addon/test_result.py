# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is returned about an add-on."""

from __future__ import annotations

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.addon.model import (
    Addon,
    Catalogue,
    Desired,
    Identity,
    Issue,
    State,
    Version,
)
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.addon.result import result

DESIRED = Desired("pods", "cni")
ADDON = Addon("arn", "v1", "DEGRADED", (Issue("A", "b"),), '{"a": 1}', "role", (Identity("node", "other"),), "system", {"a": "b"})
OFFERED = Catalogue("1.34", (Version("v3"), Version("v2", default=True)))


def test_an_addon_is_returned() -> None:
    assert result(DESIRED, State(ADDON, OFFERED)) == {
        "eks_addon": {
            "exists": True,
            "name": "cni",
            "eks_cluster": "pods",
            "addon_arn": "arn",
            "version": "v1",
            "status": "DEGRADED",
            "issues": ["A: b"],
            "configuration": {"a": 1},
            "service_account_role_arn": "role",
            "pod_identity_associations": [{"service_account": "node", "role_arn": "other"}],
            "namespace": "system",
            "tags": {"a": "b"},
            "default_version": "v2",
            "latest_version": "v3",
        }
    }


def test_an_absent_addon_is_returned() -> None:
    assert result(DESIRED, State(None, OFFERED)) == {"eks_addon": {"exists": False, "name": "cni", "eks_cluster": "pods"}}
