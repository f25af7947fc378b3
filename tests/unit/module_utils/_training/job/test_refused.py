# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The next step for objects that were refused."""

from __future__ import annotations

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.client import KubernetesError
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._training.job.refused import answered, clause, refused

from .described import desired

QUOTA = 'pods "w-0" is forbidden: exceeded quota: gpus, requested: requests.nvidia.com/gpu=8, used: 0, limited: 4'
LIMIT = 'pods "w-0" is forbidden: [maximum memory usage per Container is 1Gi, but limit is 128Gi]'
RATIO = 'pods "w-0" is forbidden: cpu max limit to request ratio per Pod is 2'
LEAVING = 'configmaps "a" is forbidden: unable to create new content in namespace ml because it is being terminated'
QUEUE = "ValidatingAdmissionPolicy 'p' with binding 'b' denied request: label kueue.x-k8s.io/queue-name is required."
SECURITY = 'pods "w-0" is forbidden: violates PodSecurity "restricted:latest": runAsNonRoot != true'


@pytest.mark.parametrize(
    ("message", "step"),
    [
        (QUOTA, "Wait until other Pods of namespace ml have ended, or raise its ResourceQuota."),
        ('pods "w-0" is forbidden: failed quota: q: must specify limits.cpu', "Choose a namespace without such a ResourceQuota."),
        (LIMIT, "Raise the LimitRange of namespace ml, or choose a different namespace."),
        (RATIO, "Raise the LimitRange of namespace ml, or choose a different namespace."),
        (LEAVING, "Wait until namespace ml no longer exists, or choose a different namespace."),
        (QUEUE, "Set the option queue to a queue of namespace ml."),
        (SECURITY, "Choose a namespace that enforces Pod Security level baseline or privileged."),
        ('User "u" cannot create resource "jobs" in API group "batch"', "Allow the caller to create the object in namespace ml."),
        ('User "u" cannot delete resource "pods" in API group ""', "Allow the caller to delete Pods in namespace ml."),
        ('namespaces "ml" not found', "Name a namespace that exists."),
        ('admission webhook "x" denied the request: no', "Change the setting that the message names, or choose a different namespace."),
        ("{namespace}", "Change the setting that the message names, or choose a different namespace."),
    ],
)
def test_each_refusal_has_a_next_step(message: str, step: str) -> None:
    found = refused(desired(claim="fsx", checkpoint="c", namespace="ml"), "the PyTorchJob", message)
    assert found.failure == "refused" and found.text == f"The API server refuses the PyTorchJob: {message.rstrip('.')}. {step}"


@pytest.mark.parametrize(
    ("message", "expected"), [("One. Two.", "One; Two"), ("a\x1b[2J\n", "a?[2J?"), ("x" * 501, "x" * 500), ("", "")]
)
def test_a_message_is_part_of_a_sentence(message: str, expected: str) -> None:
    assert clause(message) == expected


@pytest.mark.parametrize(
    ("text", "expected"), [("POST /a?b=c was answered with 403: no: not now", "no: not now"), ("GET /a got no answer", "GET /a got no answer")]
)
def test_the_message_of_an_answer_is_read(text: str, expected: str) -> None:
    assert answered(KubernetesError(text, 403)) == expected
