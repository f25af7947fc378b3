# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""When a cluster counts as quiet: one reason suffices that it does not, or that a full look is not recorded."""

from __future__ import annotations

import dataclasses
import datetime
import re

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.arn import ClusterArn
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.full_look import reasons as full_look
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.full_look.model import (
    FullLook,
    Observed,
    RunContext,
    targets_digest,
)

ARN = ClusterArn.parse("arn:aws:sagemaker:us-west-2:111111111111:cluster/abc123def456")
NOW = datetime.datetime(2026, 11, 22, 12, 0, tzinfo=datetime.timezone.utc)
IDS = frozenset({"i-1", "i-2"})
TARGETS = {"10.1.1.11:22": "healthy", "10.1.1.12:22": "healthy"}
DECLARED = {"variables": "a", "files": "b"}
OBSERVED = Observed(generation=6, nodes="n", instance_ids=IDS, records="r")


def minutes_ago(minutes: float) -> str:
    return (NOW - datetime.timedelta(minutes=minutes)).isoformat().replace("+00:00", "Z")


LOOK = FullLook(
    looked=minutes_ago(1),
    well=True,
    generation=6,
    declared=DECLARED,
    nodes="n",
    records="r",
    targets=targets_digest(TARGETS),
    target_group="arn:aws:elasticloadbalancing:us-west-2:111111111111:targetgroup/hp-ml/0123456789abcdef",
    endpoint="cvpn-endpoint-1",
    vpn="v",
    due="2026-12-01T00:00:00Z",
)
RUN = RunContext(cluster_id=ARN.id, now=NOW, declared=DECLARED, inventory=IDS, minutes=7 * 24 * 60)


def test_an_unchanged_cluster_is_quiet():
    assert full_look.reasons(LOOK, RUN, OBSERVED) == ()
    assert full_look.reasons_of_parts(LOOK, targets=TARGETS, vpn="v") == ()


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"look": None}, "No full look is recorded."),
        ({"well": False}, "changed something, left something pending or failed, or did not end"),
        ({"looked": minutes_ago(8 * 24 * 60)}, "last one was at 2026-11-14"),
        ({"looked": minutes_ago(-6)}, "last one was at 2026-11-22T12:06"),
        ({"due": minutes_ago(0)}, "Since 2026-11-22T12:00:00Z, something has expired or may be renewed"),
        ({"minutes": 0}, "last one was at"),
        ({"full": True}, "checks everything, as requested"),
        ({"declared": {**DECLARED, "files": "c"}}, r"The declaration changed \(files\)"),
        ({"declared": {**DECLARED, "people of the client VPN": "p"}}, r"changed \(people of the client VPN\)"),
        ({"declared": {}}, "The declaration changed"),
        ({"problem": "/srv/users.txt can't be read."}, "can't be compared with that of the last full look: /srv/users.txt can't be read"),
        ({"generation": 7}, "The lock's generation changed from 6 to 7"),
        ({"generation": 5}, "The lock's generation changed from 6 to 5"),
        ({"holder": "ops@bastion"}, "The lock is held by ops@bastion"),
        ({"nodes": "another status"}, "have a new disk or status"),
        ({"inventory": frozenset({"i-1"})}, "The inventory and the cluster differ in these nodes: i-2"),
        ({"inventory": frozenset({"i-1", "i-2", "i-3"})}, "The inventory and the cluster differ in these nodes: i-3"),
        ({"records": "drained"}, "The records about nodes and users changed"),
    ],
)
def test_a_single_reason_makes_a_cluster_not_quiet(change, words):
    look = None if "look" in change else LOOK
    made = {name: value for name, value in change.items() if name != "look"}
    for kind in ("well", "looked", "due"):
        look = dataclasses.replace(look, **{kind: made.pop(kind)}) if kind in made else look
    of_run = {name: made.pop(name) for name in ("minutes", "full", "declared", "problem", "inventory") if name in made}
    reasons = full_look.reasons(look, dataclasses.replace(RUN, **of_run), dataclasses.replace(OBSERVED, **made))
    assert len(reasons) == 1
    assert re.search(words, reasons[0]), reasons


@pytest.mark.parametrize(
    ("targets", "vpn", "words"),
    [
        ({**TARGETS, "10.1.1.12:22": "unhealthy"}, "v", "These targets are not healthy: 10.1.1.12:22 (unhealthy)."),
        ({**TARGETS, "10.1.1.12:22": "initial"}, "v", "These targets are not healthy: 10.1.1.12:22 (initial)."),
        ({"10.1.1.11:22": "healthy"}, "v", "The registered targets changed."),
        ({**TARGETS, "10.1.1.13:22": "healthy"}, "v", "The registered targets changed."),
        ({"10.1.1.11:22": "healthy", "10.1.1.12:2222": "healthy"}, "v", "The registered targets changed."),
        (TARGETS, "w", "The Client VPN changed."),
        (TARGETS, "", "The Client VPN changed."),
    ],
)
def test_a_single_changed_part_makes_a_cluster_not_quiet(targets, vpn, words):
    assert full_look.reasons_of_parts(LOOK, targets=targets, vpn=vpn) == (words,)


@pytest.mark.parametrize(
    ("look", "of_run", "generation", "again"),
    [
        ({}, {"full": True}, 6, True),  # a sweep
        ({}, {}, None, True),  # AWS did not return it
        ({}, {"declared": {"variables": "others, of this run alone"}}, 6, True),
        ({}, {"problem": "/srv/users.txt can't be read."}, 6, True),
        ({}, {}, 5, True),  # generations grow
        ({}, {}, 7, False),
        ({"well": False}, {}, 6, False),
        ({"due": minutes_ago(0)}, {}, 6, False),
        ({"looked": minutes_ago(8 * 24 * 60)}, {}, 6, False),
        ({"looked": minutes_ago(8 * 24 * 60)}, {"minutes": 60, "declared": {"variables": "another period"}}, 6, True),
        ({"looked": minutes_ago(-6)}, {}, 6, True),  # written by a clock that is fast
    ],
)
def test_a_record_that_could_become_valid_again_is_invalidated_first(look, of_run, generation, again):
    """Otherwise a full look that is killed, or cannot record its failure, would leave the old record in force."""
    kept = dataclasses.replace(LOOK, **look)
    assert full_look.could_count(kept, dataclasses.replace(RUN, **of_run), generation) is again


def test_an_unfinished_port_move_is_never_quiet():
    """AWS was slow, so the run that started the move could not finish it; people still use the old port."""
    targets = {**TARGETS, "10.1.1.12:222": "healthy"}
    look = dataclasses.replace(LOOK, targets=targets_digest(targets))
    (words,) = full_look.reasons_of_parts(look, targets=targets, vpn="v")
    assert full_look.in_service(targets) == 2, "a node with two ports is one node"
    assert full_look.in_service({**TARGETS, "10.1.1.11:22": "unhealthy"}) == 1
    assert words == "Login nodes are moving to a different port."


def test_a_cluster_without_targets_is_never_quiet():
    look = dataclasses.replace(LOOK, targets=targets_digest({}))
    assert full_look.reasons_of_parts(look, targets={}, vpn="v") == ("The registered targets changed.",)


def test_full_looks_of_clusters_are_spread_over_the_period():
    starts = {}
    for number in range(50):
        run = dataclasses.replace(RUN, cluster_id=f"{number:012}", minutes=60)
        look = dataclasses.replace(LOOK, looked=minutes_ago(0))
        later = [minute for minute in range(61) if full_look.is_time(look, _at(run, minute))]
        assert later and later == list(range(later[0], 61))  # once a full look is due, it remains due
        starts[number] = later[0]
    assert len(set(starts.values())) > 20
    assert max(starts.values()) <= 60


def _at(run: RunContext, minute: int) -> RunContext:
    return dataclasses.replace(run, now=run.now + datetime.timedelta(minutes=minute))


@pytest.mark.parametrize(
    ("seen", "hindered"),
    [
        ({}, False),
        ({"ours": True}, False),
        ({"generation": 7, "ours": True}, False),  # this run took the lock once
        ({"generation": 7}, True),  # another run did
        ({"generation": 8, "ours": True}, True),  # another run may have taken the lock in between
        ({"nodes": "another"}, True),
        ({"instance_ids": frozenset({"i-1", "i-2", "i-3"})}, True),
        ({"records": "another"}, True),
    ],
)
def test_changes_during_a_full_look_prevent_its_record(seen, hindered):
    assert bool(full_look.hindrances(OBSERVED, RUN, dataclasses.replace(OBSERVED, **seen))) is hindered


@pytest.mark.parametrize("unknown", [{"declared": {}}, {"problem": "no"}])
def test_an_unknown_declaration_is_not_recorded(unknown):
    assert full_look.hindrances(OBSERVED, dataclasses.replace(RUN, **unknown), OBSERVED)
