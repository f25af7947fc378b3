# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The program of the pod, in a container's root with the node's root mounted in it, as the pod has them."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import typing as t
from pathlib import Path

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.program_archive import archive
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.accelerators.health.options import SPEC
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.accelerators.options import Places
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.accelerators.pod import main
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.accelerators.pod.answer import BEGIN, END
from lab.accelerators import present
from lab.accelerators.story import Story, healthy, off_the_bus

SETTINGS = {"profile": None, "dcgm": False, "timeout": 20}
PYTHON = os.path.realpath(sys.executable)
IN_CONTAINER = """
root=$1
for folder in usr "${2#/}"; do mkdir -p "$root/$folder"; mount --bind "/$folder" "$root/$folder"; done
for folder in lib lib64; do mkdir -p "$root/host/usr/$folder"; mount --bind "/usr/$folder" "$root/host/usr/$folder"; done
for folder in bin lib lib64; do ln -sfn "usr/$folder" "$root/$folder"; done
mkdir -p "$root/tmp" "$root/dev"
touch "$root/dev/null"
mount --bind /dev/null "$root/dev/null"
shift 2
exec chroot "$root" "$@"
"""


def in_container(folder: Path, story: Story, own: t.Mapping[str, t.Any]) -> dict[str, t.Any]:
    host = folder / "host"
    present.present(story, host, seen=Path("/"))
    for name in ("sh", "cat"):
        shutil.copy(f"/bin/{name}", host / "bin")
    for name in ("lib", "lib64"):
        (host / name).symlink_to(f"usr/{name}")
    (folder / "look.pyz").write_bytes(archive(main.__name__))
    (folder / "settings.json").write_text(json.dumps(SETTINGS))
    asked = {**{name: None for name in SPEC if name != "profile"}, "instance_type": story.instance_type, "instance_id": "", **own}
    argv = ["unshare", "--mount", "--propagation", "private", "sh", "-eu", "-c", IN_CONTAINER, "sh", str(folder), sys.base_prefix]
    program = [PYTHON, "-I", "/look.pyz", "/settings.json", json.dumps(asked)]
    done = subprocess.run([*argv, *program], capture_output=True, text=True, check=False)
    begin, document, end = done.stdout.split("\n")[:3]
    assert (begin, end, done.returncode) == (BEGIN, END, 0), done
    return dict(json.loads(document))


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may change the root of a process")
def test_it_judges_the_node_below_host(tmp_path: Path) -> None:
    story = off_the_bus(healthy("ml.p5.48xlarge"), 3)
    health = in_container(tmp_path, story, {"expected_gpus": 8, "expected_efa_devices": 32, "expected_neuron_devices": 0})["health"]
    codes = {each["code"] for each in health["problems"]}
    assert (health["verdict"], codes, health["expected"]["source"]) == ("unfit-reboot", {"gpu-xid", "gpu-missing"}, "EC2"), health
    assert health["not_looked_at"] == [] and {"GPUs", "EFA devices", "kernel log"} <= set(health["looked_at"]), health


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may change the root of a process")
def test_a_node_that_is_well(tmp_path: Path) -> None:
    assert in_container(tmp_path, healthy("ml.g5.48xlarge"), {})["health"]["verdict"] == "fit"


def asked(tmp_path: Path, settings: str, own: str, *more: str) -> dict[str, t.Any]:
    (tmp_path / "settings.json").write_text(settings)
    lines = main.answer([str(tmp_path / "settings.json"), own, *more], Places(str(tmp_path), str(tmp_path), str(tmp_path))).split("\n")
    assert (lines[0], lines[2:]) == (BEGIN, [END, ""])
    return dict(json.loads(lines[1]))


@pytest.mark.parametrize(
    ("settings", "own", "more", "said"),
    [
        ("{", "{}", (), "JSONDecodeError: Expecting property name"),
        ("{}", "{}", (), "KeyError: 'timeout'"),
        ("{}", "{}", ("x",), "ValueError: too many values"),
        (json.dumps({**SETTINGS, **dict.fromkeys(SPEC), "expected_gpus": -1}), "{}", (), "Refused: expected_gpus: -1 is not allowed."),
    ],
)
def test_what_goes_wrong_is_told(tmp_path: Path, settings: str, own: str, more: tuple[str, ...], said: str) -> None:
    assert asked(tmp_path, settings, own, *more)["error"].startswith(said)
