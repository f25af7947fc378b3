# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Container images as ``docker save`` writes them, made by hand: one layer each, since containers take /usr from a tree of Debian."""

from __future__ import annotations

import hashlib
import io
import json
import platform
import tarfile
import typing as t
from dataclasses import dataclass, field
from pathlib import Path

from lab.accelerators import torch_cuda
from lab.accelerators.all_reduce_perf import DATA
from lab.accelerators.machine import FOLDER

from .trees import MODULES

PAUSE = "localhost/pause:1"
CONTAINER = "localhost/container:1"
DEVICE_PLUGIN = "device-plugin"
"""Part of the names of images that have no program to run on machines without the device: their containers only wait."""
ARCHITECTURES = {"x86_64": "amd64", "aarch64": "arm64"}
SEARCHED = "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
USERS = b"root:x:0:0:root:/root:/bin/bash\nnobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n"
FOLDERS = ("dev", "etc", "home", "mnt", "opt", "proc", "root", "run", "srv", "sys", "tmp", "usr", "var", "var/tmp")
LINKS = {name: f"usr/{name}" for name in ("bin", "lib", "lib64", "sbin")}
VENV = "opt/venv"
"""The Python with PyTorch in AWS's images. Here, a virtual environment that simulates GPUs if the node has a story."""
PACKAGES = f"{VENV}/lib/python3.11/site-packages"
START = f"import sys; sys.path.append('/{MODULES}'); from lab.accelerators import torch_cuda; torch_cuda.install('{FOLDER / DATA}')\n"
"""A line that Python runs at its start, before it adds the folder of the packages."""


@dataclass(frozen=True)
class Image:
    """Folders, programs and symbolic links of the one layer; paths have no slash in front."""

    names: tuple[str, ...]
    command: tuple[str, ...] = ()
    folders: tuple[str, ...] = ()
    files: t.Mapping[str, bytes] = field(default_factory=dict)
    links: t.Mapping[str, str] = field(default_factory=dict)


def pause(busybox: bytes, names: t.Sequence[str] = ()) -> Image:
    """The program that holds the namespaces of a Pod, also under other names: its containers run until they are stopped."""
    return Image((PAUSE, *names), ("/busybox", "sleep", "2147483647"), files={"busybox": busybox})


def container(names: t.Sequence[str]) -> Image:
    """An image under any names that holds only mount points and users."""
    files = {"etc/passwd": USERS, **_simulated_gpus()}
    return Image((CONTAINER, *names), ("/bin/sh",), FOLDERS, files, {**LINKS, f"{VENV}/bin/python3": "/usr/bin/python3"})


def _simulated_gpus() -> dict[str, bytes]:
    folder = Path(torch_cuda.__file__).parent
    return {
        f"{VENV}/pyvenv.cfg": b"home = /usr/bin\ninclude-system-site-packages = true\n",
        f"{PACKAGES}/simulated_gpus.pth": START.encode(),
        **{f"{PACKAGES}/lab/accelerators/{name}": (folder / name).read_bytes() for name in ("all_reduce_perf.py", "torch_cuda.py")},
    }


def mounts(system: str, modules: str | None, *, accelerators: bool = False) -> list[dict[str, t.Any]]:
    """For the runtime's specification of each container: /usr of a tree, a folder of Python packages, and the story, all read-only."""
    sources = {"/usr": f"{system}/usr", **({f"/{MODULES}": modules} if modules else {})}
    sources |= {str(FOLDER): str(FOLDER)} if accelerators else {}
    return [{"destination": to, "type": "bind", "source": source, "options": ["rbind", "ro"]} for to, source in sources.items()]


def save(path: Path, images: t.Sequence[Image]) -> None:
    """Write an archive for ``ctr images import``."""
    manifest = []
    with tarfile.open(path, "w") as archive:
        for image in images:
            layer = _layer(image)
            digest = hashlib.sha256(layer).hexdigest()
            config = json.dumps(configuration(image, digest)).encode()
            name = hashlib.sha256(config).hexdigest()
            _add(archive, f"{name}.json", config)
            _add(archive, f"{digest}.tar", layer)
            manifest.append({"Config": f"{name}.json", "RepoTags": list(image.names), "Layers": [f"{digest}.tar"]})
        _add(archive, "manifest.json", json.dumps(manifest).encode())


def configuration(image: Image, layer: str) -> dict[str, t.Any]:
    return {
        "architecture": ARCHITECTURES[platform.machine()],
        "os": "linux",
        "config": {"Env": [SEARCHED], "Cmd": list(image.command), "WorkingDir": "/"},
        "rootfs": {"type": "layers", "diff_ids": [f"sha256:{layer}"]},
    }


def _layer(image: Image) -> bytes:
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode="w") as layer:
        for path in image.folders:
            entry = tarfile.TarInfo(path)
            entry.type, entry.mode = tarfile.DIRTYPE, 0o1777 if path.endswith("tmp") else 0o755
            layer.addfile(entry)
        for path, text in image.files.items():
            _add(layer, path, text, 0o755)
        for path, target in image.links.items():
            entry = tarfile.TarInfo(path)
            entry.type, entry.linkname = tarfile.SYMTYPE, target
            layer.addfile(entry)
    return content.getvalue()


def _add(archive: tarfile.TarFile, path: str, content: bytes, mode: int = 0o644) -> None:
    entry = tarfile.TarInfo(path)
    entry.size, entry.mode = len(content), mode
    archive.addfile(entry, io.BytesIO(content))
