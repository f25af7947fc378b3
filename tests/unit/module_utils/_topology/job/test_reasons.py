# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._topology.job.model import Condition, FlavorLayers, Workload
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._topology.job.reasons import (
    BY_EVICTION,
    BY_REASON,
    STRAYS,
    WAIT_ON,
    came_back,
    evicted,
    explained,
    lacks_domains,
    next_step,
    waiting,
)

from .jobs import LAYER, conditions

NO_ROOM = 'couldn\'t assign flavors to pod set main: topology "nodes" doesn\'t allow to fit any of 4 pod(s)'


def reserved(reason: str, message: str = "", **more: tuple[str, str, str]) -> Workload:
    return Workload("w", conditions=conditions(QuotaReserved=("False", reason, message), **more))


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        (NO_ROOM, f"no domain of topology nodes has room for any of its 4 Pods. {STRAYS}"),
        (
            f'{NO_ROOM}. Total nodes: 12; excluded: nodeSelector: 1, affinity: 2, topologyDomain: 3, taint "k=v:NoSchedule": 2, '
            'resource "nvidia.com/gpu": 4, draNoFit: 1, newThing: 5',
            "no domain of topology nodes has room for any of its 4 Pods; of 12 nodes, 1 do not match the job's node selector, "
            "2 do not match the job's affinity, 3 are not in the required domain, "
            "2 have the taint k=v:NoSchedule, which the job does not tolerate, 4 have too little nvidia.com/gpu left, "
            f"1 lack devices that the job claims, 5 are excluded by newThing. {STRAYS}",
        ),
        (
            'topology "nodes" allows to fit only 3 out of 4 pod(s)',
            f"no domain of topology nodes has room for more than 3 of its 4 Pods. {STRAYS}",
        ),
        (
            'topology "nodes" allows to fit only 1 out of 2 slice(s)',
            f"no domain of topology nodes has room for more than 1 of its 2 slices. {STRAYS}",
        ),
        (f"{NO_ROOM}. Total nodes: 3; excluded: something", f"has room for any of its 4 Pods (Total nodes: 3; excluded: something). {STRAYS}"),
        (
            "no topology domains at level: rack",
            "no node has the labels of all layers of the Topology, so no domain exists at level rack",
        ),
        (
            "podset slice topology a is above the podset topology b",
            "its slices request layer a, which is above the job's layer b, so the job can never start",
        ),
        ("anything else", ""),
    ],
)
def test_messages_about_topology_are_described(message, expected):
    found = explained(message)
    assert found is not None and found.text.endswith(expected) if expected else found is None


@pytest.mark.parametrize("reason", BY_REASON)
def test_reasons_of_newer_kueue_releases_are_described(reason):
    known = BY_REASON[reason]
    assert waiting(reserved(reason)) == known.text and next_step(reserved(reason)) == known.step
    assert waiting(reserved(reason, "as reported")) == f"{known.text} (as reported)"


def test_a_message_about_topology_is_more_specific_than_its_reason():
    for reason in ("Pending", "TopologyPlacementFailed"):
        assert waiting(reserved(reason, NO_ROOM)) == f"{explained(NO_ROOM).text}. Kueue: {NO_ROOM}"
        assert next_step(reserved(reason, NO_ROOM)) == BY_REASON["TopologyPlacementFailed"].step


NO_DOMAIN = "couldn't assign flavors to pod set main: no topology domains at level: kubernetes.io/hostname"


@pytest.mark.parametrize(
    ("layers", "start"),
    [
        (
            (FlavorLayers("gpus", 5, 0, ((f"{LAYER}1", 5), (f"{LAYER}4", 0), ("kubernetes.io/hostname", 5))),),
            f"none of 5 nodes of flavor gpus has the labels of all layers of its Topology: {LAYER}1 is set on 5, {LAYER}4 is set on 0, "
            "kubernetes.io/hostname is set on 5",
        ),
        ((FlavorLayers("gpus", 5, 2, (("a", 5), ("b", 2))),), "2 of 5 nodes of flavor gpus have the labels of all layers of its Topology, but Kueue"),
        ((), "no node has the labels of all layers of the Topology, so no domain exists at level kubernetes.io/hostname"),
    ],
)
def test_a_missing_domain_is_described_with_all_layers_and_the_message_of_kueue(layers, start):
    workload = reserved("TopologyPlacementFailed", NO_DOMAIN)
    text = waiting(workload, layers)
    assert text.startswith(start) and text.endswith(f". Kueue: {NO_DOMAIN}") and lacks_domains(workload)
    assert not lacks_domains(reserved("TopologyPlacementFailed", NO_ROOM)) and not lacks_domains(None)
    assert not lacks_domains(Workload("w", conditions=conditions(QuotaReserved=("True", "", NO_DOMAIN))))


def test_unknown_reasons_are_shown_unchanged():
    assert waiting(reserved("Pending", "insufficient unused quota for nvidia.com/gpu")) == "insufficient unused quota for nvidia.com/gpu"
    assert waiting(reserved("Novel", "something")) == "Novel: something"
    assert waiting(reserved("Novel")) == "Novel"


@pytest.mark.parametrize("reason", BY_EVICTION)
def test_evictions_are_described(reason):
    known = BY_EVICTION[reason]
    assert evicted(Condition("True", reason, "")) == known
    workload = reserved("Pending", "queued", Evicted=("True", reason, "as reported"))
    assert waiting(workload) == f"queued; the job was evicted before: {known.text} (as reported)"
    assert next_step(workload) == known.step


def test_unknown_evictions_are_shown_unchanged():
    assert evicted(Condition("True", "DeactivatedDueToRequeuingLimitExceeded", "")) == BY_EVICTION["Deactivated"]
    assert evicted(Condition("True", "Novel", "x")).text == "Novel: x"


def test_the_progress_of_admission_is_described():
    assert waiting(None) == "Kueue has not created a Workload for the job yet"
    assert waiting(Workload("w")) == BY_REASON["PendingEvaluation"].text
    assert "admission checks are in progress" in waiting(Workload("w", conditions=conditions(QuotaReserved=("True", "", ""))))
    assert waiting(Workload("w", conditions=conditions(Admitted=("True", "", "")))) == ""
    off = Workload("w", active=False, conditions=conditions(Evicted=("True", "Deactivated", "too often")))
    assert waiting(off) == f"{BY_EVICTION['Deactivated'].text} (Deactivated: too often)"
    assert next_step(off) == BY_EVICTION["Deactivated"].step


WAITING_HELPS = {"WaitingForQuota", "WaitingForPreemptedWorkloads", "PendingEvaluation", "WaitingForPodsReady"}
"""Reasons of newer Kueue releases for which waiting helps."""


def test_every_reason_has_a_next_step():
    known = {**BY_REASON, **BY_EVICTION}
    assert all(each.step and not each.step.endswith(".") for each in known.values())
    assert {reason for reason, each in known.items() if each.step == WAIT_ON} == WAITING_HELPS


@pytest.mark.parametrize(
    ("message", "step"),
    [
        (NO_ROOM, "or request a higher layer, preferred_topology, or fewer Pods"),
        ("no topology domains at level: rack", "or name a queue whose Topology has layers that the nodes have"),
        ("podset slice topology a is above the podset topology b", "Request slices of layer b, or of a lower one"),
        ("insufficient quota for cpu in flavor gpus, request > maximum capacity (9 > 8)", "raise the quota of the team in hyperpod_teams"),
        ("a: request > maximum capacity (9 > 8); insufficient unused quota for cpu in flavor b, 1 more needed", WAIT_ON),
        ("insufficient unused quota for cpu in flavor gpus, 1 more needed", WAIT_ON),
        ("anything else", WAIT_ON),
    ],
)
def test_messages_of_older_kueue_releases_have_a_next_step(message, step):
    assert next_step(reserved("Pending", message)).endswith(step)


def test_a_useful_step_precedes_waiting():
    late = reserved("WaitingForQuota", "", Evicted=("True", "PodsReadyTimeout", ""))
    assert next_step(late) == BY_EVICTION["PodsReadyTimeout"].step
    assert next_step(reserved("ExceedsMaxQuota", "", Evicted=("True", "Preempted", ""))) == BY_REASON["ExceedsMaxQuota"].step
    assert "kueue-controller-manager" in next_step(None) and next_step(reserved("Novel")) == WAIT_ON


def again(evictions: tuple[str, ...] = (), **more: tuple[str, str, str]) -> Workload:
    return Workload("w", conditions=conditions(Admitted=("True", "Admitted", ""), **more), evictions=evictions)


OVER = ("False", "QuotaReserved", "Previously: for another")


@pytest.mark.parametrize(
    ("workload", "expected"),
    [
        (again(Evicted=OVER, Requeued=("True", "Preempted", "for another")), "another job preempted it (for another)"),
        (again(Evicted=OVER, Requeued=("True", "BackoffFinished", "x")), "for another"),
        (
            again(("PodsReadyTimeout",), Evicted=OVER, Requeued=("True", "BackoffFinished", "x")),
            f"{BY_EVICTION['PodsReadyTimeout'].text} (for another)",
        ),
        (
            again(("Preempted", "Novel"), Evicted=("False", "QuotaReserved", "Previously: ")),
            "another job preempted it, and Novel",
        ),
        (again(Evicted=OVER, Requeued=("False", "DeactivatedDueToX", "")), "it was deactivated (for another)"),
        (again(Evicted=("False", "QuotaReserved", "")), "no reason is reported"),
        (again(Evicted=("True", "NodeFailures", "n1")), "some of its nodes failed, and no replacement was free (n1)"),
    ],
)
def test_the_last_eviction_of_a_readmitted_job_is_described(workload, expected):
    assert came_back(workload) == f"has been admitted again after an eviction: {expected}"


@pytest.mark.parametrize("workload", [None, Workload("w"), again(), reserved("Pending", Evicted=("True", "Preempted", ""))])
def test_only_a_readmitted_job_has_a_past_eviction(workload):
    assert came_back(workload) == ""
