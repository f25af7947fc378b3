# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Lifecycle scripts in S3, and the digests of the uploaded ones in Parameter Store.

HyperPod runs the scripts as root on each new node, so write access to the bucket gives root access to the next node. The bucket
must belong to the cluster's account, and each object must be the one that was uploaded.
"""

from __future__ import annotations

import dataclasses
import json
import typing as t
from dataclasses import dataclass, field

from ..._core.arn import ClusterArn

VERSION = 1
LARGEST = 4096
"""The maximum number of characters in a standard parameter."""
Digests = t.Mapping[str, str]
"""SHA-256 in base64, as S3 returns it, keyed by the name below the prefix."""


def path_of(arn: ClusterArn) -> str:
    """The path of the parameters with the digests of a cluster's scripts."""
    return f"/mlfleet/hyperpod/{arn.id}/lifecycle-scripts"


@dataclass(frozen=True)
class Place:
    bucket: str
    prefix: str
    """Prefix of the keys: empty, or ending with a slash."""

    def key(self, name: str) -> str:
        return f"{self.prefix}{name}"

    def uri(self, name: str = "") -> str:
        return f"s3://{self.bucket}/{self.prefix}{name}"


@dataclass(frozen=True)
class Script:
    """``content`` is the text of a script without a file."""

    name: str
    digest: str
    src: str = ""
    content: str = ""


@dataclass(frozen=True)
class Record:
    """The uploaded scripts."""

    place: Place
    digests: Digests

    def texts(self) -> list[str]:
        """The values of the parameters: a standard parameter holds about 50 digests."""
        parts: list[dict[str, str]] = [{}]
        for name, digest in sorted(self.digests.items()):
            if len(self._text({**parts[-1], name: digest})) > LARGEST:
                parts.append({})
            parts[-1][name] = digest
        return [self._text(part) for part in parts]

    def _text(self, digests: Digests) -> str:
        return json.dumps({"version": VERSION, "bucket": self.place.bucket, "prefix": self.place.prefix, "digests": digests})

    @classmethod
    def of_texts(cls, texts: t.Iterable[str]) -> Record | None:
        """The record; None without texts, and for texts that this version can't read or that contain different places."""
        found = [_record(text) for text in texts]
        first = found[0] if found else None
        if first is None or any(each is None or each.place != first.place for each in found):
            return None
        return cls(first.place, {name: digest for each in found if each for name, digest in each.digests.items()})


def _record(text: str) -> Record | None:
    try:
        data = json.loads(text)
        place = Place(data["bucket"], data["prefix"])
        digests = dict(data["digests"])
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
    texts = [place.bucket, place.prefix, *digests, *digests.values()]
    return Record(place, digests) if data.get("version") == VERSION and all(isinstance(each, str) for each in texts) else None


@dataclass(frozen=True)
class Desired:
    """The desired scripts. Without ``place``, the recorded place is checked; if no place is recorded, no bucket is read."""

    present: bool = True
    place: Place | None = None
    scripts: tuple[Script, ...] = ()
    path: str = ""
    """Where the digests are recorded; empty for a cluster that does not exist yet."""

    @property
    def digests(self) -> dict[str, str]:
        return {script.name: script.digest for script in self.scripts}


@dataclass(frozen=True)
class State:
    parameters: t.Mapping[str, str] = field(default_factory=dict)
    """All parameters, keyed by name, including unreadable ones."""
    record: Record | None = None
    place: Place | None = None
    """The place in S3 that was read."""
    digests: Digests = field(default_factory=dict)
    """Digests of the uploaded and desired objects; empty for an object without a SHA-256 in S3."""
    others: tuple[str, ...] = ()
    """Names of some other objects below the prefix."""

    @property
    def unreadable(self) -> bool:
        """Whether the recorded digests can't be read."""
        return bool(self.parameters) and self.record is None

    def changed(self) -> tuple[str, ...]:
        """Names of uploaded scripts that differ or are missing in S3."""
        if self.record is None or self.record.place != self.place:
            return ()
        return tuple(name for name, digest in sorted(self.record.digests.items()) if self.digests.get(name) != digest)

    def with_object(self, script: Script) -> State:
        return dataclasses.replace(self, digests={**self.digests, script.name: script.digest})

    def with_record(self, record: Record, parameters: t.Mapping[str, str]) -> State:
        """A copy with this record. Scripts that are no longer desired stay in the bucket, and count as other objects."""
        left = self.digests.keys() - record.digests.keys()
        digests = {name: digest for name, digest in self.digests.items() if name not in left}
        others = tuple(sorted({*self.others, *left}))
        return dataclasses.replace(self, record=record, parameters=parameters, digests=digests, others=others)
