# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Claims of FSx's volumes become the shared folder of their file system, and nothing else changes."""

from __future__ import annotations

import base64
import json
import typing as t

import pytest
from lab.kubernetes.api import ApiError, Object
from lab.pods import fsx
from lab.pods.node import SHARED

CLAIMS = {"checkpoints": "fsx", "scratch": "local", "unbound": ""}
SOURCES = {"fsx": {"csi": {"driver": fsx.DRIVER, "volumeHandle": "fs-1"}}, "local": {"hostPath": {"path": "/a"}}}


class Fake:
    """An API server with these claims and volumes."""

    def get(self, path: str) -> Object:
        kind, name = path.split("/")[-2:]
        if kind == "persistentvolumes":
            return {"spec": SOURCES[name]}
        if path != f"/api/v1/namespaces/research/persistentvolumeclaims/{name}" or name not in CLAIMS:
            raise ApiError(404, {})
        return {"spec": {"volumeName": CLAIMS[name]} if CLAIMS[name] else {}}


def patched(*claims: str, namespace: str = "research") -> list[Object]:
    volumes = [{"name": "tmp", "emptyDir": {}}, *({"name": each, "persistentVolumeClaim": {"claimName": each}} for each in claims)]
    pod = {"metadata": {}, "spec": {"volumes": volumes}}
    review = {"apiVersion": "admission.k8s.io/v1", "request": {"uid": "1", "namespace": namespace, "object": pod}}
    answer = fsx.reviewed(review, t.cast(t.Any, Fake()))
    assert (answer["kind"], answer["response"]["uid"], answer["response"]["allowed"]) == ("AdmissionReview", "1", True)
    return list(json.loads(base64.b64decode(answer["response"]["patch"]))) if "patch" in answer["response"] else []


def test_a_claim_of_fsx_is_a_folder_that_nodes_share() -> None:
    folder = {"path": f"/{SHARED}/fs-1", "type": "DirectoryOrCreate"}
    expected = {"op": "replace", "path": "/spec/volumes/2", "value": {"name": "checkpoints", "hostPath": folder}}
    assert patched("scratch", "checkpoints") == [expected]


@pytest.mark.parametrize("claims", [(), ("scratch",), ("unbound",), ("missing",)])
def test_other_volumes_stay(claims: tuple[str, ...]) -> None:
    assert patched(*claims) == []


def test_a_claim_is_that_of_the_pods_namespace() -> None:
    assert patched("checkpoints", namespace="other") == []


def test_no_pod_starts_without_the_webhook() -> None:
    (webhook,) = fsx.configuration({"url": "https://a"})["webhooks"]
    assert webhook["failurePolicy"] == "Fail" and webhook["rules"][0]["resources"] == ["pods"]
