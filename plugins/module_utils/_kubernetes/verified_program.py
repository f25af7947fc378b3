# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""A program in a ConfigMap, started only if its files are unchanged.

A user who can delete and create ConfigMaps in a namespace can replace even an immutable one before a Pod starts. The Pod's
command therefore contains the files' hashes. A mounted ConfigMap can change at any time, so each file is read once and copied.
"""

from __future__ import annotations

import base64
import hashlib
import typing as t

from .client import Object

COPIES = "/tmp"
"""A folder that belongs to the Pod."""
_START = """\
import hashlib, os, runpy, sys
folder, copies, expected = sys.argv[1:4]
paths = []
for each in expected.split(","):
    name, _equals, digest = each.partition("=")
    with open(os.path.join(folder, name), "rb") as stream:
        content = stream.read()
    if hashlib.sha256(content).hexdigest() != digest:
        sys.exit(name + " in the ConfigMap differs from the file that was sent, so it was not run. Check who may change it.")
    paths.append(os.path.join(copies, name))
    with open(paths[-1], "wb") as stream:
        stream.write(content)
sys.argv = [*paths, *sys.argv[4:]]
runpy.run_path(paths[0], run_name="__main__")
"""


def command(config_map: Object, folder: str, arguments: t.Sequence[str]) -> list[str]:
    """The command that runs the first file of ``binaryData``, with the paths of the files in ``data`` and the arguments.

    :param folder: where the ConfigMap is mounted.
    """
    files = {name: base64.b64decode(content) for name, content in config_map["binaryData"].items()}
    files.update({name: text.encode() for name, text in config_map["data"].items()})
    expected = ",".join(f"{name}={hashlib.sha256(content).hexdigest()}" for name, content in files.items())
    return ["python3", "-I", "-c", _START, folder, COPIES, expected, *arguments]
