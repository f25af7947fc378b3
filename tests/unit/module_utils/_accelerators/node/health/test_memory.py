# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a node remembers of its devices and counters, and files of a release that remembered less."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.health import memory
from lab.accelerators.story import healthy

from .judge.nodes import Node, xid


def test_devices_stay_known_and_the_baseline_is_older_than_the_stamp(tmp_path: Path) -> None:
    node, story = Node(tmp_path), healthy("ml.g5.48xlarge", uptime=5000)
    node.judge(story)
    story.uptime = 5200
    node.judge(story)
    gone = story.gpus[3].address
    story.gpus[3].on_bus, story.uptime = False, 6000
    story.gpus[0].elements["ecc_errors/volatile/dram_uncorrectable"] = "1"
    xid(story, 5500, 48, "DBE")
    node.judge(story)
    found = node.memory
    assert (found.devices[gone], found.devices[story.efa[0].name]) == ("gpu", "efa")
    uuid = story.gpus[0].uuid
    counted = [each.ecc[uuid]["volatile_dram_uncorrectable"] for each in (found.baseline, found.sample) if each]
    assert (counted, found.baseline and found.baseline.uptime) == ([0, 1], 5000.0)
    memory.save(str(tmp_path / "memory.json"), found)
    assert memory.load(str(tmp_path / "memory.json"), found.instance_id) == json_like(found)
    assert memory.load(str(tmp_path / "memory.json"), "i-other") == memory.Memory("i-other")


def json_like(found: memory.Memory) -> memory.Memory:
    """Tuples within become lists in a file."""
    told = json.loads(json.dumps(dataclasses.asdict(found)))
    sample, baseline = (memory.Sample(**told[name]) for name in ("sample", "baseline"))
    return dataclasses.replace(found, sample=sample, baseline=baseline)


def test_a_file_without_devices_and_a_baseline_is_read(tmp_path: Path) -> None:
    node = Node(tmp_path)
    node.judge(healthy("ml.g4dn.12xlarge"))
    told = dataclasses.asdict(node.memory)
    del told["devices"], told["baseline"], told["sample"]["ecc"]
    (tmp_path / "memory.json").write_text(json.dumps(told))
    found = memory.load(str(tmp_path / "memory.json"), "i-00000000000000001")
    assert (found.devices, found.baseline, found.gpus) == ({}, None, node.memory.gpus) and found.stamp


@pytest.mark.parametrize("words", ["", "{", "[]", "{}", "[" * 200_000], ids=["empty", "half", "a list", "nothing", "too deep"])
def test_a_damaged_file_is_as_none(words: str, tmp_path: Path) -> None:
    (tmp_path / "memory.json").write_text(words)
    assert memory.load(str(tmp_path / "memory.json"), "i-1") == memory.Memory("i-1")
