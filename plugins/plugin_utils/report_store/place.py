# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the report store is: below a prefix of an S3 bucket, or in a folder of the control node. No I/O."""

from __future__ import annotations

import re
from dataclasses import dataclass

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import refuse_option

OPTION, PROFILE = "hyperpod_report_store", "hyperpod_report_store_profile"
ALLOWED = "s3://BUCKET, s3://BUCKET/PREFIX, or the absolute path of a folder"
_SCHEME = "s3://"
_BUCKET = re.compile(r"[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]")
_PREFIX = re.compile(r"[A-Za-z0-9!_.*'()/-]{0,512}")
"""The characters that S3's user guide calls safe in names of objects."""


@dataclass(frozen=True)
class Bucket:
    name: str
    prefix: str = ""
    """The beginning of all keys, without a slash at its end."""
    profile: str = ""

    def address(self, key: str) -> str:
        return f"{_SCHEME}{self.name}/{self.key(key)}"

    def key(self, key: str) -> str:
        return f"{self.prefix}/{key}" if self.prefix else key


@dataclass(frozen=True)
class Folder:
    path: str

    def address(self, key: str) -> str:
        return f"{self.path}/{key}"


Place = Bucket | Folder


def place(value: str, profile: str) -> Place | None:
    """The report store of these options; None without one.

    :raises Refused: for any other value.
    """
    if not value:
        return None
    if value.startswith("/") and value.strip("/"):
        if profile:
            refuse_option(PROFILE, profile, "no profile", f"{OPTION} is a folder")
        return Folder(value.rstrip("/"))
    bucket, _slash, prefix = value.removeprefix(_SCHEME).partition("/")
    parts = prefix.strip("/").split("/")
    if not value.startswith(_SCHEME) or not _BUCKET.fullmatch(bucket) or not _PREFIX.fullmatch(prefix):
        refuse_option(OPTION, value, ALLOWED)
    if prefix and any(part in ("", ".", "..") for part in parts):
        refuse_option(OPTION, value, "a prefix without '.', '..' and empty parts")
    return Bucket(bucket, prefix.strip("/"), profile)
