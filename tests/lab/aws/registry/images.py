# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A base image in the registry of another account and Region, and the files of pushed images."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import tarfile

from . import programs
from .server import Registry

BASE_HOST = "763104351884.dkr.ecr.us-east-1.amazonaws.com"
BASE = f"{BASE_HOST}/pytorch:1"
IMAGE, CONFIG, LAYER = (f"application/vnd.oci.image.{kind}" for kind in ("manifest.v1+json", "config.v1+json", "layer.v1.tar+gzip"))


def add_base(registry: Registry) -> None:
    """Add the image ``BASE``, which has a static shell only."""
    raw = io.BytesIO()
    with tarfile.open(fileobj=raw, mode="w") as archive:
        archive.add(next(programs.BUILDAH.installed().glob("**/bin/busybox")), "bin/busybox")
    layer = gzip.compress(raw.getvalue(), 1)
    diff = f"sha256:{hashlib.sha256(raw.getvalue()).hexdigest()}"
    rootfs = {"type": "layers", "diff_ids": [diff]}
    config = {"architecture": "amd64", "os": "linux", "config": {}, "rootfs": rootfs, "history": [{"created_by": "a static shell"}]}
    parts = [(CONFIG, json.dumps(config).encode()), (LAYER, layer)]
    of_config, of_layer = [{"mediaType": kind, "digest": registry.store(part), "size": len(part)} for kind, part in parts]
    manifest = {"schemaVersion": 2, "mediaType": IMAGE, "config": of_config, "layers": [of_layer]}
    registry.keep(BASE_HOST, "pytorch", "1", IMAGE, json.dumps(manifest).encode())


def files(registry: Registry, host: str, name: str, tag: str) -> dict[str, bytes]:
    """Files of a pushed image, from all layers."""
    _media_type, manifest = registry.manifests[host, name, tag]
    found: dict[str, bytes] = {}
    for layer in json.loads(manifest)["layers"]:
        with tarfile.open(fileobj=io.BytesIO(registry.blobs[layer["digest"]])) as archive:
            found |= {each.name: archive.extractfile(each).read() for each in archive if each.isfile()}  # type: ignore[union-attr]
    return found
