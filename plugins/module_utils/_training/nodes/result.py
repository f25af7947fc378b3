# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The result of ``training_node_info``."""

from __future__ import annotations

import dataclasses
import typing as t

from ..._kubernetes.nodes.devices import EFA, GPU
from .. import images
from ..model import FAILED, MOST_NAMED, NOT_RUN, PASSED
from . import model
from .judge import checked, judge
from .model import Desired, Problem, State

LONGEST = 200
"""The maximum length of the details about one node, in characters."""


def result(desired: Desired, state: State) -> dict[str, t.Any]:
    given, desired = desired, checked(desired, state)
    found = judge(desired, state)
    failed, unproven, notes = (
        combined(each for each in found if each.status == status) for status in (model.FAILED, model.NOT_VERIFIED, model.NOTE)
    )
    problems = [*failed, *unproven]
    left_out = [name for name in given.nodes if name not in desired.nodes]
    return {
        "verdict": FAILED if failed else NOT_RUN if unproven else PASSED,
        "text": problems[0]["text"] if problems else f"{_passed(desired)}{_left_out(left_out)}",
        "problems": problems,
        "notes": notes,
        "left_out": left_out,
        "images": [_image(each) for each in desired.images],
        "nodes": [_node(name, state) for name in desired.nodes if name in state.nodes],
    }


def combined(problems: t.Iterable[Problem]) -> list[dict[str, str]]:
    """Combine problems of one kind into one, which names the first nodes."""
    nodes: dict[Problem, list[str]] = {}
    for each in problems:
        shown = f"{each.node} ({each.detail[:LONGEST]})" if each.detail else each.node
        nodes.setdefault(dataclasses.replace(each, node="", detail=""), []).append(shown)
    return [{"code": each.code, "text": f"{each.text}{_named(names)}. {each.step}."} for each, names in nodes.items()]


def _named(nodes: t.Sequence[str]) -> str:
    more = f" and {len(nodes) - MOST_NAMED} more" if len(nodes) > MOST_NAMED else ""
    return f": {', '.join(nodes[:MOST_NAMED])}{more}" if any(nodes) else ""


def _passed(desired: Desired) -> str:
    nodes, gpus = _count(len(desired.nodes), "node"), _count(desired.gpus, "GPU")
    efa = f" and {_count(desired.efa, 'EFA device')}" if desired.efa else ""
    each = " each" if len(desired.nodes) > 1 else ""
    return f"{nodes} of {desired.instance_type}: {gpus}{efa}{each}."


def _left_out(nodes: t.Sequence[str]) -> str:
    return f" Nodes were left out because they are not idle{_named(nodes)}." if nodes else ""


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _image(name: str) -> dict[str, t.Any]:
    found = images.known(name)
    cuda = found.cuda if found else ""
    return {
        "name": name,
        "cuda": cuda,
        "minimum_driver": images.minimum_driver(cuda),
        "architectures": list(found.architectures) if found else [],
    }


def _node(name: str, state: State) -> dict[str, t.Any]:
    described = state.nodes[name]
    node = described.node
    return {
        "name": name,
        "instance_type": described.instance_type,
        "gpus": node.gpus,
        "efa_devices": node.efa,
        "huge_pages_mib": node.huge_pages >> 20,
        "driver": described.driver,
        "architecture": described.architecture,
        "plugins": {"gpu": state.provider(name, GPU), "efa": state.provider(name, EFA)},
    }
