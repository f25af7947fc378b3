# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Adds documents to the report store. No document is ever overwritten."""

from __future__ import annotations

import concurrent.futures
import os
import tempfile
import time
import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Failure

from .documents import Document
from .place import Bucket, Folder, Place

try:
    import boto3
    from botocore.config import Config
    from botocore.exceptions import BotoCoreError, ClientError
except ImportError:
    boto3 = None

LIMIT = 20
"""Seconds after which a run no longer waits for S3."""
AT_ONCE = 8
"""Documents that are sent at the same time."""
EXISTS = "PreconditionFailed"


class NotStored(Failure):
    """Some documents were not stored."""

    code = "report-not-stored"


def store(place: Place, documents: t.Sequence[Document]) -> None:
    """Add the documents; the last one is added after all others.

    :raises NotStored: with the first reason.
    """
    if isinstance(place, Folder):
        for each in documents:
            _write(place, each)
    else:
        _send(place, documents)


def _write(place: Folder, document: Document) -> None:
    path = os.path.join(place.path, document.key)
    try:
        _make_folders(os.path.dirname(path))
        handle, temporary = tempfile.mkstemp(dir=os.path.dirname(path), prefix=".report-")
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                file.write(document.text)
            os.link(temporary, path)  # unlike a rename, never replaces a file
        finally:
            os.unlink(temporary)
    except OSError as error:
        raise NotStored(f"{path}: {error.strerror or error}") from error


def _make_folders(path: str) -> None:
    """Create a folder and its parents for their owner only. ``os.makedirs`` does this only for the folder itself."""
    if not os.path.isdir(path):
        _make_folders(os.path.dirname(path))
        os.makedirs(path, mode=0o700, exist_ok=True)


def _send(place: Bucket, documents: t.Sequence[Document]) -> None:
    client, deadline = _client(place), time.monotonic() + LIMIT
    pool = concurrent.futures.ThreadPoolExecutor(AT_ONCE)
    try:
        for together in (documents[:-1], documents[-1:]):
            sent = {pool.submit(_put, client, place, each): each for each in together}
            left = max(0.0, deadline - time.monotonic())
            done, late = concurrent.futures.wait(sent, timeout=left, return_when=concurrent.futures.FIRST_EXCEPTION)
            for each in done:
                each.result()
            if late:
                key = min(sent[each].key for each in late)
                raise NotStored(f"PutObject for {place.address(key)} did not end within {LIMIT} s")
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def _client(place: Bucket) -> t.Any:
    if boto3 is None:
        raise NotStored("the Python that runs Ansible has no boto3; install boto3")
    limits = Config(connect_timeout=LIMIT / 4, read_timeout=LIMIT / 4, retries={"mode": "standard", "total_max_attempts": 3})
    try:
        return boto3.session.Session(profile_name=place.profile or None).client("s3", config=limits)
    except BotoCoreError as error:
        raise NotStored(f"no client for S3: {error}") from error


def _put(client: t.Any, place: Bucket, document: Document) -> None:
    """Add a document. One with its key exists only if an earlier attempt of this call stored it, because the key is random."""
    body = {"Body": document.text.encode(), "ContentType": document.media_type, "ChecksumAlgorithm": "SHA256", "IfNoneMatch": "*"}
    try:
        client.put_object(Bucket=place.name, Key=place.key(document.key), **body)
    except ClientError as error:
        if error.response["Error"]["Code"] != EXISTS:
            raise NotStored(f"PutObject for {place.address(document.key)}: {error}") from error
    except BotoCoreError as error:
        raise NotStored(f"PutObject for {place.address(document.key)}: {error}") from error
