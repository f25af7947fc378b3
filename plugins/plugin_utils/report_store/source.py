# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Lists keys of the report store and reads its objects, which are untrusted: their size and the time for reading are limited."""

from __future__ import annotations

import collections
import concurrent.futures
import json
import os
import threading
import time
import typing as t
from dataclasses import dataclass

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Failure

from .place import Bucket, Folder, Place

try:
    import boto3
    from botocore.config import Config
    from botocore.exceptions import BotoCoreError, ClientError
except ImportError:
    boto3 = None

SECONDS = 120
"""Time for reading the whole store."""
AT_ONCE = 16
"""Number of simultaneous calls."""
LARGEST = 32 << 20
"""Maximum size of an object, in bytes. A stored file has at most a quarter of this in characters."""
NOT_READ, BROKEN = "not read", "broken"
"""Kinds of unreadable objects. Those who convert objects have further kinds."""
LATE = f"was not read, because reading the report store took longer than {SECONDS} s"
Read = t.TypeVar("Read")
Convert = t.Callable[[str, t.Any], Read]
"""Makes a value from the key and the JSON of an object."""


class NotListed(Failure):
    """The report store could not be listed."""

    code = "report-store-not-read"


@dataclass(frozen=True)
class Unreadable:
    """An object that was not read, or that is not what its key says."""

    key: str
    kind: str
    """``NOT_READ``, ``BROKEN``, or a kind of those who convert objects."""
    reason: str
    """A clause without a subject, such as ``is not JSON``."""


class Source(t.Protocol):
    """A report store."""

    calls: collections.Counter[str]
    """Number of calls of S3, by operation. Empty for a folder."""

    def folders(self, prefix: str) -> list[str]:
        """The names below the prefix that further keys begin with, sorted by their bytes with a slash at the end."""

    def keys(self, prefix: str, after: str, before: str) -> t.Iterator[str]:
        """The keys with the prefix that are greater than ``after``, and less than ``before`` unless it is empty, in order.

        :raises NotListed: if they can't be listed.
        """

    def content(self, key: str) -> bytes | str:
        """The content, or the reason why it can't be read, as in ``Unreadable``."""


class FolderSource:
    def __init__(self, place: Folder) -> None:
        self._root = place.path
        self.calls: collections.Counter[str] = collections.Counter()

    def folders(self, prefix: str) -> list[str]:
        return [name for name, is_folder in self._entries(prefix) if is_folder]

    def keys(self, prefix: str, after: str, before: str) -> t.Iterator[str]:
        for name, is_folder in self._entries(prefix):
            key = f"{prefix}{name}"
            if is_folder:
                first = f"{key}/"
                if (not before or first < before) and (first >= after or after.startswith(first)):
                    yield from self.keys(first, after, before)
            elif key > after and (not before or key < before):
                yield key

    def content(self, key: str) -> bytes | str:
        try:
            handle = os.open(os.path.join(self._root, key), os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
            with os.fdopen(handle, "rb") as file:
                return _limited(file.read(LARGEST + 1))
        except OSError as error:
            return f"can't be read: {error.strerror or error}"

    def _entries(self, prefix: str) -> list[tuple[str, bool]]:
        """The names of files and folders, in the order of keys. Symbolic links and temporary files are ignored."""
        try:
            with os.scandir(os.path.join(self._root, prefix)) as found:
                entries = [(each.name, each.is_dir(follow_symlinks=False)) for each in found if not each.is_symlink()]
        except FileNotFoundError:
            return []
        except OSError as error:
            raise NotListed(f"The report store could not be listed: {self._root}/{prefix}: {error.strerror or error}.") from error
        shown = [each for each in entries if not each[0].startswith(".report-")]
        return sorted(shown, key=lambda each: os.fsencode(f"{each[0]}/" if each[1] else each[0]))


class BucketSource:
    def __init__(self, place: Bucket) -> None:
        self._place = place
        self.calls: collections.Counter[str] = collections.Counter()
        self._lock = threading.Lock()
        if boto3 is None:
            raise NotListed("The Python that runs Ansible has no boto3. Install boto3.")
        limits = Config(
            connect_timeout=5, read_timeout=10, retries={"mode": "standard", "total_max_attempts": 5}, max_pool_connections=AT_ONCE
        )
        try:
            self._s3 = boto3.session.Session(profile_name=place.profile or None).client("s3", config=limits)
        except BotoCoreError as error:
            raise NotListed(f"No client for S3: {str(error).rstrip('.')}.") from error

    def folders(self, prefix: str) -> list[str]:
        whole = self._place.key(prefix)
        pages = self._pages({"Prefix": whole, "Delimiter": "/"})
        return [each["Prefix"][len(whole) : -1] for page in pages for each in page.get("CommonPrefixes", ())]

    def keys(self, prefix: str, after: str, before: str) -> t.Iterator[str]:
        root = len(self._place.key(""))
        start = {"StartAfter": self._place.key(after)} if after else {}
        for page in self._pages({"Prefix": self._place.key(prefix), **start}):
            for each in page.get("Contents", ()):
                key = each["Key"][root:]
                if before and key >= before:
                    return
                yield key

    def content(self, key: str) -> bytes | str:
        self._count("GetObject")
        try:
            found = self._s3.get_object(Bucket=self._place.name, Key=self._place.key(key))
            return _limited(found["Body"].read(LARGEST + 1))
        except ClientError as error:
            return f"can't be read: {error}"
        except (BotoCoreError, OSError) as error:
            return f"can't be read completely: {error}"

    def _pages(self, request: dict[str, t.Any]) -> t.Iterator[t.Mapping[str, t.Any]]:
        where = f"s3://{self._place.name}/{request['Prefix']}"
        while True:
            self._count("ListObjectsV2")
            try:
                page = self._s3.list_objects_v2(Bucket=self._place.name, **request)
            except (ClientError, BotoCoreError) as error:
                raise NotListed(f"The report store could not be listed: {where}: {str(error).rstrip('.')}.") from error
            yield page
            if not page.get("IsTruncated"):
                return
            request = {**request, "ContinuationToken": page["NextContinuationToken"]}

    def _count(self, operation: str) -> None:
        with self._lock:
            self.calls[operation] += 1


def source(place: Place) -> Source:
    return FolderSource(place) if isinstance(place, Folder) else BucketSource(place)


class Reading:
    """Reads objects of a source in threads, until its time is over."""

    def __init__(self, of: Source, *, clock: t.Callable[[], float] = time.monotonic) -> None:
        self.source = of
        self._clock = clock
        self._deadline = clock() + SECONDS
        self.count = 0
        """Number of objects so far."""

    @property
    def late(self) -> bool:
        return self._clock() > self._deadline

    def objects(self, keys: t.Iterable[str], convert: Convert[Read]) -> dict[str, Read | Unreadable]:
        wanted = list(dict.fromkeys(keys))
        self.count += len(wanted)
        with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
            return dict(zip(wanted, pool.map(lambda key: self._one(key, convert), wanted)))

    def _one(self, key: str, convert: Convert[Read]) -> Read | Unreadable:
        if self.late:
            return Unreadable(key, NOT_READ, LATE)
        content = self.source.content(key)
        if isinstance(content, str):
            return Unreadable(key, NOT_READ, content)
        try:
            found = json.loads(content)
        except (ValueError, RecursionError):
            return Unreadable(key, BROKEN, "is not JSON, for example because it is truncated")
        return convert(key, found)


def _limited(content: bytes) -> bytes | str:
    return content if len(content) <= LARGEST else f"has more than {LARGEST} bytes"
