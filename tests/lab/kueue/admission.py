# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Task governance's admission policy: in namespaces of teams, Pods, Deployments and StatefulSets need a queue.

HyperPod has it as a ValidatingAdmissionPolicy, which Kubernetes 1.20 lacks, so it is a validating webhook here. Objects of HyperPod's
operator are exempt.
"""

from __future__ import annotations

import typing as t

from lab.kubernetes.api import Object

from .objects import QUEUE

OF_TEAMS = {"sagemaker.amazonaws.com/activate-quota": "Enabled", "sagemaker.amazonaws.com/sagemaker-managed-queue": "true"}
"""Labels of namespaces with the policy."""
OPERATOR = "sagemaker.amazonaws.com/"
POLICY = "hyperpod-task-governance-admission-policy"
NAME = "lab-task-governance"
CONFIGURATIONS = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations"
_RULES = (("", ["pods"]), ("apps", ["deployments", "statefulsets"]))


def configuration(client: Object) -> Object:
    """:param client: how the API server reaches the webhook."""
    webhook = {
        "name": "queue.lab.mlfleet.example",
        "clientConfig": client,
        "rules": [{"apiGroups": [group], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": names} for group, names in _RULES],
        "namespaceSelector": {"matchLabels": OF_TEAMS},
        "failurePolicy": "Fail",
        "sideEffects": "None",
        "admissionReviewVersions": ["v1"],
    }
    return {"metadata": {"name": NAME}, "webhooks": [webhook]}


def judged(review: Object, scripted: t.Mapping[str, str]) -> Object:
    """The reply to an AdmissionReview.

    :param scripted: messages by prefixes of names that are refused with any labels.
    """
    message = _refusal(review["request"]["object"], scripted)
    status = {"status": {"code": 403, "message": message}} if message else {}
    answer = {"uid": review["request"]["uid"], "allowed": not message, **status}
    return {"apiVersion": review["apiVersion"], "kind": "AdmissionReview", "response": answer}


def _refusal(item: Object, scripted: t.Mapping[str, str]) -> str:
    meta = item["metadata"]
    name = str(meta.get("name") or meta.get("generateName") or "")
    refusal = next((message for begin, message in scripted.items() if name.startswith(begin)), "")
    if refusal or (meta.get("labels") or {}).get(QUEUE):
        return refusal
    if any(str(each.get("apiVersion")).startswith(OPERATOR) for each in meta.get("ownerReferences") or ()):
        return ""
    return f"{POLICY} denied request: label {QUEUE} is missing"
