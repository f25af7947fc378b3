# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Invalid definitions."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.objects.options import desired

POOL = {"apiVersion": "karpenter.sh/v1", "kind": "NodePool", "metadata": {"name": "gpus"}, "spec": {}}


def parsed(*definitions: t.Any) -> t.Any:
    return desired({"definitions": list(definitions), "state": "present", "adopt": False, "keep_foreign": False})


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"apiVersion": None}, "definitions[0].apiVersion: missing"),
        ({"kind": ""}, "definitions[0].kind: missing"),
        ({"metadata": None}, "definitions[0].metadata: missing"),
        ({"metadata": {}}, "definitions[0].metadata.name: None is not allowed. Allowed: a Kubernetes name"),
        ({"metadata": {"name": "Gpus"}}, "definitions[0].metadata.name: 'Gpus' is not allowed"),
        ({"metadata": {"name": "../nodes"}}, "definitions[0].metadata.name: '../nodes' is not allowed"),
        ({"metadata": {"name": "a", "namespace": "a/b"}}, "definitions[0].metadata.namespace: 'a/b' is not allowed"),
        ({"status": {}}, "definitions[0].status: not allowed"),
    ],
)
def test_invalid_definitions_are_refused(wrong: dict[str, t.Any], message: str) -> None:
    with pytest.raises(Refused) as refused:
        parsed({**POOL, **wrong})
    assert message in str(refused.value)


def test_a_duplicate_object_is_refused() -> None:
    with pytest.raises(Refused, match="NodePool gpus"):
        parsed(POOL, POOL)


def test_our_label_is_added_to_a_copy_of_the_definition() -> None:
    given = {**POOL, "metadata": {"name": "gpus", "labels": {"team": "a"}}}
    (declared,) = parsed(given).declared
    assert declared.definition["metadata"]["labels"] == {"team": "a", "app.kubernetes.io/managed-by": "mlfleet.hyperpod"}
    assert given["metadata"]["labels"] == {"team": "a"}
    assert declared.described == "NodePool gpus"


def test_a_foreign_object_is_adopted_or_kept() -> None:
    params = {"definitions": [], "state": "present", "adopt": True}
    assert not desired({**params, "keep_foreign": False}).keep_foreign
    with pytest.raises(Refused, match="^keep_foreign: True is not allowed: adopt is true. Allowed: false"):
        desired({**params, "keep_foreign": True})
