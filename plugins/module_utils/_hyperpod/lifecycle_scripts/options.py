# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Builds the desired scripts from a module's options."""

from __future__ import annotations

import base64
import hashlib
import re
import typing as t

from ..._core.arn import ClusterArn
from ..._core.checks import check_unique
from ..._core.failure import refuse_option
from .model import Desired, Place, Script, path_of

BUCKET = re.compile(r"[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]")
_CHUNK = 1024 * 1024


def desired(params: t.Mapping[str, t.Any]) -> Desired:
    """:raises Refused: for an invalid place or name, and for a file that can't be read."""
    path = path_of(ClusterArn.parse(params["cluster_arn"])) if params["cluster_arn"] else ""
    if params["state"] == "absent":
        return Desired(present=False, path=path)
    if not BUCKET.fullmatch(params["bucket"]):
        refuse_option("bucket", params["bucket"], "the name of a bucket")
    prefix = params["prefix"].strip("/")
    names = [each["name"] for each in params["scripts"]]
    check_unique("scripts.name", names)
    scripts = tuple(_script(each) for each in params["scripts"])
    return Desired(place=Place(params["bucket"], prefix and f"{prefix}/"), scripts=scripts, path=path)


def _script(given: t.Mapping[str, t.Any]) -> Script:
    name = given["name"]
    if name.startswith("/") or {"", ".", ".."} & set(name.split("/")):
        refuse_option("scripts.name", name, "a path below the prefix, such as utils/users.py")
    if given["src"] is None:
        content = given["content"] or ""
        return Script(name, _digest([content.encode()]), content=content)
    try:
        with open(given["src"], "rb") as stream:
            return Script(name, _digest(iter(lambda: stream.read(_CHUNK), b"")), src=given["src"])
    except OSError as error:
        refuse_option("scripts.src", given["src"], "a file that can be read", str(error.strerror))


def _digest(chunks: t.Iterable[bytes]) -> str:
    found = hashlib.sha256()
    for chunk in chunks:
        found.update(chunk)
    return base64.b64encode(found.digest()).decode()
