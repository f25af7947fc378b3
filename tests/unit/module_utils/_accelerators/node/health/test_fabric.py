# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The fabric manager, NVLinks and their errors, at the limits of each rule."""

from __future__ import annotations

import dataclasses
import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node import model
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.health import fabric, links
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.health.links import Links
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.health.memory import Memory
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.health.problem import Problem
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.expected_devices import Expected

from .bare import UNKNOWN_TYPE, address, gpu, look, pci, sample, state

WATCH, UNKNOWN, REBOOT, REPLACE = "watch", "unknown", "unfit-reboot", "unfit-replace"
TWO_LINKS: Expected = dataclasses.replace(UNKNOWN_TYPE, links=2, fabric=False)
NO_LINKS: Expected = dataclasses.replace(UNKNOWN_TYPE, links=0, fabric=False)
MANAGER = "nvidia-fabricmanager"
SWITCH = pci("nvswitch", 8)
STOPPED, DIFFERENT = "The fabric manager is not running.", " Its version is 2, but the driver's version is 1; the versions must be equal."


def nvlinks(*speeds: float | None, unread: tuple[int, ...] = (), inactive: bool = False, **errors: int) -> model.NvLinks:
    return model.NvLinks(dict(enumerate(speeds)), {0: errors} if errors else {}, unread, inactive)


UP = nvlinks(25.0, 25.0)
DOWN = {"cause": "service", "text": STOPPED, "evidence": f"{MANAGER}: failed"}


@pytest.mark.parametrize(
    ("service", "versions", "code", "verdict", "more"),
    [
        ("active", {}, "", "", {}),
        ("active", {"driver": "1", "fabric_manager": "1"}, "", "", {}),
        ("active", {"driver": "1"}, "", "", {}),
        ("active", {"fabric_manager": "2"}, "", "", {}),
        (
            "active",
            {"driver": "1", "fabric_manager": "2"},
            "fabric-manager-version",
            WATCH,
            {"cause": "config", "text": f"The fabric manager does not match the driver.{DIFFERENT}"},
        ),
        ("failed", {}, "fabric-manager-down", REBOOT, DOWN),
        (
            "failed",
            {"driver": "1", "fabric_manager": "2"},
            "fabric-manager-down",
            REBOOT,
            {**DOWN, "cause": "config", "text": f"{STOPPED}{DIFFERENT}"},
        ),
        (None, {}, "", "", {}),
    ],
)
def test_a_broken_fabric_manager_is_a_problem(service: str | None, versions: dict[str, str], code: str, verdict: str, more: dict[str, str]) -> None:
    seen = state(services={MANAGER: service} if service else {}, software=versions, pci=(SWITCH,))
    expected = [Problem(code, verdict, part=MANAGER, key=MANAGER, **more)] if code else []
    assert list(fabric.problems(look(seen, wanted=TWO_LINKS))) == expected
    assert list(fabric.problems(look(dataclasses.replace(seen, pci=(pci("gpu"),)), wanted=TWO_LINKS))) == [], "no switch in the node"
    assert list(fabric.problems(look(seen, wanted=NO_LINKS))) == []


LINK_COUNTS: list[tuple[Expected, model.NvLinks | None, Links | None]] = [
    (TWO_LINKS, UP, Links(2, (), 2)),
    (TWO_LINKS, nvlinks(25.0, None), Links(2, (1,), 1)),
    (TWO_LINKS, nvlinks(25.0, 0.0), Links(2, (1,), 1)),
    (TWO_LINKS, nvlinks(25.0), Links(2, (1,), 1)),
    (TWO_LINKS, nvlinks(25.0, unread=(1,)), Links(2, (), 1, unread=True)),
    (TWO_LINKS, nvlinks(inactive=True), Links(2, (0, 1))),
    (TWO_LINKS, nvlinks(), Links(2, unread=True)),
    (TWO_LINKS, None, Links(2, unread=True)),
    (TWO_LINKS, dataclasses.replace(UP, speeds=None), Links(2, unread=True)),
    (NO_LINKS, UP, None),
    (UNKNOWN_TYPE, UP, Links(2, (), 2)),
    (UNKNOWN_TYPE, nvlinks(25.0, None, unread=(2,)), Links(3, (1,), 1, unread=True)),
    (UNKNOWN_TYPE, nvlinks(inactive=True), Links(0, unread=True)),
    (UNKNOWN_TYPE, nvlinks(), None),
    (UNKNOWN_TYPE, None, None),
]


@pytest.mark.parametrize(("wanted", "listed", "expected"), LINK_COUNTS)
def test_links_of_a_gpu_are_counted(wanted: Expected, listed: model.NvLinks | None, expected: Links | None) -> None:
    seen, one = state([gpu()], nvlinks={"GPU-0": listed} if listed else {}), gpu()
    checked = look(seen, wanted=wanted)
    assert links.links(checked, one) == expected and links.is_switched(checked) == (expected is not None)
    assert fabric.down(checked) == bool(expected and expected.down)
    assert links.links(checked, gpu(mig=True)) is None


REGISTERED = model.Fabric("Completed", "Success", {})


@pytest.mark.parametrize(
    ("values", "proven"),
    [
        ({"pci": (SWITCH,)}, True),
        ({"pci": (pci("gpu"),)}, False),
        ({"gpus": [gpu(), gpu(1, fabric=REGISTERED)]}, True),
        ({"gpus": [gpu(fabric=dataclasses.replace(REGISTERED, state="Not Supported"))]}, False),
        ({"gpus": [gpu(fabric=dataclasses.replace(REGISTERED, state=""))]}, False),
    ],
)
def test_switches_and_registered_gpus_prove_links(values: dict[str, t.Any], proven: bool) -> None:
    seen = look(state(**values))
    assert (links.is_switched(seen), links.are_used(seen)) == (proven, proven)


@pytest.mark.parametrize(
    ("wanted", "listed", "used"),
    [(NO_LINKS, {}, True), (UNKNOWN_TYPE, {"a": nvlinks(None)}, False), (UNKNOWN_TYPE, {"a": nvlinks(None), "b": nvlinks(None, 25.0)}, True)],
)
def test_links_are_in_use_if_one_of_the_node_is_up(wanted: Expected, listed: dict[str, model.NvLinks], used: bool) -> None:
    assert links.are_used(look(state(nvlinks=listed), wanted=wanted)) is used


@pytest.mark.parametrize(
    ("wanted", "listed", "unread"),
    [
        (TWO_LINKS, {"GPU-0": UP}, [1]),
        (TWO_LINKS, {"GPU-0": UP, "GPU-1": nvlinks(None, unread=(1,))}, []),
        (TWO_LINKS, {"GPU-0": UP, "GPU-1": nvlinks(25.0, unread=(1,))}, [1]),
        (NO_LINKS, {}, []),
        (UNKNOWN_TYPE, {}, [0, 1]),
        (UNKNOWN_TYPE, {"GPU-0": nvlinks()}, [1]),
        (UNKNOWN_TYPE, {"GPU-0": UP, "GPU-1": UP}, []),
    ],
)
def test_gpus_without_readable_links_are_listed(wanted: Expected, listed: dict[str, model.NvLinks], unread: list[int]) -> None:
    seen = look(state([gpu(0), gpu(1), gpu(2, mig=True)], nvlinks=listed), wanted=wanted)
    assert [each.uuid for each in links.unread(seen)] == [f"GPU-{number}" for number in unread]
    assert links.unread(look(state([gpu(0)], nvlinks=listed), wanted=wanted)) == [], "a GPU alone has no peer"


def one(code: str, verdict: str, words: str, evidence: str, again: str = "") -> Problem:
    part = f"GPU 0 ({address(0)})"
    return Problem(code, verdict, "fabric", f"{part} {words}", part, "S0", evidence, again)


@pytest.mark.parametrize(("wanted", "verdict"), [(TWO_LINKS, REBOOT), (UNKNOWN_TYPE, UNKNOWN)])
def test_links_that_are_down_are_a_problem(wanted: Expected, verdict: str) -> None:
    seen = state([gpu()], nvlinks={"GPU-0": nvlinks(None, None)})
    down = one("gpu-nvlink-down", verdict, "has 0 of 2 NVLinks up.", "links without speed: 0, 1", REPLACE)
    assert list(fabric.problems(look(seen, wanted=wanted))) == [down]


@pytest.mark.parametrize(
    ("errors", "evidence"),
    [
        *(({name: 1}, f"{name}: 1 in 100 s") for name in ("replay_errors", "recovery_errors", "link_recovery_failed_events", "effective_errors")),
        ({"crc_errors": 10_000}, "crc_errors: 10000 in 100 s"),
        ({"crc_errors": 9_999}, ""),
        ({"symbol_errors": 9_999}, ""),
        ({"symbol_errors": 7, "replay_errors": 2, "crc_errors": 5}, "replay_errors: 2 in 100 s, symbol_errors: 7 in 100 s"),
    ],
)
def test_errors_of_links_since_the_previous_check_are_a_problem(errors: dict[str, int], evidence: str) -> None:
    seen = state([gpu()], nvlinks={"GPU-0": nvlinks(25.0, 25.0, **{name: 3 + count for name, count in errors.items()})})
    last = sample(links={"GPU-0": dict.fromkeys(errors, 3)})
    expected = [one("gpu-nvlink-errors", WATCH, "has errors on its NVLinks.", evidence)] if evidence else []
    assert list(fabric.problems(look(seen, wanted=TWO_LINKS, memory=Memory("i-1", sample=last)))) == expected
    assert list(fabric.problems(look(seen, wanted=TWO_LINKS))) == [], "no previous check"
