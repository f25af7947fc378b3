# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The requests of a step, and the ones it must not send."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.objects.apply import Applier
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.objects.model import Declared, Desired, State
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.objects.observe import Observer
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.objects.plan import plan
from unit.module_utils._karpenter.proof.api_server import Server
from unit.module_utils._kubernetes.objects.api_server import FINALIZER, Pools, pool

LABELS = {"labels": {"app.kubernetes.io/managed-by": "mlfleet.hyperpod"}}


def run(pools: Pools, wanted: dict[str, t.Any], *, present: bool = True) -> State:
    """Without a wait."""
    desired = Desired((Declared(wanted),), present, adopt=False)
    with Server(pools) as kubernetes:
        observer = Observer(kubernetes, desired, waits=None)
        for step in plan(desired, observer()).steps:
            Applier(kubernetes)(step)
        return observer()


def test_objects_are_created_changed_and_deleted() -> None:
    pools = Pools()
    for weight in (1, 2, 2):
        run(pools, pool(meta=LABELS, weight=weight))
    assert pools.there["gpus"]["spec"] == {"weight": 2}
    assert run(pools, pool(meta=LABELS), present=False).found[0].live is None
    assert pools.changes == [("PATCH", "gpus"), ("PATCH", "gpus"), ("DELETE", "gpus")]


def test_pods_are_deleted_with_their_job() -> None:
    """The API server keeps them by default, if it deletes a Job of batch/v1."""
    pools = Pools(pool(meta=LABELS))
    run(pools, pool(meta=LABELS), present=False)
    assert pools.delete_options is not None and pools.delete_options["propagationPolicy"] == "Background"


@pytest.mark.parametrize("weight", [1, 2])
def test_an_object_in_deletion_is_not_changed(weight: int) -> None:
    """The API server would accept the change, which would be lost with the object."""
    pools = Pools(pool(meta=LABELS, weight=1))
    pools.leaving("gpus", FINALIZER)
    with pytest.raises(Refused, match="^NodePool gpus is being deleted"):
        run(pools, pool(meta=LABELS, weight=weight))
    assert pools.changes == []


def test_a_missing_kind_is_refused() -> None:
    with pytest.raises(Refused, match="has no kind Thing of none.example.com/v1"):
        run(Pools(), {"apiVersion": "none.example.com/v1", "kind": "Thing", "metadata": {"name": "a"}})
