# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Rights are refused unless a list names them, and in a team's namespace those that Pod Security refuses."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.job_kinds import kind_named
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._topology.job.allowed_rights import check

from .jobs import job

SHM = {"name": "shm", "hostPath": {"path": "/dev/shm"}}


def checked(namespace: str, *allowed: str, **spec: t.Any) -> tuple[str, ...]:
    made, kind = job(), kind_named("Job")
    made["spec"]["template"]["spec"] |= spec
    assert kind is not None
    return check(kind, made, namespace=namespace, allowed=allowed, source="src", option="pod_rights")


def test_a_job_without_rights_is_accepted() -> None:
    assert checked("hyperpod-ns-a") == checked("training") == ()


def test_the_refusal_contains_the_setting_that_allows_the_right() -> None:
    with pytest.raises(Refused) as refused:
        checked("training", "hostNetwork", hostNetwork=True, nodeName="n1", volumes=[SHM])
    assert str(refused.value) == (
        "src: hostPath=/dev/shm, nodeName=n1 is not allowed: such rights reach beyond the Pod. Allowed: Pods without these rights, or the option "
        'pod_rights: ["hostNetwork", "hostPath=/dev/shm", "nodeName=n1"].'
    )
    found = checked("training", "hostNetwork", "hostPath=/dev/shm", "nodeName=n1", hostNetwork=True, nodeName="n1", volumes=[SHM])
    assert found == ("hostNetwork", "hostPath=/dev/shm", "nodeName=n1")


def test_a_right_is_allowed_with_its_value() -> None:
    with pytest.raises(Refused, match="hostPath=/ is"):
        checked("training", "hostPath=/dev/shm", volumes=[{"name": "a", "hostPath": {"path": "/"}}])


def test_rights_that_pod_security_refuses_are_never_allowed_in_a_team_namespace() -> None:
    with pytest.raises(Refused) as refused:
        checked("hyperpod-ns-a", "hostPath=/dev/shm", volumes=[SHM])
    message = str(refused.value)
    assert message.startswith('src: hostPath=/dev/shm is not allowed: Pod Security "baseline", which applies to') and "hyperpod-ns-a" in message
    assert "use an emptyDir with medium Memory" in message


def test_other_rights_can_be_allowed_in_a_team_namespace() -> None:
    with pytest.raises(Refused, match="serviceAccountName=train is not allowed: such rights reach"):
        checked("hyperpod-ns-a", serviceAccountName="train")
    assert checked("hyperpod-ns-a", "serviceAccountName=train", serviceAccountName="train") == ("serviceAccountName=train",)
