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
    ("message", "said"),
    [
        (NO_ROOM, f"no domain of topology nodes has room for any of its 4 pods. {STRAYS}"),
        (
            f'{NO_ROOM}. Total nodes: 12; excluded: nodeSelector: 1, affinity: 2, topologyDomain: 3, taint "k=v:NoSchedule": 2, '
            'resource "nvidia.com/gpu": 4, draNoFit: 1, newThing: 5',
            "no domain of topology nodes has room for any of its 4 pods; of 12 nodes 1 do not match its node selector, "
            "2 do not match its affinity, 3 are in another domain than required, "
            "2 have the taint k=v:NoSchedule, which it does not tolerate, 4 have too little nvidia.com/gpu left, "
            f"1 lack devices that it claims, 5 are excluded by newThing. {STRAYS}",
        ),
        (
            'topology "nodes" allows to fit only 3 out of 4 pod(s)',
            f"no domain of topology nodes has room for more than 3 of its 4 pods. {STRAYS}",
        ),
        (
            'topology "nodes" allows to fit only 1 out of 2 slice(s)',
            f"no domain of topology nodes has room for more than 1 of its 2 slices. {STRAYS}",
        ),
        (f"{NO_ROOM}. Total nodes: 3; excluded: something", f"has room for any of its 4 pods (Total nodes: 3; excluded: something). {STRAYS}"),
        (
            "no topology domains at level: rack",
            "no node has the labels of all layers of the Topology, so no domain exists at level rack",
        ),
        (
            "podset slice topology a is above the podset topology b",
            "its slices request layer a, which is above layer b of the whole job, so it can never start",
        ),
        ("anything else", ""),
    ],
)
def test_messages_about_topology(message, said):
    found = explained(message)
    assert found is not None and found.text.endswith(said) if said else found is None


@pytest.mark.parametrize("reason", BY_REASON)
def test_reasons_of_newer_kueues(reason):
    known = BY_REASON[reason]
    assert waiting(reserved(reason)) == known.text and next_step(reserved(reason)) == known.step
    assert waiting(reserved(reason, "as told")) == f"{known.text} (as told)"


def test_a_message_about_topology_says_more_than_its_reason():
    for reason in ("Pending", "TopologyPlacementFailed"):
        assert waiting(reserved(reason, NO_ROOM)) == f"{explained(NO_ROOM).text}. Kueue: {NO_ROOM}"
        assert next_step(reserved(reason, NO_ROOM)) == BY_REASON["TopologyPlacementFailed"].step


NO_DOMAIN = "couldn't assign flavors to pod set main: no topology domains at level: kubernetes.io/hostname"


@pytest.mark.parametrize(
    ("layers", "said"),
    [
        (
            (FlavorLayers("gpus", 5, 0, ((f"{LAYER}1", 5), (f"{LAYER}4", 0), ("kubernetes.io/hostname", 5))),),
            f"none of 5 nodes of flavor gpus has the labels of all layers of its Topology: {LAYER}1 on 5, {LAYER}4 on 0, "
            "kubernetes.io/hostname on 5",
        ),
        ((FlavorLayers("gpus", 5, 2, (("a", 5), ("b", 2))),), "2 of 5 nodes of flavor gpus have the labels of all its layers, but Kueue"),
        ((), "no node has the labels of all layers of the Topology, so no domain exists at level kubernetes.io/hostname"),
    ],
)
def test_no_domain_of_a_layer_names_all_layers_and_keeps_kueues_words(layers, said):
    workload = reserved("TopologyPlacementFailed", NO_DOMAIN)
    told = waiting(workload, layers)
    assert told.startswith(said) and told.endswith(f". Kueue: {NO_DOMAIN}") and lacks_domains(workload)
    assert not lacks_domains(reserved("TopologyPlacementFailed", NO_ROOM)) and not lacks_domains(None)
    assert not lacks_domains(Workload("w", conditions=conditions(QuotaReserved=("True", "", NO_DOMAIN))))


def test_what_is_not_known_is_shown():
    assert waiting(reserved("Pending", "insufficient unused quota for nvidia.com/gpu")) == "insufficient unused quota for nvidia.com/gpu"
    assert waiting(reserved("Novel", "something")) == "Novel: something"
    assert waiting(reserved("Novel")) == "Novel"


@pytest.mark.parametrize("reason", BY_EVICTION)
def test_evictions(reason):
    known = BY_EVICTION[reason]
    assert evicted(Condition("True", reason, "")) == known
    workload = reserved("Pending", "queued", Evicted=("True", reason, "as told"))
    assert waiting(workload) == f"queued; it was evicted before: {known.text} (as told)"
    assert next_step(workload) == known.step


def test_other_evictions():
    assert evicted(Condition("True", "DeactivatedDueToRequeuingLimitExceeded", "")) == BY_EVICTION["Deactivated"]
    assert evicted(Condition("True", "Novel", "x")).text == "Novel: x"


def test_on_the_way_to_admission():
    assert waiting(None) == "Kueue has not created a Workload for it yet"
    assert waiting(Workload("w")) == BY_REASON["PendingEvaluation"].text
    assert "admission checks are in progress" in waiting(Workload("w", conditions=conditions(QuotaReserved=("True", "", ""))))
    assert waiting(Workload("w", conditions=conditions(Admitted=("True", "", "")))) == ""
    off = Workload("w", active=False, conditions=conditions(Evicted=("True", "Deactivated", "too often")))
    assert waiting(off) == f"{BY_EVICTION['Deactivated'].text} (Deactivated: too often)"
    assert next_step(off) == BY_EVICTION["Deactivated"].step


WAITING_HELPS = {"WaitingForQuota", "WaitingForPreemptedWorkloads", "PendingEvaluation", "WaitingForPodsReady"}
"""Of the reasons that newer Kueues give."""


def test_every_reason_has_a_next_step_and_waiting_alone_is_one_where_it_helps():
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
def test_messages_of_older_kueues_have_a_next_step(message, step):
    assert next_step(reserved("Pending", message)).endswith(step)


def test_what_helps_goes_before_waiting():
    late = reserved("WaitingForQuota", "", Evicted=("True", "PodsReadyTimeout", ""))
    assert next_step(late) == BY_EVICTION["PodsReadyTimeout"].step
    assert next_step(reserved("ExceedsMaxQuota", "", Evicted=("True", "Preempted", ""))) == BY_REASON["ExceedsMaxQuota"].step
    assert "kueue-controller-manager" in next_step(None) and next_step(reserved("Novel")) == WAIT_ON


def again(evictions: tuple[str, ...] = (), **told: tuple[str, str, str]) -> Workload:
    return Workload("w", conditions=conditions(Admitted=("True", "Admitted", ""), **told), evictions=evictions)


OVER = ("False", "QuotaReserved", "Previously: for another")


@pytest.mark.parametrize(
    ("workload", "said"),
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
def test_why_one_that_is_admitted_again_was_evicted(workload, said):
    assert came_back(workload) == f"has been admitted again after an eviction: {said}"


@pytest.mark.parametrize("workload", [None, Workload("w"), again(), reserved("Pending", Evicted=("True", "Preempted", ""))])
def test_one_that_was_not_evicted_or_is_not_admitted_again(workload):
    assert came_back(workload) == ""
