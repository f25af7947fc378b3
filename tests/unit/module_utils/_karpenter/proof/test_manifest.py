# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The pod of a proof: where it may run, its permissions, and its deadline."""

from __future__ import annotations

import dataclasses

import kubernetes_validate
import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._karpenter.proof.manifest import pod
from unit.module_utils._karpenter.proof.proof_states import DESIRED, G5, OURS, pool

TAINT = {"key": "nvidia.com/gpu", "value": "true", "effect": "NoSchedule"}
BARE = {"key": "warm", "effect": "NoExecute"}


def test_the_pod_runs_only_on_the_pool_and_the_type() -> None:
    spec = pod(DESIRED, pool(), G5)["spec"]
    assert spec["nodeSelector"] == {"karpenter.sh/nodepool": "gpus", "node.kubernetes.io/instance-type": G5}
    assert spec["tolerations"] == []


def test_the_pod_tolerates_only_the_taints_of_the_pool() -> None:
    spec = pod(DESIRED, pool(template={"taints": [TAINT], "startupTaints": [BARE]}), G5)["spec"]
    assert spec["tolerations"] == [{**TAINT, "operator": "Equal"}, {**BARE, "operator": "Equal", "value": ""}]


def test_the_pod_meets_the_restricted_pod_security_standard() -> None:
    """https://kubernetes.io/docs/concepts/security/pod-security-standards/"""
    spec = pod(DESIRED, pool(), G5)["spec"]
    own, (container,) = spec["securityContext"], spec["containers"]
    assert own["runAsNonRoot"] and own["runAsUser"] > 0 and own["seccompProfile"] == {"type": "RuntimeDefault"}
    assert container["securityContext"] == {"allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}}
    assert spec["automountServiceAccountToken"] is False
    assert not {"hostNetwork", "hostPID", "hostIPC", "volumes"} & spec.keys()


def test_the_pod_has_a_deadline_and_labels() -> None:
    made = pod(dataclasses.replace(DESIRED, up_seconds=300, image="pause:1"), pool(), G5)
    assert (made["spec"]["restartPolicy"], made["spec"]["activeDeadlineSeconds"]) == ("Never", 300)
    assert made["metadata"] == {"name": "hyperpod-proof-gpus", "namespace": "default", "labels": OURS}
    assert made["spec"]["containers"][0]["image"] == "pause:1"


@pytest.mark.parametrize("version", ["1.30", "1.31", "1.32", "1.33", "1.34", "1.35"])
def test_every_supported_kubernetes_version_has_all_its_fields(version: str) -> None:
    made = pod(DESIRED, pool(template={"taints": [TAINT], "startupTaints": [BARE]}), G5)
    kubernetes_validate.validate(made, version, strict=True)
    wrong = {**made, "spec": {**made["spec"], "automountToken": False}}
    with pytest.raises(kubernetes_validate.ValidationError, match="automountToken"):
        kubernetes_validate.validate(wrong, version, strict=True)
