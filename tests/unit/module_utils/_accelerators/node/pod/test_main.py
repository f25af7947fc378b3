# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The program of the pod, in the root of a container in which the root of the node is mounted."""

from __future__ import annotations

import json
import os
import typing as t
from pathlib import Path

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node import hung_tools
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.health.options import SPEC
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.options import Places
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.pod import main
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.pod.answer import BEGIN, END
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.program_archive import archive
from lab.accelerators import pod
from lab.accelerators.story import Story, healthy, off_the_bus

SETTINGS = {"profile": None, "dcgm": False, "timeout": 20}


def in_container(folder: Path, story: Story, own: t.Mapping[str, t.Any]) -> dict[str, t.Any]:
    options = {**{name: None for name in SPEC if name != "profile"}, "instance_type": story.instance_type, "instance_id": "", **own}
    files = {"/a/look.pyz": archive(main.__name__), "/a/settings.json": json.dumps(SETTINGS).encode()}
    printed = pod.output(story, folder, files, ["python3", "-I", "/a/look.pyz", "/a/settings.json", json.dumps(options)])
    begin, document, end = printed.split("\n")[:3]
    assert (begin, end) == (BEGIN, END), printed
    return dict(json.loads(document))


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may change the root of a process")
def test_the_node_below_host_is_judged(tmp_path: Path) -> None:
    story = off_the_bus(healthy("ml.p5.48xlarge"), 3)
    health = in_container(tmp_path, story, {"expected_gpus": 8, "expected_efa_devices": 32, "expected_neuron_devices": 0})["health"]
    codes = {each["code"] for each in health["problems"]}
    assert (health["verdict"], codes, health["expected"]["source"]) == ("unfit-reboot", {"gpu-xid"}, "EC2"), health
    assert health["not_looked_at"] == [] and {"GPUs", "EFA devices", "kernel log"} <= set(health["looked_at"]), health


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may change the root of a process")
def test_a_healthy_node_is_fit(tmp_path: Path) -> None:
    assert in_container(tmp_path, healthy("ml.g5.48xlarge"), {})["health"]["verdict"] == "fit"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may change the root of a process")
@pytest.mark.parametrize(("recorded", "verdict", "codes"), [(True, "unfit-reboot", ["driver-hangs"]), (False, "fit", [])])
def test_no_tool_is_started_while_one_of_an_earlier_pod_hangs(
    tmp_path: Path, recorded: bool, verdict: str, codes: list[str]
) -> None:
    """A process of any user can look like such a tool, but only our pods record it."""
    process = tmp_path / "host/proc/7"
    process.mkdir(parents=True)
    (process / "status").write_text("Name:\tnvidia-smi\nUid:\t0\t0\t0\t0\nShdPnd:\t0000000000000100\n")
    (process / "stat").write_text(f"7 (nvidia-smi) D 1 7 7 0 {'0 ' * 14}1000 0\n")
    if recorded:
        record = tmp_path / hung_tools.FOLDER.lstrip("/") / "nvidia-smi.7.json"
        record.parent.mkdir(parents=True)
        record.write_text(json.dumps({"pid": 7, "ticks": 1000, "since": 1000.0}))
        record.chmod(0o600)
    health = in_container(tmp_path, healthy("ml.g5.48xlarge"), {})["health"]
    assert (health["verdict"], [each["code"] for each in health["problems"]]) == (verdict, codes), health


def answer_of(tmp_path: Path, settings: str, own: str, *more: str) -> dict[str, t.Any]:
    (tmp_path / "settings.json").write_text(settings)
    lines = main.answer([str(tmp_path / "settings.json"), own, *more], Places(str(tmp_path), str(tmp_path), str(tmp_path))).split("\n")
    assert (lines[0], lines[2:]) == (BEGIN, [END, ""])
    return dict(json.loads(lines[1]))


@pytest.mark.parametrize(
    ("settings", "own", "more", "error"),
    [
        ("{", "{}", (), "JSONDecodeError: Expecting property name"),
        ("{}", "{}", (), "KeyError: 'timeout'"),
        ("{}", "{}", ("x",), "ValueError: too many values"),
        (json.dumps({**SETTINGS, **dict.fromkeys(SPEC), "expected_gpus": -1}), "{}", (), "Refused: expected_gpus: -1 is not allowed."),
    ],
)
def test_errors_are_in_the_answer(tmp_path: Path, settings: str, own: str, more: tuple[str, ...], error: str) -> None:
    assert answer_of(tmp_path, settings, own, *more)["error"].startswith(error)
