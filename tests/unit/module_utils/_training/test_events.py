# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Events of a Pod's log: how they are parsed, and what hostile text cannot do."""

from __future__ import annotations

import dataclasses
import json
import math
import random

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._training import events
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._training.events import Error, PodLog, Start, Step, pod_log
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._training.model import Place

from .logged import EFA, HASH, START, line

POD = Place("train-0", nodes=2, processes=2, node=0)
ANY_NODE = dataclasses.replace(POD, node=None)
SHAPE = {"world": 4, "node": 0, "local_rank": 0, "local_world": 2}
STEP = {"step": 3, "loss": 1.5, "tokens": 100, "seconds": 0.5}
WEIGHTS = {"step": 3, "shard": 0, "replica": 0, "sha256": HASH}
SAVED = {"step": 3, "folder": "step-00000003", "validation": 1.0, "seconds": 1, "bytes": 2**40}
READY = {"step": 20, "parameters": 10, "size": "small", "vocabulary": 512, "validation": 1.5, "load_seconds": 0.25, "load_bytes": 9}
ERROR = {"type": "ValueError", "message": "wrong", "phase": "train", "step": 3}


def read(*lines: str, place: Place = POD) -> PodLog:
    return pod_log(place, "\n".join(lines))


def start(rank: int = 0, **fields: object) -> str:
    node, local = divmod(rank, 2)
    return line("start", rank, **{"attempt": 0, **SHAPE, "node": node, "local_rank": local, **START, **fields})


def counts(log: PodLog) -> dict[str, int]:
    names = ("unknown", "malformed", "duplicates", "dropped")
    return {name: getattr(log, name) for name in names if getattr(log, name)}


@pytest.mark.parametrize(
    "text",
    [
        start(),
        line("ready", **{**READY, "validation": None, "load_seconds": None, "load_bytes": None}),
        line("ready", **READY),
        line("ready", 1, **{**READY, "load_bytes": None}),
        line("step", **STEP),
        line("weights", 1, **{**WEIGHTS, "shard": 1}),
        line("saved", **SAVED),
        line("removed"),
        line("end", step=20, updates=20, tokens_per_second=None, flops_per_second=None, efa_devices=None, efa_sent=None),
        line("end", step=20, updates=20, tokens_per_second=1.5, flops_per_second=1e9, efa_devices=32, efa_sent=2**53),
        line("error", **ERROR),
        line("deadline", seconds=60.0, phase="join", step=0),
        line("ended", signal=15, phase="join", step=0),
        "host:1:2 [0] NCCL INFO without end " + line("step", **STEP) + " and more",
        line("step", **STEP) + "\r",
    ],
)
def test_an_event_is_read(text: str) -> None:
    found = read(text)
    assert len(found.events) == 1 and not counts(found) and not found.foreign
    document = json.JSONDecoder().raw_decode(text[text.index("{") :])[0]
    name = document.pop("mlfleet_training")
    assert found.events[0].__class__ is events.EVENTS[name] and dataclasses.asdict(found.events[0]) == document


@pytest.mark.parametrize(
    "text",
    [
        *(line("step", **{**STEP, "loss": value}) for value in (None, "1", True, [1], math.nan, math.inf, -0.1, 1e25, {})),
        *(line("step", **{**STEP, "step": value}) for value in (None, "1", True, 1.0, -1, 2**53 + 1, 10**400)),
        *(line("step", **{name: value for name, value in STEP.items() if name != left_out}) for left_out in STEP),
        *(line("weights", **{**WEIGHTS, "sha256": value}) for value in (None, 1, "a" * 63, "A" * 64, HASH + "\n")),
        *(line("saved", **{**SAVED, "folder": value}) for value in ("../../etc", "step-1", "step-00000003/x", "step-٠٠٠٠٠٠٠٣")),
        line("weights", **{**WEIGHTS, "shard": 1}),
        line("weights", **{**WEIGHTS, "replica": 1}),
        line("step", 1, **STEP),
        line("saved", 1, **SAVED),
        line("removed", 1),
        *(line("saved", **{**SAVED, "bytes": value}) for value in (None, "1", True, 1.5, -1, 2**53 + 1)),
        *(line("ready", **{**READY, "load_bytes": value}) for value in ("1", True, 1.5, -1, 2**53 + 1)),
        *(line("ready", **{**READY, "load_seconds": value}) for value in ("1", True, -0.1, math.nan, math.inf)),
        start(world=5),
        start(local_world=1),
        start(local_rank=1),
        start(node=1),
        line("step", "0", **STEP),
        line("step", -1, **STEP),
        line("error", **{**ERROR, "message": "x" * 5000}),
        '{"mlfleet_training": 5}',
        '{"mlfleet_training": null, "rank": 0}',
        '{"mlfleet_training": ["step"], "rank": 0}',
        '{"mlfleet_training": "step", "rank": 0',
        '{"mlfleet_training":' + "[" * 4000,
        '{"mlfleet_training":' + "9" * 4000,
        '{"mlfleet_training": "step", "rank": 1e999}',
    ],
)
def test_an_invalid_event_is_counted(text: str) -> None:
    found = read(text, line("step", **STEP))
    assert counts(found) == {"malformed": 1} and [type(each) for each in found.events] == [Step]


@pytest.mark.parametrize("text", ["", "step", "{}", '{"step": 1}', '{"MLFLEET_TRAINING": "step"}', "\x00\x1b[2J", "{" * 100_000])
def test_other_lines_are_no_events(text: str) -> None:
    found = read(text)
    assert (found.events, found.foreign, counts(found)) == ((), (), {})


def test_unknown_events_and_duplicates_are_counted() -> None:
    found = read(line("later", step=1), line("step", **STEP), line("step", **STEP), line("step", time=101.0, **STEP))
    assert counts(found) == {"unknown": 1, "duplicates": 1} and len(found.events) == 2


def test_a_log_that_was_not_read_is_not_an_empty_one() -> None:
    assert (pod_log(POD, None).read, pod_log(POD, "").read) == (False, True)
    assert counts(pod_log(POD, None)) == counts(pod_log(POD, "")) == {}


@pytest.mark.parametrize(("rank", "place"), [(2, POD), (3, POD), (4, POD), (2**53, POD), (4, ANY_NODE)])
def test_a_rank_of_another_node_is_foreign(rank: int, place: Place) -> None:
    found = read(line("error", rank, **ERROR), line("error", 1, **ERROR), start(), place=place)
    assert found.foreign == (rank,) and all(each.rank in (0, 1) for each in found.events)


def test_foreign_ranks_are_bounded() -> None:
    assert len(read(*(line("error", rank, **ERROR) for rank in range(2, 1000))).foreign) == events.MOST_FOREIGN


def test_the_newest_start_numbers_the_node() -> None:
    found = read(start(2), line("error", 3, **ERROR), line("error", 0, **ERROR), start(), line("error", 1, **ERROR), place=ANY_NODE)
    assert [each.rank for each in found.events] == [2, 3, 0, 1] and found.foreign == (0,)
    assert [type(each) for each in found.events] == [Start, Error, Start, Error]


def test_before_a_start_the_node_is_unknown() -> None:
    found = read(line("error", 1, **ERROR), start(world=3), line("error", 1, **ERROR), place=ANY_NODE)
    assert (found.events, counts(found)) == ((), {"malformed": 3})


def test_text_is_printable_and_short() -> None:
    found = read(line("error", **{**ERROR, "type": "\x1b[31m\u202e", "message": "é" * 400})).events[0]
    assert isinstance(found, Error) and (found.type, found.message) == ("?[31m?", "é" * 300)


def test_events_after_the_limit_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(events, "MOST_EVENTS", 2)
    found = read(*(line("step", **{**STEP, "step": number}) for number in range(5)))
    assert len(found.events) == 2 and counts(found) == {"dropped": 3}


def test_nccl_lines_belong_to_the_pod() -> None:
    found = read(*EFA, EFA[0].replace("train:", "other:"), EFA[1].replace("AWS Libfabric", "x\x1b[0m" + "y" * 500)).network
    assert found.providers == {"efa": frozenset({"train-0"})} and found.gpu_direct is True
    assert all(len(each) <= events.LONGEST_TEXT and each.isprintable() for each in (*found.evidence, *found.networks))


def test_log_lines_of_the_launcher_belong_to_the_pod() -> None:
    found = read("The client socket has timed out after 60000ms while trying to connect to (train-0, 29500).", line("step", **STEP))
    assert (found.launcher.unreached, len(found.events)) == ("train-0:29500", 1) and read("x").launcher == pod_log(POD, None).launcher


@pytest.mark.parametrize(("where", "expected"), [("", "train-0"), ("a", "train-0 on a")])
def test_a_pod_is_described_with_its_node(where: str, expected: str) -> None:
    assert dataclasses.replace(POD, where=where).described == expected


def test_hostile_text_never_raises_and_never_counts_for_other_pods() -> None:
    """Valid lines with random damage."""
    source = random.Random(35)
    valid = [start(), line("step", **STEP), line("weights", **WEIGHTS), line("error", 3, **ERROR), *EFA]
    alphabet = '{}[]":,0123456789eE+-.\\u \n\x00\x1bé\U0001f600NaNInfinitytruenull'
    for _turn in range(2000):
        text = list("\n".join(source.sample(valid, 4)))
        for _damage in range(source.randrange(1, 12)):
            at = source.randrange(len(text))
            text[at : at + source.randrange(4)] = source.choice(alphabet) * source.randrange(4)
        for place in (POD, ANY_NODE):
            for event in pod_log(place, "".join(text)).events:
                assert event.rank < 4 and (place.node is None or event.rank < 2)
                for value in dataclasses.asdict(event).values():
                    assert value is None or (value.isprintable() if isinstance(value, str) else math.isfinite(value) and value >= 0)
