# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""No login node in service: a failure, a registration in progress, or a deliberate drain."""

from __future__ import annotations

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._balancer.targets.model import (
    Desired,
    LoginNode,
    State,
    Target,
)
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._balancer.targets.service import service

ONE, TWO = "i-0000000000000000a", "i-0000000000000000b"
IP, IP2 = "10.1.1.11", "10.1.2.12"
NO_SERVICE = "No login node is in service, so logins are impossible: "


def judged(*nodes, targets=(), verified=(ONE, TWO), drained=(), fresh=()):
    wanted = Desired("hp-ml", verified=frozenset(verified), drained=frozenset(drained), minimum_healthy=0)
    seen = State(target_group_arn="arn", registered=tuple(targets), nodes=tuple(nodes))
    return service(wanted, seen, frozenset((ip, 22) for ip in fresh))


def code_and_text(found):
    return found["finding"]["code"], found["finding"]["text"]


def nodes(first="Running", second="Running"):
    return LoginNode(ONE, IP, first), LoginNode(TWO, IP2, second)


@pytest.mark.parametrize(
    ("found", "serving"),
    [
        (judged(*nodes(), targets=[Target(IP, 22, "healthy"), Target(IP2, 22, "unhealthy")]), [ONE]),
        (judged(*nodes(), targets=[Target(IP, 22, "healthy")], verified=()), [ONE]),
        (judged(*nodes("SystemUpdating"), targets=[Target(IP, 22, "healthy")]), [ONE]),
        (judged(*nodes(), targets=[Target(IP, 2200, "healthy")]), [ONE]),
        (judged(*nodes(), targets=[Target(IP2, 22, "healthy")], drained=[ONE]), [TWO]),
    ],
    ids=["one of two", "not verified now", "an update", "a port of before", "the other is drained"],
)
def test_a_healthy_target_of_a_login_node_serves(found, serving):
    assert found == {"login_nodes": 2, "in_service": serving, "finding": None}


@pytest.mark.parametrize(
    ("found", "failure"),
    [
        (judged(), "the cluster has no login node."),
        (
            judged(*nodes("ShuttingDown", "Pending")),
            f"{IP} ({ONE}) gets no logins (the node is ShuttingDown); {IP2} ({TWO}) gets no logins (the node is Pending).",
        ),
        (judged(nodes()[0], targets=[Target(IP, 22, "unhealthy", "Target.Timeout")]), f"{IP} ({ONE}) is unhealthy (Target.Timeout)."),
        (judged(nodes()[0], targets=[Target(IP, 22, "initial")]), f"{IP} ({ONE}) is initial."),
        (judged(nodes()[0], targets=[Target("10.9.9.9", 22, "healthy")]), f"{IP} ({ONE}) is not registered."),
        (judged(nodes()[0], verified=()), f"{IP} ({ONE}) gets no logins (the node is not verified yet)."),
        (judged(*nodes(), drained=[ONE]), f"{IP} ({ONE}) gets no logins (the node is drained); {IP2} ({TWO}) is not registered."),
    ],
    ids=["no nodes", "no node runs", "unhealthy", "initial since a run before", "a stranger", "not verified", "one drained, one sick"],
)
def test_without_a_login_node_in_service_the_reasons_are_reported(found, failure):
    assert (found["in_service"], code_and_text(found)) == ([], ("no-login-service", NO_SERVICE + failure))


def test_a_registration_by_this_run_in_progress_is_no_failure():
    found = judged(*nodes(), targets=[Target(IP, 22, "initial"), Target(IP2, 22, "unhealthy")], fresh=[IP])
    assert code_and_text(found) == ("login-service-starting", f"No login node is in service yet: AWS is still registering {IP} ({ONE}).")


def test_drained_login_nodes_are_no_failure():
    found = judged(*nodes(), targets=[Target(IP, 22, "draining")], drained=[ONE, TWO])
    assert (code_and_text(found)[0], found["login_nodes"]) == ("login-nodes-all-drained", 2)


def test_only_the_first_five_nodes_are_named():
    many = [LoginNode(f"i-0000000000000000{number}", f"10.1.1.{number}", "Pending") for number in range(9)]
    text = code_and_text(judged(*many))[1]
    assert text.count("Pending") == 5 and text.endswith("; and 4 more.")
