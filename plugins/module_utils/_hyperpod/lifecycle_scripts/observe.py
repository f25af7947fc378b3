# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Reads the recorded digests and those of the objects in S3. Every request to S3 names the account that must own the bucket."""

from __future__ import annotations

import itertools
import typing as t

from ..._aws.client import Api, AwsError
from ..._aws.parameters import Parameters
from ..._core.failure import Refused
from .model import Desired, Digests, Place, Record, State

SHOWN = 10
"""The maximum number of other objects that a message names."""
NOT_THERE = ("404", "NoSuchKey")
WITHOUT_DIGEST = ("400", "BadRequest")
"""The answer for an object that is encrypted with a customer-provided key (SSE-C)."""
REFUSED = ("403", "AccessDenied")


class Observer:
    """:param owner: the ID of the account that must own the bucket."""

    def __init__(self, s3: Api, parameters: Parameters, desired: Desired, *, owner: str) -> None:
        self._s3 = s3
        self._parameters = parameters
        self._desired = desired
        self._owner = owner

    def __call__(self) -> State:
        """:raises Refused: for a bucket that does not exist, belongs to a different account, or can't be read."""
        path = self._desired.path
        found = self._parameters.below(path, about=f"digests {path}") if path else {}
        record = Record.of_texts(text for _name, text in sorted(found.items()))
        place = self._desired.place or (record.place if record and self._desired.present else None)
        if place is None:
            return State(found, record)
        uploaded = record.digests if record and record.place == place else {}
        names = sorted({*self._desired.digests, *uploaded})
        others = self._others(place, names)
        return State(found, record, place, self._digests(place, names), others)

    def _digests(self, place: Place, names: t.Iterable[str]) -> Digests:
        found = ((name, self._digest(place, name)) for name in names)
        return {name: digest for name, digest in found if digest is not None}

    def _digest(self, place: Place, name: str) -> str | None:
        """The SHA-256 that S3 verified at the upload. ``DIGEST-PARTS`` of a multipart upload is not the digest of the object."""
        about, key = place.uri(name), place.key(name)
        wanted = {"Bucket": place.bucket, "Key": key, "ExpectedBucketOwner": self._owner, "ChecksumMode": "ENABLED"}
        try:
            found: str = self._s3.call("HeadObject", about=about, **wanted).get("ChecksumSHA256", "")
        except AwsError as error:
            if error.code in NOT_THERE:
                return None
            if error.code in REFUSED:
                raise _refused(f"{about}: S3 denies access to the SHA-256. The caller lacks s3:GetObject or kms:Decrypt") from error
            if error.code not in WITHOUT_DIGEST:
                raise
            return ""
        return "" if "-" in found else found

    def _others(self, place: Place, names: t.Sequence[str]) -> tuple[str, ...]:
        """Names of some other objects. The listing is limited to a few more objects than the scripts and their folders."""
        expected = {*names, *(folder for name in names for folder in _folders(name)), ""}
        wanted = {"Bucket": place.bucket, "Prefix": place.prefix, "ExpectedBucketOwner": self._owner}
        paging = {"MaxItems": len(expected) + SHOWN}
        try:
            listed = self._s3.pages("ListObjectsV2", "Contents", about=place.uri(), PaginationConfig=paging, **wanted)
        except AwsError as error:
            if error.code == "NoSuchBucket":
                raise _refused(f"{place.bucket}: the bucket of the lifecycle scripts does not exist. Create the bucket") from error
            if error.code in REFUSED:
                why = f"The bucket does not belong to account {self._owner}, or the caller lacks s3:ListBucket"
                raise _refused(f"{place.uri()}: S3 denies access to the lifecycle scripts. {why}") from error
            raise
        found = (each["Key"][len(place.prefix) :] for each in listed)
        return tuple(name for name in found if name not in expected)


def _folders(name: str) -> t.Iterator[str]:
    """Objects that S3's console creates for folders."""
    return itertools.accumulate(f"{part}/" for part in name.split("/")[:-1])


def _refused(what: str) -> Refused:
    return Refused(f"{what}.", option="bucket", code="lifecycle-bucket")
