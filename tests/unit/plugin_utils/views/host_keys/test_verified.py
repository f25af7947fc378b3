# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""From where the host keys of login nodes are checked, and the results."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.views.host_keys import verified

Variables = dict[str, t.Any]
OnCluster = t.Callable[..., Variables]
READY = {"hyperpod_run": {"ready": True}}
LISTED = [
    {"instance_id": "i-ml-3", "node_type": "controller", "ip": "10.1.1.3", "status": "Running"},
    *({"instance_id": f"i-ml-{each}", "node_type": "login", "ip": f"10.1.1.{each}", "status": "Running"} for each in (1, 2)),
    {"instance_id": "i-ml-4", "node_type": "login", "ip": "10.1.1.4", "status": "Pending"},
]
READ = {"__host_keys_addresses": {"nodes": LISTED}}
CERTIFIED = {"host_keys_identity": "certificates"}


def own(letter: str) -> Variables:
    return {"__host_keys_identity": {"host_keys": [letter], "certificates": {"ed25519": f"cert {letter}"}}}


def places(found: t.Iterable[t.Mapping[str, t.Any]]) -> list[tuple[str, int]]:
    return [(each["name"], each["port"]) for each in found]


def seen(*verdicts: tuple[str, int, str], by: str = "ml-2") -> Variables:
    return {"item": by, "ssh_endpoints": {"endpoints": [{"name": name, "port": port, "verdict": verdict} for name, port, verdict in verdicts]}}


def test_running_login_nodes_are_checked_and_ready_ones_also_on_the_port_for_users(on_cluster: OnCluster) -> None:
    found = verified.endpoints({**on_cluster(ml_2=READY, b_1=READY), **READ})
    assert (found.running, found.via) == (["i-ml-1", "i-ml-2"], "paramiko")
    assert places(found.expected) == [("i-ml-1", 22), ("i-ml-2", 22), ("i-ml-2", 222)]
    assert found.expected[-1] == {"name": "i-ml-2", "host": "10.1.1.2", "port": 222}


def test_nodes_with_certificates_are_checked_if_their_keys_are_known(on_cluster: OnCluster) -> None:
    found = verified.endpoints({**on_cluster(ml_1=own("A"), b_2=own("B")), **READ, **CERTIFIED})
    assert (found.running, found.via) == (["i-ml-1", "i-ml-2"], "keyscan")
    assert found.expected == [{"name": "i-ml-1", "host": "10.1.1.1", "port": 22, "host_keys": ["A"], "certificates": ["cert A"]}]


def test_a_ready_login_node_checks_unreachable_endpoints(on_cluster: OnCluster) -> None:
    from_here = {"__host_keys_seen": seen(("i-ml-1", 22, "unverified"), ("i-ml-2", 22, "agrees"), ("i-ml-2", 222, "unverified"))}
    found = verified.unseen({**on_cluster(ml_2=READY), **READ, **from_here})
    assert (places(found.endpoints), found.hosts) == ([("i-ml-1", 22), ("i-ml-2", 222)], ["ml-2"])
    assert verified.unseen({**on_cluster(), **READ, **from_here}).hosts == []
    assert verified.unseen({**on_cluster(ml_1=READY, ml_2=READY), **READ, **from_here}).hosts == ["ml-1", "ml-2"]


REACHED = {"hyperpod_run": {"reached": True}}


@pytest.mark.parametrize(
    ("nodes", "hosts"),
    [
        ({"ml_2": READY, "ml_3": REACHED}, ["ml-2", "ml-3"]),
        ({"ml_1": READY, "ml_2": READY, "ml_3": REACHED}, ["ml-1", "ml-2", "ml-3"]),
        ({"ml_2": READY, "ml_3": {"hyperpod_run": {"reached": True, "failed": True}}}, ["ml-2"]),
        ({"ml_2": READY, "b_3": REACHED}, ["ml-2"]),
    ],
)
def test_controllers_check_too_if_there_are_few_login_nodes(on_cluster: OnCluster, nodes: Variables, hosts: list[str]) -> None:
    variables = on_cluster(**nodes)
    groups = {**variables["groups"], "node_type_controller": ["b-3", "ml-3"]}
    from_here = {"__host_keys_seen": seen(("i-ml-2", 22, "unverified"))}
    assert verified.unseen({**variables, "groups": groups, **READ, **from_here}).hosts == hosts


def test_login_nodes_do_not_check_endpoints_that_were_seen(on_cluster: OnCluster) -> None:
    found = verified.unseen(
        {**on_cluster(ml_2=READY), **READ, "__host_keys_seen": seen(("i-ml-1", 22, "differs"), ("i-ml-2", 22, "agrees"))}
    )
    assert (found.endpoints, found.hosts) == ([], [])


def verdicts(variables: Variables, answers: t.Any, *here: tuple[str, int, str], **given: t.Any) -> verified.Verdicts:
    """``answers``: the results of login nodes."""
    from_nodes = {"results": [answers] if isinstance(answers, dict) else answers}
    return verified.verdicts({**variables, **READ, **given, "__host_keys_seen": seen(*here), "__host_keys_seen_from_nodes": from_nodes})


def test_ready_nodes_with_matching_keys_are_verified(on_cluster: OnCluster) -> None:
    here = [("i-ml-1", 22, "agrees"), ("i-ml-2", 22, "agrees"), ("i-ml-2", 222, "unverified")]
    found = verdicts(on_cluster(ml_2=READY), seen(("i-ml-2", 222, "agrees"), by="ml-1"), *here)
    assert found == verified.Verdicts(["i-ml-2"], [], [], [])
    assert verdicts(on_cluster(ml_2=READY), [], *here).verified == []


@pytest.mark.parametrize("answers", [{"ssh_endpoints": "all"}, {"ssh_endpoints": None}, {"ssh_endpoints": {"endpoints": "all"}}])
def test_a_malformed_answer_verifies_nothing(on_cluster: OnCluster, answers: Variables) -> None:
    found = verdicts(on_cluster(ml_2=READY), {"item": "ml-1", **answers}, ("i-ml-2", 22, "unverified"))
    assert (found.verified, found.differ, found.not_seen) == ([], [], [])


@pytest.mark.parametrize(("given", "expected"), [({}, "the shared host keys"), (CERTIFIED, "those in its files")])
def test_nodes_that_present_other_host_keys_are_reported(on_cluster: OnCluster, given: Variables, expected: str) -> None:
    found = verdicts(on_cluster(ml_1=READY), [], ("i-ml-1", 22, "differs"), ("i-ml-1", 222, "differs"), **given)
    assert [(each["code"], each["kind"], each["node"]) for each in found.differ] == [("other-host-keys", "pending", "i-ml-1")] * 2
    assert [each["brief"] for each in found.differ] == [
        f"presents host keys that differ from {expected}.",
        f"at port 222 presents host keys that differ from {expected}.",
    ]


OF_1, GOOD_1, BAD_1 = ("i-ml-1", 22, "unverified"), ("i-ml-1", 22, "agrees"), ("i-ml-1", 22, "differs")


@pytest.mark.parametrize("lie", [{}, "all", {"item": "ml-3", "ssh_endpoints": 7}, seen(BAD_1, by="b-1"), seen(BAD_1, by="unknown")])
def test_invalid_answers_do_not_exclude_a_node(on_cluster: OnCluster, lie: t.Any) -> None:
    for answers in ([lie, seen(GOOD_1)], [seen(GOOD_1), lie]):
        found = verdicts(on_cluster(ml_1=READY, ml_2=READY), answers, OF_1)
        assert found == verified.Verdicts(["i-ml-1"], [], [], [])


def test_a_node_does_not_vouch_for_itself(on_cluster: OnCluster) -> None:
    found = verdicts(on_cluster(ml_1=READY), seen(GOOD_1, by="ml-1"), OF_1)
    assert (found.verified, found.differ) == ([], [])
    assert [(each["code"], each["kind"], each["node"]) for each in found.doubtful] == [("host-keys-unverified", "pending", "i-ml-1")]
    outvoted = verdicts(on_cluster(ml_1=READY, ml_2=READY), [seen(GOOD_1, by="ml-1"), seen(BAD_1), seen(BAD_1, by="ml-3")], OF_1)
    assert (outvoted.verified, outvoted.doubtful) == ([], [])
    assert [(each["code"], each["node"]) for each in outvoted.differ] == [("other-host-keys", "i-ml-1")]


def test_contradicting_nodes_verify_nothing_and_are_named(on_cluster: OnCluster) -> None:
    found = verdicts(on_cluster(ml_1=READY, ml_2=READY), [seen(GOOD_1), seen(BAD_1, by="ml-3")], OF_1)
    assert (found.verified, found.differ) == ([], [])
    (dispute,) = found.doubtful
    assert (dispute["code"], dispute["kind"], dispute["node"]) == ("host-keys-disputed", "pending", "i-ml-1")
    assert "at port 22. The expected host keys were read by i-ml-2, and different ones by i-ml-3." in dispute["text"]


def test_nodes_that_are_not_ready_are_not_reported_as_unverified(on_cluster: OnCluster) -> None:
    assert verdicts(on_cluster(ml_2=READY), [], OF_1).doubtful == []


FAILED, LOST = {"item": "ml-1", "failed": True, "msg": "no python"}, {"item": "ml-2", "unreachable": True}


@pytest.mark.parametrize(
    ("answers", "reasons"),
    [
        ([FAILED], "ml-1: no python"),
        ([FAILED, LOST], "ml-1: no python; ml-2: no message"),
        ([FAILED, {"item": "ml-2"}], None),  # the other one answered
        ([{"failed": False}], None),
        ([], None),
    ],
)
def test_login_nodes_that_could_not_check_are_reported(on_cluster: OnCluster, answers: t.Any, reasons: str | None) -> None:
    found = verdicts(on_cluster(ml_2=READY), answers, OF_1).not_seen
    text = f"No node could read the host keys of the login nodes: {reasons}"
    assert [(each["code"], each["kind"], each["text"]) for each in found] == [("host-keys-not-seen", "failure", text)] * bool(
        reasons
    )


def test_nodes_with_equal_host_keys_are_reported(on_cluster: OnCluster) -> None:
    same = on_cluster(ml_1=own("A"), ml_2=own("A"), b_1=own("A"))
    (found,) = verified.alike({**same, **CERTIFIED})
    assert (found["code"], found["kind"]) == ("same-host-keys", "note") and found["text"].startswith("i-ml-1, i-ml-2 have")
    assert verified.alike(same) == []
    assert verified.alike({**on_cluster(ml_1=own("A"), ml_2=own("B"), b_1=own("A")), **CERTIFIED}) == []
