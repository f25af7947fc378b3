# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Refusals of S3 that moto lacks: another bucket owner than expected, and a body that does not match its SHA-256.

S3's User Guide (bucket-owner-condition, checking-object-integrity).
"""

from __future__ import annotations

import base64
import hashlib
import io
import typing as t
from pathlib import Path

from . import wire

if t.TYPE_CHECKING:
    from .request import Call
    from .wire import Reply


def refused(call: Call, environ: dict[str, t.Any]) -> Reply | None:
    if call.service != "s3":
        return None
    return _of_another_owner(call) or _without_its_checksum(call, environ)


def fill(bucket: str, folder: str, prefix: str) -> int:
    """Put the files of a folder with this prefix into the bucket, as requests would, but without requests. Returns their number."""
    from moto.s3.models import s3_backends

    partition, owner = s3_backends.bucket_accounts[bucket]
    files = [each for each in Path(folder, prefix).rglob("*") if each.is_file()]
    for each in files:
        key = str(each.relative_to(folder))
        s3_backends[owner][partition].put_object(bucket, key, each.read_bytes(), disable_notification=True)
    return len(files)


def _of_another_owner(call: Call) -> Reply | None:
    from moto.s3.models import s3_backends

    expected = call.params.get("ExpectedBucketOwner")
    bucket = call.operation.split("/")[1]
    _partition, owner = s3_backends.bucket_accounts.get(bucket) or ("", expected)
    return None if expected in (None, owner) else wire.error(call, "AccessDenied", "Access Denied", 403)


def _without_its_checksum(call: Call, environ: dict[str, t.Any]) -> Reply | None:
    expected = environ.get("HTTP_X_AMZ_CHECKSUM_SHA256")
    if environ.get("REQUEST_METHOD") != "PUT" or expected is None:
        return None
    body = environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0))
    environ["wsgi.input"] = io.BytesIO(body)
    if base64.b64encode(hashlib.sha256(body).digest()).decode() == expected:
        environ["HTTP_X_AMZ_SDK_CHECKSUM_ALGORITHM"] = "SHA256"  # otherwise moto does not store the checksum
        return None
    return wire.error(call, "BadDigest", "The SHA256 you specified did not match the calculated checksum.", 400)
