# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The archive is what ``docker save`` writes."""

from __future__ import annotations

import hashlib
import io
import json
import tarfile
from pathlib import Path

from lab.pods import images

Entries = dict[str, tuple[tarfile.TarInfo, bytes]]


def entries(archive: bytes) -> Entries:
    with tarfile.open(fileobj=io.BytesIO(archive)) as opened:
        found = [(entry, opened.extractfile(entry) if entry.isfile() else None) for entry in opened]
        return {entry.name: (entry, file.read() if file else b"") for entry, file in found}


def saved(path: Path, *given: images.Image) -> tuple[Entries, list[dict]]:
    """What the archive holds, and its manifest."""
    images.save(path, given)
    found = entries(path.read_bytes())
    return found, json.loads(found["manifest.json"][1])


def test_each_image_has_its_names_and_one_layer_with_the_digest_that_its_configuration_states(tmp_path: Path) -> None:
    archive, manifest = saved(tmp_path / "images.tar", images.pause(b"program"), images.container(["example.com/train:1"]))
    assert [each["RepoTags"] for each in manifest] == [[images.PAUSE], [images.CONTAINER, "example.com/train:1"]]
    for each in manifest:
        config, (layer,) = json.loads(archive[each["Config"]][1]), each["Layers"]
        assert config["rootfs"]["diff_ids"] == [f"sha256:{hashlib.sha256(archive[layer][1]).hexdigest()}"]


def test_layers_hold_programs_mount_points_and_links(tmp_path: Path) -> None:
    archive, manifest = saved(tmp_path / "images.tar", images.pause(b"program"), images.container([]))
    pause, container = (entries(archive[each["Layers"][0]][1]) for each in manifest)
    assert pause["busybox"][0].mode == 0o755 and pause["busybox"][1] == b"program"
    assert container["usr"][0].isdir() and container["tmp"][0].mode == 0o1777
    assert container["bin"][0].linkname == "usr/bin"


def test_an_image_is_the_same_each_time(tmp_path: Path) -> None:
    for name in ("a", "b"):
        images.save(tmp_path / name, [images.container(["x:1"])])
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_python_packages_are_mounted_if_there_are_any() -> None:
    assert [each["destination"] for each in images.mounts("/tree", None)] == ["/usr"]
    mounts = images.mounts("/tree", "/modules")
    assert [each["source"] for each in mounts] == ["/tree/usr", "/modules"]
    assert all(each["options"] == ["rbind", "ro"] for each in mounts)


def test_the_story_of_a_node_is_mounted_at_its_own_path() -> None:
    (*_others, story) = images.mounts("/tree", None, accelerators=True)
    assert story["source"] == story["destination"] == "/run/lab-accelerators"


def test_a_container_has_a_python_that_simulates_gpus(tmp_path: Path) -> None:
    archive, (manifest,) = saved(tmp_path / "images.tar", images.container([]))
    layer = entries(archive[manifest["Layers"][0]][1])
    assert layer["opt/venv/bin/python3"][0].linkname == "/usr/bin/python3"
    folder = "opt/venv/lib/python3.11/site-packages"
    line = layer[f"{folder}/simulated_gpus.pth"][1].decode()
    assert line.startswith("import ") and line.endswith("torch_cuda.install('/run/lab-accelerators/said/all_reduce_perf')\n")
    assert {f"{folder}/lab/accelerators/{name}.py" for name in ("all_reduce_perf", "torch_cuda")} <= layer.keys()
