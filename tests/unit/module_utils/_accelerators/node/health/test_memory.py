# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The memory of a node: devices, counters and stamp; and files of an older release with fewer fields."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.health import memory
from lab.accelerators.story import healthy

from .judge.nodes import Node, xid


def test_devices_stay_in_memory_and_the_baseline_is_older_than_the_stamp(tmp_path: Path) -> None:
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
    assert memory.load(str(tmp_path / "memory.json"), found.instance_id) == after_json(found)
    assert memory.load(str(tmp_path / "memory.json"), "i-other") == memory.Memory("i-other")


def after_json(found: memory.Memory) -> memory.Memory:
    """The same memory after it was in a file, where inner tuples become lists."""
    loaded = json.loads(json.dumps(dataclasses.asdict(found)))
    sample, baseline = (memory.Sample(**loaded[name]) for name in ("sample", "baseline"))
    return dataclasses.replace(found, sample=sample, baseline=baseline)


def test_a_file_of_an_older_release_is_read(tmp_path: Path) -> None:
    node = Node(tmp_path)
    node.judge(healthy("ml.g4dn.12xlarge"))
    fields = dataclasses.asdict(node.memory)
    del fields["devices"], fields["baseline"], fields["sample"]["ecc"]
    (tmp_path / "memory.json").write_text(json.dumps(fields))
    found = memory.load(str(tmp_path / "memory.json"), "i-00000000000000001")
    assert (found.devices, found.baseline, found.gpus) == ({}, None, node.memory.gpus) and found.stamp


@pytest.mark.parametrize("words", ["", "{", "[]", "{}", "[" * 200_000], ids=["empty", "half", "a list", "nothing", "too deep"])
def test_a_damaged_file_counts_as_none(words: str, tmp_path: Path) -> None:
    (tmp_path / "memory.json").write_text(words)
    assert memory.load(str(tmp_path / "memory.json"), "i-1") == memory.Memory("i-1")
